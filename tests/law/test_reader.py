"""Laws are read as they are meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import E, Expr, Rational, Symbol, pi

from identify.errors import InputError
from identify.law import Law, read_expression, read_law, to_text

z, v = Symbol("z", real=True), Symbol("v", real=True)


def right_side(text: str) -> Expr:
    """The expression that a law ``z'' = text`` must have, in plain syntax with v for z'."""
    law = read_law("z''=0*z")
    assert (law.state, law.velocity) == (z, v)
    return read_expression(text)


SAME = [
    ("z''+d*z'+a*z+b*z**3=0", "-d*v-a*z-b*z**3"),
    ("z'' = -a*z", "-a*z"),
    ("-a*z = z''", "-a*z"),
    ("-z'' = a*z", "-a*z"),
    ("z''+a*z", "-a*z"),
    ("z'' == a*z", "a*z"),
    ("z''=a*z^2", "a*z**2"),
    ("z''=-z^2", "-(z**2)"),
    ("z''=2**3**2", "512"),
    ("z''=2z", "2*z"),
    ("z''=2 sin(z)", "2*sin(z)"),
    ("z''=3(z+1)", "3*(z+1)"),
    ("z''=a z", "a*z"),
    ("z''=z'z", "v*z"),
    ("z''=(z+1)(z-1)z", "(z+1)*(z-1)*z"),
    ("z''=a*-z", "-a*z"),
    ("z''=z**-2", "1/z**2"),
    ("z''=z^2 z'", "z**2*v"),
    ("z''=z¹²", "z**12"),
    ("z''=|z'|z'", "abs(v)*v"),
    ("z''=a|z'|", "a*abs(v)"),
    ("z''=||z|-1|", "abs(abs(z)-1)"),
    ("z''=|z||z'|", "abs(z)*abs(v)"),
    ("z''=|z*|z'||", "abs(z*abs(v))"),
    ("z''=|(|z|+1)*z|", "abs((abs(z)+1)*z)"),
    ("z''=sgn(z)+ln(z)+arcsin(z)+arctanh(z)", "sign(z)+log(z)+asin(z)+atanh(z)"),
    ("z''=0.1*z+1e-3+.5", "z/10+1/1000+1/2"),
    ("z″ + 2·δ·z′ + ω₀²·z − λ×z³ = 0", "-2*delta*v-omega_0**2*z+lambda*z**3"),
    ("αz''+βz=0", "-beta*z/alpha"),
    ("z’’ = z⁻¹", "1/z"),
    ('z" = π z', "pi*z"),
    ("z''\n = a*z\n + b", "a*z+b"),
    ("m*z''+c*z'+k*z=0", "-c*v/m-k*z/m"),
    ("F = m*z''", "F/m"),
    ("z''+a*(z''+z)=0", "-a*z/(1+a)"),
    ("z''=e*z'-g*z'**3", "e*v-g*v**3"),
    ("z''=-(d+e*z)*z'", "(-d-e*z)*v"),
    ("z''=e**2*z", "e**2*z"),
    ("z''=e**(-z)", "exp(-z)"),
    ("z''=a*e^-z", "a*exp(-z)"),
    ("z''=1/(exp(-100*z)+exp(-200*z))", "1/(exp(-100*z)+exp(-200*z))"),
    ("z''=cbrt(-8)*z", "-2*z"),
]


@pytest.mark.parametrize(("law", "expected"), SAME)
def test_acceleration(law: str, expected: str) -> None:
    """Every spelling means what the plain one means."""
    assert read_law(law).acceleration.equals(right_side(expected))


@pytest.mark.parametrize(
    ("text", "leading"),
    [
        ("z''=z", "1"),
        ("-z''=z", "1"),
        ("m*z''=z", "m"),
        ("F=m*z''", "m"),
        ("(1+z**2)*z''+z=0", "1+z**2"),
        ("z''*a+2*z''=0", "2+a"),
    ],
)
def test_leading_coefficient(text: str, leading: str) -> None:
    """The coefficient of z'' is divided out and recorded."""
    assert read_law(text).leading == read_expression(leading)


def test_leading_times_acceleration_restores_the_equation() -> None:
    """``leading*acceleration + rest == 0`` as a function."""
    law = read_law("(1+z**2)*z'' + z*z'**2 + a*sin(z) = b")
    rest = read_expression("z*v**2 + a*sin(z) - b")
    assert (law.leading * law.acceleration + rest).expand().simplify() == 0


def test_parameters_come_in_order_of_appearance() -> None:
    law = read_law("z''+d*z'+a*z+b*a*z**3-c1=0*unused")
    assert [p.name for p in law.parameters] == ["d", "a", "b", "c1", "unused"]


def test_names_of_sympy_functions_are_plain_parameters() -> None:
    """Parameters never become SymPy objects of the same name."""
    names = "S N Q E I O C beta gamma zeta lambda Lambda Symbol pi2 im re is None".split()
    law = read_law("z''=" + "+".join(f"{name}*z" for name in names))
    assert [p.name for p in law.parameters] == names
    assert all(p.is_Symbol and p.is_real for p in law.parameters)
    assert not law.acceleration.has(E)


def test_pi_is_no_parameter() -> None:
    law = read_law("z''=pi*z")
    assert law.parameters == ()
    assert law.acceleration == pi * z


def test_decimals_are_exact() -> None:
    assert read_law("z''=0.1").acceleration == Rational(1, 10)


def test_another_state() -> None:
    """The state is the name with two primes; the velocity symbol never clashes with it."""
    law = read_law("theta''+g/l*sin(theta)=0")
    assert law.state.name == "theta"
    law = read_law("v''+a*v'+v=0")
    assert (law.state.name, law.velocity.name) == ("v", "vdot")
    assert read_law("q''=q", state="q").state.name == "q"


@given(st.sampled_from(("z", "q", "theta", "X", "y_1")), st.permutations(("a", "k1", "Lambda", "gamma")))
def test_renaming(state: str, names: list[str]) -> None:
    """Renaming commutes with reading."""
    template = "{0}*{4}''+{1}*{4}'*|{4}'|+{2}*{4}**3={3}"
    original = read_law(template.format("m", "d", "b", "c", "z"))
    renamed = read_law(template.format(*names, state))
    old = [*original.parameters, original.state, original.velocity]
    new = [*renamed.parameters, renamed.state, renamed.velocity]
    mapping = dict(zip(old, new, strict=True))
    assert original.acceleration.xreplace(mapping) == renamed.acceleration
    assert original.leading.xreplace(mapping) == renamed.leading


def test_conditions_are_sorted_by_what_they_mention() -> None:
    """A condition on the state is a domain condition, wherever it was given."""
    law: Law = read_law("z''=a*z+s", assume=["z > 0, a != 0"], domain="z > s and s < 1")
    assert [to_text(c.expression) for c in law.assumptions] == ["a", "1 - s"]
    assert [to_text(c.expression) for c in law.domain] == ["z", "-s + z"]


def test_conditions_may_be_one_text() -> None:
    assert len(read_law("z''=a*z", assume="0 < a < 1").assumptions) == 2


def test_no_conditions() -> None:
    law = read_law("z''=a*z", assume="", domain=[" "])
    assert law.assumptions == law.domain == ()


def test_the_text_is_kept() -> None:
    assert read_law(" z''=a*z ").text == " z''=a*z "


def test_velocity_in_a_condition() -> None:
    for condition in ("z' > 0", "v > 0"):
        with pytest.raises(InputError, match="velocity"):
            read_law("z''=a*z", domain=condition)
