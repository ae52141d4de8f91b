"""The state of a training run on disk: replaced in one step, in safetensors, never pickled."""

from __future__ import annotations

import os
from pathlib import Path

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from identify.errors import InputError


def save_state(path: Path, tensors: dict[str, Tensor], fingerprint: str) -> None:
    """Write the tensors; at any moment the file is either the old state or the whole new one."""
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    content = safetensors.torch.save(plain, metadata={"fingerprint": fingerprint})
    part = path.with_name(f".{path.name}.part")  # one name, so that a kill while writing leaves one at most
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


def load_state(path: Path, wanted: dict[str, Tensor], fingerprint: str) -> dict[str, Tensor] | None:
    """The saved state with the names, shapes and types of ``wanted``; None where there is no file.

    InputError for a file that is damaged, or that belongs to other clips, another law or other settings.
    """
    if not path.exists():
        return None
    try:
        with safetensors.safe_open(str(path), framework="pt") as file:
            told = (file.metadata() or {}).get("fingerprint")
            names = set(file.keys())
            found = {name: file.get_tensor(name) for name in names & wanted.keys()}
    except (OSError, ValueError, safetensors.SafetensorError) as error:
        raise InputError(f"{path.name} cannot be read: {error}", hint="delete it to start anew") from None
    if told != fingerprint:
        raise InputError(
            f"{path.name} belongs to other clips, another law, seed or settings",
            hint="delete it to start anew, or give the same arguments as before",
        )
    if names != wanted.keys() or any(not _same(found[n], wanted[n]) for n in wanted):
        raise InputError(f"{path.name} does not hold a state of this fit", hint="delete it to start anew")
    return found


def _same(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and bool(torch.isfinite(one.double()).all())
