"""Independent verification of the answer bank `laws.json`.

Nothing here imports the engine.  For every entry the program checks

  route      the velocity features of the law, found by evaluating each additive term;
  dimension  rank of the linearised compatibility identities in 50-digit arithmetic, at
             two random parameter points (`lifted_dim`, `orbit_dim`, which parameters move,
             and that the invariants are annihilated and complete);
  witnesses  every listed pair (map, parameter map) by substitution into the law, inside the
             assumptions and the domain, and what it does to invariants, signs and statuses;
  search     (--search N) real solutions of the full compatibility equations from N random
             starts; each must agree with invariants, signs and statuses of the entry.

Conventions.  `u` is the state, `v` the velocity, f the map.  A law maps to a law when
    F_eta(f, f' v) = f'' v^2 + f' F_theta(u, v).
With f = u + eps*phi this linearises, for a channel c_r v^r, to
    phi c_r' + (r-1) phi' c_r + dc_r = 0   (r != 2),   phi'' = (c_2 phi)' + dc_2,
and phi'' = 0 in the raw routes.
"""

import argparse
import json
import math
import random
import re
import sys
from pathlib import Path

import mpmath
import sympy as sp
from mpmath import mp, mpf

HERE = Path(__file__).resolve().parent
STATUSES = ("identified", "finite", "sign", "free")
ROUTES = ("semilinear", "feature-separation", "canonical", "unsupported")
DIGITS = 50
ORDER = 14  # Taylor order of the linearised identities
Z, V, U = sp.Symbol("z"), sp.Symbol("v"), sp.Symbol("u")


# ---------------------------------------------------------------- truncated Taylor series


class Jet:
    """Taylor coefficients of a function of the state at a base point."""

    __slots__ = ("c",)

    def __init__(self, coefficients):
        self.c = list(coefficients)

    def _lift(self, other):
        if isinstance(other, Jet):
            return other.c
        return [other] + [other * 0] * (len(self.c) - 1)

    def __add__(self, other):
        return Jet(a + b for a, b in zip(self.c, self._lift(other), strict=False))

    __radd__ = __add__

    def __neg__(self):
        return Jet(-a for a in self.c)

    def __sub__(self, other):
        return Jet(a - b for a, b in zip(self.c, self._lift(other), strict=False))

    def __rsub__(self, other):
        return (-self) + other

    def __mul__(self, other):
        if not isinstance(other, Jet):
            return Jet(a * other for a in self.c)
        a, b = self.c, other.c
        return Jet(sum(a[i] * b[n - i] for i in range(n + 1)) for n in range(len(a)))

    __rmul__ = __mul__

    def __truediv__(self, other):
        if not isinstance(other, Jet):
            return Jet(a / other for a in self.c)
        q = []
        for n, a in enumerate(self.c):
            q.append((a - sum(q[i] * other.c[n - i] for i in range(n))) / other.c[0])
        return Jet(q)

    def __rtruediv__(self, other):
        return Jet(self._lift(other)) / self

    def __abs__(self):
        return self if self.c[0] > 0 else -self

    def power(self, p):
        if isinstance(p, int) and p >= 0:
            out = Jet(self._lift(self.c[0] * 0 + 1))
            for _ in range(p):
                out = out * self
            return out
        if isinstance(p, int):
            return 1 / self.power(-p)
        if isinstance(p, Jet):
            return fexp(p * flog(self))
        x, y = self.c, [number_power(self.c[0], p)]
        for n in range(1, len(x)):
            s = sum((p * i - (n - i)) * x[i] * y[n - i] for i in range(1, n + 1))
            y.append(s / (n * x[0]))
        return Jet(y)

    def derivative(self):
        return Jet([(i + 1) * a for i, a in enumerate(self.c[1:])] + [self.c[0] * 0])

    def integral(self, constant):
        return Jet([constant] + [a / (i + 1) for i, a in enumerate(self.c[:-1])])


def number_power(x, p):
    if x <= 0 and not isinstance(p, int):
        if x == 0:
            return x
        raise ValueError("power of a negative number")
    return x**p


def _elementary(fmath, fmp, series):
    def apply(x):
        if isinstance(x, Jet):
            return series(x)
        return fmath(x) if isinstance(x, (float, int)) else fmp(x)

    return apply


