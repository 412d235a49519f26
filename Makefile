# Everything starts from a bare Python 3.11+: the first run makes .venv and installs the locked packages.
PYTHON ?= python3
BOOT = $(PYTHON) triage/local/bootstrap.py
.DEFAULT_GOAL := help
.PHONY: demo run demo-reset drill-demo manage test test-pure test-full test-agents conformance test-llm bench lint lock help python

demo: python ## Start everything, post the example deliveries, print how each was judged (DEMO_ONCE=1: stop then)
	@$(BOOT) -- -m triage.local.launch demo

run: python ## Start everything without the example deliveries
	@$(BOOT) -- -m triage.local.launch run

demo-reset: python ## Delete all local data, so that the next start begins anew
	@$(BOOT) -- -m triage.local.launch reset

drill-demo: python ## Run a drill on the shipped golden set between two scripted endpoints (CANDIDATE=better: the other)
	@$(BOOT) -- -m triage.local.drilldemo $(CANDIDATE)

manage: python ## Run a command beside a running demo: make manage do="doctor"
	@$(BOOT) -- manage.py $(do)

test: python ## Run the tests, with scaled counts (T="tests/pure -k name" runs some)
	@$(BOOT) --with development -- -m pytest -n 4 --dist loadfile --no-loadscope-reorder $(T)

test-pure: python ## Run the pure tests alone, without servers: a few seconds, so after every change
	@$(BOOT) --with development -- -m pytest tests/pure -p no:logging -p no:xdist --capture=sys $(T)

test-full: python ## Run the tests with the counts of the acceptance lists
	@FULL=1 $(BOOT) --with development -- -m pytest -n 3 --dist loadfile --no-loadscope-reorder --timeout 3600 $(T)

conformance: python ## Run the public MCP conformance suite and the Inspector (installs them under .local)
	@$(BOOT) --with development -- -m tests.conformance.install
	@$(BOOT) --with development -- -m pytest tests/conformance $(T)

test-agents: python ## Run agents of public frameworks against the server (installs them under .local)
	@$(BOOT) --with development -- -m tests.agents.install
	@$(BOOT) --with development -- -m pytest tests/agents $(T)

test-llm: python ## Run a very small real model against the application (compiles its server under .local)
	@$(BOOT) --with development -- -m tests.llm.install
	@$(BOOT) --with development -- -m pytest tests/llm $(T)

bench: python ## Run the benchmarks on embedded servers (B="webhook_accept" runs one)
	@$(BOOT) -- -m benchmarks $(B)

lint: python ## Run ruff, mypy, import-linter and Django's own checks
	@$(BOOT) --with development -- -m triage.local.lint

lock: python ## Lock requirements*.in anew (needs uv)
	@command -v uv >/dev/null || { echo "assay: make lock needs uv: pip install uv, then start again."; exit 2; }
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 -o requirements.txt requirements.in
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 -o requirements-dev.txt requirements-dev.in

help: ## List these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

python:
	@command -v $(PYTHON) >/dev/null || { echo "assay: $(PYTHON) is not here: install Python 3.11 or later, or name yours: make demo PYTHON=python3.12"; exit 2; }
