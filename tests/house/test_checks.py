import subprocess
import sys
from pathlib import Path

import pytest
from tree import ROOT

BIN = Path(sys.executable).parent
CHECKS = ("ruff format --check", "ruff check", "mypy", "lint-imports")


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS)
def test_the_checks_pass(check: str) -> None:
    tool, *arguments = check.split()
    done = subprocess.run([BIN / tool, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_make_runs_the_same_checks() -> None:
    recipe = " && ".join(f".venv/bin/{check}" for check in CHECKS)
    assert f"\t{recipe}\n" in (ROOT / "Makefile").read_text("utf-8")


def test_the_makefile_has_eight_targets_of_one_line() -> None:
    rules = (ROOT / "Makefile").read_text("utf-8").split("\n\n")[1:]
    assert len(rules) == 8
    assert all(rule.strip().count("\n\t") <= 1 for rule in rules)
