"""A sweep file becomes exactly the tasks it lists; what is wrong with it is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from identify.errors import InputError

pytest.importorskip("numpy")

from identify.sweep.grid import tasks_of
from identify.sweep.reading import read_sweep
from identify.sweep.task import Task

WHOLE = """
title: Everything at once
grids:
  - experiments: [cubic, quintic]
    collections: 0:3
    seeds: [0, 4:6]
    methods: [default, paper]
    updates: [10, 20]
    noise: [0.01, 0.03]
    size: 72x192
    colour: true
"""


def tasks(folder: Path, text: str) -> list[Task]:
    path = folder / "spec.yaml"
    path.write_text(text)
    return tasks_of(read_sweep(path))


def complaint(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as caught:
        tasks(folder, text)
    return str(caught.value)


def test_every_combination_once(tmp_path: Path) -> None:
    """The default method knows no updates: its tasks are not repeated for them."""
    found = tasks(tmp_path, WHOLE)
    assert len(found) == 2 * 3 * 2 * (3 + 3 * 2) == len({task.key for task in found})
    first = found[0].settings
    assert first["experiment"] == "cubic"
    assert first["size"] == (192, 72)
    assert first["look"] == {"noise": 0.01, "colour": True}
    assert {task.settings.get("updates") for task in found} == {None, 10, 20}
    assert all(("updates" in task.settings) == (task.settings["method"] == "paper") for task in found)
    assert {task.settings["seed"] for task in found} == {0, 4, 5}


def test_laws_families_and_collections_of_states(tmp_path: Path) -> None:
    text = """
grids:
  - laws:
      - law: "z''+d*z'+a*z=0"
        parameters: {d: 0.2, a: 4}
        initial: [[[1, 0], [0, 2]], [[0.5, 0]]]
      - family: helmholtz
      - "z''+k*z=0"
    fitted: ["z''+p*z'+q*z=0", {family: lti}]
  - laws: {family: helmholtz}
    fitted: "z''+p*z'+q*z=0"
"""
    found = tasks(tmp_path, text)
    assert len(found) == (2 + 1 + 1) * 2  # the second grid repeats a task of the first
    assert found[0].settings["initial"] == [[1.0, 0.0], [0.0, 2.0]]
    assert {task.settings["fitted"] for task in found} >= {"z''+p*z'+q*z=0"}
    assert all(task.kind == "simulated" for task in found)


def test_folders_of_clips(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "clips" / name).mkdir(parents=True)
    text = "grids:\n  - videos: clips/*\n    seeds: 0:2\n"
    before = tasks(tmp_path, text)
    assert [(t.kind, Path(t.settings["folder"]).name) for t in before] == [
        ("videos", name) for name in ("a", "a", "b", "b")
    ]
    (tmp_path / "clips" / "b" / "new.mp4").write_bytes(b"0")
    after = tasks(tmp_path, text)
    assert [one.key == other.key for one, other in zip(before, after, strict=True)] == [
        True,
        True,
        False,
        False,
    ]
    assert "line 2" in complaint(tmp_path, "grids:\n  - videos: none/*\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("grids:\n  - experiments: [cubic, cubik]\n", ["line 2", "no experiment 'cubik'"]),
        (
            "grids:\n  - experiments: cubic\n    sedes: 1\n",
            ["line 3", "unknown key 'sedes'", "did you mean 'seeds'"],
        ),
        ("grids:\n  - experiments: cubic\n    methods: fast\n", ["line 3", "not one of default, paper"]),
        ("grids:\n  - experiments: cubic\n    noise: [0.1, 2]\n", ["line 3", "noise"]),
        ("grids:\n  - experiments: cubic\n    size: 4\n", ["line 3", "16 to 1080"]),
        ("grids:\n  - experiments: cubic\n    seeds: 5:2\n", ["line 3", "must rise"]),
        ("grids:\n  - experiments: cubic\n    seeds: 0:999999999\n", ["line 3", "must rise"]),
        ("grids:\n  - experiments: cubic\n    seeds: x\n", ["line 3", "whole number"]),
        ("grids:\n  - seeds: 0:3\n", ["line 2", "needs experiments, laws or videos"]),
        ("grids: []\n", ["line 1", "grids"]),
        ("title: x\n", ["the key 'grids' is missing"]),
        ("grids:\n  - laws: \"z''+*z=0\"\n", ["line 2"]),
        ("grids:\n  - laws: {law: \"z''+a*z=0\", parameters: {b: 1}}\n", ["line 2", "no parameter 'b'"]),
        ("grids:\n  - laws: {law: \"z''+a*z=0\", family: lti}\n", ["line 2", "one of them"]),
        ("grids:\n  - laws: {family: nowhere}\n", ["line 2", "nowhere"]),
        ("grids:\n  - laws: {law: \"z''+a*z=0\", initial: [[1, 0, 3]]}\n", ["line 2", "[state, velocity]"]),
        ("grids:\n  - experiments: cubic\n    fitted: 3\n", ["line 3"]),
        ("grids:\n  - experiments: &x cubic\n", ["line 2", "anchor"]),
        ("grids:\n\t- experiments: cubic\n", ["line 2", "tab"]),
        ("", ["empty"]),
        ("x" * 70_000, ["bytes"]),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, words: list[str]) -> None:
    told = complaint(tmp_path, text)
    assert all(word in told for word in words), told


def test_a_grid_beyond_measure_is_refused_before_it_is_built(tmp_path: Path) -> None:
    axes = "".join(
        f"    {key}: [{', '.join(str(i / 20) for i in range(1, 20))}]\n" for key in ("noise", "blur", "shade")
    )
    text = f"grids:\n  - experiments: cubic\n    collections: 0:10000\n    seeds: 0:10000\n{axes}"
    assert "more than 100,000 fits" in complaint(tmp_path, text)


@given(st.text(max_size=200) | st.binary(max_size=200))
def test_any_file_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, content: str | bytes) -> None:
    path = tmp_path_factory.mktemp("spec") / "spec.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    with pytest.raises(InputError):
        read_sweep(path)
