"""A law in torch agrees with SymPy at random points, with its derivatives and with its own terms."""

from __future__ import annotations

import math
from functools import cache

import pytest
import torch
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from identify.families.catalogue import catalogue_files
from identify.families.reading import read_family
from identify.fit.torch_law import TorchLaw
from identify.law import Law, read_law
from identify.law.functions import FUNCTIONS


@cache
def catalogue() -> list[tuple[str, Law, tuple[float, ...]]]:
    """Name, law and example parameters of every family that writes its own law."""
    found = []
    for path in catalogue_files():
        file, _ = read_family(path.read_text(encoding="utf-8"), path.stem)
        if file is None or file.family.law is None:
            continue
        family = file.family
        assume = []
        for parameter in family.parameters.values():
            given_ = parameter.restrict or []
            assume += [given_] if isinstance(given_, str) else list(given_)
        law = read_law(family.law, assume, family.domain, family.state.name if family.state else None)
        examples = {name: parameter.example for name, parameter in family.parameters.items()}
        values = tuple(float(examples.get(p.name) or 0.7) for p in law.parameters)
        found.append((path.stem, law, values))
    return found


def names() -> list[str]:
    return [name for name, _, _ in catalogue()]


def entry(name: str) -> tuple[Law, tuple[float, ...]]:
    return next((law, values) for found, law, values in catalogue() if found == name)


def exact(law: Law, z: float, v: float, theta: tuple[float, ...]) -> complex:
    at = {law.state: z, law.velocity: v, **dict(zip(law.parameters, theta, strict=True))}
    return complex(law.acceleration.evalf(30, subs=at))


