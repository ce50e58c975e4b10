# make demo, make test: each makes .venv, installs what it needs the first time, and does its job.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
TEST := $(BIN)/python -m pytest -n 2 --dist worksteal
CONSTRAINTS ?=

KERNEL_TESTS ?= tests/stumps tests/votes tests/neighbors tests/evolution tests/chains tests/prototypes

.PHONY: help demo test test-spark test-browser check coverage bench bench-quick papers docs nightly bounds fresh-kernels release-check
.DEFAULT_GOAL := help

help:
	@echo "make demo     rank the columns and condense the rows of a real table with every method"
	@echo "make test     run the tests"
	@echo "make test-spark  run the tests of tamis.spark on PySpark, 456 MB (Debian: apt install default-jre-headless)"
	@echo "make test-browser  open the reports in Chromium (Debian: apt install chromium)"
	@echo "make check    lint, and check the types and the docstrings"
	@echo "make coverage run the tests on kernels that are not compiled, and show the lines that no test runs (long)"
	@echo "make bench    race tamis against its peers and write docs/benchmarks.md (hours; it goes on where it was)"
	@echo "make bench-quick  race on small tables, some minutes"
	@echo "make docs     build the manual into docs/_build/html, running its examples"
	@echo "make papers   rebuild the papers' tables at full length into docs/papers (hours; it goes on where it was)"
	@echo "make bounds   run the tests of the compiled loops with the bounds of arrays checked"
	@echo "make nightly  run the tests at full length, and again without compiling and with bounds checked"
	@echo "make release-check  build the wheel and the source archive, check them, and install and use the wheel"

demo: .venv/.stamp-demo
	$(BIN)/tamis demo --force --output tamis-demo

test: .venv/.stamp-test fresh-kernels
	$(TEST)

# Not a part of `make test`: PySpark is a download of 456 MB, and needs Java.
test-spark: .venv/.stamp-spark
	$(BIN)/python -m pytest tests/spark

# Not a part of `make test`: it needs a Chromium of the system, whose executable CHROMIUM may name.
test-browser: .venv/.stamp-browser
	$(BIN)/python -m pytest browser

check: .venv/.stamp-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/check_docstrings.py

# Compiled lines cannot be counted. COVERAGE_TESTS may name some tests only.
coverage: .venv/.stamp-coverage
	NUMBA_DISABLE_JIT=1 nice -n 10 $(TEST) --cov --cov-report=term --cov-report=html $(COVERAGE_TESTS)

bench: .venv/.stamp-bench
	$(BIN)/python benchmarks/race.py
	$(BIN)/python benchmarks/race.py --page

bench-quick: .venv/.stamp-bench
	$(BIN)/python benchmarks/race.py --quick --again

papers: .venv/.stamp-papers
	$(BIN)/tamis reproduce all --full --jobs -1 --output docs/papers

docs: .venv/.stamp-docs
	$(BIN)/python -m sphinx -W --keep-going -q docs docs/_build/html
	@echo "The manual is in docs/_build/html: open index.html."

nightly: .venv/.stamp-test fresh-kernels
	TAMIS_NIGHTLY=1 $(TEST)
	NUMBA_DISABLE_JIT=1 $(TEST)
	$(MAKE) bounds KERNEL_TESTS=
	$(MAKE) fresh-kernels

# Indices outside of an array end a test here; elsewhere they read or write what lies beside it.
bounds: .venv/.stamp-test
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/.venv/kernels-with-bounds $(TEST) $(KERNEL_TESTS)

# TAG=v1.2.3: what is released under that tag, and not only built.
release-check: .venv/.stamp-release
	$(BIN)/python tools/release_check.py --tag '$(TAG)'

# A compiled kernel on disk can outlive an edit: tests start without any.
fresh-kernels:
	@find src tests -name '*.nb[ci]' -delete

# A stamp is older than pyproject.toml when the dependencies may have changed. Groups need pip 25.1.
.venv/.stamp: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tamis needs Python 3.11 or newer, and $(PYTHON) is %d.%d. Use make PYTHON=/path/to/python3." % sys.version_info[:2])'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(PIP) 'pip>=25.1'
	@touch $@

.venv/.stamp-demo: .venv/.stamp
	$(PIP) --editable .
	@touch $@

.venv/.stamp-papers: .venv/.stamp
	$(PIP) --editable '.[plot]'
	@touch $@ .venv/.stamp-demo

.venv/.stamp-spark: .venv/.stamp-test
	$(PIP) --editable '.[ann,dask,plot,spark]'
	@touch $@

# What `make test`, `make docs` and the like need: the group of that name, and every extra.
.venv/.stamp-%: .venv/.stamp
	$(PIP) --editable '.[ann,dask,plot]' --group $* $(CONSTRAINTS:%=--constraint %)
	@touch $@ .venv/.stamp-demo
