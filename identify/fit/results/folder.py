"""The run folder: report.json, latent.csv, config.yaml, weights.safetensors and report.html, each atomic.

It can be read back, so that a fit is calibrated, compared and used on new frames without refitting.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from identify.errors import InputError
from identify.files import replacing, write_whole
from identify.fit.film import Array, Estimate, LawFit, Track
from identify.fit.results.conclusion import SCHEMA, Asked, Conclusion
from identify.fit.results.figures import plain
from identify.law import Law, read_law

REPORT, LATENT, CONFIG, WEIGHTS, PAGE = (
    "report.json",
    "latent.csv",
    "config.yaml",
    "weights.safetensors",
    "report.html",
)
_MOST_BYTES = 500_000_000
_AGAIN = "identify fit DIR --out RUN writes a run folder; fit again if its files were changed"
_COLUMNS = ("clip", "time", "state", "velocity", "fitted", "used", "off_curve", "role", "reference")
_MOST_SETTINGS = 4_000_000


@dataclass(frozen=True)
class Run:
    """A run folder read back."""

    folder: Path
    law: Law
    asked: Asked
    fit: LawFit
    document: dict[str, Any]
    config: dict[str, Any]


def write_run(folder: Path, conclusion: Conclusion, config: Mapping[str, Any], page: str | None) -> None:
    """All files of the run; an old page goes first, the new one comes last: with a page it is complete."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / PAGE).unlink(missing_ok=True)
        write_whole(folder / REPORT, json_text(conclusion.document))
        write_whole(folder / LATENT, latent_text(conclusion.fit))
        write_whole(folder / CONFIG, config_text(config))
        if conclusion.fit.weights:
            write_weights(folder / WEIGHTS, conclusion.fit)
        else:
            (folder / WEIGHTS).unlink(missing_ok=True)
        if page is not None:
            write_whole(folder / PAGE, page)
    except OSError as error:
        raise InputError(
            f"cannot write {folder}: {error.strerror or error}", hint="choose another --out"
        ) from None


def is_complete(folder: Path) -> bool:
    """Whether a run was written here to its end."""
    return (folder / PAGE).is_file() and (folder / REPORT).is_file()


def json_text(document: Mapping[str, Any]) -> str:
    """The document; a number that is not finite would be no JSON and is refused."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def latent_text(fit: LawFit) -> str:
    """One row for each frame with a latent; cells without a number are empty."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for track in fit.tracks:
        reference = np.full(len(track.time), np.nan) if track.reference is None else track.reference
        for i in np.flatnonzero(np.isfinite(track.latent) & np.isfinite(track.velocity)):
            numbers = (track.time[i], track.latent[i], track.velocity[i], track.fitted[i])
            cells = [track.name, *(_cell(x) for x in numbers), str(int(track.used[i]))]
            writer.writerow([*cells, _cell(track.off_curve[i]), track.role, _cell(reference[i])])
    return file.getvalue()


def _cell(value: float) -> str:
    return f"{value:.12g}" if math.isfinite(value) else ""


def config_text(config: Mapping[str, Any]) -> str:
    """The configuration as YAML."""
    from ruamel.yaml import YAML

    file = io.StringIO()
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.allow_unicode = True
    yaml.dump(plain(dict(config)), file)
    return file.getvalue()


def write_weights(file: Path, fit: LawFit) -> None:
    """The encoder's arrays as safetensors, the settings beside them as text."""
    from safetensors.numpy import save_file

    arrays = {name: np.ascontiguousarray(_array(value)) for name, value in fit.weights.items()}
    settings = json.dumps(plain(dict(fit.settings)), allow_nan=False)
    with replacing(file) as part:
        save_file(arrays, part, metadata={"method": fit.method, "settings": settings})


def _array(value: Any) -> Any:
    """A tensor or an array as an array."""
    detached = value.detach().cpu().numpy() if hasattr(value, "detach") else value
    return np.asarray(detached)


def read_run(folder: Path) -> Run:
    """The run in a folder; InputError where it is none or is damaged."""
    document = _document(folder)
    config = _config(folder / CONFIG)
    try:
        law = read_law(document["law"], document.get("assume", []), document.get("domain", []))
        asked = Asked(
            tuple(str(a) for a in document.get("anchors", [])),
            {str(k): str(v) for k, v in (config.get("units") or {}).items()},
            tuple(str(k) for k in config.get("known") or []),
            tuple(str(d) for d in config.get("derive") or []),
        )
        fit = _fit(folder, document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{folder / REPORT} is not a report of a fit: {error}",
            hint=_AGAIN,
        ) from None
    return Run(folder, law, asked, fit, document, config)