def _exp_series(x):
    y = [fexp(x.c[0])]
    for n in range(1, len(x.c)):
        y.append(sum(i * x.c[i] * y[n - i] for i in range(1, n + 1)) / n)
    return Jet(y)


def _real_log(x):
    if x <= 0:
        raise ValueError("log of a nonpositive number")
    return mpmath.log(x)


def _log_series(x):
    return (x.derivative() / x).integral(flog(x.c[0]))


def _sincos(x, sign):
    s, c = (fsin, fcos) if sign < 0 else (fsinh, fcosh)
    a, b = [s(x.c[0])], [c(x.c[0])]
    for n in range(1, len(x.c)):
        a.append(sum(i * x.c[i] * b[n - i] for i in range(1, n + 1)) / n)
        b.append(sign * sum(i * x.c[i] * a[n - i] for i in range(1, n + 1)) / n)
    return Jet(a), Jet(b)


def _sign_number(x):
    return (x > 0) - (x < 0)


fexp = _elementary(math.exp, mpmath.exp, _exp_series)
flog = _elementary(math.log, _real_log, _log_series)
fsin = _elementary(math.sin, mpmath.sin, lambda x: _sincos(x, -1)[0])
fcos = _elementary(math.cos, mpmath.cos, lambda x: _sincos(x, -1)[1])
ftan = _elementary(math.tan, mpmath.tan, lambda x: fsin(x) / fcos(x))
fsinh = _elementary(math.sinh, mpmath.sinh, lambda x: _sincos(x, 1)[0])
fcosh = _elementary(math.cosh, mpmath.cosh, lambda x: _sincos(x, 1)[1])
ftanh = _elementary(math.tanh, mpmath.tanh, lambda x: fsinh(x) / fcosh(x))
fatan = _elementary(math.atan, mpmath.atan, lambda x: (x.derivative() / (1 + x * x)).integral(fatan(x.c[0])))
fasin = _elementary(
    math.asin, mpmath.asin, lambda x: (x.derivative() / (1 - x * x).power(mpf(1) / 2)).integral(fasin(x.c[0]))
)

FUNCTIONS = {
    "exp": fexp,
    "log": flog,
    "sin": fsin,
    "cos": fcos,
    "tan": ftan,
    "sinh": fsinh,
    "cosh": fcosh,
    "tanh": ftanh,
    "atan": fatan,
    "asin": fasin,
    "Abs": abs,
    "sign": lambda x: _sign_number(x.c[0] if isinstance(x, Jet) else x),
}


def compiled(expr):
    """A function of an environment {name: number or Jet}; env['#'] makes numbers."""
    if expr.is_Symbol:
        name = expr.name
        return lambda env: env[name]
    if expr.is_Rational:
        p, q = int(expr.p), int(expr.q)
        return (lambda env: env["#"](p)) if q == 1 else (lambda env: env["#"](p) / q)
    if expr is sp.pi:
        return lambda env: env["#"](1) * (math.pi if env["#"] is float else mp.pi)
    if expr is sp.E:
        return lambda env: fexp(env["#"](1))
    parts = [compiled(a) for a in expr.args]
    if expr.is_Add:

        def add(env):
            total = parts[0](env)
            for f in parts[1:]:
                total = total + f(env)
            return total

        return add
    if expr.is_Mul:

        def mul(env):
            total = parts[0](env)
            for f in parts[1:]:
                total = total * f(env)
            return total

        return mul
    if isinstance(expr, sp.exp):
        return lambda env: fexp(parts[0](env))
    if expr.is_Pow:
        base, exponent = parts
        if expr.exp.is_Integer:
            k = int(expr.exp)
            return lambda env: _power(base(env), k)
        return lambda env: _power(base(env), exponent(env))
    fun = FUNCTIONS[type(expr).__name__]
    return lambda env: fun(parts[0](env))


def _power(x, p):
    if isinstance(x, Jet):
        return x.power(p)
    if isinstance(p, Jet):
        return fexp(p * flog(x))
    return number_power(x, p)


# ------------------------------------------------------------------------- reading a law


class Unsupported(Exception):
    pass


def parse(text):
    text = text.replace("z'", "v")
    names = set(re.findall(r"[A-Za-z_]\w*", text))
    functions = {
        "sin",
        "cos",
        "tan",
        "exp",
        "log",
        "sqrt",
        "abs",
        "sinh",
        "cosh",
        "tanh",
        "atan",
        "asin",
        "sign",
        "pi",
    }
    table = {n: sp.Symbol(n) for n in names - functions}
    return sp.sympify(text, locals=table)


