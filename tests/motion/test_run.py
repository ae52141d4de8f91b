"""The folder of a finished fit as data for coverage, and the coverage page in HTML."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from identify.law import read_law
from identify.motion.coverage import measure
from identify.motion.html import coverage_html
from identify.motion.picture import coverage_png
from identify.motion.run import read_latent, read_question
from identify.motion.table import DataError
from identify.motion.trajectory import Clip

Run = Callable[..., int]
HEADER = "clip,time,state,velocity,fitted,used,off_curve"


def folder(
    at: Path, amplitudes: Sequence[float], used: Callable[[int], bool], config: str = "law: z''+a*z=0\n"
) -> Path:
    """A run with harmonic motions; rows that were not used hold garbage."""
    rows = [HEADER]
    for number, amplitude in enumerate(amplitudes):
        for frame in range(200):
            t = frame / 30
            z, v = amplitude * np.cos(t), -amplitude * np.sin(t)
            good = used(frame)
            cells = (z, v, z, 1, 1.0) if good else ("nan", "nan", "nan", 0, 9.0)
            rows.append(",".join(map(str, (f"clip{number}", t, *cells))))
    (at / "latent.csv").write_text("\n".join(rows) + "\n")
    (at / "config.yaml").write_text(config)
    return at


def test_a_fit_brings_its_law_and_its_motions(
    identify: Run, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    run = folder(tmp_path, (1.0, 2.0), lambda frame: True, "law: z''+a*z=0\nassume: [a > 0]\n")
    assert identify("coverage", str(run), "--interval=-0.5,0.5", "--json") == 0
    document = json.loads(capsysbinary.readouterr().out)
    assert (document["law"], document["least_rank"], document["clips"]) == ("z''+a*z=0", 3, 2)
    assert identify("coverage", str(run), "--law", "z''=-a*z-c*z'*abs(z')", "--interval=-0.5,0.5") in (0, 1)
    assert b"v*abs(v)" in capsysbinary.readouterr().out


def test_frames_that_were_not_used_are_skipped_and_cut_the_clip(tmp_path: Path) -> None:
    run = folder(tmp_path, (1.0,), lambda frame: not 60 <= frame < 90)
    first, second = read_latent(run, "z")
    assert (first.frames, second.frames) == (60, 110)
    assert second.time[0] > first.time[-1] + 0.9
    whole = read_latent(folder(tmp_path, (1.0,), lambda frame: frame % 2 == 0), "z")
    assert [clip.frames for clip in whole] == [100]  # every second frame is a coarser clip, not 100 pieces


def test_a_folder_that_is_no_run_is_refused(
    identify: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert identify("coverage", str(tmp_path)) == 2
    assert "config.yaml" in capsys.readouterr().err
    assert identify("coverage", str(tmp_path), "--law", "z''+a*z=0") == 2
    assert "not the folder of a finished fit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ("law: [1, 2]\n", "no law"),
        ("- law\n", "no law"),
        ("law: {\n", "not YAML"),
        ("law: z''=0\nassume: {a: 1}\n", "'assume' must be"),
        ("law: !!python/object/apply:os.system ['true']\n", "not YAML"),
        ("law: " + "[" * 3000 + "]" * 3000 + "\n", "config"),
    ],
)
def test_a_hostile_configuration_is_refused(tmp_path: Path, config: str, says: str) -> None:
    (tmp_path / "config.yaml").write_text(config)
    with pytest.raises(DataError, match=says):
        read_question(tmp_path)


def test_nothing_used_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no row is marked"):
        read_latent(folder(tmp_path, (1.0,), lambda frame: False), "z")
    with pytest.raises(DataError, match="rows"):
        read_latent(folder(tmp_path, (1.0,), lambda frame: frame < 2), "z")


def test_the_page_is_one_file_with_picture_levels_and_advice(identify: Run, tmp_path: Path) -> None:
    page = tmp_path / "coverage.html"
    law = ("--law", "z''+a*z=0", "--parameters", "a=1", "--initial", "1,0")
    assert identify("coverage", *law, "--interval=-0.5,0.5", "--levels", "9", "--html", str(page)) == 1
    text = page.read_text(encoding="utf-8")
    (data,) = re.findall(r'src="data:image/png;base64,([A-Za-z0-9+/=]+)"', text)
    assert base64.b64decode(data).startswith(b"\x89PNG")
    assert text.count("<tr>") == 10
    assert "film more speeds" in text
    assert "http" not in text
    assert "<script" not in text


def test_everything_on_the_page_is_escaped() -> None:
    time = np.linspace(0, 6, 100)
    clips = [Clip("<b>", time, np.cos(time)), Clip("$\\frac", time, 2 * np.cos(time))]
    report = measure(read_law("z''+a*z=0"), clips, source='from <script>alert("x")</script>&')
    page = coverage_html(report, coverage_png(report, clips, "z"))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
