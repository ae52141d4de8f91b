"""Whether a finished fit is believed: simple evidence, on the side of refusing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from identify.fit.film import Array

MOST_WEAK = 0.1  # relative weak residual: at most .05 when right, .3 and more in most failures
MOST_OUTPUT = 0.25  # latent against the law's own solution, relative to the latent's spread
MOST_OUTSIDE = 0.01  # share of training frames outside the law's domain


@dataclass(frozen=True)
class Verdict:
    """Accepted, or the reason why not and what to try next."""

    accepted: bool
    reason: str | None = None
    advice: str | None = None


_REFUSALS = (
    (
        lambda e: not np.isfinite(e["weak_residual"]) or not np.isfinite(e["dynamics_loss"]),
        "the law gives no finite values on the latent",
        "declare the domain of the law, give initial values, or try another law",
    ),
    (
        lambda e: e["least_spread"] < 0.9 * e["floor"],
        "the latent collapsed: in at least one clip it hardly varies",
        "try another seed, or the default method",
    ),
    (
        lambda e: e["outside_domain"] > MOST_OUTSIDE,
        "the latent leaves the domain of the law",
        "try another seed, more updates, or the default method",
    ),
    (
        lambda e: e["weak_residual"] > MOST_WEAK,
        "the latent does not follow the law (relative weak residual above 0.1)",
        "try more updates, another seed, another law, or the default method",
    ),
    (
        lambda e: not e["output_error"] <= MOST_OUTPUT,
        "no solution of the fitted law follows the latent through the clips",
        "try more updates, another seed, another law, or the default method",
    ),
)


def verdict(evidence: Mapping[str, float], values: Array, admissible: bool) -> Verdict:
    """The first failing check, or acceptance."""
    if not np.isfinite(values).all():
        return Verdict(False, "a parameter is not finite", "try another seed or a smaller law_rate")
    if not admissible:
        return Verdict(False, "the parameters violate the assumptions", "give initial values")
    for fails, reason, advice in _REFUSALS:
        if fails(evidence):
            return Verdict(False, reason, advice)
    return Verdict(True)


def output_error(latents: list[Array], fitted: list[Array]) -> float:
    """Root mean square of latent minus solution over the spread within clips; inf where one is missing."""
    gap = spread = 0.0
    for z, path in zip(latents, fitted, strict=True):
        known = np.isfinite(path)
        if len(z) >= 3 and not known.any():
            return float("inf")
        gap += float(np.sum((z[known] - path[known]) ** 2))
        spread += float(np.sum((z[known] - z[known].mean()) ** 2)) if known.any() else 0.0
    return float(np.sqrt(gap / spread)) if spread > 0 else float("inf")
