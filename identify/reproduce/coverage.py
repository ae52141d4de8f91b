"""Velocity coverage (tab:exp-coverage): drag from one-way and two-way motion, the rank told before a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from identify.reproduce.plan import Cohort, Plan
from identify.reproduce.statistics import Quartiles, quartiles
from identify.reproduce.table import Entry, Table, at_most_half
from identify.sweep.task import Task

if TYPE_CHECKING:
    from identify.reproduce.fitting import Fitted
    from identify.scene.recording import Recording
    from identify.sweep.row import Row

COHORT = Cohort(10, 5)
DESIGNS = {
    "one-way-1": "One-way, K=1",
    "one-way-3": "One-way, K=3",
    "one-way-6": "One-way, K=6",
    "two-way-1": "Two-way, K=1",
    "two-way-2": "Two-way, K=2",
    "two-way-3": "Two-way, K=3",
}
INTERVAL, LEVELS, NEEDED = (-0.2, 0.2), 21, 4
DRAG = 0.22

# The paper's family: polynomials of degree 5, 3 and 5 in front of 1, v and v|v|.  Its own method fits this
# one; the default fits the cart's law, whose coefficients are constant.
POLYNOMIAL = (
    "z''=a0+a1*z+a2*z**2+a3*z**3+a4*z**4+a5*z**5+(b0+b1*z+b2*z**2+b3*z**3)*z'"
    "+(e0+e1*z+e2*z**2+e3*z**3+e4*z**4+e5*z**5)*z'*abs(z')"
)

# Rank, e_map and e_theta of tab:exp-coverage; K=3 has medians in the text of app:exp-synth-coverage-results.
PAPER: dict[str, tuple[int | None, Quartiles | None, Quartiles | None]] = {
    "one-way-1": (None, None, None),
    "one-way-3": (None, None, Quartiles(43.68, float("nan"), float("nan"), 50)),
    "one-way-6": (3, Quartiles(1.18, 1.08, 1.40, 50), Quartiles(44.97, 15.07, 59.87, 50)),
    "two-way-1": (2, Quartiles(1.08, 0.91, 1.34, 50), Quartiles(6.95, 4.85, 8.65, 50)),
    "two-way-2": (4, Quartiles(1.07, 0.93, 1.22, 50), Quartiles(1.34, 0.85, 2.60, 50)),
    "two-way-3": (4, None, Quartiles(1.25, float("nan"), float("nan"), 50)),
}


def tasks(plan: Plan) -> list[Task]:
    """A fit of every design by every method."""
    return [
        _task(design, collection, seed, method, plan)
        for method in plan.methods
        for design in DESIGNS
        for collection, seed in plan.size(COHORT).pairs()
    ]


def _task(design: str, collection: int, seed: int, method: str, plan: Plan) -> Task:
    settings = {"experiment": design, "collection": collection, "seed": seed, "method": method}
    if method == "paper" and plan.updates is not None:
        settings["updates"] = plan.updates
    return Task("identify.reproduce.coverage:fit", settings)


def fit(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A worker's part: the rank of the motions first, then the fit and its two errors."""
    from identify.law import read_law
    from identify.reproduce import fitting
    from identify.reproduce.six_family import fitted_recording

    recording = fitted_recording(settings)
    rank = least_rank(recording)
    law = read_law(POLYNOMIAL) if settings["method"] == "paper" else fitting.law_of(recording)
    view = fitting.whole(fitting.film(shot) for shot in recording.shots)
    fitted = fitting.fit(law, view, settings)
    found = {"rank": rank, **errors(fitted)}
    if fitted.fit.accepted and rank < NEEDED:
        found |= {"accepted": False, "reason": f"rank {rank} of {NEEDED}: the clips do not decide"}
    return fitted.row(**found)


def errors(fitted: Fitted) -> dict[str, Any]:
    """The drag at the reference's scale, its error and the coordinate's; nothing where there is no fit."""
    import numpy as np

    from identify.reproduce import fitting, readout

    if fitted.fit.estimate is None:
        return {}
    reference, latent = fitting.used(fitted.tracks("train"))
    affine = readout.affine(reference, latent)
    inside = (reference >= INTERVAL[0]) & (reference <= INTERVAL[1])
    drag = abs(affine.slope) * _mean_drag(fitted, latent[inside])
    tests = [t for t in fitted.tracks("test") if t.reference is not None][::2]  # the crossings near 1.1
    shown = [(t, np.abs(t.reference) <= INTERVAL[1]) for t in tests if t.reference is not None]
    pairs = [(affine.back(t.latent[near]), t.reference[near]) for t, near in shown if t.reference is not None]
    return {
        "drag": drag,
        "e_theta": 100 * abs(drag - DRAG) / DRAG,
        "e_map": readout.coordinate_error(pairs),
    }


def least_rank(recording: Recording) -> int:
    """The least rank of [1, v, v|v|, v**2] over 21 positions, from the planned motions alone."""
    from identify.motion.coverage import measure
    from identify.motion.trajectory import Clip
    from identify.reproduce.fitting import law_of

    clips = [
        Clip(shot.name, shot.time, shot.state, shot.velocity)
        for shot in recording.shots
        if shot.role == "train"
    ]
    found = measure(
        law_of(recording), clips, source=recording.name, interval=INTERVAL, count=LEVELS, simulated=True
    )
    return int(found.least_rank or 0)


def _mean_drag(fitted: Fitted, latent: Any) -> float:
    """The mean of -c_d over 101 latents: constant in the cart's law, a polynomial in the paper's family."""
    import numpy as np

    values = fitted.parameters()
    if "c" in values:
        return values["c"]
    z = np.linspace(latent.min(), latent.max(), 101)
    return -float(np.mean(sum(values[f"e{i}"] * z**i for i in range(6))))


def tables(rows: Sequence[Row], plan: Plan) -> list[Table]:
    """Rank, coordinate error and drag error of each design; what the rank does not cover is flagged."""
    entries: list[Entry] = []
    for design, name in DESIGNS.items():
        mine = {m: [r for r in rows if _is(r, design, m)] for m in plan.methods}
        ranks = {r["rank"] for each in mine.values() for r in each if "rank" in r}
        rank = min(ranks) if ranks else None
        flagged = rank is None or rank < NEEDED
        told = "-" if rank is None else f"rank {rank}/{NEEDED}"
        label = f"{name}, {told}, flagged" if flagged else f"{name}, {told}"
        _, e_map, e_theta = PAPER[design]
        coordinate = {m: quartiles(r.get("e_map") for r in each) for m, each in mine.items()}
        drag = {m: quartiles(r.get("e_theta") for r in each) for m, each in mine.items()}
        note = "not determined" if flagged else ""
        wanted = design.startswith("two-way")
        entries.append(at_most_half(label, "e_map", e_map, coordinate, note, wanted))
        entries.append(at_most_half(label, "e_theta of drag", e_theta, drag, note, wanted))
    title = "Drag and coordinate from one-way and two-way motion, percent, median [Q25, Q75]"
    notes = (
        "the rank is that of [1, v, v|v|, v**2] over 21 positions, computed from the motions before any fit",
        "flagged rows: motions of this rank are fitted by other drags as well, and no residual shows it;",
        "the clips do not decide what a fit returns there",
    )
    return [Table("tab:exp-coverage", title, tuple(entries), notes)]


def _is(row: Row, design: str, method: str) -> bool:
    return bool(row["task"]["experiment"] == design and row["task"]["method"] == method)