class Law:
    def __init__(self, entry):
        left, right = entry["law"].split("=", 1)
        if left.strip() != "z''" or "''" in right:
            raise Unsupported("not a scalar second-order law z'' = F(z, z')")
        self.F = parse(right)
        self.params = sorted(s.name for s in self.F.free_symbols if s not in (Z, V))
        if "t" in self.params:
            raise Unsupported("explicit time")
        self.symbols = [sp.Symbol(p) for p in self.params]
        self.assume = [split_relation(a) for a in entry["assume"]]
        self.domain = [split_relation(a) for a in entry["domain"]]
        self.force = compiled(self.F)
        self.channels = self._channels()
        sides = [a.split("==") for a in entry["assume"] if "==" in a]
        self.equalities = [parse(a) - parse(b) for a, b in sides]

    def _channels(self):
        """{(degree, parity): coefficient}; refuses features without a common degree."""
        out = {}
        for term in sp.Add.make_args(sp.expand(self.F)):
            if term == 0:
                continue
            coefficient, feature = term.as_independent(V, as_Add=False)
            if feature.free_symbols - {V}:
                raise Unsupported(f"velocity feature {feature} depends on state or parameters")
            with mp.workdps(30):
                values = [mpmath.mpmathify(sp.N(feature.subs(V, x), 30)) for x in (1, 2, 3, -1, -2)]
            one, two, three, minus, minus_two = values
            if any(not mpmath.isfinite(x) or mpmath.im(x) for x in values) or one == 0:
                raise Unsupported(f"velocity feature {feature} is not real and finite")
            degree = sp.nsimplify(sp.Float(mpmath.log(two / one, 2), 20), rational=True, tolerance=1e-15)
            parity = int(mpmath.nint(minus / one))
            ok = (
                abs(three / one - mpf(3) ** mpf(sp.Float(degree, 30))) < mpf(10) ** -15
                and abs(minus / one - parity) < mpf(10) ** -15
                and abs(minus_two - parity * two) < mpf(10) ** -15
            )
            if not ok:
                raise Unsupported(f"velocity feature {feature} spans no finite dilation-stable space")
            if degree < 0 or (degree == 0 and parity < 0):
                raise Unsupported(f"velocity feature {feature} is not continuous")
            key = (degree, parity)
            out[key] = out.get(key, 0) + coefficient * sp.nsimplify(sp.Float(one, 20))
        return {k: c for k, c in out.items() if sp.simplify(c) != 0}

    def route(self):
        keys = set(self.channels)
        polynomial = all(k[0].is_Integer and k[1] == (-1) ** int(k[0]) for k in keys)
        if (sp.Integer(2), 1) in keys:
            if not polynomial:
                raise Unsupported("v**2 next to a non-polynomial feature")
            return "canonical"
        if keys <= {(sp.Integer(0), 1), (sp.Integer(1), -1)}:
            return "semilinear"
        return "feature-separation"


def split_relation(text):
    for op in ("==", "!=", ">=", "<=", ">", "<"):
        if op in text:
            a, b = text.split(op)
            return compiled(parse(a)), op, compiled(parse(b))
    raise ValueError(text)


def holds(relation, env):
    a, op, b = relation
    try:
        d = a(env) - b(env)
    except (ValueError, ZeroDivisionError, OverflowError):
        return False
    return {"==": abs(d) <= 1e-9, "!=": d != 0, ">": d > 0, ">=": d >= 0, "<": d < 0, "<=": d <= 0}[op]


# ------------------------------------------------------------------------------ sampling


def environment(values, number):
    env = {
        k: number(v.numerator) / v.denominator if hasattr(v, "denominator") else number(v)
        for k, v in values.items()
    }
    env["#"] = number
    return env


def random_rational(rng, span=3):
    return sp.Rational(rng.choice([-1, 1]) * rng.randint(5, 100 * span), rng.choice([37, 53, 71, 97]))


