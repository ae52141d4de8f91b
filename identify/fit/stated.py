"""Straight latents for parameters whose start was stated: no weak form is asked where to begin.

A passage or two is too short for windows, and an encoder that may bend satisfies almost any law on them.  A
straight one at the scale and origin that suit the stated law does not.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from torch import Tensor

from identify.fit.samples import smoothed
from identify.fit.seen import Seen
from identify.fit.torch_law import TorchLaw

_WINDOW = 0.3  # of the tempo
_REACHES = (0.75, 0.4, 1.5)
_CENTRES = (0.0, -0.3, 0.3)


def straight_latents(law: TorchLaw, seen: Seen, theta: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Latent and velocity at the frames, for several scales and origins inside the law's domain."""
    place, rate = smoothed(seen.samples, _WINDOW * seen.tempo)
    middle, half = (place.max() + place.min()) / 2, (place.max() - place.min()) / 2
    for reach, centre in itertools.product(_REACHES, _CENTRES):
        latent = reach * ((place - middle) / half - centre)
        if bool(law.domain_ok(latent, theta).all()):
            yield latent, reach * rate / half
