"""The labelled claims of the certificate, and the branch identity as an exact one where it is cheap."""

from __future__ import annotations

import re

from sympy import Expr, Pow, Symbol, diff, expand, fraction, together

from identify.certificate.branch import Branch
from identify.certificate.conclusions import Evidence
from identify.certificate.document import CertificateClaim, Document, LabelledClaim
from identify.certificate.maps import ExplicitMap
from identify.certificate.problem import Problem
from identify.certificate.reports import Trial
from identify.certificate.sampling import equalities
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
        if _mislabelled(claim):
            return Check("certificate", statement, False, f"bad labels on {claim.claim[:60]!r}")
    return Check("certificate", statement, True, f"{len(claims)} claims")


def _mislabelled(claim: LabelledClaim) -> bool:
    """Whether the labels are none, or say more than can be: a dimension is a rank at points."""
    if claim.claim == "dimension" and (claim.scope != "local" or claim.precision == "exact"):
        return True
    labelled = claim.scope != "none" and claim.field == "real" and PRECISION.match(claim.precision)
    return not (labelled and claim.by and claim.stratum.startswith("generic"))


def _exactly(evidence: Evidence, trial: Trial) -> Check:
    """The branch identity as an identity of rational functions, else to the digits already tested."""
    name, claim = f"exact {trial.branch.label}", "the branch identity holds exactly"
    identity = _identity(evidence.problem, trial.branch)
    if identity is None:
        return Check(name, claim, True, "not a cheap rational identity; it held to the digits asked for")
    zero = expand(fraction(together(identity))[0]) == 0
    return Check(name, claim, zero, "expands to zero" if zero else "does not expand to zero")


def check_guarantee(document: Document) -> list[Check]:
    """The guarantee reaches no further than the claims of the certificate and the route allow."""
    guarantee, statement = document.guarantee, "the guarantee says no more than the certificate"
    if guarantee is None:
        return []
    scopes = {claim.scope for claim in document.certificate.claims if claim.claim == "completeness"}
    wrong = [
        ("scope", document.outcome == "done" and guarantee.scope == "none"),
        ("scope", guarantee.scope not in scopes),
        ("field", guarantee.field != "real"),
        ("precision", not PRECISION.match(guarantee.precision)),
        ("realizable", guarantee.realizable and document.route.name != "semilinear"),
        ("stratum", not guarantee.stratum.startswith("generic")),
        ("stratum", any(s.condition not in guarantee.stratum for s in document.strata)),
    ]
    bad = sorted({name for name, fault in wrong if fault})
    return [Check("guarantee", statement, not bad, ", ".join(bad))]


def _ties(problem: Problem) -> dict[Symbol, Expr] | None:
    """Parameters that declared equalities determine; None where one is not linear."""
    found: dict[Symbol, Expr] = {}
    true = [c.expression for c in problem.truth if c.relation == "=="]
    for tie in (*equalities(problem), *true):
        expression = tie.xreplace(found)
        for parameter in problem.parameters:
            slope = diff(expression, parameter)
            if slope.is_number and slope != 0:
                value = expand(parameter - expression / slope)
                found = {p: e.xreplace({parameter: value}) for p, e in found.items()}
                found[parameter] = value
                break
        else:
            return None
    return found


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
    ties = _ties(problem)
    if ties is None:
        return None
    identity = (moved - slope * problem.acceleration - diff(slope, u) * v**2).xreplace(ties)
    return identity if int(identity.count_ops()) <= OPERATIONS_ALLOWED else None


def _rational(expression: Expr) -> bool:
    """Whether the expression is a rational function with small exponents."""
    if not expression.is_rational_function():
        return False
    return all(p.exp.is_Integer and abs(p.exp) <= 16 for p in expression.atoms(Pow))
