"""Physical values from a fit and anchors: the point of the orbit at which all anchors hold.

Along a branch the physical coordinate is ``f(z)`` and its parameters are the branch's expressions; the
freedoms of the branch are solved for so that the anchors hold (prop:anchor-rank), by weighted least squares
where there are more anchors than freedoms.  Uncertainties of the fit, of the anchors and of the latents they
are read at go through by the implicit function theorem.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from identify.fit.film import Array
from identify.fit.results.anchor import Anchor
from identify.fit.results.branch import Branch
from identify.fit.results.figures import finite
from identify.fit.results.warrant import Values
from identify.law import Condition, Law
from identify.motion.dynamics import compiled

_EXACT = 1e-6  # relative weight of an anchor that was given without an uncertainty
_AGREE = 3.0  # standard deviations (or percents of exact anchors) within which anchors agree
_SAME = 1e-6
_SCALES = (1.0, -1.0, 1e-2, -1e-2, 1e2, -1e2, 1e-4, -1e-4, 1e4, -1e4)
_UNSIGNED = ("displacement", "amplitude", "size", "speed")


@dataclass(frozen=True)
class Solution:
    """A branch with its freedoms chosen; ``misfit`` in standard deviations of the worst anchor."""

    branch: Branch
    free: Array
    parameters: Array
    determined: tuple[bool, ...]
    errors: Array
    covariance: Array
    misfit: float
    rank: int
    placed: bool  # whether the anchors fix the physical coordinate, but for what they leave of the parameters


@dataclass(frozen=True)
class System:
    """The anchors' residuals as a function of the freedoms and of everything that was measured."""

    branch: Branch
    anchors: tuple[Anchor, ...]
    scales: Array

    def inputs(self, values: Values) -> Array:
        """Fitted parameters, anchor values, latents: what carries an uncertainty."""
        measured = [a.value for a in self.anchors]
        latents = [z for a in self.anchors for z in a.latents]
        return np.array([*values.values, *measured, *latents], dtype=float)

    def spread(self, values: Values) -> Array:
        """The covariance of the inputs."""
        count = len(values.values)
        extra = [a.sigma**2 for a in self.anchors]
        extra += [a.latent_sigma**2 for a in self.anchors for _ in a.latents]
        whole = np.zeros((count + len(extra), count + len(extra)))
        whole[:count, :count] = np.nan_to_num(values.covariance)
        whole[range(count, len(whole)), range(count, len(whole))] = extra
        return whole

    def residual(self, free: Array, inputs: Array) -> Array:
        """How far each anchor is from holding, in its own uncertainty."""
        count = len(self.branch.law.parameters)
        parameters, measured = inputs[:count], inputs[count : count + len(self.anchors)]
        latents = iter(inputs[count + len(self.anchors) :])
        found = []
        for anchor, value in zip(self.anchors, measured, strict=True):
            at = np.array([next(latents) for _ in anchor.latents])
            found.append(self._predicted(anchor, at, free, parameters) - value)
        rest = np.array(found, dtype=float) / self.scales
        return np.where(np.isfinite(rest), rest, 1e12)

    def _predicted(self, anchor: Anchor, at: Array, free: Array, parameters: Array) -> float:
        if anchor.parameter is not None:
            names = [p.name for p in self.branch.law.parameters]
            return float(self.branch.image(free, parameters)[names.index(anchor.parameter)])
        if anchor.kind in ("velocity", "speed"):
            found = float(self.branch.at(at, free, parameters, 1)[0] * anchor.rates[0])
        elif anchor.kind == "displacement":
            first, second = self.branch.at(at, free, parameters)
            found = float(first - second)
        else:
            found = float(self.branch.at(at, free, parameters)[0])
        return abs(found) if anchor.kind in _UNSIGNED else found


def system(branch: Branch, anchors: Sequence[Anchor]) -> System:
    """The system of a branch; an exact anchor weighs as if it were known to a millionth."""
    sizes = [max(abs(a.value), 1e-12) for a in anchors]
    scales = [max(a.sigma, _EXACT * size) for a, size in zip(anchors, sizes, strict=True)]
    return System(branch, tuple(anchors), np.array(scales))


def calibrations(branches: Sequence[Branch], anchors: Sequence[Anchor], values: Values) -> list[Solution]:
    """All reports that agree with the anchors, told apart by their parameters."""
    found: list[Solution] = []
    for branch in branches:
        for solution in _solve(system(branch, anchors), values):
            if not any(_alike(solution, other) for other in found):
                found.append(solution)
    agreeing = [s for s in found if s.misfit <= _AGREE]
    return agreeing or sorted(found, key=lambda s: s.misfit)[:1]


def _solve(system: System, values: Values) -> list[Solution]:
    branch, inputs = system.branch, system.inputs(values)
    if not np.isfinite(inputs).all():
        return []
    found: list[Solution] = []
    for start in _starts(branch, values.values):
        free = _descend(system, start, inputs)
        if free is None:
            continue
        solution = _solution(system, free, values)
        if solution is not None and not any(_alike(solution, other) for other in found):
            found.append(solution)
    best = min((s.misfit for s in found), default=0.0)
    return [s for s in found if s.misfit <= max(_AGREE, 1.01 * best)]


