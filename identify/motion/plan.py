"""What to film: initial conditions whose motions give full rank on an interval, best conditioned first."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from identify.errors import InputError
from identify.motion.coverage import (
    SIMULATED,
    Level,
    Need,
    Tolerance,
    advice,
    at_level,
    grid,
    needed,
)
from identify.motion.design import RANK_TOLERANCE, distinct, rank_and_smallest
from identify.motion.dynamics import Dynamics, simulate
from identify.motion.trajectory import Clip

SCHEMA = "identify/plan/1"
Initial = tuple[float, float]
Score = tuple[int, int, float, float]

_PLACES = ((-1.0, 1.0), (0.5, 1.5), (0.1, 0.9), (-1.5, -0.5), (-0.9, -0.1), (1.5, 3.0))
_SPEEDS = (0.25, 0.4, 0.55, 0.7, 0.85, 1.0)
_STARTS = 5
_ROUNDS = 3


@dataclass(frozen=True)
class Wish:
    """What the user wants filmed and what can be done."""

    interval: tuple[float, float]
    clips: int
    duration: float
    rate: float
    count: int
    fastest: float
    one_way: bool = False
    from_rest: bool = False


@dataclass(frozen=True)
class Design:
    """A set of initial conditions and the coverage of its motions."""

    name: str
    initial: tuple[Initial, ...]
    least_rank: int
    full_levels: int
    worst_singular_value: float
    levels: tuple[Level, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class PlanReport:
    """The designs one would try first, and the proposed one; ``identify/plan/1`` as JSON."""

    law: str
    parameters: dict[str, str]
    route: str
    features: tuple[str, ...]
    needed_rank: int
    wish: Wish | None
    before: tuple[Design, ...]
    after: Design | None
    reached: bool
    reason: str | None

    def to_dict(self) -> dict[str, Any]:
        """The JSON document as plain dictionaries and lists."""
        return {"schema": SCHEMA, **dataclasses.asdict(self)}


def default_interval(dynamics: Dynamics) -> tuple[float, float]:
    """The first of a few intervals of ordinary size that lies inside the law's domain."""
    for low, high in _PLACES:
        if all(dynamics.inside(float(u)) for u in np.linspace(low, high, 41)):
            return low, high
    raise InputError("no ordinary interval lies inside the domain", hint="give one with --interval a,b")


def fastest_speed(dynamics: Dynamics, interval: tuple[float, float], duration: float) -> float:
    """A speed that crosses the interval against the law's force, and in a part of the clip.

    By energy, ``v**2/2 = width * largest force`` is always enough without damping; twice that is taken.
    """
    low, high = interval
    with np.errstate(all="ignore"):
        forces = [abs(float(dynamics.acceleration(u, 0.0))) for u in np.linspace(low, high, 41)]
    force = max((f for f in forces if np.isfinite(f)), default=0.0)
    return float(max(2 * np.sqrt((high - low) * force), 4 * (high - low) / duration))


def plan(dynamics: Dynamics, wish: Wish, before: Sequence[Initial] = ()) -> PlanReport:
    """The best design found by greedy choice and exchange, after the designs one would try first.

    Designs are compared by the least rank over the levels, then by the number of levels with full rank, then
    by the worst column-normalised smallest singular value.
    """
    need = needed(dynamics.law)
    shown = {symbol.name: str(value) for symbol, value in dynamics.values.items()}
    if isinstance(need, str):
        why = f"no theorem gives a rank condition: {need}"
        return PlanReport(dynamics.law.text, shown, "unsupported", (), 0, wish, (), None, False, why)
    film = _camera(dynamics, wish, one_way=wish.one_way)
    judge = _Judge(need, wish)
    tried = tuple(
        judge.design(name, start, _camera(dynamics, wish, one_way=name == "one-way motion"))
        for name, start in _first_tries(wish, before)
    )
    pool = [clip for clip in map(film, _candidates(wish)) if clip is not None]
    chosen = _search(judge, [judge.profile(clip) for clip in pool], wish.clips)
    after = judge.design("proposed", tuple(_start(pool[i]) for i in chosen), film)
    reached = after.least_rank == need.rank
    return PlanReport(
        law=dynamics.law.text,
        parameters=shown,
        route=need.route,
        features=need.names,
        needed_rank=need.rank,
        wish=wish,
        before=tried,
        after=after,
        reached=reached,
        reason=None if reached else _why_not(need, wish, after),
    )


def filmed(report: PlanReport, dynamics: Dynamics) -> list[list[Clip]]:
    """The clips of every design of the report, for a picture."""
    if report.wish is None or report.after is None:
        return []
    found = []
    for design in (*report.before, report.after):
        one_way = design.name == "one-way motion" or (design.name == "proposed" and report.wish.one_way)
        film = _camera(dynamics, report.wish, one_way=one_way)
        found.append([clip for clip in map(film, design.initial) if clip is not None])
    return found


Camera = Callable[[Initial], Clip | None]


def _camera(dynamics: Dynamics, wish: Wish, *, one_way: bool) -> Camera:
    """Films one clip; one-way clips stop where the motion turns round."""

    def film(initial: Initial) -> Clip | None:
        try:
            clip = simulate(dynamics, initial, wish.duration, wish.rate)
        except InputError:
            return None
        return _until_turn(clip) if one_way else clip

    return film


def _until_turn(clip: Clip) -> Clip | None:
    assert clip.velocity is not None
    ahead = clip.velocity > 0
    ahead[0] = True  # a release from rest starts at zero velocity
    end = len(ahead) if ahead.all() else int(np.argmin(ahead))
    if end < 4:
        return None
    return Clip(clip.name, clip.time[:end], clip.state[:end], clip.velocity[:end])


