"""What is known of a clip before its frames are read, what a reading found, and when a clip is refused."""

from __future__ import annotations

from dataclasses import dataclass

from identify.errors import InputError

MOST_PIXELS = 36_000_000  # 8K; a header that claims more is a mistake or a bomb
MOST_FRAMES = 1_000_000  # an hour at 240 frames a second
LEAST_FRAMES = 2


class ClipError(InputError):
    """A clip that cannot be used: why, and what to do about it."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)


@dataclass(frozen=True)
class ClipInfo:
    """A clip's upright size, length and rate in true time, and what is odd about it.

    ``rate`` is the mean number of frames in a second of true time; ``capture_rate`` what the camera noted
    beside it, which is reported and never used; ``clock`` says how the two contradict each other.
    """

    width: int
    height: int
    frames: int
    duration: float
    rate: float
    capture_rate: float | None = None
    rotation: int = 0
    notes: tuple[str, ...] = ()
    clock: str | None = None


@dataclass(frozen=True)
class Reading:
    """What one reading of a clip met: frames given out, and those repeated, dropped or broken.

    ``repeated`` are the places, counted among the frames given out, whose pixels equal the frame before.
    """

    frames: int = 0
    repeated: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


def check_size(width: int, height: int, what: str) -> None:
    """Refuse a picture without pixels or with absurdly many."""
    if width < 1 or height < 1:
        raise ClipError(f"{what} has no pixels ({width} x {height})", hint="record or export the clip again")
    if width * height > MOST_PIXELS:
        raise ClipError(
            f"{what} has {width} x {height} pixels; at most {MOST_PIXELS / 1e6:.0f} million are read",
            "scale the clip down first",
        )
