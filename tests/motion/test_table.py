"""Clips are read alike from CSV, Parquet and NPZ, and a malformed cell is named by row and column."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from identify.motion.table import DataError, read_clips, read_names

ROWS = "".join(f"{t / 10},{np.sin(t / 10)},{np.cos(t / 10)},{c}\n" for c in "ab" for t in range(8))
GOOD = "time,z,v,clip\n" + ROWS


def write(folder: Path, text: str, name: str = "data.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_all_formats_agree(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    clips = read_clips(write(tmp_path, GOOD))
    assert [clip.name for clip in clips] == ["a", "b"]
    columns = {
        "time": np.concatenate([c.time for c in clips]),
        "z": np.concatenate([c.state for c in clips]),
        "v": np.concatenate([c.velocity for c in clips if c.velocity is not None]),
        "clip": ["a"] * 8 + ["b"] * 8,
    }
    parquet.write_table(pyarrow.table(columns), tmp_path / "data.parquet")
    np.savez(tmp_path / "columns.npz", **{n: np.asarray(c) for n, c in columns.items()})
    np.savez(tmp_path / "matrix.npz", time=clips[0].time, z=np.stack([c.state for c in clips]))
    for name in ("data.parquet", "columns.npz", "matrix.npz"):
        for read, clip in zip(read_clips(tmp_path / name), clips, strict=True):
            assert np.array_equal(read.state, clip.state)
            assert np.array_equal(read.time, clip.time)


def test_separators_bom_blank_lines_and_names(tmp_path: Path) -> None:
    text = "\ufeffT;angle\n\n" + "".join(f"{t};{t * t}\n" for t in range(5)) + "\n"
    (clip,) = read_clips(write(tmp_path, text), names=read_names("time=T, state=angle"))
    assert clip.velocity is None
    assert list(clip.state) == [0, 1, 4, 9, 16]


def test_the_laws_own_state_comes_first(tmp_path: Path) -> None:
    text = "t,z,angle\n" + "".join(f"{t},0,{t}\n" for t in range(5))
    (clip,) = read_clips(write(tmp_path, text), "angle")
    assert clip.state[-1] == 4


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("0.3,0.29", "0.3,x0.29", "row 4 (line 5), column z: 'x0.29"),
        ("0.3,0.29", "0.3,,0.29", "row 4 (line 5): 5 cells where the header has 4"),
        ("0.5,0.47", "nan,0.47", "row 6 (line 7), column time: nan is not finite"),
        ("0.5,0.47", "0.1,0.47", "row 6 (line 7), column time: time does not increase (0.1 after 0.4)"),
        ("0.7,0.64", ",0.64", "row 8 (line 9), column time: the cell is empty"),
        ("time,", "when,", "no column for the time"),
        ("time,z,v", "time,z,z", "two columns are called 'z'"),
    ],
)
def test_malformed_cells_are_located(old: str, new: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read_clips(write(tmp_path, GOOD.replace(old, new, 1)))
    assert says in str(error.value)
    assert "data.csv" in str(error.value)
    assert error.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "name", "says"),
    [
        ("", "data.csv", "is empty"),
        ("time,z\n", "data.csv", "no rows"),
        ("time,z\n0,1\n1,2\n", "data.csv", "2 rows, at least 4"),
        ("time,z\n0,1\n1,2\n2,3\n0,1\n", "data.csv", "need a column called clip"),
        ("no", "data.parquet", "not a Parquet file"),
        ("no", "data.npz", "not an NPZ file"),
        ("no", "data.txt", ".csv, .tsv, .parquet or .npz"),
    ],
)
def test_hopeless_files(text: str, name: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=says.replace(".", r"\.")):
        read_clips(write(tmp_path, text, name))


def test_pickles_are_never_loaded(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", time=np.arange(5), z=np.array([object()] * 5))
    with pytest.raises(DataError, match="plain arrays"):
        read_clips(tmp_path / "data.npz")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot read"):
        read_clips(tmp_path / "none.csv")
