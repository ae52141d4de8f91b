"""What ``--timeout`` and ``--memory`` may be, for the commands that run the engine."""

from __future__ import annotations

from identify.command.outcome import refuse

_MOST_MEMORY = 2**20  # megabytes: more than a machine has


def check_budget(timeout: float | None, memory: int | None = None) -> None:
    """Refuse a budget that is no budget."""
    if timeout is not None and not 0 < timeout < float("inf"):
        raise refuse(
            f"--timeout needs a positive number of seconds, not {timeout:g}", "for example --timeout 60"
        )
    if memory is not None and not 0 < memory < _MOST_MEMORY:
        raise refuse(
            f"--memory needs a positive number of megabytes, not {memory}", "for example --memory 2000"
        )
