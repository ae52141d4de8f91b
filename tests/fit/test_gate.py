"""The gate: what it accepts, doubts and refuses; a small part of the nuisance suite through the whole fit."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from identify.fit.diagnostics import closed, stumbles
from identify.fit.gate import CHECKS, explained, judge, unexplained
from identify.fit.results.filmed import clock_refusal, clock_warnings
from identify.fit.samples import Samples

GOOD = {
    "motion_over_noise": 1400.0,
    "closed": 0.0,
    "off_curve_share": 0.0,
    "curve_spread": 0.02,
    "periods": 8.0,
    "weak_residual": 0.001,
    "structured_residual": 0.0007,
    "place_noise": 0.0024,
    "least_slope": 0.9,
    "other_change": 0.0,
    "stumbles": 0.0,
    "outliers": 0.0,
}


def test_good_evidence_is_accepted_without_a_word() -> None:
    verdict = judge(GOOD)
    assert verdict.accepted
    assert verdict.warnings == ()
    assert verdict.doubts == 0


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_every_check_doubts_before_it_refuses(check: Any) -> None:
    evidence = dict(GOOD)
    if check.name == "stray_over_noise":
        doubtful = judge(evidence | {"structured_residual": 0.01})
        assert doubtful.accepted
        assert "strays" in doubtful.warnings[0]
        refused = judge(evidence | {"structured_residual": 0.04})
        assert not refused.accepted
        assert "strays" in str(refused.reason) or "law" in str(refused.reason)
        return
    between = (check.doubtful + check.refused) / 2
    doubtful = judge(evidence | {check.name: between})
    assert doubtful.accepted
    assert any(check.reason in warning for warning in doubtful.warnings)
    beyond = check.refused * (0.9 if check.least else 1.1)
    refused = judge(evidence | {check.name: beyond})
    assert not refused.accepted
    assert refused.reason is not None
    assert check.reason in refused.reason
    assert refused.advice == check.advice


@pytest.mark.parametrize("check", [c for c in CHECKS if c.name != "stray_over_noise"], ids=lambda c: c.name)
def test_what_is_no_number_is_refused(check: Any) -> None:
    assert not judge(GOOD | {check.name: float("nan")}).accepted


def test_missing_diagnostics_are_not_held_against_a_fit() -> None:
    assert judge({}).accepted


def test_noise_excuses_a_residual_and_quiet_clips_do_not() -> None:
    assert judge(GOOD | {"structured_residual": 0.01, "place_noise": 0.02}).warnings == ()
    assert judge(GOOD | {"structured_residual": 0.01, "place_noise": 0.001}).warnings != ()


def test_what_spoils_the_clips_is_said_before_what_the_law_misses() -> None:
    verdict = judge(GOOD | {"structured_residual": 0.2, "other_change": 0.6})
    assert verdict.reason is not None
    assert verdict.reason.startswith("more than one thing changes")
    assert "does not follow the declared law" in verdict.reason
    assert "--crop" in str(verdict.advice)
    reason, advice = explained("no start", "check the law", {"stumbles": 0.05})
    assert reason.startswith("no start; the motion jumps")
    assert advice.startswith("check the law; copy the file again")


def test_chance_leaves_more_of_a_residual_where_there_is_more_noise() -> None:
    assert judge(GOOD | {"structured_residual": 0.03, "place_noise": 0.05}).accepted
    assert judge(GOOD | {"structured_residual": 0.03, "place_noise": 0.05}).warnings == ()
    assert not judge(GOOD | {"structured_residual": 0.06, "place_noise": 0.04}).accepted


def test_errors_grow_with_what_noise_does_not_explain() -> None:
    assert unexplained(GOOD) == 1
    assert unexplained(GOOD | {"structured_residual": 0.0048}) == pytest.approx(2)
    assert unexplained(GOOD | {"other_change": 0.27}) == pytest.approx(3)


def course(angle: torch.Tensor) -> torch.Tensor:
    """Frames of something at these angles on a circle, with a little noise."""
    noise = 0.01 * torch.randn(len(angle), 2, generator=torch.Generator().manual_seed(0))
    return torch.stack([angle.cos(), angle.sin()], 1) + noise


def test_a_full_circle_is_told_from_swings() -> None:
    time = torch.arange(400, dtype=torch.float64) / 60
    swings = [course(reach * torch.sin(3 * time)) for reach in (0.3, 1.0, 2.0)]
    assert closed(swings, 0) == 0
    assert closed([*swings, course(2 * time)], 0) > 0.9
    assert closed([course(2 * time[:40])], 0) == 0  # too few to tell


def swing(missing: list[int], noise: float = 0.0) -> Samples:
    """A swing at 60 frames a second, some of them missing, with times that go on as if they were not."""
    time = torch.arange(400, dtype=torch.float64) / 60
    place = torch.sin(3 * time) + noise * torch.randn(400, generator=torch.Generator().manual_seed(0))
    keep = torch.ones(400, dtype=torch.bool)
    keep[missing] = False
    count = int(keep.sum())
    return Samples(time[:count], place[keep], torch.zeros(count, dtype=torch.long), 1)


def test_missing_frames_make_the_motion_stumble() -> None:
    assert stumbles(swing([])) == 0
    assert stumbles(swing(list(range(63, 380, 63)))) > 0.01  # each passes the middle


def test_noise_hides_stumbles_and_is_not_taken_for_them() -> None:
    assert stumbles(swing([], noise=0.05)) == 0
    assert stumbles(swing([], noise=0.002)) == 0
    assert max(stumbles(swing([], noise=noise)) for noise in (0.003, 0.004, 0.006)) < 0.005


def test_the_share_of_stumbles_is_that_of_the_frames_that_are_missing() -> None:
    missing = torch.randperm(380, generator=torch.Generator().manual_seed(1))[:40].tolist()
    assert stumbles(swing(missing)) == pytest.approx(0.1, abs=0.03)


@pytest.fixture(scope="module")
def suite() -> Iterator[Any]:
    """The program of the whole suite, which stays outside the tests."""
    folder = str(Path(__file__).parents[2] / "examples" / "fit")
    sys.path.insert(0, folder)
    try:
        import nuisances

        yield nuisances
    finally:
        sys.path.remove(folder)


@pytest.fixture(scope="module")
def take(suite: Any) -> Any:
    return suite.protocol_take("pendulum", 3, 4.0)


def check(suite: Any, take: Any, clips: list[Any], words: str, wrong: bool = False, law: str = "") -> str:
    case = suite.Case(
        "", "", "", law or take.law, () if law else take.assume, take.truth, clips, words, wrong
    )
    found = suite.answer(case)
    count: str = found.count(case)
    assert count != "CONFIDENT WRONG", suite.line(case, found, count)
    return count


def test_clean_clips_are_right(suite: Any, take: Any) -> None:
    assert check(suite, take, take.clips(), "") == "right"


@pytest.mark.parametrize(("nuisance", "strength"), [("flicker", 0.05), ("camera_drift", 4.0)])
def test_no_nuisance_makes_a_confident_wrong_answer(
    suite: Any, take: Any, nuisance: str, strength: float
) -> None:
    check(suite, take, suite.disturbed(take.clips(), nuisance, strength), suite.PIXELS[nuisance][1])


def test_a_wall_is_refused(suite: Any, take: Any) -> None:
    one = dataclasses.replace(take, motions=take.motions[:2])
    assert check(suite, take, suite.walled(one, 0.4).clips(), "law", wrong=True).startswith("refused")


def test_a_wrong_law_is_refused(suite: Any, take: Any) -> None:
    assert check(suite, take, take.clips(), "law", wrong=True, law="z''=g").startswith("refused")


def test_slow_motion_that_the_camera_noted_is_refused(suite: Any, take: Any, tmp_path: Path) -> None:
    clips = suite.slow_motion(dataclasses.replace(take, motions=take.motions[:2]), 4, tmp_path)
    refusal = clock_refusal(clips)
    assert "slow motion" in refusal.reason
    assert "1 more" in refusal.reason
    assert "--time-scale 1" in refusal.advice
    assert len(clock_warnings(clips)) == 2
    assert clock_refusal(take.clips()) is None
