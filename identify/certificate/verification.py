"""The outcome of re-checking a saved analysis, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One claim and whether it held: True, False, or None where it could not be decided."""

    name: str
    claim: str
    passed: bool | None
    detail: str = ""


@dataclass(frozen=True)
class Verification:
    """All checks of one document; ``ok`` means that no check failed."""

    ok: bool
    checks: tuple[Check, ...]

    @classmethod
    def of(cls, checks: tuple[Check, ...]) -> Verification:
        """The verification with these checks."""
        return cls(all(check.passed is not False for check in checks), checks)

    @property
    def failed(self) -> tuple[Check, ...]:
        """The checks that refute the document."""
        return tuple(check for check in self.checks if check.passed is False)

    @property
    def undecided(self) -> tuple[Check, ...]:
        """The checks that could be decided neither way."""
        return tuple(check for check in self.checks if check.passed is None)

    @property
    def complete(self) -> bool:
        """Whether every check was decided and passed."""
        return all(check.passed is True for check in self.checks)