def _text(file: Path) -> str:
    try:
        if file.exists() and not file.is_file():  # a pipe would be waited for
            raise InputError(f"{file} is no plain file", hint=_AGAIN)
        if file.stat().st_size > _MOST_BYTES:
            raise InputError(
                f"{file} is too large to be part of a run",
                hint=_AGAIN,
            )
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        hint = "identify fit DIR writes a run folder; give its path"
        raise InputError(f"{file.parent} is no run folder: it has no {file.name}", hint=hint) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot read {file}: {error}",
            hint=_AGAIN,
        ) from None


def _document(folder: Path) -> dict[str, Any]:
    try:
        document = json.loads(_text(folder / REPORT))
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(
            f"{folder / REPORT} is damaged: {error}",
            hint=_AGAIN,
        ) from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InputError(
            f"{folder / REPORT} is not of schema {SCHEMA}",
            hint=_AGAIN,
        )
    return document


def _config(file: Path) -> dict[str, Any]:
    if not file.exists():
        return {}
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.events import AliasEvent

    text = _text(file)
    try:
        if any(isinstance(event, AliasEvent) for event in YAML(typ="safe", pure=True).parse(text)):
            raise InputError(f"{file} is damaged: it has an alias, which no fit writes", hint=_AGAIN)
        found = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, RecursionError) as error:
        raise InputError(
            f"{file} is damaged: {str(error).splitlines()[0]}",
            hint=_AGAIN,
        ) from None
    return found if isinstance(found, dict) else {}


def _fit(folder: Path, document: dict[str, Any]) -> LawFit:
    point = document.get("fit")
    estimate, pixels = None, None
    if point is not None:
        estimate = Estimate(
            tuple(str(n) for n in point["names"]),
            _numbers(point["values"]),
            _numbers(point["covariance"]),
            _numbers(point["formal"]),
        )
        if point.get("pixel_track") is not None:
            first, second = point["pixel_track"]
            pixels = _numbers(first), _numbers(second)
    weights, settings = read_weights(folder / WEIGHTS)
    return LawFit(
        method=str(document["method"]),
        accepted=bool(document["accepted"]),
        reason=document["reason"],
        advice=document["advice"],
        estimate=estimate,
        tracks=_tracks(folder / LATENT),
        evidence={k: v for k, v in document.get("evidence", {}).items() if isinstance(v, (int, float))},
        warnings=tuple(str(w) for w in document.get("fit_warnings", [])),
        candidates=tuple((point or {}).get("candidates", [])),
        weights=weights,
        settings=settings,
        pixel_track=pixels,
    )


def _numbers(values: Any) -> Array:
    return np.array(
        [
            [np.nan if x is None else x for x in v] if isinstance(v, list) else (np.nan if v is None else v)
            for v in values
        ],
        dtype=float,
    )


def read_weights(file: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and settings; empty where the run has none."""
    if not file.is_file():
        return {}, {}
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, framework="numpy") as opened:
            metadata = opened.metadata() or {}
            text = metadata.get("settings", "{}")
            if len(text) > _MOST_SETTINGS:
                raise InputError(
                    f"{file} has settings beyond any size",
                    hint=_AGAIN,
                )
            return {name: opened.get_tensor(name) for name in opened.keys()}, json.loads(text)  # noqa: SIM118
    except (SafetensorError, OSError, json.JSONDecodeError) as error:
        raise InputError(
            f"{file} is damaged: {error}",
            hint=_AGAIN,
        ) from None


def _tracks(file: Path) -> tuple[Track, ...]:
    rows: dict[str, list[dict[str, str]]] = {}
    reader = csv.DictReader(io.StringIO(_text(file), newline=""))
    if not set(_COLUMNS) <= set(reader.fieldnames or ()):
        raise InputError(
            f"{file} lacks columns; it should have {', '.join(_COLUMNS)}",
            hint=_AGAIN,
        )
    for row in reader:
        rows.setdefault(row["clip"], []).append(row)
    return tuple(_track(name, found) for name, found in rows.items())


def _track(name: str, rows: list[dict[str, str]]) -> Track:
    def column(key: str) -> Array:
        return np.array([float(row[key]) if row[key] else np.nan for row in rows])

    reference = column("reference")
    return Track(
        name=name,
        role="test" if rows[0]["role"] == "test" else "train",
        time=column("time"),
        latent=column("state"),
        velocity=column("velocity"),
        fitted=column("fitted"),
        off_curve=column("off_curve"),
        used=column("used") == 1,
        reference=None if np.isnan(reference).all() else reference,
    )
