"""The nuisance suite: clean clips with one thing wrong, fitted and judged without being told.

    python examples/fit/nuisances.py [--only WORD,WORD] [--scene NAME] [--real | --strangers] [--keep FILE]

Each line has the nuisance, its strength, what was answered, and the largest error of what was told as
identified, in percent and in reported standard errors.  An answer is right within max(2 %, 3 standard
errors); CONFIDENT WRONG is a wrong one without a warning that names the problem.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import injections
import numpy as np
from takes import Clip, Take, make_take, protocol_take, room_take, sampled, spun, walled

from identify.engine import analyze
from identify.fit.film import Estimate
from identify.fit.prepare import Options, Refused, prepare
from identify.fit.results.conclusion import conclude
from identify.fit.results.filmed import Plan, clock_refusal, clock_reminder
from identify.fit.results.flow import solve
from identify.fit.results.progress import Progress
from identify.fit.results.warrant import invariants
from identify.law import read_law
from identify.scene.camera import Look
from identify.scene.protocol import paper_protocol
from identify.scene.six import SIX
from identify.scene.stage import Cart

PERCENT, SIGMAS = 2.0, 3.0
PIXELS: dict[str, tuple[tuple[float, ...], str]] = {  # strengths, and words that name the problem
    "brightness_drift": ((0.1, 0.3, 0.6), "bright|light"),
    "flicker": ((0.02, 0.08, 0.25), "bright|light|flicker"),
    "soft_shadow": ((0.1, 0.3, 0.6), "shadow|bright|more than one thing|things move"),
    "hand": ((0.1, 0.25, 0.5), "hand|reach|border|more than one thing|touch"),
    "hand_midway": ((0.05, 0.1, 0.25), "hand|reach|border|more than one thing|touch"),
    "second_mover": ((0.2, 0.5, 1.0), "more than one thing|things move"),
    "overlapping_mover": ((0.2, 0.5, 1.0), "more than one thing|things move"),
    "camera_drift": ((0.5, 2.0, 6.0), "camera|more than one thing"),
    "camera_shake": ((0.2, 0.5, 2.0), "camera|more than one thing|noise"),
    "camera_roll": ((0.3, 1.0, 5.0), "camera|more than one thing"),
    "compression": ((28, 38, 50), "compress|noise|more than one thing"),
    "defocus": ((1.0, 2.0, 5.0), "blur|sharp|noise"),
    "long_exposure": ((2, 4, 9), "blur|exposure"),
    "leaves_the_frame": ((0.1, 0.25, 0.4), "leave|border|frame"),
    "duplicated_frames": ((0.05, 0.2, 0.5), "repeat"),
    "noise": ((5.0, 20.0, 60.0), "noise"),
    "occlusion": ((0.04, 0.12, 0.3), "more than one thing|look alike|fold|hid"),
}  # fmt: skip
_SECONDS = {"van-der-pol": 10.0}
NOTHING = "(?!)"
WRONG_LAW = "does not follow the declared law|law does not|no start satisfies"


@dataclass(frozen=True)
class Case:
    """Clips to fit, the law to declare, what is true, and which words name what is wrong with them."""

    scene: str
    nuisance: str
    strength: str
    law: str
    assume: tuple[str, ...]
    truth: Mapping[str, float]
    clips: Sequence[Any]
    words: str
    wrong: bool = False  # whether nothing may be told with confidence, however near it is


@dataclass(frozen=True)
class Outcome:
    """What was answered: verdict, words, and the worst error of what was told as identified."""

    accepted: bool
    reason: str | None
    warnings: tuple[str, ...]
    worst: str
    percent: float
    sigmas: float
    far: bool  # some error is beyond both limits
    seconds: float
    evidence: Mapping[str, float] = field(default_factory=dict)

    def count(self, case: Case, usual: Sequence[str] = ()) -> str:
        """The column of the summary; a warning that the clean clips get too (``usual``) names nothing."""
        named = [
            w
            for w in self.warnings
            if re.search(f"doubtful|not guaranteed|{case.words or NOTHING}", w) and bare(w) not in usual
        ]
        if not self.accepted:
            return "refused" if re.search(case.words, self.reason or "") else "refused, other reason"
        if named:
            return "flagged, wrong" if self.far or case.wrong else "flagged, right"
        return "CONFIDENT WRONG" if self.far or case.wrong else "right"


def bare(warning: str) -> str:
    """The warning without its numbers."""
    return re.sub(r"[-\d.]+", "#", warning)


def answer(case: Case) -> Outcome:
    """The case through the same stages as `identify fit`."""
    begun = time.process_time()
    law = read_law(case.law, case.assume, ())
    analysis = analyze(law)
    prepared = clock_refusal(case.clips) or prepare(case.clips, Options())
    if isinstance(prepared, Refused):
        spent = time.process_time() - begun
        nan = float("nan")
        return Outcome(
            False, prepared.reason, prepared.warnings, "", nan, nan, False, spent, prepared.evidence
        )
    fit = solve(Plan(Path(), Path(), law), analysis, prepared, Progress())
    told = (*prepared.warnings, *fit.warnings, *clock_reminder(fit.evidence))
    fit = dataclasses.replace(fit, warnings=told)
    document = conclude(law, analysis, fit).document
    errors = _errors(law, analysis, document, case.truth)
    beyond = [e for e in errors if e[1] > PERCENT and not e[2] <= SIGMAS]
    worst = max(beyond or errors, key=lambda e: e[1], default=("", float("nan"), float("nan")))
    return Outcome(
        document["accepted"],
        document["reason"],
        tuple(document["warnings"]),
        *worst,
        bool(beyond),
        time.process_time() - begun,
        {**prepared.evidence, **fit.evidence},
    )


def _errors(
    law: Any, analysis: Any, document: Any, truth: Mapping[str, float]
) -> list[tuple[str, float, float]]:
    """Percent and standard errors between what is told as identified and the truth."""
    known = {name: value for name, value in truth.items() if name in document["parameters"]}
    names = tuple(p.name for p in law.parameters)
    values = np.array([known.get(name, np.nan) for name in names])
    zero = np.zeros((len(names), len(names)))
    true = dict(known)
    for text, found in invariants(law, analysis, Estimate(names, values, zero, zero), {}).items():
        if found.value is not None:
            true[text] = found.value
    told = {n: e for n, e in document["parameters"].items() if e["status"] == "identified"}
    told |= document["invariants"]
    result = []
    for name, entry in told.items():
        if name in true and entry["value"] is not None and abs(true[name]) > 1e-9:
            gap = abs(entry["value"] - true[name])
            result.append((name, 100 * gap / abs(true[name]), gap / max(entry["se"] or np.inf, 1e-300)))
    return result


def wanted(name: str, only: str | None) -> bool:
    """Whether the name has one of the words, separated by commas; all are wanted where there are none."""
    return only is None or any(word in name for word in only.split(","))


def cases(only: str | None, scene: str | None = None, seed: int = 0) -> Iterator[Case]:
    """All of the suite, clean clips first; ``scene`` may name another family of the protocol."""
    for take in _takes(scene, seed):
        clean = take.clips()
        yield _case(take, "clean", "", clean, "")
        for name, (strengths, words) in PIXELS.items():
            if wanted(name, only):
                yield from (_case(take, name, f"{s:g}", disturbed(clean, name, s), words) for s in strengths)
        for case in chain(clock_cases(take), motion_cases(take)):
            if wanted(case.nuisance, only):
                yield case
    for case in chain(short_cases(), law_cases(), one_way_cases(), empty_cases()):
        if wanted(case.nuisance, only):
            yield case


def _takes(scene: str | None, seed: int) -> Iterator[Take]:
    names = ["pendulum", "cubic", "room"]
    names += [p.name for p in SIX if p.name not in names and p.name == scene]
    for name in names:
        if scene is None or scene in name:
            yield (
                room_take(seed=seed)
                if name == "room"
                else protocol_take(name, 4, _SECONDS.get(name, 6.0), seed)
            )


def disturbed(clips: Sequence[Clip], name: str, strength: float) -> list[Clip]:
    """The clips with one nuisance in their frames."""
    injection: injections.Injection = getattr(injections, name)
    found = []
    for number, clip in enumerate(clips):
        frames = injection(clip.frames.astype(np.float32), strength, np.random.default_rng([7, number]))
        found.append(dataclasses.replace(clip, frames=np.clip(np.rint(frames), 0, 255).astype(np.uint8)))
    return found


def _case(
    take: Take, nuisance: str, strength: str, clips: Sequence[Any], words: str, wrong: bool = False
) -> Case:
    return Case(take.name, nuisance, strength, take.law, take.assume, take.truth, clips, words, wrong)


def clock_cases(take: Take) -> Iterator[Case]:
    """Times that are not those of the frames."""
    random = np.random.default_rng(3)
    words = WRONG_LAW + "|missing|jump|clock|variable"
    for share in (0.02, 0.1, 0.3):
        kept = [
            np.sort(random.permutation(len(m.time))[: round((1 - share) * len(m.time))]) for m in take.motions
        ]
        moments = [m.time[k] - m.time[k[0]] for m, k in zip(take.motions, kept, strict=True)]
        claimed = [m.time[: len(k)] for m, k in zip(take.motions, kept, strict=True)]
        yield _case(
            take, "dropped frames, no times", f"{share:g}", sampled(take, moments, claimed).clips(), words
        )
    for share in (0.1, 0.3, 0.6):
        even = [m.time for m in take.motions]
        slow = [np.cumsum(1 + share * np.sin(np.linspace(0, 9, len(t)) + random.uniform(0, 6))) for t in even]
        moments = [(s - s[0]) * (t[1] - t[0]) for s, t in zip(slow, even, strict=True)]
        yield _case(
            take, "variable rate told as constant", f"{share:g}", sampled(take, moments, even).clips(), words
        )
    for factor in (2, 4, 8):
        with tempfile.TemporaryDirectory() as folder:
            clips = slow_motion(take, factor, Path(folder))
            yield _case(
                take, "slow motion, capture rate noted", f"{factor}", clips, "slow motion", wrong=True
            )


def slow_motion(take: Take, factor: int, folder: Path) -> list[Any]:
    """Files with the usual rate whose metadata have a capture rate ``factor`` times as high."""
    import av

    from identify.fit.clips.source import open_video

    found = []
    for clip in take.clips():
        rate = round(clip.info.rate)
        path = folder / f"{clip.name}.mp4"
        with av.open(str(path), "w", options={"movflags": "+use_metadata_tags"}) as container:
            container.metadata["com.android.capture.fps"] = str(rate * factor)
            stream = container.add_stream("libx264", rate=rate, options={"crf": "8"})
            stream.height, stream.width, stream.pix_fmt = *clip.frames.shape[1:], "yuv420p"
            for frame in clip.frames:
                picture = av.VideoFrame.from_ndarray(frame, format="gray").reformat(format="yuv420p")
                container.mux(stream.encode(picture))
            container.mux(stream.encode())
        found.append(open_video(path))
    return found


def motion_cases(take: Take) -> Iterator[Case]:
    """An object that hits something, and one that turns."""
    for share in (0.9, 0.7, 0.4):
        yield _case(
            take, "wall impact", f"{share:g}", walled(take, share).clips(), WRONG_LAW + "|impact", wrong=True
        )
    for turns in (0.2, 1.0, 3.0):
        yield _case(take, "object rotates", f"{turns:g}/s", spun(take, turns), "more than one thing")


def short_cases() -> Iterator[Case]:
    """One clip of a few periods: pendulum from 90 degrees (period 3.7 s), cubic from 0.7 (2.3 s)."""
    words = "too little motion|period|longer"
    for periods in (1.0, 1.5, 2.0):
        for name, period in (("pendulum", 3.7), ("cubic", 2.3)):
            take = protocol_take(name, 1, periods * period)
            yield _case(take, "one clip", f"{periods:g} periods", take.clips(), words)
        take = protocol_take("pendulum", 1, periods * 3.2, look=Look(noise=0.03))
        small = make_take(
            "pendulum small", take.law, take.assume, take.truth, take.stage, take.look,
            [(0.35, 0.0)], periods * 3.2, 60.0, 0,
        )  # fmt: skip
        yield _case(small, "one clip", f"{periods:g} periods", small.clips(), words)


def law_cases() -> Iterator[Case]:
    """Laws that are not those of the motion."""
    linear = "z''+d*z'+a*z=0"
    drag = make_take(
        "quadratic drag", "z''+d*z'+c*z'*abs(z')+a*z=0", (), {"d": 0.05, "c": 0.4, "a": 9.0},
        Cart((64, 64), -1.1, 1.1), Look(), [(1.0, 0.0), (-0.6, 0.0), (0.3, 0.0)], 8.0, 60.0, 0,
    )  # fmt: skip
    pendulum, cubic = protocol_take("pendulum", 4, 6.0), protocol_take("cubic", 4, 6.0)
    quintic, oscillator = protocol_take("quintic", 6, 4.0), protocol_take("van-der-pol", 4, 10.0)
    wrong = [
        (pendulum, linear), (pendulum, "z''+d*z'+a*z+b*z**3=0"), (pendulum, "z''=g"),
        (cubic, linear), (cubic, "z''+d*z'+k*sin(z)=0"), (cubic, "z''+d*z'=g"),
        (cubic, "z''+d*z'+a*z+b*z**2=0"),
        (quintic, "z''+d*z'+a*z+b*z**3=0"), (quintic, linear),
        (oscillator, "z''+d*z'+k*sin(z)=0"), (oscillator, linear), (oscillator, "z''+d*z'+a*z+b*z**3=0"),
        (drag, linear), (drag, "z''+a*z=0"), (pendulum, "z''+k*sin(z)=0"),
    ]  # fmt: skip
    for take, law in wrong:
        clips = take.clips()
        yield Case(take.name, "wrong law", law, law, (), take.truth, clips, WRONG_LAW, wrong=True)
    yield _case(drag, "clean", "", drag.clips(), "")
    yield _case(quintic, "clean", "", quintic.clips(), "")


def one_way_cases() -> Iterator[Case]:
    """Motions that all go one way, with a drag that one way cannot tell."""
    for design in ("one-way-1", "one-way-3", "one-way-6", "two-way-3"):
        made = paper_protocol(design, 0)
        clips = [Clip(s.name, s.frames, s.time) for s in made.shots if s.role == "train"][:12]
        words, wrong = "one way|too little motion|rank", design.startswith("one-way")
        yield Case("coverage", design, "", made.law, made.assume, made.truth, clips, words, wrong)


def empty_cases() -> Iterator[Case]:
    """Nothing to fit."""
    take = room_take(1)
    still = dataclasses.replace(
        take,
        motions=tuple(
            dataclasses.replace(m, state=0 * m.state, velocity=0 * m.velocity) for m in take.motions
        ),
    )
    yield _case(take, "object at rest", "", still.clips(), "nothing moves|too little", wrong=True)
    random = np.random.default_rng(0)
    frames = random.integers(0, 256, (150, 64, 64), dtype=np.uint8)
    snow = [Clip("snow", frames, np.arange(150) / 30)]
    yield _case(
        take, "pure noise", "", snow, "nothing moves|too little|more than one|noise|camera", wrong=True
    )


def line(case: Case, found: Outcome, count: str) -> str:
    """One row of the table."""
    error = (
        "" if found.percent != found.percent else f"{found.worst} {found.percent:.2f} % {found.sigmas:.1f} se"
    )
    told = (found.reason or "") if not found.accepted else "; ".join(found.warnings)
    return f"{case.scene} | {case.nuisance} | {case.strength} | {count} | {error} | {told}"


def main() -> int:
    """Print the table and the counts; 1 where there is a confident wrong answer."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="nuisances whose name contains one of these words")
    parser.add_argument("--scene", help="scenes whose name contains this")
    parser.add_argument("--real", action="store_true", help="real clips instead of simulated ones")
    parser.add_argument("--strangers", action="store_true", help="recordings that a stranger may hand in")
    parser.add_argument("--seed", type=int, default=0, help="of noise and initial states")
    parser.add_argument("--keep", type=Path, help="file for the diagnostics, one JSON object per line")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    usual: dict[str, list[str]] = {}
    if options.real:
        from real_takes import real_cases

        chosen = real_cases(options.only)
    elif options.strangers:
        from strangers import strangers

        chosen = (c for c in strangers(options.seed) if wanted(c.nuisance, options.only))
    else:
        chosen = cases(options.only, options.scene, options.seed)
    for case in chosen:
        if options.scene and options.scene not in case.scene:
            continue
        found = answer(case)
        if case.nuisance == "clean":
            usual[case.scene] = [bare(w) for w in found.warnings]
        count = found.count(case, usual.get(case.scene, []) if case.nuisance != "clean" else [])
        counts[count] += 1
        print(line(case, found, count), f"| {found.seconds:.1f} s", flush=True)
        if options.keep:
            row = dataclasses.asdict(found) | {"count": count}
            row |= {k: getattr(case, k) for k in ("scene", "nuisance", "strength", "law")}
            with options.keep.open("a") as file:
                file.write(json.dumps(row) + "\n")
    print("\n" + "\n".join(f"{number:4d} {name}" for name, number in counts.most_common()))
    return 1 if counts["CONFIDENT WRONG"] else 0


if __name__ == "__main__":
    sys.exit(main())
