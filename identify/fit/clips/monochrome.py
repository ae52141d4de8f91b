"""Whether an H.264 stream stores luma only: its decoder then answers with YUV and forgets to say so."""

from __future__ import annotations

from typing import Any

_WITH_CHROMA_FORMAT = {100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135}


def is_monochrome(stream: Any) -> bool:
    """Read from the sequence parameter set in the stream's header; False for other codecs."""
    if stream.codec_context.name != "h264":
        return False
    content = bytes(stream.codec_context.extradata or b"")[:4096]
    if content[:1] == b"\1":
        parameters = content[8:]
    else:
        start = content.find(b"\0\0\1\x67")
        parameters = content[start + 3 :] if start >= 0 else b""
    if len(parameters) < 6 or parameters[1] not in _WITH_CHROMA_FORMAT:
        return False
    bits = "".join(f"{byte:08b}" for byte in parameters[4:16])
    _, rest = _number(bits)  # the identifier of the set comes before the chroma format
    chroma, _ = _number(rest)
    return chroma == 0


def _number(bits: str) -> tuple[int | None, str]:
    """An exponential-Golomb number at the start of the bits, and what follows."""
    zeros = len(bits) - len(bits.lstrip("0"))
    end = 2 * zeros + 1
    if end > len(bits):
        return None, ""
    return int(bits[:end], 2) - 1, bits[end:]
