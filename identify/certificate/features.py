"""Velocity features: the route's premise and the coverage that the document asks for."""

from __future__ import annotations

import re
from typing import Any

import mpmath
from sympy import Expr, Symbol, diff

from identify.certificate.document import CanonicalClaim, CoverageClaim, RouteClaim
from identify.certificate.evaluation import Point, TooLarge, Unreadable, evaluate
from identify.certificate.linear import Row, rank
from identify.certificate.problem import Problem
from identify.certificate.reading import Comparison, Reader, evaluable
from identify.certificate.sampling import Sampler
from identify.certificate.verification import Check
from identify.certificate.whole import GRID

FEATURES_ALLOWED = 16
CANONICAL_LAW = re.compile(r"^([A-Za-z]\w*)''\s*=\s*([^=]+)$")
VELOCITY = Symbol("v", real=True)
THEOREMS = {
    "semilinear": "semilinear-affine-collapse",
    "feature-separation": "feature-separation",
    "canonical": "canonical-report-orbit",
}


def check_route(problem: Problem, route: RouteClaim, sampler: Sampler) -> Check:
    """F lies in the span of the features, and the features satisfy the route's premise."""
    claim = f"the velocity features {', '.join(route.features)[:80]} fit the {route.name} route"
    if route.theorem not in (None, THEOREMS.get(route.name)):
        return Check("route", claim, False, f"{route.theorem[:40]!r} is not the theorem of this route")
    try:
        features = _features(problem, route.features)
        premise = _premise(route.name, features, sampler)
        if premise:
            return Check("route", claim, False, premise)
        spanned = _spanned(problem, features, sampler)
    except (Unreadable, ArithmeticError) as refusal:
        return Check("route", claim, False, str(refusal))
    detail = {None: "no point to test", True: "", False: "the acceleration is not in their span"}[spanned]
    return Check("route", claim, spanned, detail)


def _reader(problem: Problem) -> Reader:
    """Reads functions of the velocity, under the name of the law or the usual one."""
    return Reader({"v": VELOCITY, problem.velocity.name: VELOCITY})


def _features(problem: Problem, texts: tuple[str, ...]) -> list[Expr]:
    if not 0 < len(texts) <= FEATURES_ALLOWED:
        raise Unreadable("no features, or too many")
    return [_reader(problem).expression(text) for text in texts]


def _row(features: list[Expr], velocity: Any) -> Row:
    return [evaluate(feature, {VELOCITY: velocity}) for feature in features]


def _premise(name: str, features: list[Expr], sampler: Sampler) -> str:
    """What is wrong with the features for this route; empty if nothing is."""
    square, generic = VELOCITY**2, sampler.velocities(len(features) + 3)
    has_square = rank([_row([*features, square], v) for v in generic]) == len(features)
    if rank([_row(features, v) for v in generic]) != len(features):
        return "the features are not independent"
    if name == "canonical":
        return "" if all(_is_power(f) for f in features) else "a feature is no power of the velocity"
    if has_square:
        return "v**2 is among the features, so the route must be canonical"
    if name == "semilinear" and not all(f in (1, VELOCITY) for f in features):
        return "a semilinear law has the features 1 and v only"
    return "" if all(_dilation_stable(f) for f in features) else "a feature is not stable under dilation"


def _is_power(feature: Expr) -> bool:
    return bool(feature == 1 or feature == VELOCITY or (feature.is_Pow and feature.base == VELOCITY
                and feature.exp.is_Integer and feature.exp > 0))  # fmt: skip


def _dilation_stable(feature: Expr) -> bool:
    """Whether phi(c v) / phi(v) does not depend on v > 0, for two values of c."""
    for factor in (mpmath.mpf(3) / 2, mpmath.mpf(5) / 7):
        ratios = [evaluate(feature, {VELOCITY: factor * v}) / evaluate(feature, {VELOCITY: v})
                  for v in (mpmath.mpf(1) / 3, mpmath.mpf(7) / 5, mpmath.mpf(4))]  # fmt: skip
        if max(ratios) - min(ratios) > mpmath.mpf(10) ** -20:
            return False
    return not feature.has(diff(abs(VELOCITY), VELOCITY).func) or _continuous(feature)


def _continuous(feature: Expr) -> bool:
    """Whether the feature tends to zero at zero velocity from both sides."""
    small = mpmath.mpf(10) ** -40
    return all(abs(evaluate(feature, {VELOCITY: s * small})) < mpmath.mpf(10) ** -3 for s in (1, -1))


