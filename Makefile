# make demo   from a clean clone: environment, install, one analysis, and a fit of simulated clips
# make test   everything that must hold: format, lint, types, import contracts, tests
# make bench  engine times, side by side with symident; the catalogue checked cold and cached

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip
INSTALL := $(PIP) install --quiet --disable-pip-version-check --constraint constraints.txt
JOBS ?= 2
BENCHMARK ?= tests/benchmark.py

.DELETE_ON_ERROR:
.PHONY: help demo test bench clean

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
	$(INSTALL) --editable ".[fit,dev]"
	@touch $(VENV)/.core $(VENV)/.fit $@

$(VENV)/.bench: $(VENV)/.full
	$(INSTALL) --editable ".[fit,dev,bench]"
	@touch $@

demo: $(VENV)/.fit
	$(BIN)/identify analyze "z''+d*z'+a*z+b*z**3=0" --assume "b != 0"
	$(BIN)/identify simulate cubic demo --clips 6 --force
	$(BIN)/identify fit demo

test: $(VENV)/.full
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n $(JOBS)

bench: $(VENV)/.bench
	$(BIN)/python $(BENCHMARK)
	$(BIN)/python tests/benchmark_check.py

clean:
	rm -rf $(VENV) build dist demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
