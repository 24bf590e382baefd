# `make lab` starts the course, `make test` runs the tests. Both set up .venv first.

PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# a worker for each core already: torch's own threads would only wait for each other
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto

.DEFAULT_GOAL := help
.PHONY: help venv setup lab test test-all slow build model bench check

help:
	@echo "make lab       set up, and open JupyterLab on the first lesson"
	@echo "make test      set up, and run the tests"
	@echo "make test-all  lint, types, layers, all tests, the slow ones too"
	@echo "make check     lint, types, layers, drift of the built notebooks"
	@echo "make build     build exercises/ and solutions/ from their sources"
	@echo "make model     fetch the small language model (93 MB) into work/model/"
	@echo "make bench     measure the parts of the course beside named peers"
	@echo "make venv      only an empty .venv: to put a build of torch there yourself"

venv: .venv/made
setup: .venv/course

.venv/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

# What a learner needs, and no more.
.venv/course: .venv/made pyproject.toml constraints.txt
	$(INSTALL) -e '.[course]'
	@touch $@

# What the tests and `make bench` need: the engine knows transformers.
.venv/dev: .venv/course
	$(INSTALL) -e '.[course,model,dev]'
	@touch $@

# What serving a model needs: the lessons with one, and nothing else.
.venv/model: .venv/course
	$(INSTALL) -e '.[course,model]'
	@touch $@

lab: .venv/course
	$(BIN)/pagedkv lab

test: .venv/dev
	$(PYTEST) -m "not slow"

slow: .venv/dev
	$(PYTEST) -m slow

test-all: check test slow

build: .venv/dev
	$(BIN)/python tools/build_exercises.py

model: .venv/model
	$(BIN)/python tools/fetch_model.py
	@echo "unpacking its weights beside it (0.5 GB), so that it loads in a second"
	$(BIN)/python -m pagedkv_edu.engine.keep

bench: .venv/dev
	$(BIN)/python tools/bench.py

check: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/python tools/build_exercises.py --check
