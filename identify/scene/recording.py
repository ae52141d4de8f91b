"""Recordings: simulated clips with everything that was put into them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]
Role = Literal["train", "test"]


@dataclass(frozen=True)
class Shot:
    """One clip: its frames, and the law's own state and velocity at each frame.

    ``physical`` is the quantity behind the picture where it is not the law's state but a function of it: the
    angle behind a projection, the height behind an apparent radius.
    """

    name: str
    time: Array
    frames: Pixels  # (n, height, width), or (n, height, width, 3) in colour
    state: Array
    velocity: Array
    role: Role = "train"
    physical: Array | None = None


@dataclass(frozen=True)
class Anchor:
    """A known length in the picture: the anchor as ``identify analyze`` reads it, and its pixels."""

    text: str
    pixels: float
    what: str


@dataclass(frozen=True)
class Recording:
    """The clips of one experiment and the truth behind them.

    ``truth`` has the value of every parameter of ``law``; ``anchors`` what a ruler in the scene would tell;
    ``physical`` names the quantity ``Shot.physical``.
    """

    name: str
    scene: str
    law: str
    shots: tuple[Shot, ...]
    truth: Mapping[str, float]
    assume: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    physical: str | None = None
