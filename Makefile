# Each target makes its own environment: a fresh clone needs only Python 3.11+,
# pip, make and git.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check
NAME   ?= engine
DATA   ?= $(TREESVM_DATA)
JOBS   ?= 2

.PHONY: demo docs test test-bounds lint bench reproduce data changelog wheel clean

demo: $(VENV)/.stamp-run
	$(BIN)/treesvm compare --rows 100000 --time-limit 4 --svm-seconds 3 --report treesvm-report.html

# The site, in docs/_build/html; examples that did not change are not run again.
docs: $(VENV)/.stamp-docs
	$(BIN)/python -m sphinx -W --keep-going -q docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

test: $(VENV)/.stamp-test
	$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

# Compiled code with every index checked; its cache must not mix with the unchecked one.
test-bounds: $(VENV)/.stamp-test
	cache=$$(mktemp -d) && trap 'rm -rf "$$cache"' EXIT && \
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$$cache" $(BIN)/python -m pytest -n $(JOBS) \
	  tests/solvers tests/trees tests/compression tests/kernels $(ARGS)

lint: $(VENV)/.stamp-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/mypy

bench: $(VENV)/.stamp-bench
	@test -n "$(DATA)" || { echo "Say where the data sets are: make bench NAME=engine DATA=folder"; exit 2; }
	$(BIN)/python -m benchmarks $(NAME) --data "$(DATA)" $(ARGS)

# A paper's tables, ours beside them: PAPER=dtsvm, hlsvm, svtree, svmmaj, trsd or all.
# QUICK=1 takes minutes instead of hours; what is done already is not done again.
PAPER  ?= all
reproduce: $(VENV)/.stamp-bench
	@test -n "$(DATA)" || { echo "Say where the data sets are: make reproduce PAPER=dtsvm DATA=folder"; exit 2; }
	$(BIN)/python -m benchmarks.papers $(PAPER) --data "$(DATA)" $(if $(QUICK),--quick) $(ARGS)

# The .npz files of the benchmarks, from originals as their publishers offer them.
data: $(VENV)/.stamp-run
	@test -n "$(RAW)" && test -n "$(DATA)" || { echo "Say where the originals are and where the sets go: make data RAW=folder DATA=folder"; exit 2; }
	$(BIN)/python -m benchmarks.originals "$(RAW)" "$(DATA)" $(ARGS)

# The section of the changelog that the fragments in changes/ make.
changelog: $(VENV)/.stamp-dev
	$(BIN)/towncrier build --draft --version next

# What a release uploads, and its wheel installed into an empty environment.
wheel: $(VENV)/.stamp-dev
	rm -rf dist
	$(BIN)/python -m build
	check=$$(mktemp -d) && trap 'rm -rf "$$check"' EXIT && $(PYTHON) -m venv "$$check" && \
	"$$check/bin/python" -m pip install --quiet dist/*.whl && "$$check/bin/treesvm" --version

clean:
	rm -f $(VENV)/.stamp-*

$(BIN)/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || \
	  { echo "treesvm needs Python 3.11 or newer; choose one with: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c "import venv, ensurepip" 2>/dev/null || \
	  { echo "This Python has no venv/ensurepip (on Debian: apt install python3-venv)."; exit 1; }
	$(PYTHON) -m venv $(VENV)

# One stamp for each set of dependencies; a changed pyproject.toml installs again.
$(VENV)/.stamp-run: EXTRA :=
$(VENV)/.stamp-test: EXTRA := [test]
$(VENV)/.stamp-dev: EXTRA := [dev]
$(VENV)/.stamp-bench: EXTRA := [bench]
$(VENV)/.stamp-docs: EXTRA := [docs]
$(VENV)/.stamp-%: pyproject.toml | $(BIN)/python
	$(PIP) install --editable ".$(EXTRA)"
	@touch $@
