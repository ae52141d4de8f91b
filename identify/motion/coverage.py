"""Coverage of filmed or simulated motions: at which state levels the theorem's rank condition holds."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from identify.conclude.coverage import columns
from identify.conclude.coverage import coverage as condition
from identify.law import Law
from identify.motion.design import RANK_TOLERANCE, distinct, rank_and_smallest
from identify.motion.trajectory import Clip, Crossing
from identify.routes.classify import classify
from identify.routes.feature import feature_text
from identify.routes.route import Feature

SCHEMA = "identify/coverage/1"
# Separation of velocities, as a part of the largest speed at the levels; in a fit they are less certain.
MEASURED, SIMULATED, FITTED = 1e-2, 1e-4, 2e-2

Answer = Literal["holds", "holds in part", "not met", "undecided"]


@dataclass(frozen=True)
class Need:
    """The rank condition of the law's route."""

    route: str
    theorem: str | None
    features: tuple[Feature, ...]
    one_direction_rank: int

    @property
    def rank(self) -> int:
        """The rank that is needed at every level."""
        return len(self.features)

    @property
    def names(self) -> tuple[str, ...]:
        """The features in the input language."""
        return tuple(feature_text(feature) for feature in self.features)


@dataclass(frozen=True)
class Tolerance:
    """What counts as meeting a level, as another velocity, and as a zero singular value."""

    level: float
    velocity: float
    rank: float


@dataclass(frozen=True)
class Level:
    """One state level: the velocities met there and the rank they give.

    ``smallest_singular_value`` is of the column-normalised feature matrix, 0 below full rank;
    ``nearest_frame`` is the largest distance from the level to the frame beside a crossing.
    """

    level: float
    velocities: tuple[float, ...]
    crossings: int
    clips: int
    rank: int
    smallest_singular_value: float
    nearest_frame: float | None


@dataclass(frozen=True)
class CoverageReport:
    """Coverage level by level; ``identify/coverage/1`` as JSON."""

    law: str
    route: str
    theorem: str | None
    features: tuple[str, ...]
    needed_rank: int
    one_direction_rank: int
    source: str
    clips: int
    frames: int
    interval: tuple[float, float] | None
    answer: Answer
    least_rank: int | None
    intervals: tuple[tuple[float, float], ...]
    levels: tuple[Level, ...]
    tolerance: Tolerance | None
    advice: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON document as plain dictionaries and lists."""
        return {"schema": SCHEMA, **dataclasses.asdict(self)}


def needed(law: Law) -> Need | str:
    """The law's rank condition, or why no theorem gives one."""
    route = classify(law)
    if route.name == "unsupported":
        return route.reason or "no theorem covers this law"
    return Need(route.name, route.theorem, columns(route), condition(route).one_direction_rank)


def measure(
    law: Law,
    clips: Sequence[Clip],
    *,
    source: str,
    interval: tuple[float, float] | None = None,
    count: int = 41,
    level_tolerance: float = 0.0,
    separation: float | None = None,
    rank_tolerance: float = RANK_TOLERANCE,
    simulated: bool = False,
    fitted: bool = False,
) -> CoverageReport:
    """The coverage of the clips at ``count`` levels of the interval (or of the states that occur).

    The theorem asks for the rank at every state of an open interval; it is checked at these levels.
    """
    need = needed(law)
    if isinstance(need, str):
        return _without_condition(law, clips, source, interval, need)
    states = grid(clips, interval, count)
    met = [[clip.path.crossings(u, level_tolerance) for clip in clips] for u in states]
    # The largest speed at the levels, not anywhere: a motion that blows up later must not blur them.
    speed = max((abs(c.velocity) for at in met for found in at for c in found), default=0.0)
    share = SIMULATED if simulated else FITTED if fitted else MEASURED
    apart = share * speed if separation is None else separation
    tolerance = Tolerance(level_tolerance, apart, rank_tolerance)
    levels = tuple(level_of(need, u, at, tolerance) for u, at in zip(states, met, strict=True))
    intervals = runs(levels, need.rank)
    full = [level.rank == need.rank for level in levels]
    answer: Answer = "holds" if all(full) else "holds in part" if any(full) else "not met"
    return CoverageReport(
        law=law.text,
        route=need.route,
        theorem=need.theorem,
        features=need.names,
        needed_rank=need.rank,
        one_direction_rank=need.one_direction_rank,
        source=source,
        clips=len(clips),
        frames=sum(clip.frames for clip in clips),
        interval=interval,
        answer=answer,
        least_rank=min(level.rank for level in levels),
        intervals=intervals,
        levels=levels,
        tolerance=tolerance,
        advice=() if all(full) else tuple(advice(need, levels)),
    )


