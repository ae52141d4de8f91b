"""The real pendulum (tab:exp-real-parameters, tab:exp-pendulum-alignments): its length by gravity.

The paper has 30 recordings of the IRIS benchmark.  With a folder of clips of a pendulum (or a folder of
such folders, one for each group) those are fitted; without, recordings are simulated as the paper describes
them: a pendulum of 0.5 m let go ten times from 20, 45 and 90 degrees, 240 frames at 30 Hz, 96x54 pixels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from identify.errors import InputError
from identify.reproduce.plan import Cohort, Plan
from identify.reproduce.statistics import Mean, Quartiles, mean, quartiles
from identify.reproduce.table import Entry, Table, at_most_half
from identify.sweep.task import Task

if TYPE_CHECKING:
    from identify.scene.recording import Shot
    from identify.sweep.row import Row

COHORT = Cohort(5, 5)  # groups, seeds
GRAVITY, LENGTH, DAMPING = 9.81, 0.50, 0.078
ANGLES, TRIALS, FIRST, FRAMES, RATE, SIZE = (20.0, 45.0, 90.0), 10, 1.0, 240, 30.0, (54, 96)
LAWS = {
    "nonlinear": ("z''+d*z'+k*sin(z)=0", ("k > 0",)),
    "linear": ("z''+d*z'+k*z=0", ("k > 0",)),
}
NAMES = {"nonlinear": "Pendulum (nonlinear)", "linear": "Pendulum (linear)"}

PAPER: dict[str, dict[str, Mean | Quartiles]] = {
    "nonlinear": {
        "length": Mean(0.5150, 0.0012, 25),
        "e_theta": Quartiles(2.92, 2.82, 3.17, 25),
        "affine": Quartiles(5.04, 4.38, 5.83, 25),
        "angle": Quartiles(13.22, 12.20, 13.97, 25),
    },
    "linear": {
        "length": Mean(0.5646, 0.0005, 25),
        "e_theta": Quartiles(12.92, 12.83, 12.97, 25),
        "affine": Quartiles(7.13, 5.46, 7.45, 25),
        "angle": Quartiles(39.04, 28.65, 53.30, 25),
    },
}
_QUANTITIES = {
    "length": "length, m",
    "e_theta": "e_theta of the length",
    "affine": "e_map, affine",
    "angle": "e_map, sign and period",
}


def tasks(plan: Plan) -> list[Task]:
    """Both laws on every group with every seed, or on every folder of real clips."""
    if plan.videos is not None:
        return _video_tasks(Path(plan.videos), plan)
    return [
        _task(model, group, seed, method, plan)
        for method in plan.methods
        for model in LAWS
        for group, seed in plan.size(COHORT).pairs()
    ]


def _task(model: str, group: int, seed: int, method: str, plan: Plan) -> Task:
    settings: dict[str, Any] = {
        "experiment": "pendulum-real",
        "model": model,
        "collection": group,
        "seed": seed,
        "method": method,
    }
    if method == "paper":
        settings |= {"preset": "real-pendulum"} | ({} if plan.updates is None else {"updates": plan.updates})
    return Task("identify.reproduce.pendulum_real:fit", settings)


def _video_tasks(folder: Path, plan: Plan) -> list[Task]:
    from identify.sweep.videos import Videos

    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}", hint="--videos names a folder of clips")
    groups = [f for f in sorted(folder.iterdir()) if f.is_dir() and not f.name.startswith((".", "run"))]
    return [
        Videos.of(place, {"fitted": law, "fitted_assume": assume, "method": method}).task()
        for method in plan.methods
        for law, assume in LAWS.values()
        for place in groups or [folder]
    ]


def fit(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A worker's part: fitted to one recording at each angle, judged on the other 27."""
    from dataclasses import replace

    from identify.law import read_law
    from identify.reproduce import fitting, readout

    group = int(settings["collection"])
    shots = [
        replace(shot, role="train" if number % TRIALS == group % TRIALS else "test")
        for number, shot in enumerate(recordings())
    ]
    text, assume = LAWS[settings["model"]]
    fitted = fitting.fit(read_law(text, assume), fitting.whole(map(fitting.film, shots)), settings)
    if fitted.fit.estimate is None:
        return fitted.row()
    training = [t for t in fitted.fit.tracks if t.role == "train"]
    tests = [t for t in fitted.fit.tracks if t.role == "test"]
    reference, latent = fitting.used(training)
    affine = readout.affine(reference, latent)
    sign, turns = _angle(reference, latent)
    length = GRAVITY / fitted.parameters()["k"]
    told = {"affine": affine, "angle": readout.Affine(float(sign), 2 * math.pi * turns)}
    errors = {
        name: readout.coordinate_error(
            (carried.back(t.latent), t.reference) for t in tests if t.reference is not None
        )
        for name, carried in told.items()
    }
    return fitted.row(length=length, e_theta=100 * abs(length - LENGTH) / LENGTH, **errors)


