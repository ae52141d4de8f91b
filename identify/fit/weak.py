"""The weak form of the law along the curve: no encoder output is ever differentiated twice.

The latent is a spline of the place, ``z = g(s)``.  Multiplied by a smooth window ``phi`` and integrated by
parts twice, the law reads ``int phi'' z = int phi F(z, z')``, with ``z' = g'(s) s'`` from the smoothed rate
of the place.  The residual is divided by the size of its left side, so that shrinking the latent gains
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from identify.fit.held import Held
from identify.fit.least_squares import linear_solution
from identify.fit.samples import Samples, smoothed
from identify.fit.splines import Spline
from identify.fit.torch_law import TorchLaw

_POWER = 5  # the window (1 - t**2)**5 has four continuous derivatives
_LEAST_FRAMES = 5
_FEW_IN_SWING = 2.0 * _LEAST_FRAMES


@dataclass(frozen=True)
class Windows:
    """The windows of all clips: frames, weights of ``phi''`` on the latent and of ``phi`` on the force."""

    index: Tensor  # (r, l)
    bend: Tensor  # (r, l)
    force: Tensor  # (r, l)

    def bent(self, x: Tensor) -> Tensor:
        """``int phi'' x`` for columns of values at the frames."""
        return _gathered(self.bend, x, self.index)

    def forced(self, x: Tensor) -> Tensor:
        """``int phi x``."""
        return _gathered(self.force, x, self.index)


def _gathered(weight: Tensor, x: Tensor, index: Tensor) -> Tensor:
    if x.ndim == 1:
        return (weight * x[index]).sum(1)
    return torch.einsum("rl,rlk->rk", weight, x[index])


def windows(samples: Samples, width: float, overlap: int = 8) -> Windows | None:
    """Windows of ``width`` seconds, ``overlap`` of them starting within one width; None where none fits."""
    parts = [_clip_windows(samples.time[i], i, width, overlap) for i in map(samples.of, range(samples.clips))]
    found = [row for part in parts for row in part]
    if not found:
        return None
    longest = max(len(index) for index, _, _ in found)
    rows = [[_padded(x, longest) for x in row] for row in found]
    return Windows(*(torch.stack([row[i] for row in rows]) for i in range(3)))


def _padded(x: Tensor, length: int) -> Tensor:
    return torch.cat([x, x.new_zeros(length - len(x))])


def _clip_windows(
    time: Tensor, index: Tensor, width: float, overlap: int
) -> list[tuple[Tensor, Tensor, Tensor]]:
    duration = float(time[-1] - time[0])
    width = min(width, duration)
    if len(time) < _LEAST_FRAMES or width <= 0:
        return []
    count = max(1, int((duration - width) / width * overlap) + 1)
    starts = torch.linspace(float(time[0]), float(time[0]) + duration - width, count)
    first = torch.searchsorted(time, starts.to(time) - 1e-9).tolist()  # windows begin at a frame
    rows, known = [], {}
    for begin in dict.fromkeys(first):
        end = int(torch.searchsorted(time, time[begin] + width + 1e-9))
        if end - begin >= _LEAST_FRAMES:
            local = time[begin:end] - time[begin]
            key = (local * 1e9).round().cpu().numpy().tobytes()  # evenly timed clips need the weights once
            if key not in known:
                known[key] = _weights(local, width / 2, width / 2)
            rows.append((index[begin:end], *known[key]))
    return rows


def _weights(time: Tensor, centre: float, half: float) -> tuple[Tensor, Tensor]:
    """Quadrature weights with the moments of ``phi''`` corrected up to degree four."""
    t = ((time - centre) / half).clamp(-1, 1)
    step = torch.zeros_like(t)
    step[1:] += torch.diff(time) / 2
    step[:-1] += torch.diff(time) / 2
    body = 1 - t**2
    force = step * body**_POWER
    bend = step * (2 * _POWER * body ** (_POWER - 2)) * ((2 * _POWER - 1) * t**2 - 1) / half**2
    powers = t.unsqueeze(1) ** torch.arange(5, dtype=t.dtype, device=t.device)
    degree = torch.arange(2, 5, dtype=t.dtype, device=t.device)
    wanted = torch.cat([t.new_zeros(2), degree * (degree - 1) * (force @ powers[:, :3]) / half**2])
    spread = body.clamp_min(1e-3).unsqueeze(1) * powers  # the correction keeps to the middle of the window
    bend = bend + spread @ linear_solution(powers.T @ spread, wanted - bend @ powers)
    mass = force.sum()
    return bend / mass, force / mass


def _no_window(samples: Samples, period: float) -> str:
    """Why no window fits: few frames in a swing, or short clips."""
    steps = [samples.time[samples.of(clip)].diff() for clip in range(samples.clips)]
    frames = period / max(float(torch.cat(steps).median()), 1e-12)
    if frames < _FEW_IN_SWING:
        return (
            f"the motion turns back after {frames / 2:.1f} frames: the frame rate is too low for it, or "
            "noise and compression hide it"
        )
    return "no clip is long enough for a window"


class WeakForm:
    """The relative weak residual as a function of the encoder's coefficients and the parameters."""

    def __init__(
        self, law: TorchLaw, samples: Samples, period: float, held: Held, size: int, width: float = 0.6
    ) -> None:
        self.law, self.samples, self.held = law, samples, held
        found = windows(samples, width * period)
        if found is None:
            raise ValueError(_no_window(samples, period))
        self.windows = found
        self.place, self.rate = smoothed(samples, width * period * 2 / 3)
        low, high = float(samples.place.min()), float(samples.place.max())
        self.spline = Spline(low, high, size)
        self.value, slope = self.spline.basis_and_slope(samples.place)
        self.slope = slope * self.rate.unsqueeze(1)
        self.bent = self.windows.bent(self.value)
        rough = self.spline.roughness(self.place, 2)
        self.rough = 3e-3 * rough  # keeps the encoder from bending where few frames say otherwise

    def latent(self, encoder: Tensor) -> tuple[Tensor, Tensor]:
        """Latent and velocity at the frames."""
        return self.value @ encoder, self.slope @ encoder

    def residual(self, encoder: Tensor, theta: Tensor) -> Tensor | None:
        """The relative residual, window by window."""
        z, v = self.latent(encoder)
        left = self.windows.bent(z)
        right = self.windows.forced(self.law.acceleration(z, v, theta))
        found = (left - right) / left.norm()
        return found if bool(torch.isfinite(found).all()) else None

    def profile(self, encoder: Tensor, theta: Tensor) -> tuple[Tensor, float] | None:
        """The best coefficients of the law's terms at this encoder, and the relative residual left."""
        z, v = self.latent(encoder)
        known, features = self.law.features(z, v, theta)
        if not bool(torch.isfinite(features).all() & torch.isfinite(known).all()):
            return None
        left = self.windows.bent(z)
        target = left - self.windows.forced(known)
        matrix = self.windows.forced(features)
        scale = matrix.norm(dim=0).clamp_min(1e-300)
        found = linear_solution(matrix / scale, target) / scale
        rest = target - matrix @ found
        return found, float(rest.norm() / left.norm().clamp_min(1e-300))

    def problem(self, point: Tensor) -> tuple[Tensor, Tensor] | None:
        """Residual and Jacobian for ``point = (encoder, theta)``; None outside the assumptions."""
        size = self.spline.size
        encoder, theta = point[:size], point[size:]
        z, v = self.latent(encoder)
        force, by_state, by_velocity, by_theta = self.law.with_gradients(z, v, theta)
        left = self.windows.bent(z)
        norm = left.norm().clamp_min(1e-300)
        raw = left - self.windows.forced(force)
        columns = by_state.unsqueeze(1) * self.value + by_velocity.unsqueeze(1) * self.slope
        moved = torch.cat([columns, *(g.unsqueeze(1) for g in by_theta)], 1)
        jacobian = -self.windows.forced(moved)
        jacobian[:, :size] += self.bent
        norm_slope = torch.cat([(left @ self.bent) / norm, left.new_zeros(len(theta))])
        residual = raw / norm
        jacobian = jacobian / norm - torch.outer(residual / norm, norm_slope)
        spread = z.std().detach().clamp_min(1e-300)
        rough = torch.cat([self.rough / spread, left.new_zeros(len(self.rough), len(theta))], 1)
        gaps, rows = self._gauge(z, len(theta))
        residual = torch.cat([residual, self.rough @ encoder / spread, gaps])
        jacobian = torch.cat([jacobian, rough, rows])
        good = torch.isfinite(residual).all() & torch.isfinite(jacobian).all()
        if not bool(good) or not self.law.admissible(theta):
            return None
        return residual, jacobian

    def _gauge(self, z: Tensor, parameters: int) -> tuple[Tensor, Tensor]:
        """Rows that keep a free scale at 1 and a free origin at 0, so that they do not drift."""
        share = {"origin": torch.ones_like(z) / len(z), "scale": (z - z.mean()) / (len(z) * z.std())}
        gap = {"origin": z.mean(), "scale": z.std() - 1}
        wanted = [name for name in ("origin", "scale") if getattr(self.held, name)]
        if not wanted:
            return z.new_zeros(0), z.new_zeros(0, self.spline.size + parameters)
        rows = torch.stack([share[name] @ self.value for name in wanted])
        rows = torch.cat([rows, z.new_zeros(len(wanted), parameters)], 1)
        return torch.stack([gap[name] for name in wanted]), rows