def tensors(z: float, v: float, theta: tuple[float, ...]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return (
        torch.tensor([z], dtype=torch.float64),
        torch.tensor([v], dtype=torch.float64),
        torch.tensor(theta, dtype=torch.float64),
    )


def _steps(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers with few digits: near 1e-200 floats underflow where exact numbers do not."""
    return st.floats(low, high).map(lambda x: round(x, 6))


def test_the_catalogue_is_there() -> None:
    assert len(catalogue()) > 90


@hypothesis_settings(max_examples=300)
@given(st.sampled_from(names()), _steps(-1.4, 1.4), _steps(-2.0, 2.0), st.floats(0.9, 1.1))
def test_the_acceleration_is_the_laws(name: str, z: float, v: float, factor: float) -> None:
    law, values = entry(name)
    theta = tuple(factor * value for value in values)
    found = float(TorchLaw(law).acceleration(*tensors(z, v, theta))[0])
    try:
        wanted = exact(law, z, v, theta)
    except (TypeError, ValueError, ZeroDivisionError):  # zoo or nan in SymPy
        assert not math.isfinite(found)
        return
    if not math.isfinite(abs(wanted)) or abs(wanted) > 1e200:
        return
    if abs(wanted.imag) > 1e-12:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(wanted.real, rel=1e-9, abs=1e-9)


@hypothesis_settings(max_examples=300)
@given(st.sampled_from(names()), st.floats(0.05, 1.2), st.floats(-2.0, 2.0))
def test_symbolic_derivatives_are_those_of_autograd(name: str, z: float, v: float) -> None:
    law, values = entry(name)
    compiled = TorchLaw(law)
    inputs = [t.requires_grad_() for t in tensors(z, v, values)]
    force = compiled.acceleration(*inputs)
    if not torch.isfinite(force).all() or abs(v) < 1e-3:
        return
    auto = torch.autograd.grad(force.sum(), inputs, allow_unused=True, materialize_grads=True)
    again, by_state, by_velocity, by_theta = compiled.with_gradients(*tensors(z, v, values))
    symbolic = torch.cat([again, by_state, by_velocity, *by_theta]).tolist()
    expected = [float(force.detach()), *torch.cat([g.reshape(-1) for g in auto]).tolist()]
    assert symbolic == pytest.approx(expected, rel=1e-8, abs=1e-8)


@hypothesis_settings(max_examples=300)
@given(st.sampled_from(names()), st.floats(0.05, 1.2), st.floats(-2.0, 2.0))
def test_the_terms_add_up_to_the_law(name: str, z: float, v: float) -> None:
    law, values = entry(name)
    compiled = TorchLaw(law)
    point = tensors(z, v, values)
    force = compiled.acceleration(*point)
    known, features = compiled.features(*point)
    if torch.isfinite(force).all():
        total = known + features @ compiled.coefficients(point[2])
        assert float(total) == pytest.approx(float(force), rel=1e-8, abs=1e-8)
    terms = compiled.terms()
    assert not {law.state, law.velocity, *terms.nonlinear} & set().union(
        *(p.free_symbols for p in terms.coefficients)
    )
    assert not set(terms.linear) & set().union(*(phi.free_symbols for phi in terms.features))


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS)))
def test_every_function_of_the_language_has_a_value_and_two_derivatives(name: str) -> None:
    inside = {"acosh": "z+1", "acoth": "z+1", "asec": "z+1", "acsc": "z+1"}.get(name, "z")
    law = read_law(f"z'' = k*{name}({inside})")
    z, v, theta = tensors(0.4, 0.1, (1.3,))
    z.requires_grad_()
    compiled = TorchLaw(law)
    force = compiled.acceleration(z, v, theta)
    assert float(force.detach()) == pytest.approx(exact(law, 0.4, 0.1, (1.3,)).real, rel=1e-12)
    (slope,) = torch.autograd.grad(force.sum(), z, create_graph=True)
    symbolic = compiled.with_gradients(z, v, theta)[1].detach()
    assert float(symbolic) == pytest.approx(float(slope.detach()), rel=1e-9)
    if slope.requires_grad:
        (bend,) = torch.autograd.grad(slope.sum(), z)
        assert torch.isfinite(bend).all()


@pytest.mark.parametrize("power", ["abs(z')", "abs(z')**(1/2)", "abs(z')**p"])
def test_no_derivative_is_nan_where_the_velocity_vanishes(power: str) -> None:
    compiled = TorchLaw(read_law(f"z'' + a*z + k*z'*{power} = 0"))
    theta = torch.full((len(compiled.names),), 0.6, dtype=torch.float64, requires_grad=True)
    z = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    force, by_state, by_velocity, by_theta = compiled.with_gradients(z, z, theta)
    assert all(torch.isfinite(t).all() for t in (force, by_state, by_velocity, *by_theta))
    grads = torch.autograd.grad(compiled.acceleration(z, z, theta).sum(), [z, theta])
    assert all(torch.isfinite(g).all() for g in grads)


def test_single_precision_is_kept_and_constants_are_spread() -> None:
    compiled = TorchLaw(read_law("z'' = A"))
    z = torch.zeros(2, 5)
    assert compiled.acceleration(z, z, torch.tensor([2.0])).shape == (2, 5)
    assert compiled.acceleration(z, z, torch.tensor([2.0], dtype=torch.float64)).dtype == torch.float32
    nothing = TorchLaw(read_law("z'' = 0"))
    assert nothing.acceleration(z, z, torch.zeros(0)).shape == (2, 5)


def test_a_parameter_per_clip_broadcasts() -> None:
    compiled = TorchLaw(read_law("z'' + d*z' + w**2*sin(z) = 0"))
    z = torch.rand(4, 7, dtype=torch.float64)
    theta = torch.rand(2, 4, 1, dtype=torch.float64)
    force, _, _, by_theta = compiled.with_gradients(z, z, theta)
    assert force.shape == (4, 7)
    assert torch.equal(by_theta[0], -z)


@pytest.mark.parametrize(
    ("law", "coefficients", "linear", "nonlinear"),
    [
        ("z'' + w**2*sin(z) = 0", {"w**2"}, (), ()),
        ("z'' + (g/L)*sin(z) = 0", {"g/L"}, ("g",), ()),
        ("z'' + a*(z - c) = 0", {"a", "a*c"}, ("a",), ()),
        ("z'' + mu*(z**2 - 1)*z' + z = 0", {"mu"}, ("mu",), ()),
        ("z'' = a*exp(-k*z) - g", {"a", "g"}, ("a", "g"), ("k",)),
        (
            "z'' = -d*z' - w**2*(z-b)*sqrt(1-(z-b)**2/s**2) - rho*(z-b)/(s**2-(z-b)**2)*z'**2",
            {"d", "w**2", "rho"},
            ("d", "rho"),
            ("b", "s"),
        ),
    ],
)
def test_what_is_profiled(
    law: str, coefficients: set[str], linear: tuple[str, ...], nonlinear: tuple[str, ...]
) -> None:
    compiled = TorchLaw(read_law(law))
    terms = compiled.terms()
    assert {str(p) for p in terms.coefficients} == coefficients
    assert compiled.linear_parameters() == linear
    assert {p.name for p in terms.nonlinear} == set(nonlinear)


def test_bounds_assumptions_and_domain() -> None:
    law = read_law(
        "z'' + d*z' + k*z**p = 0", assume=["k > 0", "p != 1", "0 <= p < 3", "d*k < 2"], domain="z > 0"
    )
    compiled = TorchLaw(law)
    assert compiled.bounds() == {"d": (-math.inf, math.inf), "k": (0.0, math.inf), "p": (0.0, 3.0)}
    assert compiled.admissible(torch.tensor([0.1, 1.0, 2.0]))
    assert not compiled.admissible(torch.tensor([0.1, 1.0, 1.0]))
    assert not compiled.admissible(torch.tensor([3.0, 1.0, 2.0]))
    theta = torch.tensor([0.1, 1.0, 2.0])
    assert compiled.domain_ok(torch.tensor([-1.0, 0.0, 1.0]), theta).tolist() == [False, False, True]
