"""The six families (tab:app-exp-synth-cohort), and a linear law on the same clips (tab:exp-matched-lti)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from identify.reproduce.plan import Cohort, Plan
from identify.reproduce.statistics import Quartiles, Share, Summary, quartiles
from identify.reproduce.table import Entry, Table, at_least, at_most_half
from identify.sweep.task import Task

if TYPE_CHECKING:
    from identify.reproduce.fitting import Fitted
    from identify.scene.recording import Recording
    from identify.sweep.row import Row

COHORT = Cohort(10, 10)
FAMILIES = {
    "lti": "Affine LTI",
    "pendulum": "Pendulum",
    "van-der-pol": "Van der Pol",
    "cubic": "Cubic",
    "quintic": "Quintic",
    "quadratic": "Quadratic",
}
NONLINEAR = tuple(FAMILIES)[1:]
LINEAR_LAW, LINEAR_ASSUME = "z''+d*z'+a*(z-c)=0", ("a > 0",)

# tab:app-exp-synth-cohort: e_theta and e_map in percent.
PAPER = {
    "lti": (Quartiles(0.85, 0.52, 1.65, 100), Quartiles(1.68, 1.53, 1.90, 100)),
    "pendulum": (Quartiles(1.44, 0.84, 2.17, 100), Quartiles(3.58, 2.27, 5.99, 100)),
    "van-der-pol": (Quartiles(0.31, 0.13, 0.61, 100), Quartiles(2.45, 1.69, 3.71, 100)),
    "cubic": (Quartiles(2.56, 1.60, 4.60, 100), Quartiles(0.82, 0.68, 1.08, 100)),
    "quintic": (Quartiles(1.68, 1.02, 2.29, 100), Quartiles(0.78, 0.62, 1.06, 100)),
    "quadratic": (Quartiles(2.47, 1.31, 4.37, 100), Quartiles(3.29, 1.96, 6.08, 100)),
}
# tab:exp-matched-lti: e_dyn of the linear law and of the declared family, and how often the family wins.
PAPER_MATCHED = {
    "lti": (Quartiles(3.86, 1.96, 6.58, 100), Quartiles(4.56, 2.16, 6.84, 100), Share(46, 100)),
    "pendulum": (Quartiles(11.34, 11.20, 11.70, 100), Quartiles(2.17, 1.43, 3.89, 100), Share(99, 100)),
    "van-der-pol": (Quartiles(88.48, 88.01, 88.79, 100), Quartiles(5.80, 3.07, 9.21, 100), Share(98, 100)),
    "cubic": (Quartiles(17.92, 17.46, 18.53, 100), Quartiles(0.81, 0.57, 1.39, 100), Share(100, 100)),
    "quintic": (Quartiles(24.29, 23.46, 25.02, 100), Quartiles(0.54, 0.33, 0.89, 100), Share(100, 100)),
    "quadratic": (Quartiles(22.03, 20.42, 23.85, 100), Quartiles(3.15, 1.70, 6.68, 100), Share(92, 100)),
}
WINS = 0.99


def tasks(plan: Plan) -> list[Task]:
    """A fit of every family by every method."""
    return [
        _task(f, c, s, m, plan) for m in plan.methods for f in FAMILIES for c, s in plan.size(COHORT).pairs()
    ]


def matched_tasks(plan: Plan) -> list[Task]:
    """The same fits, and the linear law fitted to each of the nonlinear families' clips."""
    linear = [
        _task(f, c, s, m, plan, linear=True)
        for m in plan.methods
        for f in NONLINEAR
        for c, s in plan.size(COHORT).pairs()
    ]
    return tasks(plan) + linear


def _task(
    family: str, collection: int, seed: int, method: str, plan: Plan, linear: bool | None = None
) -> Task:
    settings = {
        "experiment": family,
        "collection": collection,
        "seed": seed,
        "method": method,
        "updates": plan.updates if method == "paper" else None,
        "linear": linear,
    }
    return Task("identify.reproduce.six_family:fit", {k: v for k, v in settings.items() if v is not None})


