"""Two networks that watch one spring: the law each of them finds, from the branches of the analysis.

python examples/laws/two_networks.py
"""

from __future__ import annotations

from identify import analyze
from identify.law import read_expression

LAW = "z''+d*z'+a*z+b*z**3=0"
TRUTH = {"d": 0.2, "a": 4.0, "b": 4.0}


def main() -> None:
    """The branch through the identity, put into numbers at two scales of the coordinate."""
    analysis = analyze(LAW, assume=["b != 0"])
    assert analysis.gauge is not None
    branch = analysis.gauge.branches[0]
    for scale in (1, 2):
        values = {**TRUTH, "lambda": scale}
        reported = {name: number(text, values) for name, text in branch.parameters.items()}
        print(f"zhat = {scale}*z:", ", ".join(f"{name} = {value:g}" for name, value in reported.items()))
    print("all agree on", ", ".join((*analysis.invariants, *analysis.sign_invariants)))


def number(text: str, values: dict[str, float]) -> float:
    """A formula of the analysis with values for its names."""
    formula = read_expression(text, values)
    return float(formula.subs({symbol: values[symbol.name] for symbol in formula.free_symbols}))


if __name__ == "__main__":
    main()
