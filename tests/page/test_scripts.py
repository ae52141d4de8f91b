"""The page's own numerics, run by node: expressions, motions, crossings and ranks against references."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from typing import Any

import pytest

pytest.importorskip("scipy", reason="the reference integration needs the extra fit")

from identify.conclude.coverage import columns
from identify.law import read_expression, read_law
from identify.motion.design import rank_and_smallest
from identify.page.build import page_script, read_assets
from identify.page.inside.tree import tree
from identify.routes.classify import classify
from identify.routes.feature import feature_text

if shutil.which("node") is None:
    pytest.skip("node is not installed", allow_module_level=True)

SCRIPTS = ("expression", "motion", "rank")


def evaluated(program: str, data: Any) -> Any:
    """What ``program`` (with ``data`` in scope) returns, run with the page's scripts."""
    scripts = "\n".join(read_assets()[f"{name}.js"].decode() for name in SCRIPTS)
    call = f"console.log(JSON.stringify((() => {{{program}}})()));"
    source = f'"use strict";\n{scripts}\nconst data = {json.dumps(data)};\n{call}'
    done = subprocess.run(["node", "-"], input=source, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


TEXTS = [
    "-d*v - a*z - b*z**3",
    "rho*v**2/z - k*z**2 + z**(3/2)",
    "sinh(a*z) + cosh(z)/tanh(b) - coth(z) + sech(z)*csch(a)",
    "asin(z/3) + acos(z/3) + atan(v) + asinh(z) + acosh(1 + z) + atanh(z/3)",
    "acot(z) + acot(-v) + asec(3*z) + acsc(3*z) + acoth(3*z) + asech(z/3) + acsch(z)",
    "cot(z) + sec(v) + csc(z) + sign(-v)*abs(z - 9) + log(z/c) + exp(-k*z)",
    "z**p*k + pi*v - 7/3 + sqrt(z**2 + b**2)",
]


def test_expressions_agree_with_sympy() -> None:
    """Every function of the language has the value that the engine's own library gives it."""
    chance = random.Random(1)
    cases, known = [], []
    for text in TEXTS:
        expression = read_expression(text)
        symbols = sorted(expression.free_symbols, key=str)
        values = [chance.uniform(0.5, 1.5) for _ in symbols]
        cases.append([tree(expression), [s.name for s in symbols], values])
        known.append(float(expression.subs(dict(zip(symbols, values, strict=True)))))
    found = evaluated("return data.map(([tree, names, values]) => compiled(tree, names)(values));", cases)
    assert found == pytest.approx(known, rel=1e-12)


def test_the_scripts_fit_together() -> None:
    """Put into one scope, no two of them declare the same name."""
    command = ["node", "--check", "-"]
    done = subprocess.run(command, input=page_script(read_assets()), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_unknown_operations_are_refused() -> None:
    """A tree can name the functions of the table and nothing else, whatever objects inherit."""
    trees = [["constructor", 1], ["toString", 1], ["__proto__", 1], ["sin"], ["sin", 1, 2], "nobody"]
    program = (
        'return data.map((tree) => { try { compiled(tree, ["z"]); return false; } catch { return true; } });'
    )
    assert evaluated(program, trees) == [True] * len(trees)


def test_motions_agree_with_scipy() -> None:
    """A damped cubic oscillator over several periods, to eight digits."""
    from scipy.integrate import solve_ivp

    law = read_law("z''+0.2*z'+4*z+4*z**3=0")
    data = {"tree": tree(law.acceleration), "start": [0.9, -0.5]}
    program = """
    const law = compiled(data.tree, ["z", "v"]);
    return motion((z, v) => law([z, v]), () => true, data.start, 12, 100);
    """
    path = evaluated(program, data)
    reference = solve_ivp(
        lambda _, y: [y[1], -0.2 * y[1] - 4 * y[0] - 4 * y[0] ** 3],
        (0, 12),
        [0.9, -0.5],
        method="DOP853",
        t_eval=path["time"],
        rtol=1e-12,
        atol=1e-13,
    )
    assert path["whole"]
    assert path["state"] == pytest.approx(reference.y[0], abs=1e-8)
    assert path["velocity"] == pytest.approx(reference.y[1], abs=1e-7)


def test_a_motion_that_blows_up_ends() -> None:
    """z'' = z**3 leaves every bound in finite time: the path stops there, in bounded time."""
    program = "return motion((z) => z ** 3, (z) => Math.abs(z) < 1e3, [1, 1], 50, 400);"
    path = evaluated(program, None)
    assert not path["whole"]
    assert max(path["state"]) < 1e3


@pytest.mark.parametrize("law", ["z''+d*z'+a*z=0", "z''+d*z'+c*z'*abs(z')+a*z=0", "z''+b*z'**3+a*z=0"])
@pytest.mark.parametrize(
    "velocities",
    [[], [1, -1], [1, -1, 2], [1, 2, 3, 4], [1, -1, 2, -2], [0.5, 0.6, 0.7, 0.8, 0.9], [0, 1e-3, 5]],
)
def test_ranks_agree_with_coverage(law: str, velocities: list[float]) -> None:
    """The rank at a level is the one that ``identify coverage`` finds."""
    features = columns(classify(read_law(law)))
    trees = [tree(read_expression(feature_text(feature), ["v"])) for feature in features]
    program = 'return rankAt(data[0].map((tree) => compiled(tree, ["v"])), data[1]);'
    assert evaluated(program, [trees, velocities]) == rank_and_smallest(features, velocities)[0]


def test_crossings_have_the_velocity_of_the_motion() -> None:
    """An undamped oscillator passes each level with velocities of one size, once per half period."""
    program = """
    const path = motion((z) => -z, () => true, [1, 0], 6.283185307179586, 400);
    return crossings(path, 0.6);
    """
    found = sorted(evaluated(program, None))
    assert found == pytest.approx([-0.8, 0.8], abs=1e-6)
