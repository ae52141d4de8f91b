"""The side-view fall (tab:exp-real-parameters): gravity by the width of the ball, from simulated clips.

The authors' recordings are not public.  Clips are simulated as they describe theirs: a fixed interval of
0.61 m, 5 to 11 frames at about 60 Hz with uneven times, two clips from each of three heights in a collection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from identify.reproduce.plan import Cohort, Plan
from identify.reproduce.statistics import Mean, Quartiles, Summary, mean, quartiles
from identify.reproduce.table import Table, at_most_half, within
from identify.sweep.task import Task

if TYPE_CHECKING:
    from identify.fit.film import Film
    from identify.sweep.row import Row

COHORT = Cohort(5, 5)  # IC1 to IC5, five seeds
GRAVITY = 9.81
CAMERA_ROWS = 800  # of the camera's picture, reduced to 192
BALL_PIXELS = 88  # the width of the ball at rest in the camera's picture, counted in whole pixels

PAPER: dict[str, Summary] = {  # tab:exp-real-parameters and app:exp-real-side-results
    "g": Mean(9.370, 0.771, 25),
    "e_theta": Quartiles(5.10, 3.21, 7.42, 25),
    "e_map": Quartiles(3.75, 3.22, 5.14, 25),
    "e_orbit": Quartiles(8.69, 3.68, 11.63, 25),
}


def tasks(plan: Plan) -> list[Task]:
    """Every collection with every seed, by every method."""
    pairs = plan.size(COHORT).pairs()
    return [_task(collection, seed, method, plan) for method in plan.methods for collection, seed in pairs]


def _task(collection: int, seed: int, method: str, plan: Plan) -> Task:
    settings = {"experiment": "side-fall", "collection": collection, "seed": seed, "method": method}
    if method == "paper" and plan.updates is not None:
        settings["updates"] = plan.updates
    return Task("identify.reproduce.side_fall:fit", settings)


def fit(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A worker's part: the acceleration, carried to pixels by the pool and to metres by the ball."""
    import numpy as np

    from identify.law import read_law
    from identify.reproduce import fitting, readout
    from identify.scene.stage import BALL

    fitted = fitting.fit(
        read_law("z''=A", ("A != 0",)), fitting.whole(_films(int(settings["collection"]))), settings
    )
    if fitted.fit.estimate is None:
        return fitted.row()
    pool = [t for t in fitted.tracks("pool") if t.reference is not None]
    affine = readout.affine(
        np.concatenate([t.reference for t in pool if t.reference is not None]),
        np.concatenate([t.latent for t in pool]),
    )
    acceleration = fitted.parameters()["A"]
    pixels = _pool_acceleration([(t.time, t.reference) for t in pool if t.reference is not None])
    gravity = acceleration / affine.slope * BALL / BALL_PIXELS
    tests = [(affine.back(t.latent), t.reference) for t in fitted.tracks("test") if t.reference is not None]
    return fitted.row(
        acceleration=acceleration,
        scale=affine.slope,
        pixel_acceleration=pixels,
        g=gravity,
        e_theta=100 * abs(gravity - GRAVITY) / GRAVITY,
        e_orbit=100 * abs(acceleration / affine.slope - pixels) / pixels,
        e_map=readout.coordinate_error(tests),
    )


def _films(collection: int) -> list[Film]:
    """The clips of the collection, the 14 test clips that all share, and eight clips to calibrate with.

    References are positions in pixels of the camera.
    """
    from dataclasses import replace

    from identify.reproduce.fitting import film
    from identify.scene.protocol import paper_protocol

    def seen(number: int, role: str, start: str, chosen: Sequence[int] | None = None) -> list[Film]:
        recording = paper_protocol("side-fall", number)
        assert recording.ruler is not None
        shots = [shot for shot in recording.shots if shot.role == role]
        kept = shots if chosen is None else [shots[i] for i in chosen]
        camera = recording.ruler * CAMERA_ROWS / kept[0].frames.shape[1]
        return [film(shot, shot.state * camera, f"{start}-{number}-{shot.name}") for shot in kept]

    pool = [f for number in (0, 1) for f in seen(number, "train", "pool", (0, 1, 4, 5))]  # from 0.8 and 1.2 m
    held_out = [replace(f, role="test") for f in pool]
    return [*seen(collection, "train", "train"), *seen(0, "test", "test"), *held_out]


def _pool_acceleration(clips: Sequence[tuple[Any, Any]]) -> float:
    """The common acceleration of clips that have intercepts and velocities of their own, by least squares."""
    import numpy as np

    rows = sum(len(time) for time, _ in clips)
    design, target, at = np.zeros((rows, 2 * len(clips) + 1)), np.zeros(rows), 0
    for number, (time, place) in enumerate(clips):
        part = slice(at, at + len(time))
        design[part, 2 * number], design[part, 2 * number + 1] = 1.0, time
        design[part, -1], target[part] = time**2 / 2, place
        at += len(time)
    return float(np.linalg.lstsq(design, target, rcond=None)[0][-1])


def tables(rows: Sequence[Row], plan: Plan) -> list[Table]:
    """Gravity, and the errors of gravity, of the affine orbit and of the coordinate."""
    mine = {m: [r for r in rows if r["task"]["method"] == m] for m in plan.methods}
    gravity = {m: mean(r.get("g") for r in each) for m, each in mine.items()}
    entries = [within("Side fall", "g, m/s²", PAPER["g"], gravity, GRAVITY, 0.02)]
    for name, words in (("e_theta", "e_theta of g"), ("e_orbit", "e_theta of A/λ"), ("e_map", "e_map")):
        found = {m: quartiles(r.get(name) for r in each) for m, each in mine.items()}
        entries.append(at_most_half("Side fall", words, PAPER[name], found))
    worst = max((r["e_theta"] for r in mine.get("default", []) if r.get("e_theta") is not None), default=None)
    notes = (
        "simulated clips: the authors' recordings are not public",
        "g is mean ± SD, errors median [Q25, Q75] in percent",
        "the ball is 88 pixels of the camera wide (87.9 before counting) and 0.067 m",
        *(() if worst is None else (f"the worst single fit is {worst:.2f} % off in g",)),
    )
    return [Table("tab:exp-real-parameters", "Side-view fall", tuple(entries), notes)]