def fit(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A worker's part: the clips, the fit, its errors, and what the pictures need."""
    from identify.fit.results.metrics import Truth, measure
    from identify.law import read_law
    from identify.reproduce import fitting, readout

    recording = fitted_recording(settings)
    linear = bool(settings.get("linear"))
    law = read_law(LINEAR_LAW, LINEAR_ASSUME) if linear else fitting.law_of(recording)
    preset = {"preset": settings["experiment"]} if linear and settings["method"] == "paper" else {}
    view = fitting.whole(fitting.film(shot) for shot in recording.shots)
    fitted = fitting.fit(law, view, {**settings, **preset})
    if fitted.fit.estimate is None:
        return fitted.row()
    reference, latent = fitting.used(fitted.tracks("train"))
    affine = readout.affine(reference, latent)
    errors: dict[str, Any] = {"e_dyn": readout.acceleration_error(fitted, affine, _held_out(recording))}
    if not linear:
        truth = Truth(dict(recording.truth))
        found = measure(law, fitted.analysis, fitted.fit, truth) or {}
        errors |= {name: found.get(name) for name in ("e_theta", "e_map", "map")}
        errors |= {"scale": affine.slope, "orbit": _orbit(fitted, recording, affine.slope)}
        errors["coordinate"] = readout.binned(reference, latent)
    return fitted.row(**errors)


def fitted_recording(settings: Mapping[str, Any]) -> Recording:
    """The clips of a task; those of the last one stay in memory, since a collection is fitted many times."""
    from identify.sweep.simulated import Simulated, recorded

    return recorded(Simulated(experiment=settings["experiment"], collection=int(settings["collection"])))


def _held_out(recording: Recording) -> list[Any]:
    """State, velocity and acceleration along the test clips, as they were simulated."""
    import numpy as np

    from identify.motion.dynamics import compiled
    from identify.reproduce.fitting import law_of

    law = law_of(recording)
    force = compiled(law.acceleration, law.state, law.velocity, *law.parameters)
    values = [recording.truth[p.name] for p in law.parameters]
    tests = [shot for shot in recording.shots if shot.role == "test"]
    return [
        (s.state, s.velocity, np.broadcast_to(np.asarray(force(s.state, s.velocity, *values)), s.state.shape))
        for s in tests
    ]


# The power of the scale with which a coefficient goes along its orbit (tab:exp-synth-actions).
POWERS = {"cubic": {"b": -2}, "quintic": {"b": -2, "g": -4}, "quadratic": {"b": -1}}


def _orbit(fitted: Fitted, recording: Recording, scale: float) -> dict[str, float]:
    """Each coefficient over its true value: on the orbit it is a power of the scale."""
    moved = {"c"}  # the equilibrium of the linear law
    truth = {n: v for n, v in recording.truth.items() if v and n not in moved}
    return {name: fitted.parameters()[name] / value for name, value in truth.items()}


def tables(rows: Sequence[Row], plan: Plan) -> list[Table]:
    """Median [Q25, Q75] of both errors for each family."""
    entries = []
    for family, name in FAMILIES.items():
        for quantity, paper in zip(("e_theta", "e_map"), PAPER[family], strict=True):
            found = {m: quartiles(r.get(quantity) for r in _of(rows, family, m)) for m in plan.methods}
            entries.append(at_most_half(name, quantity, paper, found))
    title = "Parameter error and coordinate error, percent, median [Q25, Q75]"
    return [Table("tab:app-exp-synth-cohort", title, tuple(entries), _notes(rows, plan))]


def matched_tables(rows: Sequence[Row], plan: Plan) -> list[Table]:
    """e_dyn of both laws, and how often the declared family's is the smaller."""
    entries: list[Entry] = []
    for family, name in FAMILIES.items():
        linear_paper, own_paper, wins_paper = PAPER_MATCHED[family]
        linear: dict[str, Summary | None] = {}
        own: dict[str, Summary | None] = {}
        wins: dict[str, Summary | None] = {}
        for method in plan.methods:
            mine = {_pair(r): r for r in _of(rows, family, method)}
            other = {_pair(r): r for r in _of(rows, family, method, linear=True)} if family != "lti" else mine
            linear[method] = quartiles(r.get("e_dyn") for r in other.values())
            own[method] = quartiles(r.get("e_dyn") for r in mine.values())
            wins[method] = Share(sum(_wins(mine[k], other[k]) for k in mine if k in other), len(mine))
        entries.append(Entry(name, "e_dyn, linear law", linear_paper, linear))
        entries.append(at_most_half(name, "e_dyn, declared family", own_paper, own))
        if family == "lti":
            entries.append(Entry(name, "family wins", wins_paper, wins, note="one and the same law"))
        else:
            entries.append(at_least(name, "family wins", wins_paper, wins, WINS))
    title = "Acceleration error on held-out clips, percent, median [Q25, Q75], and pairs that the family wins"
    notes = (
        "a linear law that follows no start of the motion has no error to compare: the family wins the pair",
        *_notes(rows, plan),
    )
    return [Table("tab:exp-matched-lti", title, tuple(entries), notes)]


def _of(rows: Sequence[Row], family: str, method: str, linear: bool = False) -> list[Row]:
    return [
        row
        for row in rows
        if row["task"]["experiment"] == family
        and row["task"]["method"] == method
        and bool(row["task"].get("linear")) == linear
    ]


def _pair(row: Row) -> tuple[int, int]:
    return int(row["task"]["collection"]), int(row["task"]["seed"])


def _wins(own: Row, linear: Row) -> bool:
    mine, other = own.get("e_dyn"), linear.get("e_dyn")
    return mine is not None and (other is None or mine < other)


def _notes(rows: Sequence[Row], plan: Plan) -> tuple[str, ...]:
    """How many fits there are, how many have no error, and what they cost."""
    told = []
    for method in plan.methods:
        mine = [r for r in rows if r["task"]["method"] == method]
        empty = sum(r.get("e_dyn") is None for r in mine)
        refused = sum(not r.get("accepted", False) for r in mine if not r["task"].get("linear"))
        cost = quartiles(r.get("cpu_seconds") for r in mine)
        told.append(
            f"{method}: {len(mine)} fits, {empty} without errors, {refused} refused by the gate, "
            f"{'-' if cost is None else f'{cost.median:.1f}'} s of processor time each"
        )
    return tuple(told)
