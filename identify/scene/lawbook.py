"""Trials from the catalogue of families, or from a law that the user typed."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Float, Symbol

from identify.errors import InputError
from identify.families.listing import load
from identify.law import read_law
from identify.motion.values import check_assumptions, ordinary_parameters, read_parameters, real_number
from identify.scene.trial import Trial


def from_catalogue(name: str, parameters: str | None, scene: str | None) -> Trial:
    """A family with its example values, or with the given ones."""
    declared, lawful = load(name)
    law = lawful.law
    if parameters is not None:
        values = read_parameters(parameters, law)
    else:
        values = _examples({n: d.parameter.example for n, d in declared.parameters.items()}, law.parameters)
        check_assumptions(values, law, "")
    unit = declared.state.unit if declared.state is not None else None
    usual = "pendulum" if unit == "rad" and "pendulum" in declared.tags else "cart"
    return Trial(
        declared.name,
        law,
        declared.law.text,
        {symbol.name: real_number(value) for symbol, value in values.items()},
        lawful.assume,
        lawful.domain,
        scene or usual,
    )


def from_law(
    text: str, parameters: str | None, assume: Sequence[str], domain: Sequence[str], scene: str | None
) -> Trial:
    """A law that the user typed; without values the first simple ones that meet the assumptions."""
    law = read_law(text, assume, domain)
    values = read_parameters(parameters, law) if parameters is not None else ordinary_parameters(law)
    truth = {symbol.name: real_number(value) for symbol, value in values.items()}
    return Trial("law", law, text, truth, tuple(assume), tuple(domain), scene or "cart")


def _examples(examples: dict[str, float | None], parameters: Sequence[Symbol]) -> dict[Symbol, Expr]:
    values: dict[Symbol, Expr] = {}
    for parameter in parameters:
        example = examples.get(parameter.name)
        if example is None:
            raise InputError(
                f"the family gives no example value of {parameter.name}",
                hint="give all values with --parameters",
            )
        values[parameter] = Float(example)
    return values
