.PHONY: all check test test-all docs run fix build

all: check test

check:
	.venv/bin/ruff format --check && .venv/bin/ruff check && .venv/bin/mypy && .venv/bin/lint-imports

test:
	.venv/bin/pytest -n 2 -m 'not slow'

test-all:
	.venv/bin/pytest -n 2

docs:
	.venv/bin/python docs/generate.py

run:
	.venv/bin/commonplace serve

fix:
	.venv/bin/ruff check --fix; .venv/bin/ruff format

build:
	.venv/bin/pip wheel --no-deps --wheel-dir dist ./models/* .
