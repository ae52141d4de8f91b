"""Arrays in .npy and .npz files, read from their headers on and block by block; never a pickle."""

from __future__ import annotations

import math
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from identify.fit.clips.info import ClipError

MOST_BYTES = 32_000_000_000  # of one array, as its header announces it
_WHOLE_BYTES = 500_000_000  # of an array that has to be in memory at once
_BLOCK_BYTES = 16_000_000
_MOST_ARRAYS = 1000
FAILURES = (
    OSError,
    ValueError,
    EOFError,
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    OverflowError,
    TypeError,
    SyntaxError,
    KeyError,
    MemoryError,
    tokenize.TokenError,
)


@dataclass(frozen=True)
class Stack:
    """One array of a file: what its header says, and its rows on request."""

    path: Path
    member: str | None
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fortran: bool
    offset: int

    @property
    def announced(self) -> int:
        """The size that the header announces."""
        return math.prod(self.shape) * self.dtype.itemsize

    def whole(self) -> NDArray[Any]:
        """The array in memory; only for small ones."""
        if self.announced > _WHOLE_BYTES:
            raise ClipError(
                f"{self._called} is too large to be read at once ({self.announced / 1e6:.0f} MB)",
                hint="store it as .npy, which is read in parts",
            )
        with self._data() as file:
            content = file.read(self.announced)
        if len(content) < self.announced:
            raise ClipError(f"{self._called} is cut off", "copy the file again")
        order: Any = "F" if self.fortran else "C"
        return np.frombuffer(content, self.dtype).reshape(self.shape, order=order)

    def rows(self, row: tuple[int, ...], start: int, stop: int) -> Iterator[NDArray[Any]]:
        """Items of shape ``row`` from ``start`` to ``stop`` of the array seen as a list of them."""
        if self.fortran:
            yield from self.whole().reshape(-1, *row)[start:stop]
            return
        size = math.prod(row) * self.dtype.itemsize
        block = max(1, _BLOCK_BYTES // max(1, size))
        with self._data() as file:
            file.seek(self.offset + start * size)
            while start < stop:
                content = file.read(min(block, stop - start) * size)
                count = len(content) // size
                if not count:
                    raise ClipError(f"{self._called} is cut off", "copy the file again")
                yield from np.frombuffer(content[: count * size], self.dtype).reshape(count, *row)
                start += count

    @contextmanager
    def _data(self) -> Iterator[IO[bytes]]:
        """The file or member, open where its data begin; its failures are ClipErrors."""
        try:
            if self.member is None:
                with self.path.open("rb") as file:
                    file.seek(self.offset)
                    yield file
            else:
                with zipfile.ZipFile(self.path) as archive, archive.open(self.member) as member:
                    member.seek(self.offset)
                    yield member
        except FAILURES as error:
            raise ClipError(
                f"{self._called} cannot be read: {_words(error)}", "copy the file again"
            ) from None

    @property
    def _called(self) -> str:
        return self.path.name if self.member is None else f"{self.member} in {self.path.name}"


def read_headers(path: Path) -> dict[str, Stack]:
    """The arrays of a .npy (one, without a name) or .npz file by name, from their headers alone."""
    try:
        with path.open("rb") as file:
            if file.read(2) != b"PK":
                file.seek(0)
                return {"": _header(path, None, file)}
        with zipfile.ZipFile(path) as archive:
            members = [m for m in archive.namelist() if m.endswith(".npy")][:_MOST_ARRAYS]
            found = {}
            for member in members:
                with archive.open(member) as inside:
                    found[member.removesuffix(".npy")] = _header(path, member, inside)
            return found
    except ClipError:
        raise
    except FAILURES as error:
        raise ClipError(
            f"{path.name} is not a file of plain arrays: {_words(error)}", "write it with numpy.savez"
        ) from None


def _header(path: Path, member: str | None, file: IO[bytes]) -> Stack:
    version = np.lib.format.read_magic(file)
    if version not in {(1, 0), (2, 0)}:
        raise ValueError("an array format that is not used for plain numbers")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(file)
    stack = Stack(path, member, tuple(int(n) for n in shape), dtype, bool(fortran), file.tell())
    if min(stack.shape, default=0) < 0 or dtype.hasobject:
        raise ValueError("it holds objects, which are never loaded")
    if stack.announced > MOST_BYTES:
        called = path.name if member is None else f"{member} in {path.name}"
        limit = f"at most {MOST_BYTES // 10**9} are read"
        raise ClipError(
            f"{called} announces {stack.announced // 10**9} GB; {limit}", hint="store fewer or smaller frames"
        )
    return stack


def _words(error: BaseException) -> str:
    return (" ".join(str(error).split()) or type(error).__name__)[:160]
