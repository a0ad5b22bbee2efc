# Two commands: `make book` builds the site, `make test` proves it. Everything runs in .venv, made on first use.

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
# NumPy and OpenBLAS compute with the instructions that all processors of the last ten years have: those of newer ones
# round otherwise, and pictures of chaotic nets and bits of stored trials with them.
ifeq ($(shell uname -m),x86_64)
export NPY_DISABLE_CPU_FEATURES := X86_V4 AVX512_ICL AVX512_SPR
export OPENBLAS_CORETYPE := Haswell
endif
# A hundred processes import the same modules: their bytecode is kept, whatever the caller's shell says.
unexport PYTHONDONTWRITEBYTECODE

files = $(shell find $(1) -type f $(2) -not -path '*/__pycache__/*' -not -path '*/.ipynb_checkpoints/*' 2>/dev/null | sort)
NOTEBOOKS := $(call files,book,-name '*.ipynb')
# What a notebook's run depends on: the library, the chapters' code and data, and how outputs are compared.
CODE := $(call files,lib book,-not -name '*.ipynb' -not -name '*.md') conftest.py pyproject.toml tools/nbval_pictures.py tools/forked_kernels.py
PAGES := $(NOTEBOOKS) $(call files,book,-name '*.md')
# The guards of what a page shows; the others are about code.
PAGE_GUARDS := $(addprefix tests/guards/,test_notebooks.py test_chapters.py test_generated.py)

.PHONY: help env book bench-bundle bench-test test check lint pytest fuzz update-outputs lab lab-test chapter chromium pdf pdf-test site-test compare-frameworks keep-oracles wheel-test coverage nightly slow-tests explore site-looks clean distclean FORCE

help: ## Show this list
	@echo "Gradients Through Time: make <target>"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

# ---- environment

env: $(VENV)/.requirements ## Make .venv and install the pinned requirements and the package

$(VENV)/.requirements: requirements.txt constraints.txt pyproject.toml
	@PYTHON="$(PYTHON)" tools/make_env $(VENV)
	@touch $@

install = $(BIN)/python -m pip install --no-compile -r $(1) | awk '/^(Collecting|Installing)/ { print "   ", $$1, $$2; fflush() }'

# ---- checks

test: lint pytest ## Prove it: ruff, mypy, pytest, and a fresh run of every notebook, compared with what is stored
	@echo "== all checks passed"

lint: $(VENV)/.requirements
	@echo "== ruff"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@echo "== mypy"
	@$(BIN)/python -m mypy

# No flags of this make for those that tests call.
run = MAKEFLAGS= PYTHONSTARTUP=$(CURDIR)/tools/kernel_start.py $(BIN)/python -m pytest --nbval --nbval-current-env -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=100

# Tests and notebooks share one pool of workers. A notebook that has passed with this code is left out: its stamp is
# newer than it and all code; and `make book` leaves out the guards, which are among the tests. After a failure,
# `.venv/bin/python -m pytest --lf` runs what failed.
CHECKED := $(NOTEBOOKS:%=$(STAMPS)/%)

pytest: $(CHECKED)
	@echo "== pytest, with $(words $(STALE)) of $(words $(NOTEBOOKS)) notebooks"
	@mkdir -p $(sort $(dir $(CHECKED))) && touch $(STAMPS)/begun
	@$(run) tests $(STALE)
	@touch -r $(STAMPS)/begun $(STAMPS)/guards $(STALE:%=$(STAMPS)/%)

$(CHECKED): $(STAMPS)/%: % $(CODE) $(VENV)/.requirements
	$(eval STALE += $<)

check: $(VENV)/.requirements ## Check one part in a minute, its tests and notebooks: make check PART=lfmn
	@[ -d "book/$(PART)" ] && [ -n "$(PART)" ] || { echo "PART: expected one of $(filter-out book/,$(sort $(patsubst book/%/,%,$(dir $(NOTEBOOKS))))), got '$(PART)'" >&2; exit 2; }
	@$(BIN)/ruff check .
	@$(run) tests/guards/test_notebooks.py $(wildcard tests/book/$(PART)) $(filter book/$(PART)/%,$(NOTEBOOKS))

# Each case is a true equation and falsehoods made of it; a run that was stopped goes on where it was.
FUZZ_CASES := 520
FUZZ_WORKERS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)

