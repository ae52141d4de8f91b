"""The unit algebra and dimensional homogeneity."""

from __future__ import annotations

from fractions import Fraction

import pytest

from identify.errors import InputError
from identify.law import read_law
from identify.law.dimension import parameter_dimensions
from identify.law.unit import read_unit, unit_text


@pytest.mark.parametrize(
    ("text", "factor", "written"),
    [
        ("m/s^2", 1, "m/s^2"),
        ("m s-2", 1, "m/s^2"),
        ("1/(m^2 s^2)", 1, "1/(m^2 s^2)"),
        ("cm", Fraction(1, 100), "m"),
        ("mm²", Fraction(1, 10**6), "m^2"),
        ("N/m", 1, "kg/s^2"),
        ("rad", 1, "1"),
        ("px/s", 1, "px/s"),
        ("g", Fraction(1, 1000), "kg"),
    ],
)
def test_units_are_read(text: str, factor: Fraction, written: str) -> None:
    unit = read_unit(text)
    assert unit.factor == factor
    assert unit_text(unit.dimension) == written


@pytest.mark.parametrize("text", ["furlong", "m^x", "m/", "(m", "2 m", "m^99", "m)"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_unit(text)


def units(law: str, state: str, **declared: str) -> dict[str, str | None]:
    read = read_law(law)
    known = {p: read_unit(declared[p.name]).dimension for p in read.parameters if p.name in declared}
    found = parameter_dimensions(read, read_unit(state).dimension, known)
    return {p.name: None if d is None else unit_text(d) for p, d in found.items()}


def test_parameters_follow_from_the_state() -> None:
    assert units("z''+d*z'+a*z+b*z**3=0", "m") == {"d": "1/s", "a": "1/s^2", "b": "1/(m^2 s^2)"}
    assert units("z''+a*sin(k*z)=0", "m") == {"a": "m/s^2", "k": "1/m"}
    assert units("z''+c*sqrt(abs(z'))=0", "m") == {"c": "m^(1/2)/s^(3/2)"}


def test_what_the_law_leaves_open_is_none_until_declared() -> None:
    assert units("m*z''+c*z'+k*z=0", "m") == {"m": None, "c": None, "k": None}
    assert units("m*z''+c*z'+k*z=0", "m", m="kg") == {"m": "kg", "c": "kg/s", "k": "kg/s^2"}
