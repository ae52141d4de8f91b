"""Hand-made analyses of well-known laws, so that reports are tested without the engine."""

from __future__ import annotations

from identify.analysis import (
    Analysis,
    AnchorSet,
    BranchInfo,
    Calibration,
    CanonicalInfo,
    Coverage,
    Gauge,
    Guarantee,
    LawInfo,
    ParameterVerdict,
    RouteInfo,
    Stratum,
    TranslationLock,
)

SEMILINEAR = RouteInfo(
    name="semilinear",
    features=("1", "v"),
    reason=None,
    suggestion=None,
    theorem="Semilinear affine collapse (thm:semilinear-affine-collapse)",
)
THREE_SLOPES = Coverage(
    features=("1", "v", "v**2"),
    rank=3,
    velocities=3,
    both_directions=False,
    example=("-1", "0", "1"),
    one_direction_rank=3,
)
EXACT = Guarantee(
    scope="global",
    field="real",
    stratum="generic",
    precision="exact",
    realizable=True,
    statement="Every listed report is realized by some encoder, and no other report is compatible",
)


def verdict(status, transform, why, alternatives=(), redundant=False):
    return ParameterVerdict(status, transform, tuple(alternatives), why, redundant)


AMPLITUDE = AnchorSet(
    ("amplitude",), 1, "global", ("reflection zhat = -z",), ("z1 lies inside the covered interval",)
)
ORIGIN_AND_STATE = AnchorSet(("origin", "state"), 1, "global", (), ("0 lies inside the covered interval",))
KNOWN_STIFFNESS = AnchorSet(("parameter k",), 1, "global", ("coordinate zhat = lambda*z",), ())


def calibration(dimension, rank, parameters, everything, **more):
    return Calibration(dimension, rank, True, "global", parameters, everything, (), **more)


CUBIC = Analysis(
    law=LawInfo(
        text="z''+d*z'+a*z+b*z**3=0",
        state="z",
        velocity="v",
        acceleration="-d*v - a*z - b*z**3",
        leading="1",
        parameters=("d", "a", "b"),
        assumptions=("b != 0",),
        domain=(),
    ),
    outcome="done",
    route=SEMILINEAR,
    coverage=THREE_SLOPES,
    gauge=Gauge(
        dimension=1,
        branches=(
            BranchInfo(
                map="lambda*z",
                free=("lambda",),
                conditions=("lambda != 0",),
                parameters={"d": "d", "a": "a", "b": "b/lambda**2"},
            ),
        ),
        translation_lock=TranslationLock(True, "the restoring force has no z**2 term below z**3 (top gap)"),
    ),
    weights={"d": 0, "a": 0, "b": 2},
    orbit_dimension=1,
    invariants=("d", "a"),
    sign_invariants=("sign(b)",),
    parameters={
        "d": verdict("identified", "d", "damping has weight 0: no change of scale reaches it"),
        "a": verdict("identified", "a", "linear stiffness has weight 0: no change of scale reaches it"),
        "b": verdict("sign", "b/lambda**2", "scales with an even power of the coordinate, so its sign stays"),
    },
    redundancy=(),
    canonical=None,
    strata=(Stratum("b == 0"),),
    guarantee=EXACT,
    certificate={"checks": []},
    warnings=(),
    calibration=calibration(
        1, 1, {"b": (AMPLITUDE,)}, (AMPLITUDE,), scale="zhat/z", conversion={"b": "b_hat*scale**2"}
    ),
)

HELMHOLTZ = Analysis(
    law=LawInfo(
        text="q'' + delta*q' + alpha*q + beta*q^2 = 0",
        state="q",
        velocity="v",
        acceleration="-delta*v - alpha*q - beta*q**2",
        leading="1",
        parameters=("delta", "alpha", "beta"),
        assumptions=("beta != 0",),
        domain=(),
    ),
    outcome="done",
    route=SEMILINEAR,
    coverage=THREE_SLOPES,
    gauge=Gauge(
        dimension=1,
        branches=(
            BranchInfo(
                map="lambda*q",
                free=("lambda",),
                conditions=("lambda != 0",),
                parameters={"delta": "delta", "alpha": "alpha", "beta": "beta/lambda"},
            ),
            BranchInfo(
                map="lambda*(q + alpha/beta)",
                free=("lambda",),
                conditions=("lambda != 0",),
                parameters={"delta": "delta", "alpha": "-alpha", "beta": "beta/lambda"},
                kind="discrete",
            ),
        ),
        translation_lock=TranslationLock(False, "the other equilibrium can take the place of the origin"),
    ),
    weights=None,
    orbit_dimension=1,
    invariants=("delta", "alpha**2"),
    sign_invariants=(),
    parameters={
        "delta": verdict("identified", "delta", "damping does not see the coordinate"),
        "alpha": verdict(
            "finite", "alpha", "each equilibrium gives its own stiffness", alternatives=("alpha", "-alpha")
        ),
        "beta": verdict("free", "beta/lambda", "scales with the coordinate, sign included"),
    },
    redundancy=(),
    canonical=None,
    strata=(
        Stratum("beta == 0"),
        Stratum(
            "alpha == 0",
            outcome="done",
            gauge_dimension=1,
            orbit_dimension=1,
            invariants=("delta", "alpha"),
            parameters={
                "delta": verdict("identified", "delta", ""),
                "alpha": verdict("identified", "alpha", ""),
                "beta": verdict("free", "beta/lambda", ""),
            },
        ),
    ),
    guarantee=EXACT,
    certificate={},
    warnings=(),
    calibration=calibration(1, 1, {"alpha": (), "beta": (ORIGIN_AND_STATE,)}, (ORIGIN_AND_STATE,)),
)