def _spanned(problem: Problem, features: list[Expr], sampler: Sampler) -> bool | None:
    theta = sampler.theta(problem)
    states = sampler.states(problem, theta, 2) if theta is not None else []
    if theta is None or not states:
        return None
    for state in states:
        velocities = sampler.velocities(len(features) + 3)
        forces = [problem.force(theta, state, v) for v in velocities]
        size = max(abs(x) for x in forces) or 1
        found = rank([[*_row(features, v), x / size] for v, x in zip(velocities, forces, strict=True)])
        if found != len(features):
            return None if found is None else False
    return True


def check_coverage(
    problem: Problem, coverage: CoverageClaim, route: RouteClaim, sampler: Sampler
) -> list[Check]:
    """The example velocities reach the claimed rank, and the claimed numbers are right."""
    try:
        features = _features(problem, coverage.features)
        example = [evaluate(_reader(problem).expression(text), {}) for text in coverage.example]
        found = rank([_row(features, v) for v in example]) if example else 0
        return [
            _coverage_span(coverage, _features(problem, route.features), features, sampler),
            _equal("coverage example", "rank of the example velocities", coverage.rank, found),
            _directions(coverage, features, sampler),
            _enough(coverage, len(set(example))),
        ]
    except (Unreadable, ArithmeticError) as refusal:
        return [Check("coverage", "the features and the example can be evaluated", False, str(refusal))]


def _equal(name: str, noun: str, claimed: int, found: int | None) -> Check:
    passed = None if found is None else claimed == found
    return Check(name, f"the {noun} is {claimed}", passed, f"found {found}")


def _coverage_span(
    coverage: CoverageClaim, route: list[Expr], features: list[Expr], sampler: Sampler
) -> Check:
    """The columns are the route's features and v**2, and they are independent."""
    claim = f"the features with v**2 are {len(features)} independent columns"
    wanted = [*route, VELOCITY**2]
    velocities = sampler.velocities(len(features) + len(wanted) + 2)
    own, both = (rank([_row(part, v) for v in velocities]) for part in (features, [*features, *wanted]))
    if own is None or both is None:
        return Check("coverage features", claim, None, "the rank has no clear gap")
    good = own == both == len(features) == coverage.rank
    return Check("coverage features", claim, good, f"rank {own}, with the route's features {both}")


def _directions(coverage: CoverageClaim, features: list[Expr], sampler: Sampler) -> Check:
    """The rank that velocities of one direction reach."""
    ranks = []
    for side in (1, -1):
        velocities = [side * abs(v) for v in sampler.velocities(len(features) + 3)]
        ranks.append(rank([_row(features, v) for v in velocities]))
    if None in ranks:
        return Check("coverage directions", "one direction reaches the rank", None, "no clear gap")
    found = max(r for r in ranks if r is not None)
    good = coverage.one_direction_rank == found and coverage.both_directions == (found < coverage.rank)
    claim = f"one direction reaches rank {coverage.one_direction_rank}"
    return Check("coverage directions", claim, good, f"found {found}")


def _enough(coverage: CoverageClaim, example: int) -> Check:
    good = coverage.velocities >= coverage.rank and example >= coverage.velocities
    claim = f"at least {coverage.velocities} velocities are needed"
    return Check("coverage count", claim, good, f"the example has {example}")


def check_canonical(problem: Problem, canonical: CanonicalClaim, sampler: Sampler) -> list[Check]:
    """``c2`` is the v**2 channel, and the normalizer satisfies psi'' = -c2 psi'."""
    reader = Reader.of((*problem.parameters, problem.state))
    u, v = problem.state, problem.velocity
    try:
        c2, slope = reader.expression(canonical.c2), reader.expression(canonical.normalizer_derivative)
        half = evaluable(diff(problem.acceleration, v, 2).subs(v, 0) / 2)
        bend = evaluable(diff(slope, u) + c2 * slope)
    except Unreadable as refusal:
        return [Check("canonical", "the canonical step can be read", None, str(refusal))]
    checks = [
        _vanishes("canonical c2", "c2 is the coefficient of v**2", half - c2, problem, sampler),
        _vanishes("normalizer", "psi'' + c2 psi' = 0", bend, problem, sampler),
    ]
    checks += _integral(problem, canonical, reader, slope, sampler)
    checks += _chart(problem, canonical, reader, c2, sampler)
    return checks + _canonical_law(problem, canonical, reader, (c2, slope), sampler)


