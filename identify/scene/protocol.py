"""The paper's synthetic experiments by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from identify.errors import InputError
from identify.scene.collection import Ask, Protocol, perturbed, render
from identify.scene.crossing import DESIGNS, crossing
from identify.scene.projection import overhead_fall, projected_pendulum, side_fall
from identify.scene.recording import Recording
from identify.scene.six import SIX

Builder = Callable[[int, Ask], Recording]


def paper_protocol(name: str, seed: int, ask: Ask | None = None) -> Recording:
    """The recording of one experiment of the paper; the seed stands for a collection of initial states."""
    if name not in PROTOCOLS:
        raise InputError(f"the paper has no experiment '{name[:80]}'", hint=f"one of {', '.join(PROTOCOLS)}")
    if seed < 0:
        raise InputError("the seed is negative", hint="give 0, 1, 2, ...")
    return PROTOCOLS[name](seed, ask or Ask())


def _collection(protocol: Protocol, seed: int, ask: Ask) -> Recording:
    asked = protocol.asked(ask)
    starts = perturbed(asked, seed)
    first = ask.clips if ask.clips is not None else len(starts)
    return render(asked, [s for s in starts if s[1] == "test" or s[2] < first], seed)


PROTOCOLS: dict[str, Builder] = {
    **{protocol.name: partial(_collection, protocol) for protocol in SIX},
    **{design: partial(crossing, design) for design in DESIGNS},
    "projected-pendulum": projected_pendulum,
    "side-fall": side_fall,
    "overhead-fall": overhead_fall,
}
