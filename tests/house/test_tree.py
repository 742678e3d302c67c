"""What a newcomer meets: short documents, no dead ends, nothing of any one machine."""

import ast
import re
import tomllib
from collections import Counter

import pytest
from tree import PACKAGE, ROOT, files, functions, modules, name

BLOB_BYTES_MAX = 256 * 1024
LINES_MAX = {"README.md": 140, "ARCHITECTURE.md": 300, "CONTRIBUTING.md": 100, "STYLE.md": 100}
MACHINE = re.compile(r"(?<![\w.~-])/(?:root|home|work|opt|Users)/|file:/{3}|\.pyenv")
HOSTS = re.compile(r"pypi\.|pythonhosted|index-url|/simple\b")
CALLED_BY_LIBRARIES = {"dump"}
"""psycopg's name for what turns a value into bytes."""


def texts() -> dict[str, str]:
    """The files of the project that are text, except the models'."""
    found = {}
    for path in files():
        if "models" not in path.relative_to(ROOT).parts[:1]:
            found[name(path)] = path.read_text("utf-8")
    return found


@pytest.mark.parametrize("document", LINES_MAX)
def test_documents_stay_short(document: str) -> None:
    assert len((ROOT / document).read_text("utf-8").splitlines()) <= LINES_MAX[document]


def test_every_document_has_one_title() -> None:
    titles = {
        path: len(re.findall(r"^# ", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE))
        for path, text in texts().items()
        if path.endswith(".md")
    }
    assert {path for path, count in titles.items() if count != 1} == set()


def test_no_file_names_a_path_of_one_machine_or_a_host_of_packages() -> None:
    told = {path for path, text in texts().items() if MACHINE.search(text) or HOSTS.search(text)}
    assert told <= {"tests/house/test_tree.py"}


def test_only_the_models_are_large() -> None:
    large = {name(path) for path in files() if path.stat().st_size > BLOB_BYTES_MAX}
    assert {path for path in large if not path.startswith("models/")} == set()


def test_every_module_is_imported_by_another() -> None:
    commands = (PACKAGE / "cli" / "__init__.py").read_text("utf-8")
    said = "\n".join(ast.unparse(tree) for tree in modules().values())
    dead = {
        module
        for module in modules()
        if not module.endswith("__init__.py")
        and module != "__main__.py"
        and not is_imported(module.removesuffix(".py").replace("/", "."), said)
        and not (module.startswith("cli/") and f'"{module[4:-3]}"' in commands)
    }
    assert dead == set()


def is_imported(module: str, said: str) -> bool:
    parent, _, last = module.rpartition(".")
    above = f"commonplace.{parent}" if parent else "commonplace"
    return f"from commonplace.{module} import" in said or bool(
        re.search(rf"from {re.escape(above)} import [^\n]*\b{last}\b", said)
    )


def test_every_public_function_is_used() -> None:
    code = "\n".join(path.read_text("utf-8") for path in files() if path.suffix == ".py")
    once = {word for word, count in Counter(re.findall(r"\w+", code)).items() if count == 1}
    unused = {
        f"{module}: {function.name}"
        for module, tree in modules().items()
        for function in functions(tree)
        if function.name in once - CALLED_BY_LIBRARIES and not function.decorator_list
    }
    assert unused == set()


@pytest.mark.parametrize("part", ["control", "store"])
def test_migrations_are_numbered_without_gaps(part: str) -> None:
    found = sorted(path.name for path in (PACKAGE / "store" / "sql" / "migrations" / part).iterdir())
    assert all(re.fullmatch(r"\d{4}_[a-z_]+(\.(sqlite|postgres))?\.sql", file) for file in found), found
    numbers = sorted({int(file[:4]) for file in found})
    assert numbers == list(range(1, len(numbers) + 1))


def test_every_table_of_a_workspace_leads_its_keys_with_the_workspace() -> None:
    sql = "\n".join(path.read_text("utf-8") for path in (PACKAGE / "store" / "sql" / "migrations" / "store").iterdir())
    tables = re.findall(r"CREATE TABLE (\w+) \((.*?)\n\);", sql, re.DOTALL)
    keys = {table: re.findall(r"(?:PRIMARY KEY|UNIQUE) \((\w+)", body) for table, body in tables}
    assert {table for table, leading in keys.items() if set(leading) - {"workspace_id"}} == set()
    assert set(re.findall(r"CREATE INDEX \w+ ON \w+ \((\w+)", sql)) == {"workspace_id"}


def pins(path: str) -> dict[str, str]:
    """The versions that a file of pins names, with their markers."""
    lines = (ROOT / path).read_text("utf-8").splitlines()
    return dict(line.removesuffix(" \\").split("==", 1) for line in lines if re.match(r"[a-z0-9]", line))


def test_the_pins_cover_what_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [*project["dependencies"], *(each for extra in project["optional-dependencies"].values() for each in extra)]
    names = {re.split(r"[^\w-]", each)[0].lower() for each in asked}
    assert names - set(pins("constraints.txt")) == {"commonplace", "commonplace-embed"}


def test_the_lock_agrees_with_the_constraints_and_names_no_place() -> None:
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    assert pins("requirements.lock").items() <= pins("constraints.txt").items()
    assert lock.count("\n    --hash=sha256:") > len(pins("requirements.lock"))
    assert not re.search(r"://|@", lock + (ROOT / "constraints.txt").read_text("utf-8"))
