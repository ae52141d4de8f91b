"""A folder of numbered images as footage: natural order, one picture in memory at a time."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from identify.fit.clips.footage import Header, Shot, Truth
from identify.fit.clips.info import LEAST_FRAMES, MOST_FRAMES, MOST_PIXELS, ClipError, check_size
from identify.fit.clips.picture import pose_of

if TYPE_CHECKING:
    from av import VideoFrame

EXTENSIONS = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp", ".pgm", ".ppm")
_OPTIONS = {
    "format_whitelist": "png_pipe,jpeg_pipe,bmp_pipe,tiff_pipe,webp_pipe,pgm_pipe,ppm_pipe,mjpeg",
    "max_pixels": str(MOST_PIXELS),
}
_MOST_BYTES = 400_000_000


def natural(name: str) -> list[tuple[int, int, str]]:
    """A sort key by which clip2 comes before clip10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name.lower())
    return [(0, int(part[:100]), "") if "0" <= part[0] <= "9" else (1, 0, part) for part in parts]


@dataclass(frozen=True)
class Images:
    """Footage from image files in the order given; ``folder`` is named in messages."""

    folder: Path
    files: tuple[Path, ...]

    @cached_property
    def header(self) -> Header:
        """Size and pose of the first image; images have no rate of their own."""
        if len(self.files) < LEAST_FRAMES:
            raise ClipError(f"{self.folder.name} has a single image", "a clip needs motion: many frames")
        if len(self.files) > MOST_FRAMES:
            raise ClipError(
                f"{self.folder.name} has more than {MOST_FRAMES} images",
                hint="cut the clip, or store smaller images",
            )
        first = _picture(self.files[0])
        check_size(first.width, first.height, self.files[0].name)
        notes = [_gap_note(self.places)] if self.places[-1] >= len(self.files) else []
        size, span = (first.width, first.height), self.places[-1] + 1
        return Header(*size, len(self.files), 0.0, None, pose=pose_of(first), notes=tuple(notes), span=span)

    @property
    def truth(self) -> Truth | None:
        """Images have no states beside them."""
        return None

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The place of each image in time, from its number, so that a missing image leaves a gap."""
        numbers = [_number(file.stem) for file in self.files]
        steps = [b - a for a, b in pairwise(numbers)]
        unit = math.gcd(*steps) if steps and min(steps) > 0 else 0
        if not unit or (numbers[-1] - numbers[0]) // unit >= 2 * len(numbers):
            return tuple(range(len(numbers)))
        return tuple((number - numbers[0]) // unit for number in numbers)

    def shots(self, first: int, notes: list[str]) -> Iterator[Shot]:
        """The pictures from the ``first`` place on; files that cannot be read are left out and counted."""
        broken = []
        try:
            for place, file in zip(self.places, self.files, strict=True):
                if place < first:
                    continue
                try:
                    picture = _picture(file)
                except ClipError as error:
                    broken.append(error.message)
                    continue
                yield Shot(place, None, picture)
        finally:
            if broken:
                notes.append(f"{len(broken)} images left out, the first because {broken[0]}")


def _number(stem: str) -> int:
    digits = re.findall(r"[0-9]+", stem)
    return int(digits[-1][:18]) if digits else -1


def _gap_note(places: tuple[int, ...]) -> str:
    return f"{places[-1] + 1 - len(places)} numbers are missing in the sequence: their time is left empty"


def _picture(file: Path) -> VideoFrame:
    """The one picture in an image file; its content decides how it is read, not its name."""
    import av

    try:
        if file.stat().st_size > _MOST_BYTES:
            raise ClipError(
                f"{file.name} has more than {_MOST_BYTES // 1_000_000} MB",
                hint="cut the clip, or store smaller images",
            )
        with av.open(io.BytesIO(file.read_bytes()), "r", options=dict(_OPTIONS)) as container:
            return next(container.decode(video=0))
    except (av.FFmpegError, OSError, ValueError, StopIteration, IndexError):
        raise ClipError(
            f"{file.name} is not an image that can be read", hint="store the frames as PNG, JPEG or TIFF"
        ) from None
