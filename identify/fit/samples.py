"""Places on the curve against time: what is left of the clips once each frame is one number."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

_EVEN = 1e-6  # of the spacing of the frames


@dataclass(frozen=True)
class Samples:
    """The usable frames of all fitted clips, clip after clip; time counts from the first of each clip."""

    time: Tensor  # (n,)
    place: Tensor  # (n,)
    clip: Tensor  # (n,) long, the number of the clip
    clips: int

    @property
    def count(self) -> int:
        """The number of frames."""
        return len(self.time)

    def of(self, clip: int) -> Tensor:
        """The indices of a clip's frames."""
        return torch.nonzero(self.clip == clip).flatten()

    def at_places(self, place: Tensor) -> Samples:
        """The same frames at other places."""
        return Samples(self.time, place, self.clip, self.clips)

    def in_pieces(self, length: float) -> tuple[Samples, Tensor]:
        """The clips cut into pieces of about ``length`` seconds, and the frames where these begin."""
        clip, time, first, number = torch.empty_like(self.clip), self.time.clone(), [], 0
        for c in range(self.clips):
            index = self.of(c)
            span = float(self.time[index].max())
            count = max(1, round(span / length))
            piece = (self.time[index] / span * count).long().clamp_max(count - 1)
            for k in range(count):
                own = index[piece == k]
                if len(own):
                    clip[own], time[own] = number, self.time[own] - self.time[own[0]]
                    first.append(own[0])
                    number += 1
        return Samples(time, self.place, clip, number), torch.stack(first)

    def duration(self) -> Tensor:
        """The length of each clip in seconds."""
        return torch.stack([self.time[self.of(c)].max() for c in range(self.clips)])

    def period(self) -> float:
        """The typical time of one oscillation; twice the longest clip where nothing comes back."""
        found = [p for c in range(self.clips) if (p := _period(*self._clip(c))) is not None]
        if not found:
            return 2.0 * float(self.duration().max())
        return sorted(found)[len(found) // 2]

    def tempo(self) -> float:
        """The period of a harmonic motion as fast as this one is on average: short where motion is abrupt."""
        value, rate = smoothed(self, 0.1 * self.period())
        swings = [value[i] - value[i].mean() for i in map(self.of, range(self.clips))]
        return float(6.283185307179586 * torch.cat(swings).std() / rate.std().clamp_min(1e-300))

    def _clip(self, clip: int) -> tuple[Tensor, Tensor]:
        index = self.of(clip)
        return self.time[index], self.place[index]


def spread_out(count: int, step: int, seed: int) -> Tensor:
    """One of every ``step`` numbers below ``count`` at random; an even spread may meet a period."""
    first = torch.arange(0, count - step + 1, step)
    return first + torch.randint(0, step, first.shape, generator=torch.Generator().manual_seed(seed))


def roughness(samples: Samples) -> float:
    """What a local polynomial leaves of the places, by their spread: noise from frame to frame."""
    value, _ = smoothed(samples, 0.12 * samples.period())
    spread = samples.place.std().clamp_min(1e-300)
    return float((samples.place - value).abs().mean() / spread)


def _period(time: Tensor, place: Tensor) -> float | None:
    """Twice the mean time between passages through the middle, with a dead band against noise."""
    low, high = place.quantile(0.05), place.quantile(0.95)
    band = 0.15 * (high - low)
    side = torch.where(
        place > (low + high) / 2 + band, 1, torch.where(place < (low + high) / 2 - band, -1, 0)
    )
    at = torch.nonzero(side).flatten()
    turns = torch.nonzero(side[at][1:] != side[at][:-1]).flatten()
    if len(turns) < 2:
        return None
    passages = (time[at[turns]] + time[at[turns + 1]]) / 2
    return float(2 * (passages[-1] - passages[0]) / (len(passages) - 1))


def smoothed(samples: Samples, width: float, degree: int = 4) -> tuple[Tensor, Tensor]:
    """Place and its rate of change from local polynomials over ``width`` seconds around each frame."""
    value, rate = torch.empty_like(samples.place), torch.empty_like(samples.place)
    for clip in range(samples.clips):
        index = samples.of(clip)
        time, place = samples.time[index], samples.place[index]
        value[index], rate[index] = _local_polynomial(time, place, width, degree)
    return value, rate


def _local_polynomial(time: Tensor, place: Tensor, width: float, degree: int) -> tuple[Tensor, Tensor]:
    """Weighted local fits; near the ends the same number of frames is used on one side."""
    count = len(time)
    spacing = float((time[-1] - time[0]) / max(count - 1, 1))
    length = min(count, max(degree + 3, round(width / max(spacing, 1e-12)) | 1))
    degree = min(degree, length - 2)
    first = (torch.arange(count, device=time.device) - length // 2).clamp(0, count - length)
    index = first.unsqueeze(1) + torch.arange(length, device=time.device)
    reach = max(width / 2, spacing * length / 2)
    offset = (time[index] - time.unsqueeze(1)) / reach
    if float(time.diff().sub(spacing).abs().max()) > _EVEN * spacing:
        normal, weighted = _equations(offset, degree)
        found = torch.linalg.solve(normal, weighted @ place[index].unsqueeze(-1)).squeeze(-1)
        return found[:, 0], found[:, 1] / reach
    # Evenly spaced frames at the same place in their window share one filter.
    inside = torch.arange(count, device=time.device) - first
    example = torch.zeros(length, dtype=torch.long, device=time.device)
    example[inside] = torch.arange(count, device=time.device)
    filters = torch.linalg.solve(*_equations(offset[example], degree))[:, :2]
    found = torch.linalg.vecdot(filters[inside], place[index].unsqueeze(1))
    return found[:, 0], found[:, 1] / reach


def _equations(offset: Tensor, degree: int) -> tuple[Tensor, Tensor]:
    """For each row of offsets a weighted polynomial fit: normal matrix, and what makes the right side."""
    weight = (1 - (offset / 2).square()).clamp_min(0.05)
    powers = [torch.ones_like(offset)]
    for _ in range(degree):
        powers.append(powers[-1] * offset)
    basis = torch.stack(powers, -1)
    weighted = (basis * weight.unsqueeze(-1)).transpose(1, 2)
    ridge = 1e-12 * torch.eye(degree + 1, dtype=offset.dtype, device=offset.device)
    return weighted @ basis + ridge, weighted