def _angle(reference: Any, latent: Any) -> tuple[int, int]:
    """The sign and the whole turns with which the latent is closest to the angle."""
    import numpy as np

    def cost(sign: int) -> tuple[float, int, int]:
        turns = round(float(np.mean(latent - sign * reference)) / (2 * math.pi))
        return float(np.mean((latent - sign * reference - 2 * math.pi * turns) ** 2)), sign, turns

    _, sign, turns = min(cost(1), cost(-1))
    return sign, turns


def recordings() -> list[Shot]:
    """Ten recordings from each angle, the same in every task; a release is within 2 % of its angle."""
    import numpy as np

    from identify.law import read_law
    from identify.scene.camera import Look, photograph
    from identify.scene.motion import dynamics_of, travel
    from identify.scene.recording import Shot
    from identify.scene.stage import Pendulum

    dynamics = dynamics_of(read_law("q''+d*q'+k*sin(q)=0"), {"d": DAMPING, "k": GRAVITY / LENGTH})
    chance = np.random.default_rng(np.random.SeedSequence([2026, 0]))
    time = np.arange(int(FIRST * RATE) + FRAMES) / RATE
    kept = slice(int(FIRST * RATE), None)
    found = []
    for number in range(len(ANGLES) * TRIALS):
        release = math.radians(ANGLES[number // TRIALS]) * float(chance.uniform(0.98, 1.02))
        angle, speed = (x[kept] for x in travel(dynamics, (release, 0.0), time))
        frames = photograph(Pendulum(SIZE), Look(), time[kept], angle, speed, (2026, number))
        found.append(Shot(f"take-{number + 1:02d}", time[kept] - FIRST, frames, angle, speed))
    return found


def tables(rows: Sequence[Row], plan: Plan) -> list[Table]:
    """Length and coordinate errors of both laws."""
    if plan.videos is not None:
        return [_video_table(rows, plan)]
    entries: list[Entry] = []
    for model, name in NAMES.items():
        mine = {m: [r for r in rows if _is(r, model, m)] for m in plan.methods}
        for key, quantity in _QUANTITIES.items():
            summary = mean if key == "length" else quartiles
            found = {m: summary(r.get(key) for r in each) for m, each in mine.items()}
            wanted = model == "nonlinear" and key != "length"
            entries.append(at_most_half(name, quantity, PAPER[model][key], found, wanted=wanted))
    notes = (
        "simulated stand-in for the recordings of the IRIS benchmark (give real ones with --videos);",
        "length is mean ± SD, errors median [Q25, Q75] in percent; the linear law is wrong at 90 degrees",
    )
    return [Table("tab:exp-real-parameters", "Pendulum: length by g = 9.81 m/s²", tuple(entries), notes)]


def _video_table(rows: Sequence[Row], plan: Plan) -> Table:
    """What real clips give; nothing is wanted, since their length is not known here."""
    entries = []
    for model, (law, _) in LAWS.items():
        found: dict[str, Any] = {}
        for method in plan.methods:
            mine = [r for r in rows if r["task"].get("fitted") == law and r["task"].get("method") == method]
            values = [_restoring(r) for r in mine]
            found[method] = mean(None if value is None else GRAVITY / value for value in values)
        entries.append(Entry(NAMES[model], "length, m", PAPER[model]["length"], found))
    refused = [f"{Path(r['task']['folder']).name}: {r['reason']}" for r in rows if r.get("reason")]
    notes = ("the paper's pendulum is another one, of 0.50 m", *refused)
    return Table("tab:exp-real-parameters", "Real clips: length by g = 9.81 m/s²", tuple(entries), notes)


def _restoring(row: Row) -> float | None:
    found = (row.get("parameters") or {}).get("k") or {}
    value = found.get("value")
    return float(value) if value else None


def _is(row: Row, model: str, method: str) -> bool:
    return bool(row["task"].get("model") == model and row["task"]["method"] == method)