def _starts(branch: Branch, parameters: Array) -> list[Array]:
    """The identity at several scales and signs, and the nearest whole numbers."""
    start = branch.identity(parameters)
    whole = itertools.product((0, 1, -1, 2, -2), repeat=len(branch.integers))
    found: list[Array] = []
    count = len(branch.free)
    for numbers in whole:
        for scale in _SCALES if count else (1.0,):
            point = start.copy()
            point[:count] = np.where(point[:count] != 0, scale * point[:count], 0.0)
            point[count:] = numbers
            found.append(point)
    return found[:60]


def _descend(system: System, start: Array, inputs: Array) -> Array | None:
    count = len(system.branch.free)
    if not count:
        return start

    def residual(free: Array) -> Array:
        return system.residual(np.concatenate([free, start[count:]]), inputs)

    try:
        with np.errstate(all="ignore"):
            found = least_squares(residual, start[:count], x_scale="jac", xtol=1e-14, ftol=1e-14, gtol=1e-14)
    except (ValueError, np.linalg.LinAlgError):
        return None
    return np.concatenate([found.x, start[count:]])


def _solution(system: System, free: Array, values: Values) -> Solution | None:
    branch, inputs = system.branch, system.inputs(values)
    parameters = branch.image(free, values.values)
    if not np.isfinite(parameters).all() or not _allowed(branch.law, parameters):
        return None
    count = len(branch.free)
    by_free = _slopes(lambda f: system.residual(np.concatenate([f, free[count:]]), inputs), free[:count])
    by_input = _slopes(lambda u: system.residual(free, u), inputs)
    image_free = _slopes(
        lambda f: branch.image(np.concatenate([f, free[count:]]), values.values), free[:count]
    )
    image_fit = _slopes(lambda p: branch.image(free, p), values.values)
    inverse, rank, kernel = _pseudo_inverse(by_free, free[:count])
    reach = np.zeros((len(parameters), len(inputs)))
    reach[:, : len(values.values)] = image_fit
    reach -= image_free @ inverse @ by_input
    covariance = reach @ system.spread(values) @ reach.T
    open_ = np.abs(image_free @ kernel) if kernel.size else np.zeros((len(parameters), 1))
    size = np.maximum(np.abs(parameters), 1e-300)
    determined = tuple(bool(row.max() <= _SAME * s) for row, s in zip(open_, size, strict=True))
    placed = not kernel.size or _still(branch, free, values.values, kernel)
    misfit = float(np.abs(_honest(system, free, inputs)).max()) if len(system.anchors) else 0.0
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return Solution(branch, free, parameters, determined, errors, covariance, misfit, rank, placed)


def _still(branch: Branch, free: Array, parameters: Array, kernel: Array) -> bool:
    """Whether the map stays as it is along the freedoms that the anchors leave."""
    count = len(branch.free)
    states = np.array([-0.7, 0.4, 1.3])
    by_free = _slopes(
        lambda f: branch.at(states, np.concatenate([f, free[count:]]), parameters), free[:count]
    )
    size = max(float(np.abs(branch.at(states, free, parameters)).max()), 1e-300)
    return bool(np.abs(by_free @ kernel).max() <= _SAME * size)


def _honest(system: System, free: Array, inputs: Array) -> Array:
    """Residuals in standard deviations, an exact anchor counting as known to one percent."""
    sizes = np.array([max(a.sigma, 0.01 * abs(a.value), 1e-12) for a in system.anchors])
    return np.asarray(system.residual(free, inputs) * system.scales / sizes)


def _pseudo_inverse(matrix: Array, free: Array) -> tuple[Array, int, Array]:
    """The inverse on the determined directions, their number, and the directions that stay open."""
    if not matrix.shape[1]:
        return np.zeros((0, matrix.shape[0])), 0, np.zeros((0, 0))
    # Freedoms of very different sizes (a scale of 1e-3, an offset of 400) are compared in their own size.
    size = np.where(free != 0, np.abs(free), 1.0)
    left, weights, right = np.linalg.svd(matrix * size, full_matrices=True)
    rank = int((weights > 1e-9 * max(weights.max(initial=0.0), 1e-300)).sum()) if weights.any() else 0
    inverse = right[:rank].T @ np.diag(1 / weights[:rank]) @ left[:, :rank].T
    return size[:, None] * inverse, rank, size[:, None] * right[rank:].T


def _slopes(function: Callable[[Array], Array], at: Array) -> Array:
    """The Jacobian by central differences."""
    columns = []
    for i in range(len(at)):
        step = 1e-6 * max(abs(float(at[i])), 1e-3)
        shift = np.zeros(len(at))
        shift[i] = step
        columns.append((function(at + shift) - function(at - shift)) / (2 * step))
    return np.array(columns).T if columns else np.zeros((len(function(at)), 0))


def _alike(first: Solution, second: Solution) -> bool:
    """Whether two solutions tell the same; what stays open differs from start to start and tells nothing."""
    if first.determined != second.determined:
        return False
    known = np.array(first.determined, dtype=bool)
    return bool(np.allclose(first.parameters[known], second.parameters[known], rtol=1e-5, atol=1e-12))


def _allowed(law: Law, parameters: Array) -> bool:
    return all(_holds(c, law, parameters) for c in law.assumptions)


def _holds(condition: Condition, law: Law, parameters: Array) -> bool:
    value = finite(float(compiled(condition.expression, *law.parameters)(*parameters)))
    if value is None:
        return False
    match condition.relation:
        case ">":
            return value > 0
        case ">=":
            return value >= -1e-9
        case _:
            return True  # an equation or an inequation is kept by every branch of the analysis
