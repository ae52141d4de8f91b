"""Recordings: simulated clips with everything that was put into them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
class Recording:
    """The clips of one experiment and the truth behind them.

    ``truth`` has the value of every parameter of ``law``; ``anchors`` what a person with a tape
    would know, as ``identify fit`` reads it; ``ruler`` the pixels of one unit of the state, where that is the
    same everywhere; ``physical`` names the quantity ``Shot.physical``.
    """

    name: str
    scene: str
    law: str
    shots: tuple[Shot, ...]
    truth: Mapping[str, float]
    assume: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    ruler: float | None = None
    physical: str | None = None
