"""The labelled claims of the certificate, and the branch identity as an exact one where it is cheap."""

from __future__ import annotations

import re

from sympy import Expr, Pow, diff, expand, fraction, together

from identify.certificate.branch import Branch
from identify.certificate.conclusions import Evidence
from identify.certificate.document import CertificateClaim, LabelledClaim
from identify.certificate.maps import ExplicitMap
from identify.certificate.problem import Problem
from identify.certificate.reports import Trial
from identify.certificate.verification import Check

OPERATIONS_ALLOWED = 160
PRECISION = re.compile(r"^(exact|\d{1,4} digits)$")


def check_claims(evidence: Evidence, certificate: CertificateClaim) -> list[Check]:
    """The certificate makes claims with proper labels; exact ones are expanded where that is cheap."""
    checks = [_labels(certificate.claims)]
    if any(claim.precision == "exact" for claim in certificate.claims):
        checks += [_exactly(evidence, trial) for trial in evidence.trials if trial.reports]
    return checks


def _labels(claims: tuple[LabelledClaim, ...]) -> Check:
    statement = "every claim says how far it reaches"
    if not claims:
        return Check("certificate", statement, False, "the certificate makes no claims")
    for claim in claims:
        if claim.field != "real" or not PRECISION.match(claim.precision) or not claim.by:
            return Check("certificate", statement, False, f"bad labels on {claim.claim[:60]!r}")
    return Check("certificate", statement, True, f"{len(claims)} claims")


def _exactly(evidence: Evidence, trial: Trial) -> Check:
    """The branch identity as an identity of rational functions, else to the digits already tested."""
    name, claim = f"exact {trial.branch.label}", "the branch identity holds exactly"
    identity = _identity(evidence.problem, trial.branch)
    if identity is None:
        return Check(name, claim, True, "not a cheap rational identity; it held to the digits asked for")
    zero = expand(fraction(together(identity))[0]) == 0
    return Check(name, claim, zero, "expands to zero" if zero else "does not expand to zero")


def _identity(problem: Problem, branch: Branch) -> Expr | None:
    """``F_eta(f, f' v) - f' F_theta - f'' v**2`` if it is a small rational function."""
    if not isinstance(branch.map, ExplicitMap) or branch.roots:
        return None
    f, u, v = branch.map.expression, problem.state, problem.velocity
    pieces = (f, problem.acceleration, *branch.parameters.values())
    if not all(_rational(piece) for piece in pieces):
        return None
    slope = diff(f, u)
    moved = problem.acceleration.xreplace({**branch.parameters, u: f, v: slope * v})
    identity = moved - slope * problem.acceleration - diff(slope, u) * v**2
    return identity if int(identity.count_ops()) <= OPERATIONS_ALLOWED else None


def _rational(expression: Expr) -> bool:
    """Whether the expression is a rational function with small exponents."""
    if not expression.is_rational_function():
        return False
    return all(p.exp.is_Integer and abs(p.exp) <= 16 for p in expression.atoms(Pow))