fuzz: $(VENV)/.requirements ## Put thousands of random falsehoods and truths to the engine
	@echo "== $(FUZZ_CASES) random recurrences of each kind; each with a true equation and falsehoods made of it"
	@PYTHONPATH=tests/fuzz $(BIN)/python -m fuzzing --cases $(FUZZ_CASES) --workers $(FUZZ_WORKERS)

# ---- the book

book: $(SITE)/.built ## Build the site into _build/html from the outputs that the notebooks store
	@echo "== open file://$(CURDIR)/$(SITE)/index.html"
	@echo "== its outputs are the stored ones: make test compares them with a fresh run"

# What a build cannot see: cells never run, figures without words, tables that are not those of the other pages.
$(STAMPS)/guards: $(PAGES) $(CODE) $(PAGE_GUARDS) tests/guards/page_guards.py _toc.yml $(wildcard benchmarks/*.*) $(VENV)/.requirements
	@echo "== the guards of the pages"
	@$(BIN)/python -m pytest -q $(PAGE_GUARDS)
	@mkdir -p $(@D) && touch $@

# Where only pages have changed, only these are built.
$(SITE)/.built: $(PAGES) $(CODE) $(call files,web) _config.yml _toc.yml CITATION.cff $(STAMPS)/addresses | $(STAMPS)/guards
	@echo "== jupyter-book"
	@$(if $(filter-out $(PAGES),$?),rm -rf $(SITE))
	@$(BIN)/jupyter-book build . $(if $(filter-out $(PAGES),$?),--all) -W -n --keep-going
	@touch $@

# Changes only when an address does, so that buttons and heads of pages follow it.
$(STAMPS)/addresses: FORCE
	@mkdir -p $(@D); known="$${THROUGHTIME_REPOSITORY_URL:-} $${THROUGHTIME_SITE_URL:-}"; \
	printf '%s\n' "$$known" | cmp -s - $@ || printf '%s\n' "$$known" > $@

# Python and SymPy for the page that derives in the browser; without it the page says what to do. Needs Node with npm.
BUNDLE := _build/bench

bench-bundle: $(BUNDLE)/packages.zip ## Fetch Python for the browser, from npm and PyPI by digest, for the page of the bench

$(BUNDLE)/packages.zip: tools/bench_bundle.py tools/bench_pyc.mjs web/bench_answers.py $(filter lib/%.py,$(CODE)) $(VENV)/.requirements
	@echo "== Pyodide, SymPy and the library for the browser"
	@$(BIN)/python tools/bench_bundle.py $(BUNDLE)
	@rm -f $(SITE)/.built # a site that has been built is built again, with it

update-outputs: $(VENV)/.requirements ## Run every notebook afresh and store its outputs
	@$(BIN)/python tools/run_notebooks.py $(NOTEBOOKS)

# JupyterLab shows no stored drawing of a notebook that it does not trust. Jupyter starts as root, as in most containers,
# only if it is told so.
lab: $(VENV)/.requirements ## Open the chapters in JupyterLab
	@$(BIN)/jupyter trust $(NOTEBOOKS) > /dev/null
	@first=$$(sed -n 's/.*\(file\|root\): *book\///p' _toc.yml | while read -r page; do \
		[ -f "book/$$page.ipynb" ] && echo "/$$page.ipynb" && break; done || true); \
	root=$$([ "$$(id -u)" -ne 0 ] || echo --allow-root); \
	$(BIN)/jupyter lab $$root --ServerApp.root_dir=book --LabApp.extra_labextensions_path=tools/lab \
		--LabApp.default_url="/lab/tree$$first"

chapter: $(VENV)/.requirements ## Write the skeleton of a chapter: make chapter NAME=part/chapter
	@$(BIN)/python tools/new_chapter.py '$(NAME)'

# ---- checks that need more than Python

chromium:
	@tools/install_chromium

# SITE_PAGES='book/lfmn/*,index*' visits these pages alone. SITE_LOOKS=all looks at each page at three widths in light and
# in dark mode, which is for every night; without it once, from page to page in turn wide and light, narrow and dark.
site-test: $(SITE)/.built $(VENV)/.site-requirements ## Visit every page of the site with a headless Chromium
	@$(BIN)/python -m pytest -n $(WORKERS) --durations=30 tests/site

# The second make finds the bundle that the first has made.
bench-test: $(VENV)/.site-requirements ## Ask the bench in a browser, and compare with what Python prints
	@$(MAKE) --no-print-directory bench-bundle
	@$(MAKE) --no-print-directory book
	@$(BIN)/python -m pytest tests/site/nightly/test_bench_bundle.py

lab-test: $(VENV)/.site-requirements
	@$(BIN)/python -m pytest tests/site/nightly/test_lab.py

# About three minutes: _build/pdf holds a volume for each part, and one of all exercises.
PDF := _build/pdf
paper = PYTHONPATH=tools:tests/site $(BIN)/python

pdf: $(SITE)/.built $(VENV)/.pdf-requirements ## Print the book into _build/pdf, a volume for each part and one of exercises
	@$(paper) -m paper . $(PDF)

pdf-test: $(SITE)/.built $(VENV)/.pdf-requirements
	@$(paper) -m pytest tests/paper/nightly

$(VENV)/.pdf-requirements: tools/paper/requirements.txt tests/site/requirements.txt $(VENV)/.requirements
	@$(call install,tools/paper/requirements.txt)
	@touch $@

$(VENV)/.site-requirements: tests/site/requirements.txt $(VENV)/.requirements
	@$(call install,tests/site/requirements.txt)
	@touch $@

# What the frameworks give is compared with the library, and what PyTorch gives with the values of tests/oracles/kept.jsonl.
compare-frameworks: $(VENV)/.oracles-requirements ## Compare with PyTorch, JAX and ONNX themselves (installs them)
	@ORACLES=live $(BIN)/python -m pytest tests/oracles tests/oracles/nightly -n $(WORKERS) --dist loadfile

# In one process: the file holds what the whole run has asked.
keep-oracles: $(VENV)/.oracles-requirements ## Store what PyTorch gives, for tests without it
	@ORACLES=record $(BIN)/python -m pytest tests/oracles

$(VENV)/.oracles-requirements: tests/oracles/requirements.txt $(VENV)/.requirements
	@echo "== installing PyTorch, JAX and ONNX for the CPU"
	@$(call install,tests/oracles/requirements.txt)
	@touch $@

wheel-test: $(VENV)/.requirements ## Build the wheel and run the library's tests with it in an empty environment
	@$(BIN)/python -m pytest tests/wheel/nightly

# Lines and branches together; the engine's own tests alone, since a chapter's that passes by says nothing of the engine.
coverage: export COVERAGE_FILE := _build/coverage
coverage: $(VENV)/.coverage-requirements ## Measure which lines and branches of the engine its tests reach
	@mkdir -p $(dir $(COVERAGE_FILE))
	@$(BIN)/python -m pytest tests/derivation -n $(WORKERS) --dist loadfile \
		--cov=throughtime.derivation --cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=95

$(VENV)/.coverage-requirements: tests/derivation/requirements.txt $(VENV)/.requirements
	@$(call install,tests/derivation/requirements.txt)
	@touch $@

# ---- what takes too long for every change; `make -k nightly` goes on after a step that fails

nightly: slow-tests explore coverage bench-test lab-test pdf-test site-looks compare-frameworks wheel-test fuzz ## All that no change waits for: live frameworks, the wheel alone, the engine's coverage, the whole fuzzer

slow-tests: $(VENV)/.requirements
	@echo "== the tests marked nightly"
	@$(BIN)/python -m pytest -m nightly -n $(WORKERS) --dist loadfile

explore: $(VENV)/.requirements
	@echo "== new examples for hypothesis"
	@$(BIN)/python -m pytest -n $(WORKERS) --hypothesis-profile=explore $$(grep -rlE --include='test_*.py' '^(from|import) hypothesis' tests)

site-looks: export SITE_LOOKS := all
site-looks: site-test

# ---- tidying

clean: ## Remove everything built, keep the environment
	rm -rf $(SITE) _build/.doctrees _build/.jupyter_cache _build/jupyter_execute $(BUNDLE) $(PDF) $(STAMPS) .pytest_cache .ruff_cache .hypothesis
	find lib book tests tools web -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## Remove the environment as well
	rm -rf _build $(VENV)
