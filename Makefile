# make demo   from a clean clone: environment, install, one analysis, and a fit of simulated clips
# make test   everything that must hold: format, lint, types, import contracts, tests
# make page   the offline page, identify.html (needs Node.js, and the package registries the first time)
# make docs   the documentation as a site, build/site/index.html
# make man    the manual page, build/man/man1/identify.1
# make dist   wheel and sdist; the wheel is installed into an empty environment and tried there
# make harden the figures of docs/hardening.md: laws, hostile inputs, faults (hours; LAWS=50 SECONDS=5 is a taste)
# make bench  engine times, side by side with symident; the catalogue checked cold and cached

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip
INSTALL := $(PIP) install --quiet --disable-pip-version-check --constraint constraints.txt
JOBS ?= 2
BENCHMARK ?= tests/benchmark.py
LAWS ?= 1500
SECONDS ?= 60
MOMENTS ?= 200

.DELETE_ON_ERROR:
.PHONY: help demo page test docs man dist harden bench clean

help:
	@sed -n 's/^# //p' Makefile

# An install is repeated only when what it depends on has changed; the larger install covers the smaller.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable .
	@touch $@

$(VENV)/.fit: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable ".[fit]"
	@touch $(VENV)/.core $@

$(VENV)/.full: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable ".[fit,cluster,docs,dev]"
	@touch $(VENV)/.core $(VENV)/.fit $@

$(VENV)/.harden: $(VENV)/.full
	-$(INSTALL) --editable ".[fit,cluster,docs,dev,harden]"
	@touch $@

$(VENV)/.bench: $(VENV)/.full
	$(INSTALL) --editable ".[fit,cluster,docs,dev,bench]"
	@touch $@

demo: $(VENV)/.fit
	$(BIN)/identify analyze "z''+d*z'+a*z+b*z**3=0" --assume "b != 0"
	$(BIN)/identify simulate cubic demo --clips 6 --force
	$(BIN)/identify fit demo

page: $(VENV)/.core
	$(BIN)/identify page -o identify.html

test: $(VENV)/.full
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n $(JOBS) --dist loadgroup

# Everything anew each time: what the pages take from the program is no file that Sphinx watches.
docs: $(VENV)/.full
	$(BIN)/python -m sphinx -q -E -a -W --keep-going -b html docs build/site
	@echo "build/site/index.html"

man: $(VENV)/.core
	mkdir -p build/man/man1
	$(BIN)/python -m identify.command.manual build/man/man1/identify.1
	@echo "build/man/man1/identify.1; try: man -M build/man identify"

# The tests build both too, but take the dependencies of this environment; here they are resolved afresh.
dist: $(VENV)/.full
	rm -rf build/dist build/empty
	$(BIN)/python -m hatchling build -d build/dist
	$(PYTHON) -m venv build/empty
	build/empty/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt build/dist/*.whl
	build/empty/bin/identify analyze --family cubic-duffing -o build/empty/cubic.json
	build/empty/bin/identify verify build/empty/cubic.json
	build/empty/bin/identify explain anchor

harden: $(VENV)/.harden
	$(BIN)/python tests/hardening/budget.py
	$(BIN)/python tests/hardening/differential.py --first 1000 --laws $(LAWS)
	$(BIN)/python tests/hardening/attacks.py
	$(BIN)/python tests/hardening/fuzz.py --seconds $(SECONDS)
	$(BIN)/python tests/hardening/fuzz.py --seconds $(SECONDS) --coverage
	$(BIN)/python tests/hardening/faults.py --moments $(MOMENTS)

bench: $(VENV)/.bench
	$(BIN)/python $(BENCHMARK)
	$(BIN)/python tests/benchmark_check.py

clean:
	rm -rf $(VENV) build dist demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
