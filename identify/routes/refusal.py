"""Refusals: which premise of the theorems a velocity dependence breaks, and what to declare instead."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Pow, Symbol
from sympy.functions import Abs, log

from identify.law import to_text
from identify.routes.feature import feature_text
from identify.routes.route import Feature


@dataclass(frozen=True)
class Refusal:
    """A failing premise and a declaration that would satisfy it."""

    reason: str
    suggestion: str


class RefusedError(Exception):
    """Carries a refusal out of the recursive expansion; ``classify`` turns it back into a value."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal


_NO_SPACE = "no fixed finite-dimensional dilation-stable feature space contains it"
_POWERS = "a finite sum of powers of {v} and abs({v})"


def discontinuous(velocity: str) -> Refusal:
    """``sign(v)``: the feature space must consist of continuous functions."""
    return Refusal(
        f"sign({velocity}) is discontinuous at {velocity} = 0, but velocity features must be continuous",
        f"if every clip moves in one direction only, write sign({velocity}) as 1 or -1; otherwise declare a "
        f"continuous drag such as {velocity} or {velocity}*abs({velocity})",
    )


def jump(node: Expr, state: Symbol) -> Refusal:
    """``sign(z)`` inside the domain: coefficients must be continuous functions of the state."""
    side = to_text(node.args[0])
    return Refusal(
        f"the law jumps where {to_text(node)} changes, but its coefficients must be continuous in {state}",
        f'declare the side on which the clips move, such as --domain "{side} > 0"',
    )


def singular(feature: Feature, velocity: str) -> Refusal:
    """A negative power of the velocity: unbounded at rest."""
    text = feature_text(feature, velocity)
    if feature.polynomial:
        text = f"{velocity}**({feature.power})"
    return Refusal(
        f"{text} is unbounded at {velocity} = 0, but velocity features must be continuous",
        f"declare non-negative powers such as {velocity} or abs({velocity})**(1/2)",
    )


def free_exponent(power: Pow, velocity: Symbol) -> Refusal:
    """``|v|**p`` with ``p`` not a fixed number: every value of ``p`` needs another feature space."""
    base, exponent = to_text(power.base), to_text(power.exp)
    subject = f"{to_text(power)} has the velocity in its exponent"
    if velocity not in power.exp.free_symbols:
        subject = f"the exponent {exponent} of {base} is not a fixed rational number"
    return Refusal(
        f"{subject}: {_NO_SPACE}",
        f"declare a number as the exponent, e.g. abs({velocity})**(3/2), and compare a few such laws",
    )


def unreal_power(power: Pow, velocity: Symbol) -> Refusal:
    """A fractional power of an odd function of ``v``: not real for one direction."""
    return Refusal(
        f"{to_text(power)} is not real for both directions of motion",
        f"take the power of the size, abs({velocity})**({power.exp}), times sign({velocity}) for a drag",
    )


def moved_kink(node: Expr, velocity: Symbol) -> Refusal:
    """``|v - a|``: dilations move the kink, and functions with different kinks are independent."""
    return Refusal(
        f"{to_text(node)} has its kink away from {velocity} = 0, and dilations move the kink: {_NO_SPACE}",
        f"declare abs({velocity}), or a polynomial in {velocity}",
    )


def rational(node: Expr, velocity: Symbol) -> Refusal:
    """A denominator in ``v`` that does not cancel."""
    return Refusal(
        f"{to_text(node)} is rational but not polynomial in {velocity}: {_NO_SPACE}",
        f"multiply the law by that denominator if it is common to all terms and belongs to z'', or declare a "
        f"polynomial in {velocity} of fixed degree",
    )


def transcendental(node: Expr, state: Symbol, velocity: Symbol) -> Refusal:
    """A function of the velocity that is no finite sum of powers."""
    v = str(velocity)
    if isinstance(node, log) and node.args[0].subs(velocity, 0) == 0:
        reason = f"{to_text(node)} is undefined at {v} = 0, but velocity features must be continuous"
    elif state in node.free_symbols:
        reason = f"{to_text(node)} mixes state and velocity: it is no finite sum c(state)*phi({v})"
    else:
        reason = f"{to_text(node)} is not {_POWERS.format(v=v)}: {_NO_SPACE}"
    return Refusal(reason, f"declare a polynomial in {v} of fixed degree, or powers of abs({v})")


def too_high(power: Pow, velocity: Symbol) -> Refusal:
    """A degree beyond what is expanded."""
    return Refusal(
        f"the degree of {to_text(power)} in {velocity} is too high to expand",
        f"declare a polynomial in {velocity} of low degree",
    )


def mixed_square(feature: Feature, velocity: str) -> Refusal:
    """``v**2`` next to a non-polynomial feature: neither route's premise holds."""
    text, square = feature_text(feature, velocity), f"{velocity}**2"
    return Refusal(
        f"{square} stands next to {text}: with {square} the law must be polynomial in {velocity} "
        f"(canonical-report-orbit), and with {text} it must not contain {square} (feature-separation)",
        f"drop {square} or {text}; if every clip moves in one direction only, write abs({velocity}) as "
        f"{velocity} or -{velocity}",
    )


def refuse_function(node: Expr, state: Symbol, velocity: Symbol) -> Refusal:
    """The refusal that fits an unexpandable function of the velocity."""
    if isinstance(node, Abs):
        return moved_kink(node, velocity)
    return transcendental(node, state, velocity)
