# Two commands for newcomers: `make demo` and `make test`. The rest is for maintainers.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Compiled modules are kept: the tests start Python a thousand times.
unexport PYTHONDONTWRITEBYTECODE

# Errors only: what pip thinks of the machine's configuration is nothing that a newcomer can act on.
QUIETLY := --quiet --quiet --disable-pip-version-check

.PHONY: demo test test-slow test-attacks test-docker test-fresh test-hosts check format bench lock clean install system system-test

install: $(READY)

# The locked set with hashes; pip verifies what it installs.
$(READY): deploy/requirements.lock pyproject.toml deploy/install.sh | system
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Assay into $(VENV) ..."
	@$(BIN)/python -m pip install $(QUIETLY) --no-deps --require-hashes -r deploy/requirements.lock
	@$(BIN)/python -m pip install $(QUIETLY) --no-deps --no-build-isolation -e .
	@touch $(READY)

system:
	@sh deploy/install.sh run

system-test:
	@sh deploy/install.sh test

demo: $(READY)
	$(BIN)/assay demo

test: system-test $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations=20 -m "not slow"

# What takes too long for every day: real toolchains, whole plans, the docker driver.
test-slow: system-test $(READY)
	@$(BIN)/python -m pip install $(QUIETLY) --no-deps --require-hashes -r deploy/documents.lock
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow

# Every attack of the corpus, and a table of what it got; ASSAY_ATTACKS=python/hollow plays those that begin so.
test-attacks: system-test $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal tests/attacks

# The docker driver on a real engine: the one that runs, else Debian's own dockerd for the tests' time.
test-docker: $(READY)
	@sh deploy/install.sh docker
	ASSAY_TEST_DOCKER=1 $(BIN)/python -m pytest $(shell find tests -name 'test_docker*.py')

# The newcomer's first command on a new Debian: as root, and as an ordinary user.
test-fresh: $(READY)
	@sh deploy/install.sh fresh
	ASSAY_TEST_FRESH=1 $(BIN)/python -m pytest tests/e2e/test_fresh_machine.py

# Four workers with homes of their own on one Postgres, killed at random, 200 evaluations.
test-hosts: system-test $(READY)
	ASSAY_TEST_EVALUATIONS=200 $(BIN)/python -m pytest -m slow tests/e2e/test_hosts.py

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -m "not real and not slow" -n 2

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: system-test $(READY)
	@sh deploy/install.sh docker
	ASSAY_TEST_DOCKER=1 $(BIN)/python -m tests.bench

# Resolve the newest versions that pyproject.toml admits; review the diff before you commit it.
lock: $(READY)
	$(BIN)/uv pip compile -q pyproject.toml --group dev --generate-hashes --no-header --no-annotate -o deploy/requirements.lock
	$(BIN)/uv pip compile -q pyproject.toml --extra documents -c deploy/requirements.lock --generate-hashes --no-header --no-annotate -o deploy/documents.lock
	$(BIN)/uv pip compile -q pyproject.toml --extra search -c deploy/requirements.lock --generate-hashes --no-header --no-annotate -o deploy/search.lock

clean:
	rm -rf $(VENV) .assay .cache
