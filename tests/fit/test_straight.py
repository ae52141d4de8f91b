"""The straightest map: what counts as bent, where it is looked for, and what it is never used for."""

from __future__ import annotations

import math

import pytest
import torch

from identify.fit.features import Filter
from identify.fit.held import Held
from identify.fit.refine import OutputError
from identify.fit.samples import Samples
from identify.fit.seen import see
from identify.fit.splines import Spline
from identify.fit.straight import Straight, find_straight
from identify.fit.torch_law import TorchLaw
from identify.law import read_law
from identify.reproduce import canonical, fitting
from identify.scene.collection import Ask
from identify.scene.protocol import paper_protocol
from identify.scene.recording import Recording

DOUBLE = torch.float64


def seen_of(recording: Recording, count: int):
    shots = [shot for shot in recording.shots if shot.role == "train"][:count]
    view = fitting.whole(fitting.film(shot) for shot in shots)
    found = see(view, Filter(), torch.device("cpu"), 0)
    assert not isinstance(found, str)
    return found, torch.cat([torch.from_numpy(shot.state) for shot in shots])


def test_a_straight_map_has_no_bends_and_a_bent_one_its_own():
    place = torch.linspace(-2, 2, 400, dtype=DOUBLE)
    straight = Straight(place, place)
    spline = Spline(-1.0, 1.0, 12)
    none, by = straight.bends(spline, spline.straight(0.3, 1.1, place))
    assert float(none.abs().max()) < 1e-12
    u = spline.sites(place)
    # These coefficients make the spline u**2 itself, whose part along Legendre's P2 is 2/(3 sqrt 5).
    bent, _ = straight.bends(spline, u**2 - spline.width**2 / 3)
    assert float(bent[0].abs()) == pytest.approx(2 / (3 * math.sqrt(5)), rel=0.05)
    assert float(bent[1].abs()) < 1e-3
    move = 1e-6 * torch.randn(12, generator=torch.Generator().manual_seed(0), dtype=DOUBLE)
    after, _ = straight.bends(spline, spline.straight(0.3, 1.1, place) + move)
    assert torch.allclose(after - none, by @ move, atol=1e-10)


def test_the_distance_of_a_cart_is_straight_in_its_state():
    seen, state = seen_of(paper_protocol("two-way-2", 0, Ask(clips=4)), 4)
    straight = find_straight(seen)
    assert straight is not None
    place = seen.samples.place
    cell = torch.searchsorted(straight.place, place).clamp(1, len(straight.place) - 1)
    distance = straight.distance[cell]
    assert abs(float(torch.corrcoef(torch.stack([distance, state]))[0, 1])) > 0.9995


def test_nothing_is_straight_where_a_thing_grows():
    seen, _ = seen_of(paper_protocol("overhead-fall", 0), 14)
    assert find_straight(seen) is None


def test_a_stated_start_and_two_passages_suffice_and_the_fit_says_what_it_assumed():
    row = canonical.fit(
        {
            "experiment": "projected-pendulum",
            "control": "60°; 2 passages",
            "collection": 4,
            "seed": 0,
            "method": "default",
        }
    )
    _, half_map, half_force = (paper[0] / 2 for paper in canonical.PAPER_CONTROLS["60°; 2 passages"])
    assert row["canonical"] < half_map
    assert row["force"] < half_force
    assert any("straightest in the picture" in warning for warning in row["warnings"])


@pytest.mark.parametrize(
    ("stated", "all_of_them"), [({}, False), ({"d": 0.1}, False), ({"d": 0.1, "a": 4.0}, True)]
)
def test_only_a_start_stated_for_every_parameter_counts(stated: dict[str, float], all_of_them: bool) -> None:
    time = torch.linspace(0, 3, 60, dtype=DOUBLE)
    samples = Samples(time, torch.cos(2 * time), torch.zeros(60, dtype=torch.long), 1)
    law = TorchLaw(read_law("z''+d*z'+a*z=0"))
    assert OutputError(law, samples, samples.tempo(), Held(True, True), stated).all_stated == all_of_them
