"""A law that begins with a minus sign is a law, and a misspelt option is still an option."""

from __future__ import annotations

import pytest

from identify.command.arguments import protect_law


@pytest.mark.parametrize(
    "law",
    ["-z''+a*z=0", "-o''+a*o=0", "-(1+z**2)*z''=z", "-2*z''=a", "- z'' = a", "-h'' = g", "--z''=a*z", "-a*z"],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_law_moves_behind_the_options(law: str, place: int) -> None:
    options = ["--strata", "--assume", "-a > 0", "-o", "-file", "--timeout=3"]
    cut = [0, 1, 5][place]
    given = ["analyze", *options[:cut], law, *options[cut:]]
    assert protect_law(given) == ["analyze", *options, "--", law]


@pytest.mark.parametrize(
    "given",
    [
        [],
        ["--help"],
        ["analyze", "-"],
        ["analyze", "z''=0", "--asume", "b"],
        ["analyze", "z''=0", "-x"],
        ["analyze", "z''=0", "--domain", "-1 < z < 1"],
        ["analyze", "z''=0", "--assume=b != 0", "-oout.json"],
        ["analyze", "--", "-z''=0"],
        ["verify", "-z''.json"],
    ],
)
def test_everything_else_is_left_alone(given: list[str]) -> None:
    assert protect_law(given) == given
