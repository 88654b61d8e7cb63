# Two commands for newcomers: `make demo` and `make test`. The rest is for maintainers: `make help`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Compiled modules are kept: the tests start Python a thousand times, and a sandbox cannot write any.
unexport PYTHONDONTWRITEBYTECODE

# Errors only: what pip thinks of the machine's configuration is nothing that a newcomer can act on.
QUIETLY := --quiet --quiet --disable-pip-version-check

.PHONY: help install system system-test demo test test-slow test-attacks test-docker test-fresh test-hosts \
	check lint types unit format bench lock clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r name says; do \
		printf '  make %-13s %s\n' "$$name" "$$says"; done

install: $(READY) ## the virtual environment that all other targets use

# The locked set with hashes; pip verifies what it installs.
$(READY): deploy/requirements.lock pyproject.toml deploy/install.sh | system
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Assay into $(VENV) ..."
	@$(BIN)/python -m pip install $(QUIETLY) --no-deps --require-hashes -r deploy/requirements.lock
	@$(BIN)/python -m pip install $(QUIETLY) --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q bot sandbox
	@touch $(READY)

system:
	@sh deploy/install.sh run

system-test:
	@sh deploy/install.sh test

demo: $(READY) ## judge pull requests of a sample project on this machine
	$(BIN)/assay demo

test: system-test $(READY) ## everything with real git, bubblewrap, Chromium and Postgres
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations=20 -m "not slow"

# It plays the first of each module and every 24th; ASSAY_CASES=functions the first case of each test, and
# ASSAY_CASES=all plays each, as the nightly workflow does.
test-slow: system-test $(READY) ## what takes too long for every day: real toolchains, whole plans
	@$(BIN)/python -m pip install $(QUIETLY) --no-deps --require-hashes -r deploy/documents.lock
	@$(BIN)/python -m pip install $(QUIETLY) --no-deps --require-hashes -r deploy/bench.lock
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations=20 -m slow

# ASSAY_ATTACKS=python/hollow plays those that begin so.
test-attacks: system-test $(READY) ## every attack of the corpus in both drivers, and tables of what it got
	@sh deploy/install.sh docker
	ASSAY_CASES=all ASSAY_ATTACKS=$${ASSAY_ATTACKS:-all} ASSAY_TEST_DOCKER=1 \
		$(BIN)/python -m pytest -n 2 --dist worksteal tests/attacks

# The engine is the one that runs, else Debian's own dockerd for the tests' time.
test-docker: $(READY) ## the docker driver on a real engine
	@sh deploy/install.sh docker
	ASSAY_TEST_DOCKER=1 $(BIN)/python -m pytest -n 2 --dist worksteal $(shell find tests -name 'test_docker*.py')

test-fresh: $(READY) ## `make demo` on a new Debian: as root, and as an ordinary user
	@sh deploy/install.sh fresh
	ASSAY_TEST_FRESH=1 $(BIN)/python -m pytest tests/e2e/test_fresh_machine.py

test-hosts: system-test $(READY) ## four workers on one Postgres, killed at random, 200 evaluations
	ASSAY_TEST_EVALUATIONS=200 $(BIN)/python -m pytest -m slow tests/e2e/test_hosts.py

check: ## the next three, side by side
	@$(MAKE) --no-print-directory -j3 lint types unit

lint: $(READY) ## format and lint, changing nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY) ## mypy, strict
	$(BIN)/mypy

unit: $(READY) ## the tests that start no real process and take no long time
	$(BIN)/python -m pytest -q -m "not real and not slow and not thorough" -n 2 --dist worksteal

format: $(READY) ## format, and mend what ruff can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: system-test $(READY) ## what Assay adds to the bare tools, as ratios
	@sh deploy/install.sh docker
	ASSAY_TEST_DOCKER=1 $(BIN)/python -m tests.bench

lock: $(READY) ## the newest versions that pyproject.toml admits; review the diff
	$(BIN)/uv pip compile -q pyproject.toml --group dev --generate-hashes --no-header --no-annotate -o deploy/requirements.lock
	$(BIN)/uv pip compile -q pyproject.toml --extra documents -c deploy/requirements.lock --generate-hashes --no-header --no-annotate -o deploy/documents.lock
	$(BIN)/uv pip compile -q pyproject.toml --extra search -c deploy/requirements.lock --generate-hashes --no-header --no-annotate -o deploy/search.lock
	$(BIN)/uv pip compile -q pyproject.toml --extra mcp -c deploy/requirements.lock --generate-hashes --no-header --no-annotate -o deploy/mcp.lock
	$(BIN)/uv pip compile -q pyproject.toml --extra bench -c deploy/requirements.lock --generate-hashes --no-header --no-annotate -o deploy/bench.lock

clean: ## remove what was made here
	rm -rf $(VENV) .assay .cache