def sample_theta(law, entry, rng, conditions=()):
    wanted = law.assume + [split_relation(c) for c in conditions]
    fixed = {}
    for text in entry["assume"]:
        if "==" in text:
            left, right = text.split("==")
            fixed[left.strip()] = parse(right)
    for _ in range(20000):
        values = {p: random_rational(rng) for p in law.params}
        for name, expr in fixed.items():
            values[name] = sp.nsimplify(expr.subs({sp.Symbol(k): v for k, v in values.items()}))
        env = environment({k: sp.Rational(v) for k, v in values.items()}, mpf)
        if all(holds(r, env) for r in wanted):
            return env
    raise RuntimeError(f"no parameter point inside the assumptions of {entry['id']}")


def in_domain(law, env, state):
    point = dict(env)
    point["z"] = state
    return all(holds(r, point) for r in law.domain)


def sample_state(law, env, rng):
    """A state of the domain, moderate in size where the domain allows it."""
    for attempt in range(8000):
        reach = (2, 10, 60, 2000)[attempt // 2000]
        u = mpf(rng.randint(-1009 * reach, 1009 * reach)) / 1009
        if u != 0 and in_domain(law, env, u):
            return u
    raise RuntimeError("no state inside the domain")


# ------------------------------------------------------------------------ linear algebra


def row_reduce(rows, tolerance):
    """Reduced row echelon form, largest pivot in each column; returns rows and pivot columns."""
    rows = [list(r) for r in rows]
    pivots, rank = [], 0
    columns = len(rows[0]) if rows else 0
    for col in range(columns):
        best = max(range(rank, len(rows)), key=lambda i: abs(rows[i][col]), default=None)
        if best is None or abs(rows[best][col]) < tolerance:
            continue
        rows[rank], rows[best] = rows[best], rows[rank]
        lead = rows[rank][col]
        rows[rank] = [x / lead for x in rows[rank]]
        for i in range(len(rows)):
            if i != rank and rows[i][col] != 0:
                k = rows[i][col]
                rows[i] = [x - k * y for x, y in zip(rows[i], rows[rank], strict=False)]
        pivots.append(col)
        rank += 1
        if rank == len(rows):
            break
    return rows[:rank], pivots


def kernel(rows, columns, tolerance):
    scaled = []
    for r in rows:
        m = max(abs(x) for x in r)
        if m > tolerance:
            scaled.append([x / m for x in r])
    if not scaled:
        return [[mpf(int(i == j)) for j in range(columns)] for i in range(columns)]
    reduced, pivots = row_reduce(scaled, tolerance)
    basis = []
    for free in (c for c in range(columns) if c not in pivots):
        x = [mpf(0)] * columns
        x[free] = mpf(1)
        for r, p in zip(reduced, pivots, strict=False):
            x[p] = -r[free]
        basis.append(x)
    return basis


def rank_of(rows, tolerance):
    return len(row_reduce(rows, tolerance)[1]) if rows else 0


# ------------------------------------------------------------ linearised compatibility set


def tangent_space(law, env, states, canonical):
    """Kernel of the linearised identities in (phi(u0), phi'(u0), d param ...)."""
    n = len(law.params)
    number = env["#"]
    rows = []
    for u0 in states:
        state = Jet([u0, number(1)] + [number(0)] * (ORDER - 1))
        here = dict(env)
        here["z"] = state

        def jet(expr):
            value = compiled(sp.sympify(expr))(here)
            return value if isinstance(value, Jet) else Jet([value] + [number(0)] * ORDER)

        c = {k: jet(e) for k, e in law.channels.items()}
        dc = {k: [jet(sp.diff(e, s)) for s in law.symbols] for k, e in law.channels.items()}
        two = (sp.Integer(2), 1)
        zero = Jet([number(0)] * (ORDER + 1))
        c2 = c.get(two, zero)
        unknowns = 2 + n
        phi = []
        for j in range(unknowns):
            if canonical:
                forcing = dc[two][j - 2] if j >= 2 and two in dc else zero
                phi.append(_solve_field(c2, forcing, number(j == 0), number(j == 1)))
            else:  # phi = t + l*u, unknowns (t, l)
                phi.append(Jet([number(1)] + [number(0)] * ORDER) if j == 0 else state if j == 1 else zero)
        for key in law.channels:
            if canonical and key == two:
                continue
            degree = mpf(int(key[0].p)) / int(key[0].q)
            columns = []
            for j in range(unknowns):
                value = phi[j] * c[key].derivative() + (degree - 1) * (phi[j].derivative() * c[key])
                columns.append(value + dc[key][j - 2] if j >= 2 else value)
            rows += [[col.c[m] for col in columns] for m in range(ORDER - 3)]
        if canonical:
            break
    rows += [[number(0), number(0)] + g for g in gradient(law.equalities, env, law)]
    return rows


def _solve_field(c2, forcing, start, slope):
    """phi'' = (c2*phi)' + forcing with phi(u0), phi'(u0) given."""
    phi = [start, slope] + [start * 0] * (len(c2.c) - 2)
    for n in range(len(phi) - 2):
        product = sum(c2.c[i] * phi[n + 1 - i] for i in range(n + 2)) * (n + 1)
        phi[n + 2] = (product + forcing.c[n]) / ((n + 1) * (n + 2))
    return Jet(phi)


def gradient(expressions, env, law):
    return [[compiled(sp.diff(e, s))(env) for s in law.symbols] for e in expressions]


def check_dimension(entry, law, rng, problems):
    canonical = entry["route"] == "canonical"
    tolerance = mpf(10) ** (-DIGITS // 2)
    n = len(law.params)
    for _ in range(2):
        env = sample_theta(law, entry, rng)
        states = [sample_state(law, env, rng) for _ in range(1 if canonical else 4)]
        rows = tangent_space(law, env, states, canonical)
        basis = kernel(rows, n + 2, tolerance)
        moves = [b[2:] for b in basis]
        lifted, orbit = len(basis), rank_of([m for m in moves if any(m)], tolerance)
        if (lifted, orbit) != (entry["lifted_dim"], entry["orbit_dim"]):
            problems.append(
                f"dimensions: computed lifted {lifted} orbit {orbit}, "
                f"bank {entry['lifted_dim']} {entry['orbit_dim']}"
            )
        for i, p in enumerate(law.params):
            moving = any(abs(m[i]) > tolerance for m in moves)
            if moving != (entry["status"].get(p) in ("sign", "free")):
                problems.append(f"{p}: moves={moving} but status {entry['status'].get(p)}")
        invariants = [parse(s) for s in entry["invariants"]]
        grads = gradient(invariants, env, law)
        for text, g in zip(entry["invariants"], grads, strict=False):
            for m in moves:
                if abs(sum(a * b for a, b in zip(g, m, strict=False))) > tolerance * 10**6:
                    problems.append(f"{text} is not constant along the orbit")
                    break
        full = grads + gradient(law.equalities, env, law)
        if n and rank_of([g for g in full if any(g)], tolerance) != n - orbit:
            problems.append(
                f"invariants incomplete: rank {rank_of([g for g in full if any(g)], tolerance)}, "
                f"need {n - orbit}"
            )


# ----------------------------------------------------------------------------- witnesses


def check_witnesses(entry, law, rng, problems):
    seen = {p: set() for p in law.params}
    for w in entry.get("witnesses", []):
        f = parse(w["f"])
        df, ddf = sp.diff(f, U), sp.diff(f, U, 2)
        cf, cdf, cddf = compiled(f), compiled(df), compiled(ddf)
        eta_map = {p: compiled(parse(w["eta"].get(p, p))) for p in law.params}
        unknown = set(w["eta"]) - set(law.params)
        if unknown:
            problems.append(f"witness names unknown parameters {unknown}")
        gauge = sorted(
            {s.name for e in [f] + [parse(x) for x in w["eta"].values()] for s in e.free_symbols}
            - set(law.params)
            - {"u"}
        )
        good = 0
        for _ in range(400):
            theta = sample_theta(law, entry, rng, w.get("when", ()))
            env = dict(theta)
            for g in gauge:
                env[g] = environment({g: random_rational(rng)}, mpf)[g]
            try:
                eta = {p: e(env) for p, e in eta_map.items()}
            except (ValueError, ZeroDivisionError):
                continue
            eta["#"] = mpf
            if not all(holds(r, eta) for r in law.assume):
                continue
            outcome = _witness_holds(law, env, theta, eta, cf, cdf, cddf, rng)
            if outcome is None:
                continue
            if outcome is not True:
                problems.append(f"witness {w}: {outcome}")
                break
            good += 1
            _compare(entry, law, theta, eta, problems, f"witness {w['f']}", seen)
            if good >= 20:
                break
        if not good:
            problems.append(f"witness {w} has no point inside assumptions and domain")
    for p, status in entry["status"].items():
        if status in ("finite", "sign") and "value" not in seen.get(p, ()):
            problems.append(f"{p} is called {status} but no witness changes it")
        if status == "free" and "flip" not in seen.get(p, ()):
            problems.append(f"{p} is called free but no witness changes its sign")


def _witness_holds(law, env, theta, eta, cf, cdf, cddf, rng):
    """True, None (image leaves the domain or not defined) or a message."""
    try:
        orientation = None
        for _ in range(12):
            u = sample_state(law, theta, rng)
            v = mpf(rng.randint(-3000, 3000)) / 997 + mpf(1) / 7
            env["u"] = u
            y, dy, ddy = cf(env), cdf(env), cddf(env)
            if dy == 0:
                return "f' vanishes"
            if orientation not in (None, dy > 0):
                return "f is not monotone"
            orientation = dy > 0
            if not in_domain(law, eta, y):
                return None
            left = law.force(dict(eta, z=y, v=dy * v))
            right = ddy * v**2 + dy * law.force(dict(theta, z=u, v=v))
            if abs(left - right) > mpf(10) ** (-DIGITS // 2) * (1 + abs(right)):
                return f"residual {mpmath.nstr(left - right, 5)}"
    except (ValueError, ZeroDivisionError):
        return None
    return True


def _compare(entry, law, theta, eta, problems, where, seen, tolerance=mpf(10) ** -20):
    def close(a, b):
        return abs(a - b) <= tolerance * (1 + abs(a) + abs(b))

    def note(text):
        if text not in problems:
            problems.append(text)

    for text in entry["invariants"]:
        f = compiled(parse(text))
        try:
            if not close(f(theta), f(eta)):
                note(f"{where}: invariant {text} changes")
        except (ValueError, ZeroDivisionError):
            note(f"{where}: invariant {text} undefined")
    for text in entry["sign_invariants"]:
        f = compiled(parse(text))
        if _sign_number(f(theta)) != _sign_number(f(eta)):
            note(f"{where}: sign invariant {text} changes")
    for p in law.params:
        changed = not close(theta[p], eta[p])
        flipped = changed and _sign_number(theta[p]) != _sign_number(eta[p])
        if changed:
            seen[p].add("value")
        if flipped:
            seen[p].add("flip")
        status = entry["status"].get(p)
        if changed and status == "identified":
            note(f"{where}: {p} is called identified but changes")
        if flipped and status == "sign":
            note(f"{where}: {p} is called sign but changes sign")


# -------------------------------------------------------------------- search for branches


def search(entry, law, rng, starts, problems, report):
    """Levenberg-Marquardt on the full compatibility equations from random real starts."""
    canonical = entry["route"] == "canonical"
    seen = {p: set() for p in law.params}
    found = 0
    for trial in range(starts):
        if trial % 40 == 0:
            exact = sample_theta(law, entry, rng)
            theta = {k: float(v) for k, v in exact.items() if k != "#"}
            theta["#"] = float
            residual, base = _residuals(law, theta, canonical, rng)
        fixed = [
            i
            for i, p in enumerate(law.params)
            if any("==" in a and a.split("==")[0].strip() == p for a in entry["assume"])
        ]
        start = [rng.uniform(-2.5, 2.5), rng.choice([-1, 1]) * math.exp(rng.uniform(-1, 1))]
        for p in law.params:
            start.append(
                rng.choice([-1, 1, 1])
                * abs(theta[p])
                * math.exp(rng.uniform(-1.2, 1.2))
                * _sign_number(theta[p])
                if rng.random() < 0.8
                else rng.uniform(-3, 3)
            )
        for i in fixed:
            start[2 + i] = theta[law.params[i]]
        x = _levenberg(residual, start, [2 + i for i in fixed])
        if x is None or abs(x[1]) < 1e-3 or max(map(abs, x)) > 1e4:
            continue
        eta = dict(zip(law.params, x[2:], strict=False))
        eta["#"] = float
        if not all(holds(r, eta) for r in law.assume):
            continue
        if any(abs(a(eta) - b(eta)) < 1e-4 for a, op, b in law.assume if op == "!="):
            continue
        if not _image_in_domain(law, theta, eta, x, base, canonical, rng):
            continue
        trouble = []
        trial_seen = {p: set() for p in law.params}
        _compare(entry, law, theta, eta, trouble, "search", trial_seen, 1e-5)
        if trouble:  # near-degenerate points look like solutions in double precision
            x = _polish(law, exact, base, x, [2 + i for i in fixed], canonical, rng)
            if x is None or abs(x[1]) < 1e-3 or max(map(abs, x)) > 1e4:
                continue
            eta = dict(zip(law.params, x[2:], strict=False))
            eta["#"] = mpf
            if not all(holds(r, eta) for r in law.assume):
                continue
            trouble = []
            trial_seen = {p: set() for p in law.params}
            _compare(entry, law, exact, eta, trouble, "search", trial_seen, 1e-12)
        found += 1
        for p in law.params:
            seen[p] |= trial_seen[p]
        if trouble:
            problems += [t for t in trouble if t not in problems]
            report.append(
                f"    theta {_short(theta)} eta {_short(eta)} x {[float(a) for a in x[:2]]} base {base}"
            )
    for p, status in entry["status"].items():
        if status == "finite" and "value" not in seen[p]:
            report.append(f"    search saw no second value of {p}")
        if status == "free" and "flip" not in seen[p]:
            report.append(f"    search saw no sign change of {p}")
    report.append(f"    search: {found} solutions from {starts} starts")
    if not found:
        problems.append("search found no solution at all")


def _short(env):
    return {k: round(float(v), 5) for k, v in env.items() if k != "#"}


def _image_in_domain(law, theta, eta, x, base, canonical, rng):
    if canonical:
        return in_domain(law, eta, x[0])
    for _ in range(30):
        u = float(sample_state(law, environment({k: v for k, v in theta.items() if k != "#"}, mpf), rng))
        if not in_domain(law, eta, x[1] * u + x[0]):
            return False
    return True


def _residuals(law, theta, canonical, rng, u0=None):
    """The full compatibility equations in x = (f(0) or f(u0), f', eta ...)."""
    number = theta["#"]
    env = environment({k: v for k, v in theta.items() if k != "#"}, mpf)
    zero = number(0)
    if not canonical:
        points = []
        while len(points) < 3 * len(law.params) + 12:
            u, v = number(sample_state(law, env, rng)), number(rng.uniform(-2, 2))
            points.append((u, v, law.force(dict(theta, z=u, v=v))))

        def residual(x):
            tau, lam = x[:2]
            eta = dict(zip(law.params, x[2:], strict=False))
            eta["#"] = number
            return [
                (law.force(dict(eta, z=lam * u + tau, v=lam * v)) - lam * f) / (abs(lam) + 0.05)
                for u, v, f in points
            ]

        return residual, None

    u0 = number(sample_state(law, env, rng) if u0 is None else u0)
    order = len(law.params) + 6
    codes = {k: compiled(e) for k, e in law.channels.items()}
    two = (sp.Integer(2), 1)

    def as_jet(value, length):
        return value if isinstance(value, Jet) else Jet([value] + [zero] * (length - 1))

    state = Jet([u0, number(1)] + [zero] * (order - 1))
    source = {k: as_jet(f(dict(theta, z=state)), order + 1) for k, f in codes.items()}

    def residual(x):
        eta = dict(zip(law.params, x[2:], strict=False))
        eta["#"] = number
        f = [x[0], x[1]] + [zero] * (order - 1)
        for n in range(order - 1):
            m = n + 2
            g = Jet(f[:m])
            dg = Jet([(i + 1) * f[i + 1] for i in range(m - 1)] + [zero])
            c2 = as_jet(codes[two](dict(eta, z=g)), m)
            value = (c2 * dg * dg - dg * Jet(source[two].c[:m])).c[n]
            f[m] = value / ((n + 1) * (n + 2))
        g = Jet(f)
        dg = g.derivative()
        out = []
        for key, code in codes.items():
            if key == two:
                continue
            value = as_jet(code(dict(eta, z=g)), order + 1) * dg.power(int(key[0])) - dg * source[key]
            out += [c / (abs(x[1]) + 0.05) * 0.5**i for i, c in enumerate(value.c[: order - 1])]
        return out or [zero]

    return residual, u0


def _polish(law, theta, base, x, frozen, canonical, rng):
    """Newton in 50 digits; None unless the equations hold to 30 digits."""
    residual, _ = _residuals(law, theta, canonical, rng, base)
    x = [mpf(a) for a in x]
    for i in frozen:
        x[i] = theta[law.params[i - 2]]
    return _levenberg(residual, x, frozen, 60, mpf(10) ** -64, mpf(10) ** -60, mpf(10) ** -18)


def _levenberg(residual, x, frozen, steps=120, goal=1e-22, accept=1e-16, width=1e-7):
    active = [i for i in range(len(x)) if i not in frozen]
    damping = 1e-2

    def safe(y):
        try:
            r = residual(y)
            s = sum(a * a for a in r)
            return (r, s) if mpmath.isfinite(s) else (None, math.inf)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError):
            return None, math.inf

    r, s = safe(x)
    if r is None:
        return None
    for _ in range(steps):
        if s < goal:
            return x
        columns = []
        for i in active:
            h = width * (1 + abs(x[i]))
            hi, lo = list(x), list(x)
            hi[i] += h
            lo[i] -= h
            (a, _), (b, _) = safe(hi), safe(lo)
            if a is None or b is None:
                return None
            columns.append([(p - q) / (2 * h) for p, q in zip(a, b, strict=False)])
        n = len(active)
        normal = [
            [sum(p * q for p, q in zip(columns[i], columns[j], strict=False)) for j in range(n)]
            for i in range(n)
        ]
        right = [-sum(p * q for p, q in zip(columns[i], r, strict=False)) for i in range(n)]
        improved = False
        for _ in range(8):
            m = [
                [normal[i][j] + (damping * (normal[i][i] + 1e-12) if i == j else 0) for j in range(n)]
                + [right[i]]
                for i in range(n)
            ]
            reduced, pivots = row_reduce(m, 1e-300)
            if len(pivots) < n or pivots[-1] == n:
                damping *= 10
                continue
            y = list(x)
            for k, i in enumerate(active):
                y[i] += reduced[k][n]
            r2, s2 = safe(y)
            if s2 < s:
                x, r, s = y, r2, s2
                damping = max(damping / 8, width**2)
                improved = True
                break
            damping *= 6
        if not improved:
            break
    return x if s < accept else None


# ---------------------------------------------------------------------------------- main


def check_entry(entry, starts=0, seed="1"):
    """Problems found and remarks for one entry of the bank."""
    mp.dps = DIGITS
    problems, report = [], []
    rng = random.Random(f"{entry['id']}-{seed}")
    for key in ("id", "law", "assume", "domain", "route", "note"):
        if key not in entry:
            problems.append(f"missing {key}")
    try:
        law = Law(entry)
        route = law.route()
    except Unsupported as reason:
        if entry["route"] != "unsupported":
            problems.append(f"route: unsupported ({reason})")
        return problems, [f"    {reason}"]
    if route != entry["route"]:
        problems.append(f"route: {route}, bank {entry['route']}")
        return problems, report
    if set(entry["status"]) != set(law.params):
        problems.append(f"status lists {sorted(entry['status'])}, law has {law.params}")
    if not set(entry["status"].values()) <= set(STATUSES):
        problems.append("unknown status")
    check_dimension(entry, law, rng, problems)
    check_witnesses(entry, law, rng, problems)
    if starts and law.params:
        search(entry, law, rng, starts, problems, report)
    return problems, report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--search", type=int, default=0, metavar="N", help="random starts per law")
    parser.add_argument("--only", default="", help="regular expression on ids")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--bank", default=str(HERE / "laws.json"))
    args = parser.parse_args()
    bank = json.loads(Path(args.bank).read_text())
    laws = bank["laws"] if isinstance(bank, dict) else bank
    failed = 0
    if len({e["id"] for e in laws}) != len(laws):
        print("FAIL duplicate ids")
        failed += 1
    for entry in laws:
        if not re.search(args.only, entry["id"]):
            continue
        try:
            problems, report = check_entry(entry, args.search, args.seed)
        except Exception as error:  # a broken entry must not hide the others
            problems, report = [f"{type(error).__name__}: {error}"], []
        failed += bool(problems)
        print(("FAIL " if problems else "ok   ") + entry["id"], flush=True)
        for line in problems:
            print("    !! " + line)
        for line in report:
            print(line)
    print(f"{len(laws)} laws, {failed} with problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
