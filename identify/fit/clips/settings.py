"""The shape of ``experiment.yaml``: the models that validate it; every key may be left out."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from identify.families.schema import Name, Part, Text, Texts

Channel = Literal["auto", "grey", "red", "green", "blue", "saturation", "difference"]
ClipRole = Literal["train", "test", "skip"]
Rate = Annotated[float, Field(gt=0, le=1e6)]
Scale = Annotated[float, Field(gt=0, le=1e4)]
Pixel = Annotated[int, Field(ge=0, le=100_000)]
Unit = Annotated[str, StringConstraints(min_length=1, max_length=100)]

CHANNELS: tuple[str, ...] = Channel.__args__  # type: ignore[attr-defined]
ROLES: tuple[str, ...] = ClipRole.__args__  # type: ignore[attr-defined]


def _crop(value: list[int]) -> list[int]:
    if len(value) != 4 or value[2] < 1 or value[3] < 1:
        raise PydanticCustomError("shape", "must be [x, y, width, height] in pixels of the upright frame")
    return value


def _trim(value: list[float]) -> list[float]:
    if not 1 <= len(value) <= 2 or min(value) < 0 or (len(value) == 2 and value[1] <= value[0]):
        raise PydanticCustomError("shape", "must be [start, stop] in seconds, the stop after the start")
    return value


def _resize(value: Any) -> Any:
    return [value] if isinstance(value, int) and not isinstance(value, bool) else value


def _resized(value: list[int]) -> list[int]:
    if not 1 <= len(value) <= 2 or min(value) < 8:
        raise PydanticCustomError("shape", "must be [width, height] or the longer side, at least 8 pixels")
    return value


class ClipSettings(Part):
    """What holds for one clip only."""

    trim: Annotated[list[float], AfterValidator(_trim)] | None = Field(
        default=None, description="[start, stop] in seconds of true time, or [start]."
    )
    role: ClipRole | None = Field(default=None, description="train, test or skip.")
    fps: Rate | None = Field(default=None, description="Frames in a second, instead of the file's times.")
    time_scale: Scale | None = Field(default=None, description="True time over the file's time.")


class Settings(Part):
    """What an experiment says beside its clips."""

    law: Text | None = Field(default=None, description="The equation, such as z'' + a*z = 0.")
    family: Text | None = Field(default=None, description="A family of the catalogue, instead of a law.")
    assume: Texts = Field(default=[], description="Conditions on the parameters, such as a > 0.")
    domain: Texts = Field(default=[], description="Conditions on the state, such as z > 0.")
    crop: Annotated[list[Pixel], AfterValidator(_crop)] | None = Field(
        default=None, description="[x, y, width, height] in pixels of the upright full frame."
    )
    resize: Annotated[list[Pixel], BeforeValidator(_resize), AfterValidator(_resized)] | None = Field(
        default=None, description="[width, height] after the crop, or the longer side alone."
    )
    channel: Channel = Field(default="auto", description="What is looked at in each pixel.")
    fps: Rate | None = Field(default=None, description="Frames in a second, for all clips.")
    time_scale: Scale | None = Field(default=None, description="True time over the file's time.")
    clips: dict[str, ClipSettings] = Field(default={}, description="Settings of single clips by name.")
    train: Texts = Field(default=[], description="Clips to fit, by name or pattern; the others test.")
    test: Texts = Field(default=[], description="Clips to evaluate on, by name or pattern; the others train.")
    anchors: Texts = Field(default=[], description="Known quantities, as for --anchor.")
    units: dict[Name, Unit] = Field(default={}, description="Units of the state and the parameters.")
    reference: Text | None = Field(
        default=None, description="A table with columns clip, time, state: physical states for evaluation."
    )
    truth: dict[Name, float] = Field(
        default={}, description="True parameters of a simulation, for evaluation only."
    )
