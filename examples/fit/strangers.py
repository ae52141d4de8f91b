"""Recordings that a stranger may hand in: what the law does not say, and what cameras and files do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from nuisances import WRONG_LAW, Case
from numpy.typing import NDArray
from scipy import ndimage
from scipy.integrate import solve_ivp
from takes import Clip, Motion, Take, make_take, protocol_take, sampled

from identify.scene.camera import Look
from identify.scene.stage import Cart, Pendulum, SideFall

Array = NDArray[np.float64]
Force = Callable[[float, float, float], float]  # of time, state and velocity
LINEAR, PENDULUM = "z''+d*z'+a*z=0", "z''+d*z'+k*sin(z)=0"
CART = Cart((64, 64), -1.1, 1.1)
OTHER = WRONG_LAW + "|more than one thing|things move|strays"


def moved(
    name: str,
    law: str,
    force: Force,
    starts: Sequence[tuple[float, float]],
    seconds: float,
    stage: Cart | Pendulum | SideFall = CART,
    rate: float = 60.0,
    seed: int = 0,
    assume: tuple[str, ...] = (),
    truth: dict[str, float] | None = None,
) -> Take:
    """Motions under any force, declared to follow ``law``."""
    time = np.arange(round(seconds * rate) + 1) / rate
    motions = []
    for start in starts:
        path = solve_ivp(
            lambda t, y: [y[1], force(t, y[0], y[1])], (0, time[-1]), start, t_eval=time, rtol=1e-8, atol=1e-9
        ).y
        motions.append(Motion(time, path[0], path[1], time))
    return Take(name, law, assume, truth or {}, stage, Look(), tuple(motions), seed)


def _of(
    take: Take, strength: str, words: str, clips: Sequence[Clip] | None = None, wrong: bool = True
) -> Case:
    return Case(
        "stranger",
        take.name,
        strength,
        take.law,
        take.assume,
        take.truth,
        clips or take.clips(),
        words,
        wrong,
    )


def _named(take: Take, name: str) -> Take:
    return dataclasses.replace(take, name=name)


def strangers(seed: int = 0) -> Iterator[Case]:
    """All of them, the forces first."""
    for group in (forces, one_way, contacts, several, mixed, cameras, times, little):
        yield from group(seed)


def forces(seed: int) -> Iterator[Case]:
    """Forces that the declared law does not have."""
    starts = [(1.0, 0.0), (-0.6, 0.0), (0.3, 0.0)]
    for size in (0.02, 0.1, 0.4):
        dry = moved(
            "dry friction, linear law", LINEAR,
            lambda t, z, v, c=size: -9 * z - 0.1 * v - c * np.tanh(v / 2e-3), starts, 8.0, seed=seed,
        )  # fmt: skip
        yield _of(dry, f"{size:g}", OTHER)
    for size in (0.1, 0.5, 2.0):
        driven = moved(
            "driven, free law", LINEAR, lambda t, z, v, f=size: -9 * z - 0.2 * v + f * np.cos(2.2 * t),
            [(0.6, 0.0), (-0.4, 0.0), (0.2, 0.5)], 10.0, seed=seed,
        )  # fmt: skip
        yield _of(driven, f"{size:g}", OTHER)
    steady = moved(
        "driven, steady state, free law", LINEAR, lambda t, z, v: -9 * z - 1.5 * v + 3 * np.cos(2.2 * t),
        [(0.6, 0.0)], 12.0, seed=seed,
    )  # fmt: skip
    yield _of(steady, "", OTHER)
    for rate in (0.02, 0.1):
        softer = moved(
            "spring softens", LINEAR, lambda t, z, v, s=rate: -9 * (1 - s * t) * z - 0.2 * v, starts, 8.0,
            seed=seed,
        )  # fmt: skip
        yield _of(softer, f"{rate:g}/s", OTHER)
    for law, assume in (("z''+d*z'-a*z=0", ("a > 0",)), (LINEAR, ("a < 0",))):
        swing = moved(
            "wrong sign", law, lambda t, z, v: -9 * z - 0.2 * v, starts, 6.0, seed=seed, assume=assume
        )
        yield _of(swing, law, OTHER)
    growing = moved(
        "played backwards", LINEAR, lambda t, z, v: -9 * z + 0.2 * v, [(0.3, 0.0), (-0.4, 0.0)], 8.0,
        seed=seed, assume=("d > 0",),
    )  # fmt: skip
    yield _of(growing, "d > 0 declared", OTHER + "|grows|backwards")


def one_way(seed: int) -> Iterator[Case]:
    """Motions that never come back; of one of them alone a law can be fitted whatever its parameters."""
    words = "one way|not guaranteed|too little motion|comes back|swing|" + OTHER
    starts = [(0.05, 0.9), (0.05, 0.6), (0.05, 0.4)]
    drag, square = "z''+d*z'=0", "z''+c*z'*abs(z')=0"
    slowed: list[tuple[str, Force, dict[str, float]]] = [
        (drag, lambda t, z, v: -0.35 * v, {"d": 0.35}),
        (drag, lambda t, z, v: -0.4 * float(v > 0), {}),
        (square, lambda t, z, v: -0.9 * v * abs(v), {}),
        (LINEAR, lambda t, z, v: -0.35 * v, {"d": 0.35, "a": 0.0}),
    ]
    for law, force, truth in slowed:
        for count in (3, 1):
            take = moved(
                "rolls to a stop", law, force, starts[:count], 2.0, Cart((64, 64), 0.0, 1.1), seed=seed
            )
            take = dataclasses.replace(take, truth=truth)
            yield _of(take, f"{law}, {count} clips", words, wrong=not truth or count == 1)


def contacts(seed: int) -> Iterator[Case]:
    """Things that touch."""
    fall = SideFall((96, 64))
    time = np.arange(120) / 120
    for bounce in (0.8, 0.3):
        motions = []
        for low in (0.0, 0.1):
            z, v, rows = low, 0.0, []
            for _ in time:
                rows.append((z, v))
                for _ in range(10):
                    v += 9.81 / 1200
                    z += v / 1200
                    if z > 0.55:
                        z, v = 0.55, -bounce * abs(v)
            path = np.array(rows)
            motions.append(Motion(time, path[:, 0], path[:, 1], time))
        take = Take("falls on a floor", "z''=g", ("g > 0",), {"g": 9.81}, fall, Look(), tuple(motions), seed)
        yield _of(take, f"{bounce:g}", OTHER + "|impact")
    for late in (0.5, 0.85):
        take = protocol_take("pendulum", 3, 6.0, seed)
        motions = tuple(_caught(m, late) for m in take.motions)
        yield _of(
            dataclasses.replace(take, name="caught and held", motions=motions),
            f"{late:g}",
            OTHER + "|rest|impact",
        )
        pushed = tuple(_knocked(take, m, late) for m in take.motions)
        yield _of(
            dataclasses.replace(take, name="knocked once", motions=pushed),
            f"{late:g}",
            OTHER + "|impact|touch",
        )


def _caught(m: Motion, share: float) -> Motion:
    """The motion up to a share of the clip, then held still."""
    at = round(share * len(m.time))
    state, velocity = m.state.copy(), m.velocity.copy()
    state[at:], velocity[at:] = state[at], 0.0
    return dataclasses.replace(m, state=state, velocity=velocity)


def _knocked(take: Take, m: Motion, share: float) -> Motion:
    """The motion with a sudden change of velocity at a share of the clip."""
    at = round(share * len(m.time))
    start = (float(m.state[at]), float(m.velocity[at]) + 1.0)
    rest = dataclasses.replace(take, motions=(Motion(m.time[at:] - m.time[at], *_ends(start), m.time[at:]),))
    after = sampled(rest, [m.time[at:] - m.time[at]], [m.time[at:]]).motions[0]
    return Motion(
        m.time,
        np.concatenate([m.state[:at], after.state]),
        np.concatenate([m.velocity[:at], after.velocity]),
        m.claimed,
    )


def _ends(start: tuple[float, float]) -> tuple[Array, Array]:
    return np.array(start[:1]), np.array(start[1:])


def several(seed: int) -> Iterator[Case]:
    """More than one freedom."""
    take = protocol_take("pendulum", 3, 6.0, seed)
    time = take.motions[0].time
    left = [clip.frames for clip in take.clips()]
    other = make_take(
        "", PENDULUM, (), {"d": 0.1, "k": 7.0}, Pendulum((64, 64)), Look(),
        [(1.0, 0.0), (-0.8, 1.0), (0.5, -1.0)], 6.0, 60.0, seed + 5,
    )  # fmt: skip
    right = [clip.frames for clip in other.clips()]
    pairs = [
        Clip(f"pair-{k}", np.concatenate(both, axis=2), time)
        for k, both in enumerate(zip(left, right, strict=True))
    ]
    yield _of(
        _named(take, "two pendulums side by side"), "", "more than one thing|things move", pairs, wrong=False
    )
    mean = [
        Clip(f"pair-{k}", np.minimum(*both), time) for k, both in enumerate(zip(left, right, strict=True))
    ]
    yield _of(
        _named(take, "two pendulums, one behind the other"), "", "more than one thing|things move", mean
    )
    bowl = make_take("", PENDULUM, (), take.truth, take.stage, take.look, [(0.5, 0.0)], 6.0, 60.0, seed)
    for aside in (0.02, 0.1, 0.4):
        clips = []
        for number, start in enumerate([(1.0, 0.0), (-0.7, 0.0), (0.4, 0.5)]):
            one = moved("", LINEAR, lambda t, z, v: -9 * z - 0.1 * v, [start], 6.0).motions[0]
            across = aside * np.cos(3.0 * 1.02 * one.time + number)
            clips.append(Clip(f"cone-{number}", _ball(one.state, across, seed + number), one.time))
        cone = dataclasses.replace(bowl, name="swings in an ellipse", law=LINEAR, truth={"d": 0.1, "a": 9.0})
        yield _of(cone, f"{aside:g}", "more than one thing|things move", clips, wrong=False)
    over = make_take(
        "goes over the top", PENDULUM, ("k > 0",), {"d": 0.15, "k": 4.0}, Pendulum((64, 64)), Look(),
        [(0.0, 5.5), (0.0, -6.0), (1.0, 0.0)], 6.0, 60.0, seed,
    )  # fmt: skip
    yield _of(over, "", "look alike|fold|curve|more than one thing", wrong=False)
    wheel = Take(
        "wheel that turns evenly", PENDULUM, ("k > 0",), {}, Pendulum((64, 64)), Look(),
        tuple(Motion(time, s * time, 0 * time + s, time) for s in (2.0, 3.0)), seed,
    )  # fmt: skip
    yield _of(wheel, "", "look alike|fold|curve|" + OTHER)
    yield _of(
        dataclasses.replace(wheel, law=LINEAR, assume=()), "linear law", "look alike|fold|curve|" + OTHER
    )


def _ball(x: Array, y: Array, seed: int) -> NDArray[np.uint8]:
    """A dark ball on grey, at (x, y) from the middle in units of 24 pixels."""
    random = np.random.default_rng(seed)
    side = np.arange(64) - 31.5
    away = np.hypot(side[None, None, :] - 24 * x[:, None, None], side[None, :, None] - 24 * y[:, None, None])
    frames = 200 - 150 * (0.5 - 0.5 * np.tanh(away - 5)) + 2.5 * random.standard_normal(away.shape)
    return np.clip(np.rint(frames), 0, 255).astype(np.uint8)


def mixed(seed: int) -> Iterator[Case]:
    """Clips that do not belong together."""
    take = protocol_take("pendulum", 4, 6.0, seed)
    clean = take.clips()

    def last(name: str, strength: str, clip: Clip, words: str, wrong: bool = False) -> Case:
        return _of(_named(take, name), strength, words, [*clean[:-1], clip], wrong)

    words = "camera|more than one thing|clip-4|" + OTHER
    for pixels in (1.0, 3.0, 8.0):
        frames = ndimage.shift(clean[-1].frames, (0, 0, pixels), order=1, mode="nearest")
        yield last(
            "one clip from another place",
            f"{pixels:g} px",
            dataclasses.replace(clean[-1], frames=frames),
            words,
        )
    for zoom in (1.03, 1.2):
        frames = _zoomed(clean[-1].frames, np.full(len(clean[-1].frames), zoom))
        yield last("one clip zoomed", f"{zoom:g}", dataclasses.replace(clean[-1], frames=frames), words)
    yield last(
        "one clip mirrored",
        "",
        dataclasses.replace(clean[-1], frames=clean[-1].frames[:, :, ::-1].copy()),
        words,
    )
    yield last(
        "one clip backwards", "", dataclasses.replace(clean[-1], frames=clean[-1].frames[::-1].copy()), words
    )
    for share in (1.01, 1.05, 1.3):
        other = make_take(
            "",
            PENDULUM,
            (),
            {"d": 0.15, "k": 4.0 * share},
            take.stage,
            take.look,
            [(1.3, 0.5)],
            6.0,
            60.0,
            seed + 9,
        )
        yield last(
            "one clip of another pendulum",
            f"{share:g}",
            dataclasses.replace(other.clips()[0], name="clip-4"),
            words,
            True,
        )
    yield last(
        "one clip in slow motion", "1/2", dataclasses.replace(clean[-1], time=2 * clean[-1].time), words, True
    )
    helm = protocol_take("quadratic", 3, 8.0, seed)
    clips = helm.clips()
    clips[-1] = dataclasses.replace(clips[-1], frames=clips[-1].frames[:, :, ::-1].copy())
    yield _of(_named(helm, "one clip mirrored, lopsided law"), "", words, clips, False)


def _zoomed(frames: NDArray[np.uint8], zoom: Array) -> NDArray[np.uint8]:
    middle = (np.array(frames.shape[1:]) - 1) / 2
    made = [
        ndimage.affine_transform(
            f.astype(np.float32), np.eye(2) / z, middle - middle / z, order=1, mode="nearest"
        )
        for f, z in zip(frames, zoom, strict=True)
    ]
    return np.clip(np.rint(np.stack(made)), 0, 255).astype(np.uint8)


def cameras(seed: int) -> Iterator[Case]:
    """What cameras and people near them do."""
    take = protocol_take("pendulum", 3, 6.0, seed)
    clean = take.clips()
    count = len(clean[0].frames)
    share = np.arange(count) / count

    def each(
        name: str, strength: str, change: Callable[[NDArray[np.uint8]], NDArray[np.uint8]], words: str
    ) -> Case:
        clips = [dataclasses.replace(clip, frames=change(clip.frames)) for clip in clean]
        return _of(_named(take, name), strength, words, clips, wrong=False)

    moves = "camera|more than one thing|things move|clip-"

    def walk(frames: NDArray[np.uint8], width: float) -> NDArray[np.uint8]:
        x = (share - 0.4) / 0.25 * 1.4 - 0.2
        cover = np.abs(np.arange(64)[None, :] / 64 - x[:, None]) < width / 2
        return np.where(cover[:, None, :], np.uint8(60), frames)

    for width in (0.15, 0.4):
        yield each(
            "a person walks through", f"{width:g}", lambda f, w=width: walk(f, w), moves + "|hand|reach"
        )

    def picked(frames: NDArray[np.uint8], begin: float) -> NDArray[np.uint8]:
        path = 60 * np.clip(share - begin, 0, None) ** 1.2
        return np.stack(
            [
                ndimage.shift(f, (-p, 0.6 * p), order=1, mode="nearest")
                for f, p in zip(frames, path, strict=True)
            ]
        )

    for begin in (0.95, 0.8):
        yield each("camera picked up at the end", f"{begin:g}", lambda f, b=begin: picked(f, b), moves)

    def hunting(frames: NDArray[np.uint8], size: float) -> NDArray[np.uint8]:
        blur = size * np.clip(np.sin(9 * share + 1) ** 3, 0, None)
        return np.stack(
            [ndimage.gaussian_filter(f.astype(np.float32), b) for f, b in zip(frames, blur, strict=True)]
        ).astype(np.uint8)

    for size in (1.0, 3.0):
        yield each(
            "focus hunts", f"{size:g} px", lambda f, s=size: hunting(f, s), "blur|sharp|more than one thing"
        )
    for size in (0.01, 0.05, 0.2):
        yield each(
            "zoom breathes", f"{size:g}", lambda f, s=size: _zoomed(f, 1 + s * np.sin(7 * share)), moves
        )
        yield each("zooms in", f"{size:g}", lambda f, s=size: _zoomed(f, 1 + s * share), moves)

    def banded(frames: NDArray[np.uint8], depth: float) -> NDArray[np.uint8]:
        rows = np.arange(64)[None, :, None] / 64
        wave = 1 + depth * np.sin(2 * np.pi * (1.5 * rows + 40 * share[:, None, None]))
        return np.clip(np.rint(frames * wave), 0, 255).astype(np.uint8)

    for depth in (0.05, 0.2):
        yield each(
            "bands of a lamp",
            f"{depth:g}",
            lambda f, d=depth: banded(f, d),
            "bright|light|band|more than one thing",
        )

    def rolling(frames: NDArray[np.uint8]) -> NDArray[np.uint8]:
        rows = np.arange(64)[None, :, None] / 64
        later = np.concatenate([frames[1:], frames[-1:]]).astype(np.float32)
        return np.rint(frames * (1 - 0.9 * rows) + later * 0.9 * rows).astype(np.uint8)

    yield each("rolling shutter", "0.9", rolling, "shutter|more than one thing|strays")

    def combed(frames: NDArray[np.uint8]) -> NDArray[np.uint8]:
        found = frames.copy()
        found[1:, 1::2] = frames[:-1, 1::2]
        return found

    yield each("interlaced", "", combed, "interlac|more than one thing|strays")

    def clock(frames: NDArray[np.uint8]) -> NDArray[np.uint8]:
        found, random = frames.copy(), np.random.default_rng(seed)
        digits = random.integers(0, 2, (10, 7, 5)).astype(np.uint8) * 220 + 20
        for k in range(count):
            for place, digit in enumerate((k % 10, k // 6 % 10, k // 60 % 10)):
                found[k, 2:9, 58 - 6 * place : 63 - 6 * place] = digits[digit]
        return found

    yield each("a running clock in the corner", "", clock, moves)

    def exposure(frames: NDArray[np.uint8]) -> NDArray[np.uint8]:
        level = frames[:, :, :32].mean((1, 2))
        gain = ndimage.gaussian_filter1d(1 + 4 * (level.mean() - level) / level.mean(), 6)
        return np.clip(np.rint(frames * gain[:, None, None]), 0, 255).astype(np.uint8)

    yield each("exposure follows the object", "", exposure, "bright|light")
    for alpha in (0.5, 0.85):
        post = clean[0].frames[:, :, 34:42].mean() * 0.7

        def veiled(frames: NDArray[np.uint8], alpha: float = alpha, post: float = post) -> NDArray[np.uint8]:
            found = frames.astype(np.float32)
            found[:, :, 34:42] = alpha * post + (1 - alpha) * found[:, :, 34:42]
            return np.rint(found).astype(np.uint8)

        yield each(
            "behind a half-clear post", f"{alpha:g}", veiled, "look alike|fold|hid|more than one thing"
        )

    def cut(frames: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return np.concatenate([frames[: count // 2], _zoomed(frames, np.full(count, 1.5))[count // 2 :]])

    yield each("a cut to another view", "", cut, moves)


def times(seed: int) -> Iterator[Case]:
    """What files do to times."""
    take = protocol_take("pendulum", 3, 6.0, seed)
    clean = take.clips()
    words = OTHER + "|missing|jump|repeat|clock|variable|few"
    there_and_back = [
        Clip(c.name, np.concatenate([c.frames[:180], c.frames[179::-1]]), np.arange(360) / 60) for c in clean
    ]
    yield _of(_named(take, "boomerang"), "", words, there_and_back)
    slow = [dataclasses.replace(c, time=8 * c.time) for c in clean]
    yield _of(_named(take, "slow motion, nothing noted"), "8", "slow motion", slow)
    for every in (8, 20, 40, 101):
        few = [
            Clip(c.name, c.frames[::every], c.time[::every])
            for c in protocol_take("pendulum", 6, 30.0, seed).clips()
        ]
        yield _of(_named(take, "time lapse"), f"every {every / 60:.2g} s", words, few, wrong=False)
    random = np.random.default_rng(seed)
    lost = []
    for c in protocol_take("pendulum", 3, 20.0, seed).clips():
        keep = np.flatnonzero(random.random(len(c.frames[::6])) > 0.15)
        lost.append(Clip(c.name, c.frames[::6][keep], c.time[::6][: len(keep)]))
    yield _of(_named(take, "time lapse with frames missing"), "0.15", words, lost)
    stuck = []
    for c in clean:
        shown = np.arange(len(c.frames))
        for first in (60, 150, 260):
            shown[first : first + 18] = first
        stuck.append(dataclasses.replace(c, frames=c.frames[shown]))
    yield _of(_named(take, "the picture freezes now and then"), "0.3 s", words, stuck)
    pull = [dataclasses.replace(c, frames=c.frames[_pulled(len(c.frames))]) for c in clean]
    yield _of(_named(take, "24 shown at 60"), "", words, pull)
    shuffled = []
    for c in clean:
        order = np.array(sorted(range(len(c.frames)), key=str))
        shuffled.append(dataclasses.replace(c, frames=c.frames[order]))
    yield _of(_named(take, "frames sorted by the letters of their numbers"), "", words, shuffled)


def _pulled(count: int) -> NDArray[np.intp]:
    """Which frame of 60 a second is shown when film of 24 a second is spread over it: 2, 3, 2, 3 times."""
    return np.asarray(np.floor(np.floor(np.arange(count) * 24 / 60 + 1e-9) * 60 / 24), dtype=np.intp)


def little(seed: int) -> Iterator[Case]:
    """Hardly anything to see."""
    words = "too little|noise|few|short|longer|nothing moves|barely|vague|determined|hardly"
    for reach in (0.3, 1.0, 3.0):
        z = reach / 24
        tiny = [
            Clip(f"tiny-{k}", _ball(a * z * np.exp(-0.05 * t) * np.cos(3 * t + k), 0 * t, seed + k), t)
            for k, (a, t) in enumerate((a, np.arange(360) / 60) for a in (1.0, 0.7, 0.5))
        ]
        take = Take("tiny swing", LINEAR, (), {"d": 0.1, "a": 9.0025}, CART, Look(), (), seed)
        yield _of(take, f"{reach:g} px", words, tiny, wrong=False)
    for seconds in (0.3, 0.8):
        yield _of(_named(protocol_take("pendulum", 1, seconds, seed), "very short"), f"{seconds:g} s", words)
        yield _of(
            _named(protocol_take("pendulum", 4, seconds, seed), "very short, 4 clips"),
            f"{seconds:g} s",
            words,
            wrong=False,
        )
    take = protocol_take("pendulum", 1, 4.0, seed)
    still = np.repeat(take.clips()[0].frames[:1], 200, axis=0)
    yield _of(
        _named(take, "one picture repeated"), "", "nothing moves", [Clip("still", still, np.arange(200) / 60)]
    )
    small = make_take(
        "small swings of a pendulum", PENDULUM, ("k > 0",), {"d": 0.15, "k": 4.0}, Pendulum((64, 64)), Look(),
        [(0.2, 0.0), (-0.15, 0.0), (0.1, 0.2)], 8.0, 60.0, seed,
    )  # fmt: skip
    yield _of(small, "0.2", words + "|linear", wrong=False)
    dark = dataclasses.replace(protocol_take("pendulum", 3, 6.0, seed, look=Look(noise=0.15)), name="night")
    yield _of(dark, "", "noise|more than one thing", wrong=False)