def grid(clips: Sequence[Clip], interval: tuple[float, float] | None, count: int) -> list[float]:
    """Equally spaced levels: with both ends of a wanted interval, else inside the range of the states."""
    if interval is not None:
        return [float(u) for u in np.linspace(*interval, count)]
    low = min(float(clip.state.min()) for clip in clips)
    high = max(float(clip.state.max()) for clip in clips)
    return [low + (high - low) * (i + 0.5) / count for i in range(count)]


def at_level(need: Need, clips: Sequence[Clip], level: float, tolerance: Tolerance) -> Level:
    """The velocities of the clips at one level and their rank."""
    return level_of(need, level, [clip.path.crossings(level, tolerance.level) for clip in clips], tolerance)


def level_of(need: Need, level: float, met: Sequence[Sequence[Crossing]], tolerance: Tolerance) -> Level:
    """One level from the crossings of every clip."""
    crossings = [crossing for found in met for crossing in found]
    velocities = distinct((crossing.velocity for crossing in crossings), tolerance.velocity)
    rank, smallest = rank_and_smallest(need.features, velocities, tolerance.rank)
    return Level(
        level=level,
        velocities=velocities,
        crossings=len(crossings),
        clips=sum(bool(found) for found in met),
        rank=rank,
        smallest_singular_value=smallest,
        nearest_frame=max((crossing.nearest_frame for crossing in crossings), default=None),
    )


def runs(levels: Sequence[Level], rank: int) -> tuple[tuple[float, float], ...]:
    """Intervals between neighbouring levels of full rank; a level alone spans none."""
    found: list[list[float]] = []
    previous = False
    for level in levels:
        if level.rank == rank:
            found[-1].append(level.level) if previous else found.append([level.level])
        previous = level.rank == rank
    return tuple((run[0], run[-1]) for run in found if len(run) > 1)


def advice(need: Need, levels: Sequence[Level]) -> list[str]:
    """Why the rank is not full, in terms of what was filmed."""
    short = [level for level in levels if level.rank < need.rank]
    told: list[str] = []
    empty = sum(level.crossings == 0 for level in short)
    if empty:
        told.append(f"no clip passes {empty} of the {len(levels)} levels: film there, or ask for less")
    met = [level for level in short if level.crossings]
    if not met:
        return told
    most = max(len(level.velocities) for level in met)
    if most < need.rank:
        told.append(
            f"where it fails, at most {most} different velocities meet at a position and {need.rank} are "
            "needed: film more speeds"
        )
    one_way = all(min(level.velocities) >= 0 or max(level.velocities) <= 0 for level in met)
    if one_way and need.one_direction_rank < need.rank:
        told.append(
            f"where it fails, all motion goes one way: on one side of zero {_merging(need)} are not "
            f"independent, so more speeds never give more than rank {need.one_direction_rank} of "
            f"{need.rank}: film the other direction too"
        )
    return told


def _merging(need: Need) -> str:
    same = [f for f in need.features if sum(g.power == f.power for g in need.features) > 1]
    return " and ".join(feature_text(feature) for feature in same)


def _without_condition(
    law: Law, clips: Sequence[Clip], source: str, interval: tuple[float, float] | None, reason: str
) -> CoverageReport:
    return CoverageReport(
        law=law.text,
        route="unsupported",
        theorem=None,
        features=(),
        needed_rank=0,
        one_direction_rank=0,
        source=source,
        clips=len(clips),
        frames=sum(clip.frames for clip in clips),
        interval=interval,
        answer="undecided",
        least_rank=None,
        intervals=(),
        levels=(),
        tolerance=None,
        advice=(f"no theorem gives a rank condition: {reason}",),
    )
