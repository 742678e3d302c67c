"""The words that docs/glossary.md gives up are not names in the inner rooms, nor tables and columns of the store."""

import ast
import re
from collections.abc import Iterator

from tree import PACKAGE, ROOT, modules, room

OUTER = {"surfaces", "cli"}
"""The rooms that speak the words of others."""

ALLOWED = {
    "memory_type": "a column and a parameter of every surface",
    "MemoryType": "its values",
    "section": "the part of a text under one heading, before it is cut",
    "section_end": "where that ends",
}
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def replacements() -> dict[str, str]:
    """The banned words, each with the word to use."""
    lines = (ROOT / "docs" / "glossary.md").read_text("utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return {banned.strip(): row[0] for row in cells[1:] for banned in row[2].split(",") if banned.strip()}


def names(tree: ast.AST) -> Iterator[str]:
    """What a module gives a name to."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.alias(asname=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name


def faults(place: str, found: Iterator[str]) -> Iterator[str]:
    banned = replacements()
    for name in sorted(set(found) - set(ALLOWED)):
        for word in WORDS.findall(name):
            if use := banned.get(word.lower()):
                yield f"{place}: {name}: say {use} instead of {word.lower()}"


def test_names_in_the_inner_rooms_keep_to_the_glossary() -> None:
    found = [
        fault
        for module, tree in modules().items()
        if room(module) not in OUTER
        for fault in faults(module, names(tree))
    ]
    assert not found, "\n".join(found)


def test_tables_and_columns_keep_to_the_glossary() -> None:
    found = [
        fault
        for path in sorted(PACKAGE.rglob("migrations/**/*.sql"))
        for fault in faults(path.name, columns(path.read_text("utf-8")))
    ]
    assert not found, "\n".join(found)


def columns(sql: str) -> Iterator[str]:
    yield from re.findall(r"CREATE (?:VIRTUAL )?TABLE (\w+)", sql)
    yield from re.findall(r"^    ([a-z_]+) ", sql, re.MULTILINE)


def test_a_banned_word_is_noticed() -> None:
    assert list(faults("here", iter(["edge_id", "Engrams", "engram", "collection"]))) == [
        "here: edge_id: say relation instead of edge",
        "here: engram: say collection instead of engram",
    ]