def _canonical_law(
    problem: Problem, canonical: CanonicalClaim, reader: Reader, step: tuple[Expr, Expr], sampler: Sampler
) -> list[Check]:
    """``q'' = G(q, q')`` is the law of ``q = psi(z)``; where z is left in G it stands for z(q)."""
    if canonical.law is None:
        return []
    name, claim = "canonical law", "q = psi(z) obeys the canonical law"
    found = CANONICAL_LAW.match(canonical.law)
    if found is None:
        return [Check(name, claim, None, "the law cannot be read")]
    (q, right), (c2, slope), v = found.groups(), step, problem.velocity
    try:
        wider = reader.with_names((q, "qvelocity"))
        law = wider.expression(re.sub(rf"\b{q}'", "qvelocity", right))
        rate = wider.symbols["qvelocity"]
        if wider.symbols[q] in law.free_symbols:
            if canonical.normalizer is None:
                return [Check(name, claim, None, "the normalizer has no closed form")]
            law = law.xreplace({wider.symbols[q]: reader.expression(canonical.normalizer)})
        law = law.xreplace({rate: slope * v})
        defect = evaluable(law - slope * problem.acceleration + c2 * slope * v**2)
        speeds = (mpmath.mpf(7) / 5, mpmath.mpf(-3) / 8)
        tests = [_vanishes(name, claim, defect, problem, sampler, {v: speed}) for speed in speeds]
    except Unreadable as refusal:
        return [Check(name, claim, None, str(refusal))]
    return [min(tests, key=lambda test: (test.passed is not False, test.passed is True))]


def _integral(
    problem: Problem, canonical: CanonicalClaim, reader: Reader, slope: Expr, sampler: Sampler
) -> list[Check]:
    if canonical.normalizer is None:
        return []
    try:
        defect = evaluable(diff(reader.expression(canonical.normalizer), problem.state) - slope)
    except Unreadable as refusal:
        return [Check("normalizer integral", "psi can be read", None, str(refusal))]
    return [_vanishes("normalizer integral", "psi has the stated derivative", defect, problem, sampler)]


def _chart(
    problem: Problem, canonical: CanonicalClaim, reader: Reader, c2: Expr, sampler: Sampler
) -> list[Check]:
    """The states of the chart are those of the domain at which c2 is a number."""
    if canonical.chart is None:
        return []
    name, claim, seen = "chart", f"c2 is regular where {canonical.chart[:60]}, and nowhere else", 0
    try:
        everywhere = canonical.chart == f"all {problem.state}"
        parts = [] if everywhere else _comparisons(canonical.chart, reader)
    except Unreadable as refusal:
        return [Check(name, claim, False, str(refusal))]
    for _ in range(sampler.samples):
        theta = sampler.theta(problem)
        for state in (mpmath.mpf(0), *GRID) if theta is not None else ():
            point = {**(theta or {}), problem.state: state}
            try:
                inside = all(any(all(c.holds(point) for c in one) for one in part) for part in parts)
                regular = problem.inside(theta or {}, state) and _is_number(c2, point)
            except ArithmeticError:
                continue
            if inside != regular:
                told = "singular or outside the domain" if inside else "regular"
                return [Check(name, claim, False, f"state {mpmath.nstr(state, 6)} is {told}")]
            seen += 1
    return [Check(name, claim, True if seen else None, f"at {seen} states")]


def _comparisons(chart: str, reader: Reader) -> list[list[tuple[Comparison, ...]]]:
    """``(a or b) and c``: for each part its alternatives, each a chain of comparisons."""
    return [
        [reader.comparisons(text) for text in _plain(part).split(" or ")] for part in chart.split(" and ")
    ]


def _plain(part: str) -> str:
    """Alternatives without the brackets around them."""
    return part[1:-1] if part.startswith("(") and " or " in part else part


def _is_number(expression: Expr, point: Point) -> bool:
    """Whether it has a value; TooLarge where it is beyond what is computed."""
    try:
        evaluate(expression, point)
    except TooLarge:
        raise
    except ArithmeticError:
        return False
    return True


def _vanishes(
    name: str, claim: str, defect: Expr, problem: Problem, sampler: Sampler, more: Point | None = None
) -> Check:
    seen = 0
    for _ in range(sampler.samples):
        theta = sampler.theta(problem)
        for state in sampler.states(problem, theta, 2) if theta is not None else []:
            try:
                value = evaluate(defect, {**(theta or {}), **(more or {}), problem.state: state})
            except ArithmeticError:
                continue
            if abs(value) > mpmath.mpf(10) ** (-sampler.digits + 8):
                return Check(name, claim, False, f"off by {mpmath.nstr(value, 3)}")
            seen += 1
    return Check(name, claim, True if seen else None, f"at {seen} points")
