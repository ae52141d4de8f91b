"""Real clips, decoded once at a reduced size, with one nuisance each; what they should give is known."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from nuisances import PIXELS, Case, disturbed, wanted
from takes import Clip

from identify.fit.clips.source import open_video

SETS = {  # folder, clips, width, law, assumptions, reference
    "apple": ("apple_pendulum", ("apple",), 320, "z''+d*z'+k*sin(z)=0", ("k > 0",), {"k": 9.294}),
    "spring": (
        "spring_pull", ("05cm", "10cm", "20cm"), 480,
        "z''+d*z'+c*z'*abs(z')+a*z=0", ("a > 0",), {"a": 33.7},
    ),
}  # fmt: skip


def real_cases(only: str | None) -> Iterator[Case]:
    """Clean real clips, then each nuisance at its middle strength; camera motions four times as large."""
    root = Path(os.environ.get("IDENTIFY_REAL_VIDEOS", Path(__file__).parents[3] / "shared" / "data"))
    for name, (folder, endings, width, law, assume, reference) in SETS.items():
        paths = sorted(p for p in (root / folder).glob("*.mp4") if any(p.stem.endswith(e) for e in endings))
        if not paths:
            print(f"no real clips in {root / folder}: left out")
            continue
        clips = [decoded(path, width) for path in paths]
        yield Case(name, "clean", "", law, assume, reference, clips, "")
        for nuisance, (strengths, words) in PIXELS.items():
            if wanted(nuisance, only):
                strength = strengths[1] * (4 if nuisance in {"camera_drift", "camera_shake"} else 1)
                yield Case(
                    name, nuisance, f"{strength:g}", law, assume, reference,
                    disturbed(clips, nuisance, strength), words,
                )  # fmt: skip


def decoded(path: Path, width: int) -> Clip:
    """The clip in memory, grey, with its own times."""
    source = open_video(path)
    size = width, round(source.info.height * width / source.info.width / 2) * 2
    pairs = list(source.read(size=size, colour=False))
    return Clip(path.stem, np.stack([frame for _, frame in pairs]), np.array([time for time, _ in pairs]))
