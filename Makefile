# Two commands: `make book` builds the site, `make test` proves it. Everything runs in .venv, made on first use.
# Stamps under _build/ say what was done, so that a second run does only what changed.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

VENV := .venv
BIN := $(VENV)/bin
STAMPS := _build/stamps
SITE := _build/html
WORKERS ?= logical

# The environment's own kernel, whatever the user has installed elsewhere. The hash seed is left random on purpose: an
# output that depends on it is a fault that nbval should find.
export JUPYTER_PREFER_ENV_PATH := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# One thread for each worker's linear algebra: the matrices are small, and workers with threads of their own only wait
# for one another.
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

# Any Python from 3.11 to 3.13 that starts; set PYTHON to choose one.
find_python = $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null && echo $$p && break; done)

NOTEBOOKS := $(shell find book -name '*.ipynb' -not -path '*/.ipynb_checkpoints/*' 2>/dev/null | sort)
LIBRARY := $(shell find lib -type f -not -name '*.pyc' -not -path '*.egg-info/*' -not -path '*/__pycache__*' 2>/dev/null)
PAGES := $(shell find book web -type f -not -name '*.pyc' -not -path '*/.ipynb_checkpoints/*' 2>/dev/null) _config.yml _toc.yml
REQUIREMENTS := requirements.txt constraints.txt pyproject.toml

.PHONY: help env book test lint pytest check-notebooks notebooks lab site-test oracles clean distclean FORCE

help: ## Show this list
	@echo "Gradients Through Time: make <target>"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

# ---- environment

install = $(BIN)/python -m pip install -r $(1) | awk '/^(Collecting|Installing)/ { print "   ", $$1, $$2; fflush() }'

env: $(VENV)/.requirements ## Make .venv and install the pinned requirements and the package

$(BIN)/python:
	@python="$(or $(PYTHON),$(find_python))"; \
	if [ -z "$$python" ]; then echo "Python 3.11, 3.12 or 3.13 is needed and none was found; set PYTHON=/path/to/python"; exit 1; fi; \
	echo "== making $(VENV) with $$($$python --version)"; \
	$$python -m venv $(VENV)

$(VENV)/.requirements: $(REQUIREMENTS) | $(BIN)/python
	@echo "== installing requirements.txt into $(VENV) (about a minute the first time)"
	@$(call install,requirements.txt)
	@touch $@

# ---- checks

test: lint pytest check-notebooks ## Prove it: ruff, pytest, and every notebook through nbval
	@echo "== all checks passed"

lint: $(VENV)/.requirements
	@echo "== ruff"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

pytest: $(VENV)/.requirements
	@echo "== pytest"
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

check-notebooks: $(STAMPS)/notebooks

# A fresh run of every notebook, each output compared with the stored one; the largest first, so that none is left to
# one worker while the others have nothing to do.
$(STAMPS)/notebooks: $(VENV)/.requirements $(NOTEBOOKS) $(LIBRARY)
	@echo "== every notebook through nbval"
	@if [ -n "$(NOTEBOOKS)" ]; then \
	$(BIN)/python -m pytest --nbval --nbval-current-env -n $(WORKERS) --dist loadfile --no-loadscope-reorder \
		$$(ls -S $(NOTEBOOKS)); fi
	@mkdir -p $(@D); touch $@

# ---- the book

book: $(SITE)/.built ## Build the site from checked notebooks into _build/html
	@echo "== open file://$(CURDIR)/$(SITE)/index.html"

$(SITE)/.built: $(STAMPS)/notebooks $(PAGES) $(STAMPS)/repository-url
	@echo "== jupyter-book"
	@rm -rf $(SITE)
	@$(BIN)/jupyter-book build . --all -W -n --keep-going
	@touch $@

# Changes only when the address does, so that the buttons follow it.
$(STAMPS)/repository-url: FORCE
	@mkdir -p $(@D); printf '%s\n' "$${THROUGHTIME_REPOSITORY_URL:-}" | cmp -s - $@ || printf '%s\n' "$${THROUGHTIME_REPOSITORY_URL:-}" > $@

notebooks: $(VENV)/.requirements ## Run every notebook afresh and store its outputs
	@$(BIN)/python tools/run_notebooks.py $(NOTEBOOKS)

lab: $(VENV)/.requirements ## Open the chapters in JupyterLab
	@first=$$(sed -n 's/.*\(file\|root\): *book\///p' _toc.yml | while read -r page; do \
		[ -f "book/$$page.ipynb" ] && echo "/$$page.ipynb" && break; done || true); \
	$(BIN)/jupyter lab --ServerApp.root_dir=book --LabApp.default_url="/lab/tree$$first"

# ---- checks that need more than Python

site-test: $(SITE)/.built $(VENV)/.site-requirements ## Visit every page of the site with a headless Chromium
	@$(BIN)/python -m pytest -n $(WORKERS) tests/site

$(VENV)/.site-requirements: tests/site/requirements.txt $(VENV)/.requirements
	@$(call install,tests/site/requirements.txt)
	@touch $@

oracles: $(VENV)/.oracles-requirements ## Compare with PyTorch, JAX and ONNX (installs them)
	@$(BIN)/python -m pytest tests/oracles -n $(WORKERS) --dist loadfile

$(VENV)/.oracles-requirements: tests/oracles/requirements.txt $(VENV)/.requirements
	@echo "== installing PyTorch, JAX and ONNX for the CPU"
	@$(call install,tests/oracles/requirements.txt)
	@touch $@

# ---- tidying

clean: ## Remove everything built, keep the environment
	rm -rf $(SITE) _build/.doctrees _build/.jupyter_cache _build/jupyter_execute $(STAMPS)/notebooks .pytest_cache .ruff_cache .hypothesis
	find lib tests tools web -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## Remove the environment as well
	rm -rf _build $(VENV)
