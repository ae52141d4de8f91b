"""A store keeps every row as it was, takes nothing back, and refuses files that are none."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from identify.errors import InputError
from identify.sweep.row import done, failed, flat
from identify.sweep.store import Store
from identify.sweep.task import Task

scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text() | st.floats(allow_nan=False)
settings = st.dictionaries(st.text(min_size=1), scalars, max_size=5)


@given(st.lists(settings, max_size=5), settings)
def test_rows_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, tasks: list, result: dict
) -> None:
    path = tmp_path_factory.mktemp("store") / "s"
    finite = {k: v for k, v in result.items() if not isinstance(v, float) or abs(v) < 1e300}
    tasks = [{k: v for k, v in one.items() if not isinstance(v, float) or abs(v) < 1e300} for one in tasks]
    with Store(path) as store:
        kept = [store.add(done(Task("kind", one), {"result": finite})) for one in tasks]
    with Store(path, make=False) as store:
        last = {row["key"]: row for row in kept}
        assert {row["key"]: row for row in store.rows()} == last == store.done()


def test_the_last_row_of_a_task_counts(tmp_path: Path) -> None:
    task = Task("kind", {"a": 1})
    with Store(tmp_path / "s") as store:
        store.add(failed(task, "no"))
        assert store.done() == {}
        store.add(done(task, {"x": 1}))
        assert [row["x"] for row in store.done().values()] == [1]
        store.add(failed(task, "no longer"))
        assert store.done() == {}
        assert len(list(store.rows())) == 1


def test_rows_are_only_added(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        store.add(done(Task("kind", {}), {}))
    base = sqlite3.connect(tmp_path / "s")
    for change in ("DELETE FROM rows", "UPDATE rows SET outcome = 'done'"):
        with pytest.raises(sqlite3.IntegrityError, match="only added"):
            base.execute(change)
    base.close()


def test_other_files_are_refused(tmp_path: Path) -> None:
    text, other, folder = tmp_path / "text", tmp_path / "other", tmp_path / "folder"
    text.write_text("not a database, but long enough to look at" * 100)
    base = sqlite3.connect(other)
    base.execute("CREATE TABLE mine (x)")
    base.close()
    folder.mkdir()
    before = text.read_bytes(), other.read_bytes()
    for path in (text, other, folder, tmp_path / "no" / "such"):
        with pytest.raises(InputError, match="store"):
            Store(path)
    assert (text.read_bytes(), other.read_bytes()) == before
    with pytest.raises(InputError, match="there is no store"):
        Store(tmp_path / "none", make=False)
    assert not (tmp_path / "none").exists()


def test_a_row_that_no_sweep_wrote_is_refused(tmp_path: Path) -> None:
    for text in ("{", "[]", "{}", '"x"'):
        path = tmp_path / f"{len(text)}{text[0] == '['}"
        Store(path).close()
        base = sqlite3.connect(path)
        base.execute("INSERT INTO rows (key, outcome, finished, row) VALUES ('k', 'done', 0, ?)", (text,))
        base.commit()
        base.close()
        with Store(path, make=False) as store, pytest.raises(InputError, match="no sweep wrote"):
            list(store.rows())


@given(settings, st.randoms())
def test_a_key_depends_on_what_is_said_and_not_on_how(one: dict, chance) -> None:
    items = list(one.items())
    chance.shuffle(items)
    infinite = any(isinstance(v, float) and abs(v) == float("inf") for v in one.values())
    if infinite:
        with pytest.raises(InputError, match="plain JSON"):
            _ = Task("kind", one).key
        return
    task = Task("kind", one)
    assert Task("kind", {**dict(items), "unset": None}).key == task.key == Task.read(task.text).key
    assert Task("kind", {**one, "new": 1}).key != task.key != Task("other", one).key


def test_a_row_as_a_line_of_a_table() -> None:
    row = {
        "key": "k",
        "task": {"size": [64, 48], "look": {"noise": 0.1}},
        "parameters": {"a": {"value": 1.0}},
    }
    assert flat(row) == {"key": "k", "task.size": "64; 48", "task.look.noise": 0.1, "parameters.a.value": 1.0}
