"""Stages: what stands in front of the camera, as layers of coverage painted over one another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from identify.scene.recording import Array
from identify.scene.shapes import Plane, between, coil, disc, rod, stroke

Colour = tuple[float, float, float]
Layer = tuple[Plane, Colour]
Size = tuple[int, int]  # height, width

PAPER: Colour = (0.86, 0.87, 0.88)
FLOOR: Colour = (0.62, 0.60, 0.57)
INK: Colour = (0.16, 0.18, 0.22)
STEEL: Colour = (0.36, 0.39, 0.44)
MASS: Colour = (0.17, 0.40, 0.68)
BOB: Colour = (0.66, 0.16, 0.13)
SHINE: Colour = (0.93, 0.72, 0.66)
TENNIS: Colour = (0.80, 0.90, 0.22)
DARK: Colour = (0.20, 0.22, 0.25)

BALL = 0.067  # m, the diameter of the ball that falls


class Stage(Protocol):
    """A scene: its background, and its layers for a batch of positions; smooth in the position."""

    @property
    def size(self) -> Size:
        """Height and width in pixels."""

    @property
    def background(self) -> Colour:
        """The colour behind everything."""

    def fixed(self) -> Iterator[Layer]:
        """The layers that never move, of shape (1, height, width)."""

    def moving(self, position: Array) -> Iterator[Layer]:
        """The layers at each position, of shape (n, height, width)."""


def axes(size: Size) -> tuple[Plane, Plane]:
    """The coordinates of the pixel centres, as planes that broadcast over a batch."""
    height, width = size
    x = np.arange(width, dtype=np.float32)[None, None, :]
    return x, np.arange(height, dtype=np.float32)[None, :, None]


def column(position: Array) -> Plane:
    """One number for each frame, as a plane that broadcasts over its pixels."""
    return np.asarray(position, dtype=np.float32)[:, None, None]


@dataclass(frozen=True)
class Cart:
    """A mass on a track, pulled by a spring from a wall; the range of states fills the track.

    The options vary the looks: ``turns`` of the spring (0: none), the ``width`` of the mass as a share of the
    picture, and its colour.
    """

    size: Size
    low: float
    high: float
    turns: int = 4
    width: float = 0.2
    colour: Colour = MASS
    background: Colour = PAPER

    @property
    def pixels(self) -> float:
        """Pixels for one unit of the state."""
        first, last = self._track()
        return (last - first) / (self.high - self.low)

    def centre(self, position: Array) -> Array:
        """Where the middle of the mass is, in pixels from the left; linear in the state."""
        return self._track()[0] + (np.asarray(position, dtype=float) - self.low) * self.pixels

    def _track(self) -> tuple[float, float]:
        wide = self.size[1] - 1
        return wide * (0.26 + self.width / 2), wide * (0.98 - self.width / 2)

    def _lines(self) -> tuple[float, float, float]:
        """The height of the track, the height of the mass, and the unit of length."""
        height, width = self.size
        unit = min(height, width) / 64
        return height / 2 + 11 * unit, self.width * 64 * unit * 0.9, unit

    def fixed(self) -> Iterator[Layer]:
        """The wall and the track."""
        x, y = axes(self.size)
        track, _, unit = self._lines()
        wall = 0.05 * self.size[1]
        yield between(x, -2.0, wall) * between(y, track - 22 * unit, track + 1.2 * unit), FLOOR
        yield stroke(x - np.float32(wall), unit) * between(y, track - 22 * unit, track + 1.2 * unit), STEEL
        yield stroke(y - np.float32(track), unit) * (x + 1 > 0), STEEL

    def moving(self, position: Array) -> Iterator[Layer]:
        """The spring, the mass and its wheels."""
        x, y = axes(self.size)
        track, tall, unit = self._lines()
        middle = column(self.centre(position))
        half, wheel = np.float32(self.width * (self.size[1] - 1) / 2), 2.6 * unit
        bottom = track - 1.4 * wheel
        axle = np.float32(bottom - tall / 2)
        if self.turns:
            start = np.float32(0.05 * self.size[1])
            shape = coil(x - start, y - axle, middle - start - half, self.turns, 4.5 * unit, 1.4 * unit)
            yield shape, INK
        body = between(y, bottom - tall, bottom)
        yield between(x - middle, -half, half) * body, self.colour
        for side in (-0.55, 0.55):
            yield disc(x - middle - np.float32(side) * half, y - np.float32(track - wheel), wheel), INK


@dataclass(frozen=True)
class Pendulum:
    """A rod and a bob about the middle of the picture; the position is the angle from straight down."""

    size: Size
    length: float = 0.36
    bob: float = 0.085
    colour: Colour = BOB
    background: Colour = PAPER

    def fixed(self) -> Iterator[Layer]:
        """The bracket behind the pivot."""
        x, y = axes(self.size)
        least = min(self.size)
        high, wide = (self.size[0] - 1) / 2, (self.size[1] - 1) / 2
        yield disc(x - np.float32(wide), y - np.float32(high), 0.075 * least), FLOOR

    def moving(self, position: Array) -> Iterator[Layer]:
        """The rod, its pivot and the bob."""
        x, y = axes(self.size)
        least = min(self.size)
        across, down = x - np.float32((self.size[1] - 1) / 2), y - np.float32((self.size[0] - 1) / 2)
        along = column(np.sin(position)), column(np.cos(position))
        length = np.float32(self.length * least)
        yield rod(across, down, along, length, 0.028 * least), STEEL
        yield disc(across, down, 0.03 * least), INK
        bob_x, bob_y = across - length * along[0], down - length * along[1]
        radius = self.bob * least
        yield disc(bob_x, bob_y, radius), self.colour
        shift = np.float32(0.3 * radius)
        yield disc(bob_x + shift, bob_y + shift, 0.3 * radius) * np.float32(0.5), SHINE


@dataclass(frozen=True)
class ProjectedPendulum:
    """A pendulum seen along the vertical: the position is the sine of the angle, depth is lost."""

    size: Size
    length: float = 0.37
    bob: float = 0.075
    colour: Colour = BOB
    background: Colour = PAPER

    def fixed(self) -> Iterator[Layer]:
        """The beam from which the pendulum hangs."""
        x, y = axes(self.size)
        middle, least = np.float32((self.size[1] - 1) / 2), min(self.size)
        yield between(x - middle, -0.02 * least, 0.02 * least) * (y + 1 > 0), FLOOR

    def moving(self, position: Array) -> Iterator[Layer]:
        """The foreshortened rod, the pivot and the bob of constant size."""
        x, y = axes(self.size)
        least = min(self.size)
        across, down = x - np.float32((self.size[1] - 1) / 2), y - np.float32((self.size[0] - 1) / 2)
        reach = column(position) * np.float32(self.length * least)
        # A signed stretch: it is smooth where the bob passes the pivot, and changes sign there.
        stretch = np.abs(between(across, np.float32(0), reach))
        yield stretch * stroke(down, 0.028 * least), STEEL
        yield disc(across, down, 0.034 * least), INK
        radius = self.bob * least
        yield disc(across - reach, down, radius), self.colour
        shift = np.float32(0.3 * radius)
        yield disc(across - reach + shift, down + shift, 0.3 * radius) * np.float32(0.5), SHINE


@dataclass(frozen=True)
class SideFall:
    """A ball that falls past a fixed interval; the position is its depth below the top edge in metres."""

    size: Size
    metres: float = 0.61
    colour: Colour = TENNIS
    background: Colour = DARK

    @property
    def pixels(self) -> float:
        """Pixels for one metre in the plane of the fall."""
        return self.size[0] / self.metres

    def fixed(self) -> Iterator[Layer]:
        """A plumb line at the side."""
        x, y = axes(self.size)
        yield stroke(x - np.float32(0.1 * self.size[1]), 1.2) * (y + 1 > 0) * np.float32(0.5), FLOOR

    def moving(self, position: Array) -> Iterator[Layer]:
        """The ball."""
        x, y = axes(self.size)
        across = x - np.float32((self.size[1] - 1) / 2)
        down = y + np.float32(0.5) - column(position) * np.float32(self.pixels)
        radius = BALL / 2 * self.pixels
        yield disc(across, down, radius), self.colour
        shift = np.float32(0.3 * radius)
        yield disc(across + shift, down + shift, 0.3 * radius) * np.float32(0.4), (0.97, 0.98, 0.75)


@dataclass(frozen=True)
class OverheadFall:
    """A ball below a camera that looks down; the position is its radius in pixels."""

    size: Size
    colour: Colour = TENNIS
    background: Colour = DARK

    def fixed(self) -> Iterator[Layer]:
        """Tiles on the floor."""
        x, y = axes(self.size)
        height, width = self.size
        for share in (0.19, 0.81):
            faint = np.float32(0.3)
            yield stroke(x - np.float32(share * width), 1.0) * (y + 1 > 0) * faint, FLOOR
            yield stroke(y - np.float32(share * height), 1.0) * (x + 1 > 0) * faint, FLOOR

    def moving(self, position: Array) -> Iterator[Layer]:
        """The ball."""
        x, y = axes(self.size)
        across, down = x - np.float32((self.size[1] - 1) / 2), y - np.float32((self.size[0] - 1) / 2)
        radius = column(position)
        yield disc(across, down, radius), self.colour
        shift = np.float32(0.3) * radius
        yield disc(across + shift, down + shift, shift) * np.float32(0.4), (0.97, 0.98, 0.75)