def _start(clip: Clip) -> Initial:
    assert clip.velocity is not None
    return float(clip.state[0]), float(clip.velocity[0])


def _first_tries(wish: Wish, before: Sequence[Initial]) -> Iterator[tuple[str, tuple[Initial, ...]]]:
    """The user's own design, or the two that people film first."""
    low, high = wish.interval
    if before:
        yield "given", tuple(before)
        return
    edge = rounded(high + 0.05 * (high - low))
    yield "single release", ((edge, 0.0),)
    speeds = [rounded(wish.fastest * share) for share in (0.55, 0.7, 0.85, 1.0)]
    below = rounded(low - 0.05 * (high - low))
    yield "one-way motion", tuple((below, speed) for speed in speeds[: max(wish.clips, 1)])


def rounded(number: float) -> float:
    """Three significant digits: what one can hope to set up by hand."""
    return float(f"{number:.3g}")


def _candidates(wish: Wish) -> list[Initial]:
    return list(dict.fromkeys((rounded(u), rounded(v)) for u, v in _starts(wish)))


def _starts(wish: Wish) -> list[Initial]:
    low, high = wish.interval
    width = high - low
    edges = [low - 0.02 * width, high + 0.02 * width]
    if wish.from_rest:
        return [(float(u), 0.0) for u in np.linspace(low - width, high + width, 41)]
    found = [(edges[0], wish.fastest * s) for s in _SPEEDS]
    if not wish.one_way:
        found += [(edges[1], -wish.fastest * s) for s in _SPEEDS]
        found += [(u, 0.0) for u in (low - width / 4, *edges, high + width / 4)]
    for u in np.linspace(low, high, _STARTS)[:-1]:
        signs = (1,) if wish.one_way else (1, -1)
        found += [(float(u), sign * wish.fastest * s) for s in _SPEEDS[::2] for sign in signs]
    return found


class _Judge:
    """Scores a choice of clips from the velocities each clip brings to each level."""

    def __init__(self, need: Need, wish: Wish) -> None:
        self.need = need
        self.wish = wish
        self.levels = grid((), wish.interval, wish.count)
        self.tolerance = Tolerance(0.0, SIMULATED * wish.fastest, RANK_TOLERANCE)

    def profile(self, clip: Clip) -> list[list[float]]:
        """The velocities of one clip at every level."""
        return [[crossing.velocity for crossing in clip.path.crossings(u)] for u in self.levels]

    def score(self, profiles: Sequence[list[list[float]]]) -> Score:
        """Larger is better: least rank, levels of full rank, worst and mean singular value."""
        found = [self._at([v for p in profiles for v in p[i]]) for i in range(len(self.levels))]
        ranks, values = [f[0] for f in found], [f[1] for f in found]
        full = sum(rank == self.need.rank for rank in ranks)
        return min(ranks), full, min(values), sum(values) + sum(ranks)

    def _at(self, velocities: list[float]) -> tuple[int, float]:
        return rank_and_smallest(self.need.features, distinct(velocities, self.tolerance.velocity))

    def design(self, name: str, initial: tuple[Initial, ...], film: Camera) -> Design:
        """The coverage of the motions from these initial conditions."""
        filmed = [film(start) for start in initial]
        clips = [clip for clip in filmed if clip is not None]
        levels = tuple(at_level(self.need, clips, u, self.tolerance) for u in self.levels)
        lost = len(filmed) - len(clips)
        notes = [f"{lost} of these motions leave the domain or turn at once"] if lost else []
        full = sum(level.rank == self.need.rank for level in levels)
        if full < len(levels):
            notes += advice(self.need, levels)
        return Design(
            name=name,
            initial=initial,
            least_rank=min(level.rank for level in levels),
            full_levels=full,
            worst_singular_value=min(level.smallest_singular_value for level in levels),
            levels=levels,
            warnings=tuple(notes),
        )


def _search(judge: _Judge, profiles: list[list[list[float]]], count: int) -> list[int]:
    """Greedy choice, then exchanges of one clip while they help."""
    chosen: list[int] = []
    for _ in range(min(count, len(profiles))):
        chosen.append(_best(judge, profiles, chosen)[0])
    best = judge.score([profiles[i] for i in chosen]) if chosen else (0, 0, 0.0, 0.0)
    for _ in range(_ROUNDS):
        improved = False
        for place in range(len(chosen)):
            rest = chosen[:place] + chosen[place + 1 :]
            candidate, score = _best(judge, profiles, rest)
            if score > best:
                chosen, best, improved = [*rest, candidate], score, True
        if not improved:
            break
    return chosen


def _best(judge: _Judge, profiles: list[list[list[float]]], chosen: list[int]) -> tuple[int, Score]:
    kept = [profiles[i] for i in chosen]
    open_ = [i for i in range(len(profiles)) if i not in chosen]
    scored = [(judge.score([*kept, profiles[i]]), -i) for i in open_]
    score, index = max(scored)
    return -index, score


def _why_not(need: Need, wish: Wish, after: Design) -> str:
    if wish.one_way and need.one_direction_rank < need.rank:
        return (
            f"one-way motion cannot: it reaches rank {need.one_direction_rank} of {need.rank} with any "
            "number of speeds"
        )
    most = min(len(level.velocities) for level in after.levels)
    clips = f"{wish.clips} clip" + ("s" if wish.clips != 1 else "")
    kind = " released from rest" if wish.from_rest else ""
    return (
        f"no design of {clips}{kind} was found: at some level only {most} different velocities meet and "
        f"{need.rank} are needed; more clips, longer clips, faster starts or a smaller interval may help"
    )
