"""What a shell offers behind a command: quick, and silent where something is missing."""

from __future__ import annotations


def terms(incomplete: str) -> list[str]:
    """Words of the glossary."""
    from identify.glossary import entries

    return [term for term in entries() if term.startswith(incomplete)]


def tables(incomplete: str) -> list[str]:
    """Experiments of the paper that have a table; nothing where the extra for fits is missing."""
    try:
        from identify.reproduce.experiments import EXPERIMENTS
    except ImportError:
        return []
    return [name for name in (*EXPERIMENTS, "all") if name.startswith(incomplete)]


def scenes(incomplete: str) -> list[str]:
    """What can be simulated by name: experiments of the paper, families of the catalogue."""
    try:
        from identify.scene.protocol import PROTOCOLS
    except ImportError:
        return family_names(incomplete)
    experiments = [name for name in PROTOCOLS if name.startswith(incomplete)]
    return list(dict.fromkeys([*experiments, *family_names(incomplete)]))


def family_names(incomplete: str) -> list[str]:
    """Families of the catalogue, by the names of their files."""
    from identify.families.catalogue import catalogue_files

    return [file.stem for file in catalogue_files() if file.stem.startswith(incomplete)]
