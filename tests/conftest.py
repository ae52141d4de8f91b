"""Settings shared by all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Symbolic examples differ in cost by orders of magnitude; a deadline would only make tests flaky.
settings.register_profile(
    "identify", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("identify")
