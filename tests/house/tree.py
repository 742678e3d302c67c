"""The project as these tests read it: its files, and its modules as syntax trees."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "commonplace"
MADE = {"__pycache__", "build", "dist"}


@cache
def files() -> tuple[Path, ...]:
    """Every file that belongs to the project; git is not asked, so that a plain copy of the tree does as well."""
    return tuple(sorted(_files(ROOT)))


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name in MADE or (path.name.startswith(".") and path.name not in {".ci", ".gitignore"}):
            continue
        if path.is_dir():
            yield from _files(path)
        else:
            yield path


def name(path: Path) -> str:
    """A path as it is told to people."""
    return path.relative_to(ROOT).as_posix()


@cache
def modules() -> dict[str, ast.Module]:
    """The modules of the package, by their path within it."""
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")}


def room(module: str) -> str:
    """The room of a module; those that stand outside of every room are their own."""
    return module.partition("/")[0].removesuffix(".py")


def imports(tree: ast.AST) -> Iterator[str]:
    """The names of the modules that a tree imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
