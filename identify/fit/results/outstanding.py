"""Which clip a doubt is about: the one that the law or the encoder serves much worse than the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from identify.fit.film import LawFit, Track

_TIMES = 2.5  # as bad as the usual clip: then it is worth naming
_FAR = 3.0  # an off-curve score above this is a frame unlike the others


def outstanding(fit: LawFit) -> list[str]:
    """Sentences that name the training clip behind a doubt; none where the clips are alike or few."""
    tracks = [track for track in fit.tracks if track.role == "train" and track.used.any()]
    if len(tracks) < 2:
        return []
    spread = float(np.std(np.concatenate([track.latent[track.used] for track in tracks]))) or 1.0
    told = (
        (lambda track: _residual(track) / spread, 2e-3, "the law misses it by {} of the spread, usually {}"),
        (_far, 0.02, "{} of its frames look unlike the others, usually {}"),
        (_left_out, 0.05, "{} of its frames are left out, usually {}"),
    )
    return [said for measure, least, words in told if (said := _worst(tracks, measure, least, words))]


def _worst(
    tracks: Sequence[Track], measure: Callable[[Track], float], least: float, words: str
) -> str | None:
    values = np.array([measure(track) for track in tracks])
    worst = int(np.argmax(values))
    usual = float(np.median(np.delete(values, worst)))
    if values[worst] < max(least, _TIMES * usual):
        return None
    return f"look at {tracks[worst].name}: " + words.format(
        *(f"{100 * v:.2g} %" for v in (values[worst], usual))
    )


def _residual(track: Track) -> float:
    rest = (track.latent - track.fitted)[track.used]
    rest = rest[np.isfinite(rest)]
    return float(np.sqrt(np.mean(rest**2))) if len(rest) else 0.0


def _far(track: Track) -> float:
    return float(np.mean(track.off_curve > _FAR))


def _left_out(track: Track) -> float:
    return float(np.mean(~track.used))
