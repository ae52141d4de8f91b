"""When nothing can be filmed: why, as far as the first pass tells, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np

from identify.fit.prepare.prepared import Mask, Options, Refused, Signals
from identify.fit.prepare.signals import Surveyed
from identify.fit.prepare.trim import LEAST_FRAMES

_RING = 4  # survey pixels
_RING_SHARE = 0.4  # of the border changes when the camera moves, whatever moves in the picture
_SIDE_SHARE = 0.15
_SUSPICIOUS = (0.02, 0.6)  # of the frames: more is what the clip shows
_LEAVING = 0.01  # of the frames: fewer are a brush with the border
_UNEVEN = 3.0  # times the noise from frame to frame: what stands still changes with the light
_MOST_REPEATED = 0.5  # of the frames
_UNLIKE = 3.0  # times the usual distance of a clip's own background from that of all
_RANGE = 6.0  # standard deviations between a pixel's extremes by noise alone


def refused(found: Surveyed, options: Options, warnings: Sequence[str]) -> Refused | None:
    """The refusal that the first pass calls for, if any."""
    cause = _cause(found, options)
    return refusal(found, cause, warnings) if cause else None


def refusal(
    found: Surveyed,
    cause: tuple[str, str, str],
    warnings: Sequence[str],
    numbers: Mapping[str, float] | None = None,
) -> Refused:
    """A refusal with what is known so far."""
    background = np.clip(np.rint(found.scene.background), 0, 255).astype(np.uint8)
    numbers = numbers or evidence(found)
    return Refused(*cause, tuple(warnings), numbers, background, found.signals)


def warnings_of(found: Surveyed, numbers: Mapping[str, float], used: Set[str]) -> list[str]:
    """What the user should know about films that were made; ``used`` names the clips they come from."""
    result = []
    if found.others:
        result.append(
            f"{len(found.others) + 1} things move on their own; the films show the one that changes the "
            "picture most: give a crop to choose another"
        )
    if found.steadied:
        result.append(f"the camera moves by {numbers['camera_shift']:.1f} pixels: the films are stabilised")
    if numbers["repeated_share"] > 0.005:
        share = f"{numbers['repeated_share']:.1%}"
        result.append(f"{share} of the frames repeat the one before or are out of time: they are left out")
    if numbers["brightness_range"] > 6:
        result.append(f"the brightness changes by {numbers['brightness_range']:.0f} grey levels: evened out")
    if names := [s.name for s in found.signals if s.leaves.mean() > _LEAVING and s.name in used]:
        result.append(
            f"the object leaves the frame in {_listed(names)}: frames in which it does are left out"
        )
    if names := suspects(found):
        result.append(
            f"something may reach in over the border in {_listed(names)}: give a trim if it is a hand"
        )
    unused = {clip.name for clip in found.clips} - used
    return result + [f"{name} is left out: it has no stretch of free motion" for name in sorted(unused)]


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:6])}{' ...' * (len(names) > 6)}"


def suspects(found: Surveyed) -> list[str]:
    """Small clips that show now and then what may be a hand: thin evidence.

    A hand in one clip makes one in the others likely.
    """
    if not found.clips[0].small:
        return []
    marked = [s for s in found.signals if _SUSPICIOUS[0] < s.hand.mean() < _SUSPICIOUS[1]]
    large = [np.median(s.extent[s.hand]) > 2 * float(np.median(s.extent)) for s in marked]
    return [s.name for s in marked] if any(large) else []


def leavers(found: Surveyed) -> list[str]:
    """Small clips, which are not trimmed, with frames in which the object leaves."""
    if not found.clips[0].small:
        return []
    return [s.name for s in found.signals if _LEAVING < s.leaves.mean() < _SUSPICIOUS[1]]


def evidence(found: Surveyed) -> dict[str, float]:
    """What the first pass measured, by name."""
    scene, signals = found.scene, found.signals
    shift = np.concatenate([s.shift for s in signals])
    shift = shift - np.median(shift, axis=0)
    repeats = np.concatenate([s.repeated for s in signals])
    levels = np.concatenate([(s.gain * 128 + s.offset)[_kept(s)] for s in signals])
    main = found.movers[0].energy if found.movers else 0.0
    return {
        "noise": scene.noise,
        "contrast": scene.contrast,
        "static_share": float(scene.static.mean()),
        "camera_shift": float(np.percentile(np.hypot(*shift.T), 90)),
        "brightness_range": float(np.percentile(levels, 98) - np.percentile(levels, 2)),
        "repeated_share": float(repeats.mean()),
        "hand_share": float(np.concatenate([s.hand for s in signals]).mean()),
        "other_movers": float(len(found.others)),
        "other_energy": max((m.energy for m in found.others), default=0.0) / main if main else 0.0,
    }


def _kept(signals: Signals) -> Mask:
    """Frames without a hand, or all where there are none: a hand changes the exposure."""
    kept = ~(signals.hand | signals.leaves)
    return kept if kept.any() else ~kept


def _cause(found: Surveyed, options: Options) -> tuple[str, str, str] | None:
    if not found.clips[0].small and (found.unsteady or _camera_moves(found)):
        return (
            "camera moves",
            "the camera moves too much, or a shadow passes: what should stand still in the picture does not",
            "fix the camera (a tripod) and film in steady light, or stabilise the clips first",
        )
    repeats = float(np.concatenate([s.repeated for s in found.signals]).mean())
    if repeats > _MOST_REPEATED:
        return (
            "repeated frames",
            f"{repeats:.0%} of the frames repeat the one before or are out of time: the clips were filmed at "
            "a lower rate than their times say",
            "give the clips as the camera wrote them, not converted to another rate",
        )
    if not found.movers and (names := _elsewhere(found)):
        return (
            "another place",
            f"the clips do not show one scene, most of all {_listed(names)}: the camera stood elsewhere, or "
            "looked another way",
            "fit the clips of one place of the camera at a time",
        )
    if not found.movers and found.scene.noise > _UNEVEN * max(_flicker(found), 1.0):
        return (
            "light changes",
            f"the light changes all over the picture, by {found.scene.noise:.0f} grey levels where nothing "
            "moves, perhaps a shadow: no motion stands out",
            "film in steady light, with no shadow over the scene; give a crop around the object",
        )
    if not found.movers:
        return (
            "no motion",
            f"nothing moves: no pixel changes by more than the noise ({found.scene.noise:.1f} grey levels)",
            "check that the clips show the motion; give a crop around a small or faint object",
        )
    if not any(found.stretches) and not options.trims:
        return _no_stretch(found)
    return None


def _no_stretch(found: Surveyed) -> tuple[str, str, str]:
    hand = float(np.concatenate([s.hand for s in found.signals]).mean())
    leaves = float(np.concatenate([s.leaves for s in found.signals]).mean())
    if leaves >= hand and leaves > 0.1:
        return (
            "leaves the frame",
            f"the object is at the border of the frame or outside it in {leaves:.0%} of the frames",
            "film from further away, so that the whole motion is inside the picture",
        )
    if hand > 0.1:
        return (
            "hand in view",
            f"a hand or another thing reaches into the picture in {hand:.0%} of the frames",
            "film the free motion for longer after letting go, or give a trim for each clip",
        )
    return (
        "too few frames",
        f"no stretch of {LEAST_FRAMES} frames of free motion was found",
        "film longer or at a higher frame rate, or give a trim for each clip",
    )


def _elsewhere(found: Surveyed) -> list[str]:
    """Clips whose own background is much farther from that of all clips than usual."""
    away = []
    for clip in found.clips:
        middle = np.median(clip.grey[:: max(1, clip.count // 60)], axis=0)
        away.append(float(np.sqrt(np.mean((middle - found.scene.background) ** 2))))
    least = _UNLIKE * max(float(np.median(away)), 1.0)
    return [clip.name for clip, distance in zip(found.clips, away, strict=True) if distance > least]


def _flicker(found: Surveyed) -> float:
    """The noise from one frame to the next in the quieter frames: a moving camera cannot hide in it."""
    usual = []
    for clip in found.clips:
        flat = clip.grey.reshape(clip.count, -1)
        few = flat[:, :: max(1, flat.shape[1] // 400)].astype(np.int16)
        usual.append(np.abs(np.diff(few, axis=0)).mean(1))
    return 0.886 * float(np.percentile(np.concatenate(usual), 20))  # mean |difference| -> deviation


def _camera_moves(found: Surveyed) -> bool:
    """Whether the picture changes along its whole border, which no single object does."""
    scene = found.scene
    moving = scene.spread > max(_RANGE * _flicker(found), 10.0)
    ring = min(_RING, min(moving.shape) // 4)
    sides = (moving[:ring], moving[-ring:], moving[:, :ring], moving[:, -ring:])
    shares = [float(side.mean()) for side in sides]
    return float(np.mean(shares)) > _RING_SHARE and min(shares) > _SIDE_SHARE
