# Two commands do all the set-up: `make run` and `make test`. Needs Python 3.11+ and make.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

VENV ?= .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
# The newest Python at hand that is new enough; PYTHON=... chooses another.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; break; }; done)
CORPUS := $(THREADMATE_CORPUS)

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

$(VENV)/.python:
	@test -n "$(PYTHON)" || { echo "Threadmate needs Python 3.11 or newer; none was found. Install one, or name it: make PYTHON=/path/to/python3.12 run"; exit 1; }
	"$(PYTHON)" -m venv $(VENV) || { echo "Python's venv module is missing (Debian: apt-get install python3-venv)"; exit 1; }
	touch $@

# Hashes are in the lock; bytecode of what the bot loads is made afterwards, not of what it never loads.
$(VENV)/.installed: requirements.lock pyproject.toml | $(VENV)/.python
	$(PY) -m pip install -q --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	$(PY) -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(PY) -m bench.install --compile
	touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed
	$(PY) -m pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@

.PHONY: install install-dev
install: $(VENV)/.installed ## install into .venv
install-dev: $(VENV)/.installed-dev

.PHONY: run
run: $(VENV)/.installed ## start: adapters that have tokens; with none, the practice workspace
	@exec $(BIN)/threadmate run

.PHONY: test
test: install-dev chromium lint type ## lint, types, unit, property and end-to-end tests
	@# Tests of the benches mostly wait for processes to start and die: they run beside the others.
	log=$$(mktemp); code=0; \
	$(PY) -m pytest -q tests/bench >"$$log" 2>&1 & beside=$$!; \
	$(PY) -m pytest -q --durations=10 --ignore=tests/bench || code=$$?; \
	wait $$beside || code=$$?; cat "$$log"; rm -f "$$log"; exit $$code

.PHONY: lint
lint: install-dev ## style, format, import order of the rooms, SQL that PostgreSQL's grammar reads
	$(BIN)/ruff check .
	$(BIN)/ruff format --check -q .
	$(BIN)/lint-imports --no-cache
	$(PY) -m tests.lint.sql

.PHONY: type
type: install-dev ## pyright, strict on bot/ and core/
	$(BIN)/pyright

# The page is tested in Debian's Chromium; where we may not install it, the tests name the way out.
.PHONY: chromium
chromium:
	@if [ -x "$${THREADMATE_CHROMIUM:-/usr/bin/chromium}" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk >/dev/null; \
	else echo "Chromium is missing: the page's tests are skipped. Install it (Debian: apt-get install chromium) or set THREADMATE_CHROMIUM to one."; fi

.PHONY: bench
bench: install-dev ## timings and torture: start, search, ack, kill (minutes)
	$(PY) -m bench.start
	$(PY) -m bench.search
	$(PY) -m bench.ack
	$(PY) -m bench.kill --seeds 200

.PHONY: eval
eval: install-dev ## quality on the corpus in THREADMATE_CORPUS: files, retrieval, quotes, attacks
	@test -n "$(CORPUS)" || { echo "Set THREADMATE_CORPUS to the folder of the corpus."; exit 2; }
	$(PY) -m bench.eval "$(CORPUS)"

.PHONY: mutants
mutants: install-dev ## break core in fixed ways; the tests must notice (minutes)
	$(PY) -m tests.mutants

.PHONY: lock
lock: ## renew the lock files from pyproject.toml, releases of the last two weeks left out
	$(PY) -m bench.install --lock
