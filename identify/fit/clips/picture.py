"""One decoded picture -> upright 8-bit pixels, cropped and scaled; greys come out as they were stored.

swscale averages over areas when it scales down.  Grey is the luma of YUV pictures expanded to 0..255, the
stored value of grey ones, and a weighted mean, exact where the channels agree, of RGB ones.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from identify.fit.clips.info import ClipError
from identify.fit.film import Crop, Pixels

if TYPE_CHECKING:
    from av import VideoFrame

Size = tuple[int, int]  # width, height


@dataclass(frozen=True)
class Pose:
    """How stored pixels are turned upright: transposed first, then mirrored."""

    transposed: bool = False
    mirror_x: bool = False
    mirror_y: bool = False
    degrees: int = 0
    note: str | None = None

    def upright(self, width: int, height: int) -> Size:
        """The upright size of a stored picture."""
        return (height, width) if self.transposed else (width, height)

    def turn(self, pixels: Pixels) -> Pixels:
        """The upright picture of a stored one."""
        turned = pixels.swapaxes(0, 1) if self.transposed else pixels
        turned = turned[:, ::-1] if self.mirror_x else turned
        turned = turned[::-1] if self.mirror_y else turned
        return np.ascontiguousarray(turned)

    def stored(self, crop: Crop, width: int, height: int) -> Crop:
        """An upright crop in the coordinates of the stored picture of that size."""
        x, y, across, down = crop
        full_across, full_down = self.upright(width, height)
        x = full_across - x - across if self.mirror_x else x
        y = full_down - y - down if self.mirror_y else y
        return (y, x, down, across) if self.transposed else (x, y, across, down)


UPRIGHT = Pose()


def rotation_of(frame: VideoFrame) -> int:
    """The angle in the frame's display matrix, anticlockwise, 0 where it has none."""
    try:
        return frame.rotation
    except ValueError:  # a matrix of zeros turns by no number of degrees
        return 0


def pose_of(frame: VideoFrame) -> Pose:
    """The pose that the frame's display matrix asks for; angles between right angles are left and noted.

    Only for the first frame of a clip: looking at side data ties a frame into a cycle of references, so that
    its pixels stay in memory until the collector runs (2 GB for a minute of 1080p).
    """
    degrees = rotation_of(frame)
    try:
        data: Any = frame.side_data.get("DISPLAYMATRIX")
    except ValueError:  # side data of a kind that this PyAV has no name for, such as EXIF beside the matrix
        return _turned(degrees)
    content = b"" if data is None else bytes(data)
    if len(content) < 36:
        return UPRIGHT
    a, b, _, c, d = struct.unpack("=5i", content[:20])
    size = max(1, abs(a), abs(b), abs(c), abs(d))
    signs = [round(value / size) for value in (a, b, c, d)]
    if max(abs(value / size - sign) for value, sign in zip((a, b, c, d), signs, strict=True)) > 0.02:
        return Pose(degrees=degrees, note=f"turned by {degrees} degrees, no right angle: left as stored")
    return _pose(signs, degrees)


def _turned(degrees: int) -> Pose:
    """The pose of a plain rotation, counted anticlockwise."""
    quarters = {0: (1, 0, 0, 1), 90: (0, -1, 1, 0), 180: (-1, 0, 0, -1), 270: (0, 1, -1, 0)}
    signs = quarters.get(degrees % 360)
    return Pose(degrees=degrees) if signs is None else _pose(list(signs), degrees)


def _pose(signs: list[int], degrees: int) -> Pose:
    a, b, c, d = signs
    if a and d and not b and not c:
        return Pose(False, a < 0, d < 0, degrees, "mirrored by its display matrix" if a != d else None)
    if b and c and not a and not d:
        return Pose(True, c < 0, b < 0, degrees, "mirrored by its display matrix" if b == c else None)
    return Pose(degrees=degrees)


class Shaper:
    """Frames of one clip -> arrays of one shape: crop in upright pixels, then scale, then turn upright."""

    def __init__(self, pose: Pose, crop: Crop | None, size: Size | None, colour: bool) -> None:
        from av.video.reformatter import VideoReformatter

        self.pose, self.crop, self.colour = pose, crop, colour
        self.size = pose.upright(*size) if size else None
        self._reformat = VideoReformatter().reformat

    def __call__(self, frame: VideoFrame) -> Pixels:
        """The frame as (h, w, 3), or (h, w) without colour."""
        form = "rgb24" if self.colour or is_rgb(frame) else "gray"
        if self.crop:
            x, y, width, height = self.pose.stored(self.crop, frame.width, frame.height)
            pixels = self._convert(frame, form, None)[y : y + height, x : x + width]
            pixels = self._scaled(np.ascontiguousarray(pixels), form)
        else:
            pixels = self._convert(frame, form, self.size)
        if form == "rgb24" and not self.colour:
            pixels = grey(pixels)
        return self.pose.turn(pixels)

    def _scaled(self, pixels: Pixels, form: str) -> Pixels:
        from av import VideoFrame

        if self.size is None or self.size == (pixels.shape[1], pixels.shape[0]):
            return pixels
        return self._convert(VideoFrame.from_ndarray(pixels, format=form), form, self.size)

    def _convert(self, frame: VideoFrame, form: str, size: Size | None) -> Pixels:
        from av import FFmpegError
        from av.video.reformatter import Interpolation

        width, height = size or (frame.width, frame.height)
        if frame.format.name != form or (width, height) != (frame.width, frame.height):
            way: Any = Interpolation.AREA | Interpolation.ACCURATE_RND | Interpolation.BITEXACT
            try:
                frame = self._reformat(frame, width, height, form, interpolation=way)
            except (FFmpegError, ValueError, MemoryError):
                raise ClipError(
                    f"pixels stored as {frame.format.name} cannot be shown",
                    hint="convert the clip, for example with ffmpeg -i IN -pix_fmt yuv420p OUT.mp4",
                ) from None
        return frame.to_ndarray()  # type: ignore[return-value]


def is_rgb(frame: VideoFrame) -> bool:
    """Whether the picture is stored as red, green and blue or by a palette."""
    return frame.format.is_rgb or frame.format.has_palette


def grey(pixels: Pixels) -> Pixels:
    """Luma of (h, w, 3) with weights that sum to one, so that greys keep their value."""
    red, green, blue = (pixels[..., channel].astype(np.uint16) for channel in range(3))
    return ((77 * red + 150 * green + 29 * blue + 128) >> 8).astype(np.uint8)


def check_crop(crop: Crop, width: int, height: int) -> None:
    """Refuse a crop that is not inside the upright picture."""
    x, y, across, down = crop
    if x < 0 or y < 0 or across < 1 or down < 1 or x + across > width or y + down > height:
        raise ClipError(
            f"the crop [{x}, {y}, {across}, {down}] is not inside the {width} x {height} picture",
            "crop is [x, y, width, height] in pixels of the upright full frame",
        )
