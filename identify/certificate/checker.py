"""``verify``: a saved analysis re-checked claim by claim, sharing no code with the solver.

    document -> law re-read -> branches by substitution -> tangent by rank -> conclusions

Nothing in the document is trusted.  A claim that cannot be tested in the time given is reported
with ``passed=None``, never as passed.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import mpmath
from sympy import Abs, sign

from identify.certificate.branch import UNDECIDED, read_branch
from identify.certificate.calibration import check_calibration
from identify.certificate.conclusions import Evidence, check_independence, check_invariants, check_verdicts
from identify.certificate.dimensions import (
    check_dimensions,
    check_identity_branch,
    check_lock,
    check_through_identity,
    check_weights,
)
from identify.certificate.document import BranchClaim, Document, StratumClaim, read_document
from identify.certificate.evaluation import Unreadable
from identify.certificate.exact import check_claims, check_guarantee
from identify.certificate.features import check_canonical, check_coverage, check_route
from identify.certificate.linearisation import Tangent, tangent
from identify.certificate.problem import Problem, check_fingerprint, read_problem
from identify.certificate.reading import REFUSALS
from identify.certificate.reports import Trial, try_branch
from identify.certificate.sampling import Sampler
from identify.certificate.search import check_search
from identify.certificate.unread import check_unread
from identify.certificate.verification import Check, Verification
from identify.certificate.witnesses import check_witnesses

GUARD_DIGITS = 25
BUDGET = 20.0
RAW = ("semilinear", "feature-separation")


class SupportsDocument(Protocol):
    """Anything that writes itself as the document, such as an Analysis."""

    def to_dict(self) -> dict[str, Any]:
        """The document."""
        ...


def verify(
    document: Mapping[str, Any] | SupportsDocument,
    *,
    digits: int = 50,
    seed: int = 0,
    samples: int = 3,
    budget: float = BUDGET,
) -> Verification:
    """Re-checks the document ``identify/analysis/1``, or an Analysis, by substitution to ``digits`` digits.

    Random points come from ``seed``; ``samples`` thetas are drawn for each branch; after
    ``budget`` seconds the remaining claims are left undecided.
    """
    plain = document.to_dict() if hasattr(document, "to_dict") else document
    typed, shape = read_document(plain)
    if typed is None:
        return Verification.of((shape,))
    sampler = Sampler(digits, samples, random.Random(seed), time.monotonic() + budget)
    with mpmath.workdps(digits + GUARD_DIGITS):
        checks = _run([lambda: _checks(typed, sampler)], sampler)
        return Verification.of((shape, *check_unread(plain, typed), *checks))


def _checks(document: Document, sampler: Sampler) -> list[Check]:
    problem, checks = read_problem(document.law)
    found = [*checks, check_fingerprint(document.law, document.certificate.law_sha256, _silent(document))]
    if problem is None:
        return found
    if document.route.name in ("unsupported", "undecided") or document.outcome == "unsupported":
        return [*found, _withheld(document)]
    found.append(check_route(problem, document.route, sampler))
    if document.coverage is not None:
        found += check_coverage(problem, document.coverage, document.route, sampler)
    if document.canonical is not None:
        found += check_canonical(problem, document.canonical, sampler)
    if _clock_unknown(document):
        problem = problem.with_clock()
    found += _generic(problem, document, sampler)
    for stratum in document.strata:
        found += _stratum(problem, document, stratum, sampler)
    return found


def _clock_unknown(document: Document) -> bool:
    """Whether the document speaks of footage whose time scale is not known."""
    if document.calibration is not None and document.calibration.clock is not None:
        return True
    branches = document.gauge.branches if document.gauge else ()
    return any(branch.clock is not None for branch in branches)


def _withheld(document: Document) -> Check:
    """A law without a route carries no verdicts."""
    silent = _silent(document)
    same = document.route.name == document.outcome
    detail = "" if silent and same else "claims are made although the theorems do not apply"
    claim = f"no claim is made about an {document.route.name} law"
    return Check("unsupported", claim, silent and same, detail)


def _silent(document: Document) -> bool:
    """Whether the document claims nothing about the parameters."""
    claimed = [n for n, v in document.parameters.items() if v.status != "undecided"]
    gauge = document.gauge is not None and (document.gauge.branches or document.gauge.dimension is not None)
    functions = document.invariants or document.sign_invariants or document.weights
    return document.outcome != "done" and not (claimed or gauge or functions)


def _generic(problem: Problem, document: Document, sampler: Sampler) -> list[Check]:
    """All claims about generic parameters."""
    branches = document.gauge.branches if document.gauge else ()
    evidence, found = _evidence(problem, document, branches, sampler, "", generic=True)
    lifted = document.gauge.dimension if document.gauge else None
    raw = document.route.name in RAW
    lock = document.gauge.translation_lock if document.gauge else None
    done: Sequence[Callable[[], list[Check]]] = (
        lambda: check_dimensions(evidence, lifted, document.orbit_dimension),
        lambda: [
            check_independence(
                evidence,
                document.invariants,
                document.orbit_dimension,
                document.certificate.complete_invariants,
            )
        ],
        lambda: [check_identity_branch(evidence, lifted), *check_through_identity(evidence, sampler)],
        lambda: check_lock(evidence, lock, raw),
        lambda: check_claims(evidence, document.certificate),
        lambda: check_guarantee(document),
        lambda: check_witnesses(problem, document, sampler),
    )
    always: Sequence[Callable[[], list[Check]]] = (
        lambda: check_weights(evidence, document.weights),
        lambda: check_invariants(evidence, document.invariants, document.sign_invariants),
        lambda: check_verdicts(evidence, document.parameters, document.outcome == "done"),
        lambda: check_search(evidence, document, sampler),
        lambda: check_calibration(evidence, document, sampler),
    )
    return found + _run([*done, *always] if document.outcome == "done" else always, sampler)


def _stratum(problem: Problem, document: Document, stratum: StratumClaim, sampler: Sampler) -> list[Check]:
    """All claims about one vanishing stratum; a stratum that is only named claims nothing."""
    if stratum.outcome != "done":
        return []
    label = f"stratum {stratum.condition[:60]}: "
    try:
        special = problem.on_stratum(stratum.condition, within=document.route.name == "canonical")
    except Unreadable as refusal:
        return [Check(f"{label}condition", "can be read", False, str(refusal))]
    evidence, found = _evidence(special, document, stratum.branches, sampler, label, generic=False)
    steps: Sequence[Callable[[], list[Check]]] = (
        lambda: check_dimensions(evidence, stratum.gauge_dimension, stratum.orbit_dimension),
        lambda: check_invariants(evidence, stratum.invariants, ()),
        lambda: check_verdicts(evidence, stratum.parameters, False),
    )
    later = _run(steps, sampler)
    return found + [Check(label + c.name, c.claim, c.passed, c.detail) for c in later]


def _evidence(
    problem: Problem,
    document: Document,
    branches: tuple[BranchClaim, ...],
    sampler: Sampler,
    label: str,
    generic: bool,
) -> tuple[Evidence, list[Check]]:
    """The reports of every branch and the tangents, with one check for each branch."""
    trials: list[Trial] = []
    checks: list[Check] = []
    for number, claim in enumerate(branches, 1):
        if UNDECIDED in claim.conditions:  # not a claim
            continue
        name = f"{number} ({(claim.map or claim.relation or '?')[:40]})"
        try:
            trial = try_branch(problem, read_branch(problem, claim, name), sampler)
        except Unreadable as refusal:
            checks.append(Check(f"{label}branch {name}", "can be read", False, str(refusal)))
            continue
        trials.append(trial)
        check = trial.check(sampler.digits)
        checks.append(Check(label + check.name, check.claim, check.passed, check.detail))
    tangents = _tangents(problem, document, sampler)
    return Evidence(problem, tuple(trials), tangents, sampler.digits - 5, generic), checks


def _tangents(problem: Problem, document: Document, sampler: Sampler) -> tuple[Tangent, ...]:
    """The linearised compatible set at two thetas, where it can be computed.

    In the canonical route it is a germ at one state, which says too little about a law with a kink.
    """
    found: list[Tangent] = []
    if document.route.name == "canonical" and problem.acceleration.has(Abs, sign):
        return ()
    for _ in range(2):
        try:
            one = tangent(problem, sampler, document.route.name == "canonical", len(document.route.features))
        except (Unreadable, ArithmeticError):
            continue
        if one is not None and one.elimination.rank is not None:
            found.append(one)
    return tuple(found)


def _run(steps: Sequence[Callable[[], list[Check]]], sampler: Sampler) -> list[Check]:
    """The checks of each step; what the time does not allow, or what breaks, is undecided."""
    found: list[Check] = []
    for step in steps:
        if sampler.late:
            found.append(Check("time", "all claims were tested", None, "the time given is used up"))
            break
        try:
            found += step()
        except REFUSALS as broken:  # a document that breaks the checker has not been checked
            found.append(Check("checker", "all claims were tested", None, f"{type(broken).__name__} raised"))
    return found
