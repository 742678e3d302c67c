"""What the contracts ask for, as data: one `rules_<contract>.py` per contract, each with a `CONTRACT`.

A test that checks a rule names its id in the docstring. A rule is either cited by a test or pending, never both; what
a cited rule still lacks, and where we differ on purpose, stands beside it.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
TESTS = HERE.parent
RULE = re.compile(r"\b(?:K|GR|KR|GN)-[A-Z]+-\d+\b")


@dataclass(frozen=True, slots=True)
class Contract:
    """The rules of a contract by id, in short words of our own."""

    name: str
    rules: Mapping[str, str]
    pending: Mapping[str, str] = field(default_factory=dict)
    """Rules without a test, and why."""
    gaps: Mapping[str, str] = field(default_factory=dict)
    """What a rule asks for besides what is tested, and why that is missing."""
    divergences: Mapping[str, str] = field(default_factory=dict)
    """Where we do otherwise, and why."""


def contracts() -> list[Contract]:
    """Every contract that has a file of rules here."""
    return [import_module(path.stem).CONTRACT for path in sorted(HERE.glob("rules_*.py"))]


def citations() -> Iterator[tuple[str, str]]:
    """The rules that tests cite, each with its test."""
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                for rule in RULE.findall(ast.get_docstring(node) or ""):
                    yield rule, f"{path.relative_to(TESTS)}: {node.name}"
