"""Translation lock and weights, and how they are worded."""

from __future__ import annotations

import pytest

from identify import analyze
from identify.analysis import Analysis, TranslationLock


def lock(result: Analysis) -> TranslationLock:
    assert result.gauge is not None
    assert result.gauge.translation_lock is not None
    return result.gauge.translation_lock


def test_duffing_is_locked_by_its_top_gap() -> None:
    found = lock(analyze("z''+d*z'+a*z+b*z**3=0", ["b != 0"]))
    assert found.locked
    assert found.because.endswith("(top gap)")
    assert "restoring term has degree 3 and none of degree 2" in found.because


def test_van_der_pol_is_locked_by_its_damping() -> None:
    found = lock(analyze("z''+mu*(z**2-1)*z'+z=0", ["mu != 0"]))
    assert found.locked
    assert found.because.endswith("(top gap)")
    assert "damping term has degree 2 and none of degree 1" in found.because


def test_helmholtz_is_not_locked() -> None:
    """Degree 0 is absent, but the other equilibrium is reached by a translation."""
    found = lock(analyze("z''+d*z'+a*z+b*z**2=0", ["a != 0", "b != 0"]))
    assert not found.locked
    assert "translation" in found.because


def test_helmholtz_is_locked_once_the_branch_is_cut() -> None:
    """With a > 0 the translated branch is outside the family: locked, and not by a top gap."""
    found = lock(analyze("z''+d*z'+a*z+b*z**2=0", ["a > 0", "b != 0"]))
    assert found.locked
    assert found.because.startswith("solved")


def test_oscillator_is_locked_by_solving() -> None:
    found = lock(analyze("z''+d*z'+a*z=0", ["a != 0"]))
    assert found.locked
    assert found.because.startswith("solved")


def test_bent_maps_have_no_lock() -> None:
    found = lock(analyze("z'' = -d*z' + c*z'**2/z - a*z", ["a != 0", "c != 1"], ["z > 0"]))
    assert not found.locked


@pytest.mark.parametrize(
    ("law", "assume", "weights"),
    [
        ("z''+d*z'+a*z+b*z**3=0", ["b != 0"], {"d": 0, "a": 0, "b": 2}),
        ("z''+d*z'+a*z+b*z**3+g*z**5=0", ["b != 0", "g != 0"], {"d": 0, "a": 0, "b": 2, "g": 4}),
        ("z''+d*z'+a*z+b*z**2=0", ["a > 0", "b != 0"], {"d": 0, "a": 0, "b": 1}),
        ("z''+d*z'+a*z+b*z**3-f=0", ["b != 0", "f != 0"], {"d": 0, "a": 0, "b": 2, "f": -1}),
        ("z''+(d+m*z**2)*z'+a*z=0", ["m != 0", "a != 0"], {"d": 0, "m": 2, "a": 0}),
        ("z''+d*z'+a*z=0", ["a != 0"], {"d": 0, "a": 0}),
    ],
)
def test_weights(law: str, assume: list[str], weights: dict[str, int]) -> None:
    """``eta = lambda**(-w) * theta``: w(A_i) = i for damping, w(B_j) = j - 1 for restoring terms."""
    assert analyze(law, assume).weights == weights


@pytest.mark.parametrize("law", ["z''+d*z'+a*z+b*z**2+c=0", "z''+w**2*sin(z)=0", "z''=-a*exp(z)+b"])
def test_no_weights_without_a_pure_rescaling(law: str) -> None:
    assert analyze(law).weights is None
