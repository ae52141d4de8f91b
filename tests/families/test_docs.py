"""What docs/ci.md says of files: its family passes, its hooks exist. Its commands are run by tests/docs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from ruamel.yaml import YAML

from tests.families.samples import checked, told

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_family_file_passes(tmp_path: Path) -> None:
    text = next(block for block in blocks("yaml") if block.startswith("name: stiffening-spring"))
    result = checked(text, tmp_path, "stiffening-spring")
    assert (result.outcome, told(result)) == ("passed", [])


def test_hooks_exist() -> None:
    hooks = YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {hook["id"] for hook in hooks} == {"identify-check", "identify-update"}
    for hook in hooks:
        command = hook["entry"].split()[1:]
        done = subprocess.run(
            [sys.executable, "-m", "identify", *command, "--help"], cwd=ROOT, capture_output=True
        )
        assert done.returncode == 0
