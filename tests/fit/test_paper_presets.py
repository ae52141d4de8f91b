"""Published settings are chosen by the structure of the law, whatever its letters."""

from __future__ import annotations

import math

import pytest
import torch

from identify.families.catalogue import catalogue_folder
from identify.families.reading import read_family
from identify.fit.paper.encoders import Encoder, start_encoder
from identify.fit.paper.presets import published
from identify.fit.paper.settings import PRESETS
from identify.law import Law, read_law


def family(name: str) -> Law:
    file, _ = read_family((catalogue_folder() / f"{name}.yaml").read_text(encoding="utf-8"))
    assert file is not None
    assert file.family.law is not None
    return read_law(file.family.law)


@pytest.mark.parametrize(
    ("name", "preset"),
    [
        ("lti", "lti"),
        ("lti-equilibrium", "lti"),
        ("mass-spring-damper", "lti"),
        ("angular-pendulum", "pendulum"),
        ("angular-pendulum-length", "pendulum"),
        ("van-der-pol", "van-der-pol"),
        ("cubic-duffing", "cubic"),
        ("quintic-duffing", "quintic"),
        ("helmholtz", "quadratic"),
        ("odd-drag-fitted-polynomial", "coverage"),
        ("cart-spring-drag", "coverage"),
        ("projected-pendulum", "projected-pendulum"),
        ("overhead-fall", "overhead-fall"),
        ("morse", "generic"),
        ("power-spring", "generic"),
        ("lennard-jones", "generic"),
    ],
)
def test_a_family_of_the_catalogue_gets_its_experiments_settings(name: str, preset: str) -> None:
    assert published(family(name)).preset == preset


@pytest.mark.parametrize("text", ["z'' = A", "q'' = -g", "z'' = 5"])
def test_constant_acceleration_is_the_side_fall(text: str) -> None:
    assert published(read_law(text)).preset == "side-fall"


def test_the_projected_pendulum_starts_at_the_published_values_under_any_names() -> None:
    text = "y'' = -e*y' - p**2*(y-m)*sqrt(1-(y-m)**2/L**2) - r*(y-m)/(L**2-(y-m)**2)*y'**2"
    wanted = {"e": 0.12, "p": math.sqrt(3.2), "r": 0.8, "L": 0.82, "m": 0.0}
    assert dict(published(read_law(text)).initial) == pytest.approx(wanted)
    squared = text.replace("p**2", "p")
    assert dict(published(read_law(squared)).initial) == pytest.approx({**wanted, "p": 3.2})


def test_the_overhead_fall_starts_at_two() -> None:
    assert dict(published(read_law("y'' = c*y'**2/y - h*y**2")).initial) == {"c": 2.0}


def test_the_published_numbers() -> None:
    table = {name: (p.updates, p.encoder_rate, p.law_rate) for name, p in PRESETS.items()}
    assert table["lti"] == (2000, 5e-4, 3e-3)
    assert table["pendulum"] == (2500, 1e-3, 5e-3)
    assert table["van-der-pol"] == (5000, 1e-3, 3e-3)
    assert table["cubic"] == (8000, 5e-4, 0.1)
    assert table["quintic"] == (8000, 5e-4, 3e-3)
    assert table["quadratic"] == (6000, 5e-4, 3e-3)
    assert table["coverage"] == (5000, 5e-4, 2e-3)
    assert table["projected-pendulum"] == (6000, 2e-4, 2e-3)
    assert table["real-pendulum"] == (8000, 1e-3, 1e-2)
    assert table["overhead-fall"] == (4000, 1e-3, 6e-4)
    assert (PRESETS["side-fall"].updates, PRESETS["side-fall"].encoder_rate) == (8000, 1e-3)
    floors = {name: (p.floor, p.floor_weight) for name, p in PRESETS.items()}
    assert floors["lti"][0] == floors["quintic"][0] == 0.02
    assert floors["projected-pendulum"] == (0.03, 100.0)
    assert floors["real-pendulum"] == floors["side-fall"] == (0.10, 100.0)
    assert (PRESETS["coverage"].window, PRESETS["coverage"].degree) == (31, 2)
    assert (PRESETS["projected-pendulum"].window, PRESETS["projected-pendulum"].degree) == (21, 4)


def learned(encoder: Encoder) -> int:
    return sum(p.numel() for p in encoder.parameters())


@pytest.mark.parametrize("name", sorted(PRESETS))
@pytest.mark.parametrize("shape", [(1, 64, 64), (3, 48, 20)])
def test_every_encoder_gives_one_number_per_frame(name: str, shape: tuple[int, int, int]) -> None:
    encoder = start_encoder(PRESETS[name], shape, 0)
    frames = torch.randint(0, 256, (5, *shape), dtype=torch.uint8)
    encoder.standardise(frames)
    latent = encoder(frames)
    assert latent.shape == (5,)
    assert torch.isfinite(latent).all()
    alone = torch.cat([encoder(frame[None]) for frame in frames])
    assert torch.allclose(latent, alone, atol=1e-5)  # no frame sees another: GroupNorm, not BatchNorm
    if name == "overhead-fall":
        assert bool((latent > 0.05).all())
        assert learned(encoder) == 2 * 9 * shape[0] + 2 + 4 + 2 * 18 + 2 + 4 + 3


def test_starts_differ_by_seed_and_leave_the_global_state_alone() -> None:
    before = torch.random.get_rng_state()
    one, same, other = (start_encoder(PRESETS["pendulum"], (1, 16, 16), seed) for seed in (1, 1, 2))
    assert torch.equal(before, torch.random.get_rng_state())
    frames = torch.randint(0, 256, (3, 1, 16, 16), dtype=torch.uint8)
    assert torch.equal(one(frames), same(frames))
    assert not torch.equal(one(frames), other(frames))
    bias = one.output()
    assert bias is not None
    assert abs(float(bias.bias.detach())) <= 3 * math.pi
