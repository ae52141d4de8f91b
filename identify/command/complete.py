"""What a shell offers behind a command: quick, and silent where something is missing."""

from __future__ import annotations


def terms(incomplete: str) -> list[str]:
    """Words of the glossary."""
    from identify.glossary import entries

    return [term for term in entries() if term.startswith(incomplete)]


def family_names(incomplete: str) -> list[str]:
    """Families of the catalogue, by the names of their files."""
    from identify.families.catalogue import catalogue_files

    return [file.stem for file in catalogue_files() if file.stem.startswith(incomplete)]
