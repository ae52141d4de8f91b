"""Raw clips of a fixed camera -> films an encoder can work with, or the reason why there are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from identify.fit.prepare.filming import filmed
from identify.fit.prepare.prepared import Options, Prepared, Refused, Source
from identify.fit.prepare.refusal import refused
from identify.fit.prepare.signals import examine
from identify.fit.prepare.survey import MOST_FRAMES, Survey, survey
from identify.fit.prepare.trim import LEAST_TOTAL, least_frames

_LEAST_SIDE = 8  # pixels


def prepare(
    sources: Sequence[Source],
    options: Options | None = None,
    progress: Callable[[float, str], None] | None = None,
) -> Prepared | Refused:
    """Films of the free motion in every view that may help, or the reason why there are none.

    The camera is taken to stand still; clips of another size than most are left out with a warning.
    """
    options = options or Options()
    report = progress or (lambda fraction, text: None)
    chosen, warnings = _same_size(sources)
    if not chosen:
        return Refused("no clips", "there is no clip to prepare", "give at least one clip")
    used, clips, more = _surveyed(chosen, options, report)
    warnings += more
    if few := _too_few(clips, options):
        return Refused(
            "too few frames", few, "film longer, or check that the files are whole", tuple(warnings)
        )
    report(0.45, "looking for what moves")
    found = examine(clips)
    return refused(found, options, warnings) or filmed(found, used, clips, options, warnings, report)


def _too_few(clips: Sequence[Survey], options: Options) -> str | None:
    """What is missing, where the clips to train on have too few frames in all."""
    if not clips:
        return "no clip has enough frames"
    counts = [clip.count for clip in clips if options.roles.get(clip.name, "train") == "train"]
    if len(counts) > 1 and sum(counts) < LEAST_TOTAL:
        return f"the clips to train on have {sum(counts)} frames in all, and {LEAST_TOTAL} are needed"
    return None


def _same_size(sources: Sequence[Source]) -> tuple[list[Source], list[str]]:
    """The sources of the size that most clips have, then most frames; films of one view are of one size."""
    usable = [s.info for s in sources if min(s.info.width, s.info.height) >= _LEAST_SIDE]
    if not usable:
        return [], []
    clips = Counter((info.width, info.height) for info in usable)
    frames = {size: sum(i.frames for i in usable if (i.width, i.height) == size) for size in clips}
    size = max(clips, key=lambda one: (clips[one], frames[one]))
    chosen = [s for s in sources if (s.info.width, s.info.height) == size]
    warnings = [
        f"{s.name} is left out: it is {s.info.width} x {s.info.height}, the films are {size[0]} x {size[1]}"
        for s in sources
        if (s.info.width, s.info.height) != size
    ]
    return chosen, warnings


def _surveyed(
    sources: Sequence[Source], options: Options, report: Callable[[float, str], None]
) -> tuple[list[Source], list[Survey], list[str]]:
    """The clips at low resolution, and the sources they belong to."""
    used, clips, warnings = [], [], []
    total = sum(max(source.info.frames, 1) for source in sources)
    share = max(200, MOST_FRAMES // len(sources))
    done = 0
    for source in sources:
        before = done

        def tick(number: int, before: int = before, name: str = source.name) -> None:
            if number % 32 == 0:
                report(0.45 * min(1.0, (before + number) / max(total, 1)), f"surveying {name}")

        clip = survey(source, options.crop, share, min(total, MOST_FRAMES), tick)
        done += clip.count
        if source.info.frames > clip.count == share:
            end = clip.time[-1]
            warnings.append(f"{source.name} is long: only its first {share} frames ({end:.0f} s) are used")
        used.append(source)
        clips.append(clip)
    return _long_enough(used, clips, options, warnings)


def _long_enough(
    sources: Sequence[Source], clips: Sequence[Survey], options: Options, warnings: list[str]
) -> tuple[list[Source], list[Survey], list[str]]:
    """The clips with enough frames for what they are to do, and a warning for each of the others."""
    longest = max((clip.count for clip in clips), default=0)
    kept = []
    for source, clip in zip(sources, clips, strict=True):
        least = least_frames(options.roles.get(clip.name, "train"), longest, len(clips))
        if clip.count >= least:
            kept.append((source, clip))
        else:
            warnings.append(f"{clip.name} is left out: it has {clip.count} frames, and {least} are needed")
    return [source for source, _ in kept], [clip for _, clip in kept], warnings
