"""The witnesses of the certificate: for a branch one exact point at which it gives a real report."""

from __future__ import annotations

import mpmath

from identify.certificate.branch import UNDECIDED, Branch, read_branch
from identify.certificate.document import BranchClaim, Document, WitnessClaim
from identify.certificate.evaluation import Unreadable, Value, evaluate
from identify.certificate.problem import Problem
from identify.certificate.reading import Reader
from identify.certificate.reports import fault_at
from identify.certificate.sampling import Sampler
from identify.certificate.verification import Check


def check_witnesses(problem: Problem, document: Document, sampler: Sampler) -> list[Check]:
    """One check for each witness: it meets the assumptions, and the branch's identity holds there."""
    branches, witnesses = document.gauge.branches if document.gauge else (), document.certificate.witnesses
    if len(witnesses) > len(branches):
        detail = f"{len(witnesses)} of them for {len(branches)} branches"
        return [Check("witnesses", "every witness has its branch", False, detail)]
    pairs = zip(branches, witnesses, strict=False)
    return [
        _check(problem, claim, witness, number, sampler)
        for number, (claim, witness) in enumerate(pairs, 1)
        if witness is not None and UNDECIDED not in claim.conditions
    ]


def _check(
    problem: Problem, claim: BranchClaim, witness: WitnessClaim, number: int, sampler: Sampler
) -> Check:
    name, statement = f"witness {number}", "at this exact point the branch gives a report"
    try:
        detail = _fault(problem, read_branch(problem, claim, str(number)), witness, sampler)
    except (Unreadable, ArithmeticError) as refusal:
        return Check(name, statement, False, str(refusal))
    return Check(name, statement, not detail, detail)


def _fault(problem: Problem, branch: Branch, witness: WitnessClaim, sampler: Sampler) -> str:
    """What is wrong with the witness; empty if nothing is."""
    free = {symbol.name: symbol for symbol in (*branch.free, *branch.integers)}
    declared = {symbol.name: symbol for symbol in problem.declared}
    if set(witness.parameters) != set(declared) or set(witness.free) != set(free):
        return "its names are not those of the law and of the branch"
    point = {declared[name]: _number(text) for name, text in witness.parameters.items()}
    if not problem.admits(point):
        return "its parameters do not meet the assumptions"
    point |= {free[name]: _number(text) for name, text in witness.free.items()}
    if any(not mpmath.isint(point[symbol]) for symbol in branch.integers):
        return "a number that should be whole is not"
    if problem.clock is not None:
        point[problem.clock] = mpmath.mpf(1)
    states = [_number(text) for text in witness.states]
    faults = [fault_at(problem, branch, sampler, whole, states) for whole in branch.with_roots(point)]
    return min(faults, default="no real root of its equation")


def _number(text: str) -> Value:
    return evaluate(Reader({}).expression(text), {})
