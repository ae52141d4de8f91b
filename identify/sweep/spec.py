"""The shape of a sweep file: grids of simulated fits and of folders of clips; the models that validate it."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from identify.families.schema import Name, Part, Text, Texts

MOST_POINTS = 10_000  # of one axis
MOST_TASKS = 100_000
METHODS = ("default", "paper")

_RANGE = re.compile(r"\s*(\d{1,9})\s*:\s*(\d{1,9})\s*")
_SIZE = re.compile(r"(\d{1,5})x(\d{1,5})")


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def _ranges(value: Any) -> Any:
    """``0:3`` is 0, 1, 2; a list may hold numbers and ranges."""
    found: list[Any] = []
    for item in _listed(value):
        pair = _RANGE.fullmatch(item) if isinstance(item, str) else None
        if pair is None:
            found.append(item)
            continue
        first, last = int(pair[1]), int(pair[2])
        if not 0 < last - first <= MOST_POINTS:
            raise PydanticCustomError("shape", f"must rise by 1 to {MOST_POINTS}, as 0:10 does")
        found += range(first, last)
    return found


def _sized(value: Any) -> Any:
    """``96`` is a square, ``72x192`` has width and height; kept as height and width."""
    pair = _SIZE.fullmatch(value) if isinstance(value, str) else None
    width, height = (int(pair[1]), int(pair[2])) if pair else (value, value)
    if not all(type(n) is int and 16 <= n <= 1080 for n in (width, height)):
        raise PydanticCustomError("shape", "must be pixels such as 96 or 72x192, from 16 to 1080")
    return height, width


def _collections(value: Any) -> Any:
    """One collection of initial conditions, or several."""
    several = isinstance(value, list) and value and isinstance(value[0], list) and value[0]
    return value if several and isinstance(value[0][0], list) else [value]


def _pair(value: list[float]) -> list[float]:
    if len(value) != 2:
        raise PydanticCustomError("shape", "must be [state, velocity]")
    return value


_POINTS = Field(min_length=1, max_length=MOST_POINTS)
_LOOK = Annotated[float, Field(ge=0, le=1)]
Wholes = Annotated[list[Annotated[int, Field(ge=0, le=2**53)]], BeforeValidator(_ranges), _POINTS]
Words = Annotated[list[Text], BeforeValidator(_listed), _POINTS]
Shares = Annotated[list[_LOOK], BeforeValidator(_listed), _POINTS]
Positives = Annotated[list[Annotated[float, Field(gt=0, le=1e6)]], BeforeValidator(_listed), _POINTS]
Pair = Annotated[list[float], AfterValidator(_pair)]
Collections = Annotated[
    list[Annotated[list[Pair], Field(min_length=1, max_length=200)]], BeforeValidator(_collections), _POINTS
]


class Stated(Part):
    """A law with its conditions, or a family of the catalogue; text alone is a law."""

    law: Text | None = Field(default=None, description="The equation, such as z'' + a*z = 0.")
    family: Text | None = Field(default=None, description="A family of the catalogue, or its file.")
    assume: Texts = Field(default=[], description="Conditions on the parameters, such as a > 0.")
    domain: Texts = Field(default=[], description="Conditions on the state, such as z > 0.")

    @model_validator(mode="before")
    @classmethod
    def _text(cls, value: Any) -> Any:
        return {"law": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one(self) -> Stated:
        if (self.law is None) == (self.family is None):
            raise PydanticCustomError("shape", "needs a law or a family, one of them")
        if self.family is not None and (self.assume or self.domain):
            raise PydanticCustomError("shape", "has a family, which says itself what is assumed")
        return self


class Source(Stated):
    """A law to simulate: its true values, where it starts, and how it is shown."""

    parameters: dict[Name, float] | None = Field(
        default=None, description="The true value of each parameter."
    )
    initial: Collections | None = Field(
        default=None, description="[[state, velocity], ...]: one collection of clips, or a list of them."
    )
    scene: Literal["cart", "pendulum", "projected-pendulum", "side-fall", "overhead-fall"] | None = None


Sources = Annotated[list[Source], BeforeValidator(_listed), _POINTS]
Fitted = Annotated[list[Stated], BeforeValidator(_listed), _POINTS]
Methods = Annotated[list[Literal["default", "paper"]], BeforeValidator(_listed), _POINTS]
Sizes = Annotated[list[Annotated[Any, AfterValidator(_sized)]], BeforeValidator(_listed), _POINTS]
Updates = Annotated[list[Annotated[int, Field(ge=1, le=1_000_000)]], BeforeValidator(_ranges), _POINTS]
Clips = Annotated[list[Annotated[int, Field(ge=1, le=200)]], BeforeValidator(_ranges), _POINTS]


class Grid(Part):
    """Every combination of what is listed; a key with one value needs no list."""

    experiments: Words | None = Field(default=None, description="Experiments of the paper, by name.")
    laws: Sources | None = Field(default=None, description="Laws or families to simulate.")
    videos: Words | None = Field(default=None, description="Folders of clips, or patterns such as clips/*.")

    collections: Wholes = Field(default=[0], description="Draws of initial states and noise; 0:10 is 0 to 9.")
    clips: Clips | None = Field(default=None, description="How many clips to train on.")
    size: Sizes | None = Field(default=None, description="Pixels, such as 96 or 72x192.")
    rate: Positives | None = Field(default=None, description="Frames in a second.")
    duration: Positives | None = Field(default=None, description="Seconds in a clip.")
    noise: Shares | None = Field(default=None, description="Noise of a pixel, as a share of full scale.")
    brightness: Shares | None = Field(default=None, description="Change of brightness from clip to clip.")
    texture: Shares | None = Field(default=None, description="Depth of a static background pattern.")
    blur: Shares | None = Field(default=None, description="Exposure as a share of the frame interval.")
    flicker: Shares | None = Field(default=None, description="Change of brightness from frame to frame.")
    shade: Shares | None = Field(default=None, description="Depth of a shadow that crosses the picture.")
    colour: bool = Field(default=False, description="Colour instead of grey.")

    fitted: Fitted | None = Field(default=None, description="Laws to fit instead of the data's own.")
    methods: Methods = Field(default=["default"], description="default, paper.")
    seeds: Wholes = Field(default=[0], description="Seeds of the method; 0:10 is 0 to 9.")
    updates: Updates | None = Field(default=None, description="Training steps of the paper's method.")
    preset: Words | None = Field(default=None, description="Settings of the paper's method, by experiment.")
    time_limit: Positives | None = Field(default=None, description="Seconds for a fit.")

    @model_validator(mode="after")
    def _some(self) -> Grid:
        if not (self.experiments or self.laws or self.videos):
            raise PydanticCustomError("shape", "needs experiments, laws or videos")
        return self


class Sweep(Part):
    """A sweep file."""

    title: Annotated[str, StringConstraints(max_length=200)] | None = None
    grids: Annotated[list[Grid], Field(min_length=1, max_length=1000)]
