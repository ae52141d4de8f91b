"""L_c and c_0 estimated from residuals, against maps and laws where they are known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from identify.law import read_law
from identify.motion.bounds import evaluate
from identify.motion.dynamics import Dynamics, simulate
from identify.motion.estimate import estimate
from identify.motion.mismatch import mismatch
from identify.motion.trajectory import Clip
from identify.motion.values import read_parameters

Run = Callable[..., int]
LAW = "z''+d*z'+a*z=0"


@pytest.mark.parametrize("seed", range(12))
def test_known_coefficients_are_recovered(seed: int) -> None:
    """Residuals made of random c(u): the estimates are theirs, a little larger with noise."""
    random = np.random.default_rng(seed)
    u, v = random.uniform(-1, 1, 4000), random.uniform(-2, 2, 4000)
    parts = [np.polynomial.Polynomial(0.1 * random.normal(size=4)) for _ in range(3)]
    residual = parts[0](u) * v**2 + parts[1](u) * v + parts[2](u)
    at = np.linspace(-1, 1, 501)
    steepest = float(np.linalg.norm([part.deriv()(at) for part in parts], axis=0).max())
    bend = float(np.abs(parts[0](at)).mean() * 2)
    exact = mismatch([(u, v, residual)], -1.0, 1.0)
    assert exact is not None
    assert exact.lipschitz == pytest.approx(steepest, rel=0.02)
    assert exact.bend == pytest.approx(bend, rel=0.02)
    noisy = mismatch([(u, v, residual + 0.05 * random.normal(size=4000))], -1.0, 1.0)
    assert noisy is not None
    assert 0.9 * steepest < noisy.lipschitz < 1.3 * steepest + 0.05
    assert 0.8 * bend < noisy.bend < 1.2 * bend + 0.05


def bent(bend: float) -> list[Clip]:
    """Clips of an oscillator seen through ``f = z + bend*z**2``."""
    dynamics = Dynamics(read_law(LAW), read_parameters("d=0.2,a=1", read_law(LAW)))
    true = [simulate(dynamics, start, 12.0, 120.0) for start in ((1.2, 0.0), (0.0, 2.0), (-0.6, -0.5))]
    return [Clip(c.name, c.time, c.state + bend * c.state**2) for c in true]


def test_a_bent_map_is_seen_and_bounded() -> None:
    """The estimated constants give bounds that the true bend and slope respect."""
    law, bend, interval = read_law(LAW), 0.03, (-0.4, 0.4)
    known, origin, _ = estimate(bent(bend), Dynamics(law, read_parameters("d=0.2,a=1", law)), interval, 9)
    assert known.lipschitz is not None
    assert known.slope is not None
    assert origin["lipschitz"].startswith("estimated")
    # c = (2 bend, 0, a (f - f' u)) = (2 bend, 0, -bend u**2): the last changes by at most 2 bend |u|
    assert 0.5 * 2 * bend * 0.4 < known.lipschitz < 4 * 2 * bend * 0.4
    assert 1 - 4 * bend * 0.8 < known.slope < 1
    report = evaluate(known, origin)
    assert report.near_level is not None
    assert report.near_level.curvature > 2 * bend
    assert report.near_level.damping is not None
    assert "near level (thm:near-level-stability)" not in report.missing


def test_one_velocity_gives_no_estimate() -> None:
    u = np.linspace(-1, 1, 500)
    assert mismatch([(u, np.ones(500), u)], -1.0, 1.0) is None
    assert mismatch([(u[:10], u[:10], u[:10])], -1.0, 1.0) is None


def test_the_command_says_which_was_used(
    identify: Run, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / "clips.csv"
    rows = [f"{i},{t},{z}" for i, c in enumerate(bent(0.03)) for t, z in zip(c.time, c.state, strict=True)]
    file.write_text("clip,time,state\n" + "\n".join(rows) + "\n")
    asked = ("bounds", str(file), "--law", LAW, "--parameters", "d=0.2,a=1", "--interval=-0.4,0.4", "--json")
    assert identify(*asked) == 0
    document = json.loads(capsysbinary.readouterr().out)
    assert document["origin"]["slope"].startswith("estimated")
    assert document["near_level"]["damping"] is not None
    assert identify(*asked, "--lipschitz", "0.5", "--slope", "0.5") == 0
    document = json.loads(capsysbinary.readouterr().out)
    assert (document["known"]["lipschitz"], document["known"]["slope"]) == (0.5, 0.5)
    assert "lipschitz" not in document["origin"]