OVERHEAD = Analysis(
    law=LawInfo(
        text="z''=rho*z'**2/z-k*z**2",
        state="z",
        velocity="v",
        acceleration="rho*v**2/z - k*z**2",
        leading="1",
        parameters=("rho", "k"),
        assumptions=("k != 0",),
        domain=("z > 0",),
    ),
    outcome="done",
    route=RouteInfo(
        name="canonical",
        features=("1", "v", "v**2"),
        reason=None,
        suggestion=None,
        theorem="Canonical report orbit (thm:canonical-report-orbit)",
    ),
    coverage=THREE_SLOPES,
    gauge=Gauge(
        dimension=1,
        branches=(
            BranchInfo(
                map="lambda*z",
                free=("lambda",),
                conditions=("lambda > 0",),
                parameters={"rho": "rho", "k": "k/lambda"},
            ),
        ),
        translation_lock=TranslationLock(True, "solved"),
    ),
    weights=None,
    orbit_dimension=1,
    invariants=("rho",),
    sign_invariants=("sign(k)",),
    parameters={
        "rho": verdict("identified", "rho", "fixed by the signature curve"),
        "k": verdict("sign", "k/lambda", "scales with the coordinate; lambda > 0 on z > 0"),
    },
    redundancy=(),
    canonical=CanonicalInfo(
        c2="rho/z",
        normalizer="z**(1-rho)",
        normalizer_derivative="z**(-rho)",
        law="q'' = -(1-rho)*k*q**((2-rho)/(1-rho))",
        chart="z > 0",
    ),
    strata=(Stratum("rho == 1"), Stratum("rho == 2")),
    guarantee=Guarantee("global", "real", "generic", "50 digits", False, "Outer set of the canonical route"),
    certificate={},
    warnings=("At rho == 2 the coordinate gains a second free number",),
)

UNSUPPORTED = Analysis(
    law=LawInfo("z''+c*tanh(z'/s)+a*z=0", "z", "v", "-c*tanh(v/s) - a*z", "1", ("c", "s", "a"), (), ()),
    outcome="unsupported",
    route=RouteInfo(
        name="unsupported",
        features=(),
        reason="tanh(v/s) spans no finite set of velocity terms that rescaling keeps: s is free",
        suggestion="declare the first terms of its series, such as c1*z' + c3*z'**3",
        theorem=None,
    ),
    coverage=None,
    gauge=None,
    weights=None,
    orbit_dimension=None,
    invariants=(),
    sign_invariants=(),
    parameters={},
    redundancy=(),
    canonical=None,
    strata=(),
    guarantee=None,
    certificate={},
    warnings=(),
)

UNDECIDED = Analysis(
    law=LawInfo("z''+d*z'+a*sin(z)+b*exp(k*z)=0", "z", "v", "-d*v-a*sin(z)-b*exp(k*z)", "1", (), (), ()),
    outcome="undecided",
    route=SEMILINEAR,
    coverage=THREE_SLOPES,
    gauge=None,
    weights=None,
    orbit_dimension=None,
    invariants=("d",),
    sign_invariants=(),
    parameters={
        "d": verdict("identified", "d", "constant damping is invariant"),
        "a": verdict("undecided", None, "the elimination did not finish in 1 s"),
        "b": verdict("undecided", None, "the elimination did not finish in 1 s"),
    },
    redundancy=(),
    canonical=None,
    strata=(),
    guarantee=None,
    certificate={},
    warnings=(),
    undecided_because="the time limit of 1 s was reached while matching exponents",
)

REDUNDANT = Analysis(
    law=LawInfo("m*z''+c*z'+k*z=0", "z", "v", "(-c*v-k*z)/m", "m", ("m", "c", "k"), ("m > 0",), ()),
    outcome="done",
    route=SEMILINEAR,
    coverage=THREE_SLOPES,
    gauge=Gauge(
        1,
        (BranchInfo("lambda*z", ("lambda",), ("lambda != 0",), {"m": "m", "c": "c", "k": "k"}),),
        TranslationLock(True, "k != 0 holds the origin"),
    ),
    weights={"m": 0, "c": 0, "k": 0},
    orbit_dimension=1,
    invariants=("c/m", "k/m"),
    sign_invariants=("sign(c)", "sign(k)"),
    parameters={
        "m": verdict("free", "mu*m", "only c/m and k/m enter the motion", redundant=True),
        "c": verdict("sign", "mu*c", "only c/m and k/m enter the motion", redundant=True),
        "k": verdict("sign", "mu*k", "only c/m and k/m enter the motion", redundant=True),
    },
    redundancy=("m, c and k can be multiplied by one common number",),
    canonical=None,
    strata=(),
    guarantee=EXACT,
    certificate={},
    warnings=(),
    calibration=calibration(2, 1, {"m": (KNOWN_STIFFNESS,)}, (KNOWN_STIFFNESS,)),
)


ALL = {
    "cubic": CUBIC,
    "helmholtz": HELMHOLTZ,
    "overhead": OVERHEAD,
    "unsupported": UNSUPPORTED,
    "undecided": UNDECIDED,
    "redundant": REDUNDANT,
}
