"""The built page in a real browser: Debian's Chromium, started from disk, with the network off.

Chromium is installed here where that can be done (as root, where apt-get is), and tests are skipped with the
reason where it cannot, or where the page's parts cannot be fetched.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from identify.errors import InputError
from identify.page.archive import from_npm
from identify.page.build import built_page
from identify.page.fetch import cache_folder, fetched, program
from identify.page.pins import PINS, Pin

# Looks for what stands in the way of screen readers and weak eyes; in the tests only, never in the page.
AXE = Pin(
    "npm",
    "axe-core",
    "4.14.0",
    "axe-core-4.14.0.tgz",
    "2277b0a3ef47af9b52497faa3e71598e86e0a0e5e6eb295207a5657ede4709af",
)
PATIENCE = 120_000  # milliseconds; the machine may be busy
# A browser in a container is root and has little shared memory.
_FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"]


def page_file() -> Path:
    """The page of this checkout; a second process waits for the one that builds it."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            program("node")
            for pin in PINS:
                fetched(pin, folder)
        except InputError as error:
            pytest.skip(f"the page cannot be built here: {error}")
        return built_page(folder)


def axe() -> str:
    """The script of axe-core."""
    try:
        return from_npm(fetched(AXE, cache_folder()), ("axe.min.js",))["axe.min.js"].decode("utf-8")
    except InputError as error:
        pytest.skip(f"axe-core cannot be fetched: {error}")


def chromium() -> str:
    """The path of Chromium, installed first if need be."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        command = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", "chromium"]
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for attempt in (["apt-get", "-qq", "update"], command):
            subprocess.run(attempt, env=quiet, capture_output=True, timeout=600)
        found = shutil.which("chromium")
    if found is None:
        pytest.skip("Chromium is not installed, and cannot be installed here (apt-get as root does it)")
    return found


@dataclass
class Cost:
    """Seconds on the clock, and of all processors in the browser's processes."""

    clock: float = 0.0
    processor: float = 0.0


def browser_seconds() -> float:
    """The processor time of every process that this one has started, so far."""
    parents, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            parents[int(stat.parent.name)] = int(fields[1])
            used[int(stat.parent.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return sum(used[process] for process in used if _descends(process, parents))


def _descends(process: int, parents: dict[int, int]) -> bool:
    while process in parents:
        process = parents[process]
        if process == os.getpid():
            return True
    return False


class Visit:
    """One visit to the page: what it wrote to the console, what it asked of the network, what it shows."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.start = Cost()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: self._said(message))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def _said(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    @contextmanager
    def measured(self) -> Iterator[Cost]:
        """What the body costs; filled in when it is over."""
        cost, clock, processor = Cost(), time.monotonic(), browser_seconds()
        yield cost
        cost.clock, cost.processor = time.monotonic() - clock, browser_seconds() - processor

    def open(self, file: Path, fragment: str = "") -> None:
        """Load the page from disk."""
        self.page.goto(file.as_uri() + fragment)

    def ready(self) -> None:
        """Wait until the engine has said so."""
        self.page.locator("#engine[data-state=ready]").wait_for()

    @property
    def answers(self) -> int:
        """How many analyses have been shown."""
        return int(self.page.locator("#result").get_attribute("data-answer") or 0)

    def wait_for_answer(self, number: int) -> None:
        """Wait until that many analyses have been shown."""
        self.page.locator(f'#result[data-answer="{number}"]').wait_for()

    def ask(self, law: str, conditions: list[str] | None = None, **fields: str) -> None:
        """Ask through the address, as someone who follows a link, and wait for the answer."""
        before = self.answers
        pairs = [("law", law), *(("given", text) for text in conditions or []), *fields.items()]
        self.page.evaluate("fragment => { location.hash = fragment; }", urlencode(pairs))
        self.wait_for_answer(before + 1)

    def told(self) -> str:
        """What the page says of its own state."""
        parts = ("engine-text", "busy", "law-error", "condition-error", "anchor-error")
        texts = {part: self.page.locator(f"#{part}").text_content() for part in parts}
        return json.dumps({**texts, "law": self.page.input_value("#law"), "answers": self.answers})

    def barriers(self, script: str) -> list[str]:
        """What axe-core finds wrong with the page as it stands: the rule and the places."""
        self.page.evaluate(f"{script}; 0")
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [f"{rule['help']}: {[node['html'] for node in rule['nodes']]}" for rule in found]

    def certificate(self) -> str:
        """The text of the downloaded JSON document."""
        with self.page.expect_download() as downloading:
            self.page.get_by_role("button", name="Download the certificate").click()
        return Path(downloading.value.path()).read_text(encoding="utf-8")

    def verdicts(self) -> dict[str, str]:
        """The status of each parameter, as shown."""
        rows = self.page.locator("tr[data-parameter]").all()
        return {row.get_attribute("data-parameter"): row.get_attribute("data-status") for row in rows}


@contextmanager
def visit(browser: Any, **context: Any) -> Iterator[Visit]:
    """A fresh profile without any network."""
    profile = browser.new_context(offline=True, **context)
    try:
        yield Visit(profile.new_page())
    finally:
        profile.close()


@contextmanager
def browsers() -> Iterator[Any]:
    """A running Chromium without a window."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        try:
            yield browser
        finally:
            browser.close()
