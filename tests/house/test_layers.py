"""What import-linter cannot say of the rooms: each rule is an absence."""

import ast
import re
from collections.abc import Iterator

import pytest
from tree import functions, imports, modules, room

from commonplace.store.queries import queries

BROAD = {"Exception", "BaseException"}
BROAD_HANDLERS = {("surfaces/dispatch.py", "guarded")}
"""The dispatch boundary, where a bug in one call must not end the server."""

LAZY = {
    "__main__.py": "standard output is taken before anything is imported that might print",
    "bootstrap.py": "the PostgreSQL engine needs a driver that is an extra",
}
ADAPTERS = {"SqliteEngine", "PostgresEngine", "SystemClock", "RandomIds", "DeterministicRewriter", "default_embedder"}
SQL = re.compile(r"\b(SELECT\s+[\w*]|INSERT INTO|DELETE FROM|UPDATE \w+ SET|CREATE TABLE|PRAGMA )")
CLOCKS = {"time", "now", "utcnow", "today", "time_ns", "monotonic"}


def of(*rooms: str) -> Iterator[tuple[str, ast.Module]]:
    return ((module, tree) for module, tree in modules().items() if room(module) in rooms)


def names(tree: ast.AST) -> set[str]:
    """Every name and attribute that is used."""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return used | {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def own(tree: ast.AST) -> set[str]:
    return {module for module in imports(tree) if module.split(".")[0] == "commonplace"}


def test_only_config_reads_the_environment() -> None:
    readers = {module for module, tree in modules().items() if names(tree) & {"environ", "getenv", "environb"}}
    assert readers == {"config.py"}


def test_broad_excepts_stand_only_at_the_boundaries() -> None:
    found = {
        (module, function.name)
        for module, tree in modules().items()
        for function in functions(tree)
        for node in ast.walk(function)
        if isinstance(node, ast.ExceptHandler) and (node.type is None or names(node.type) & BROAD)
    }
    assert found == BROAD_HANDLERS


@pytest.mark.parametrize("driver", ["apsw", "psycopg", "psycopg_pool", "pgvector", "sqlite3"])
def test_only_the_store_knows_a_database_driver(driver: str) -> None:
    users = {module for module, tree in modules().items() if driver in {each.split(".")[0] for each in imports(tree)}}
    assert {room(module) for module in users} <= {"store"}


def test_only_the_store_holds_sql() -> None:
    found = {
        (module, node.value)
        for module, tree in modules().items()
        if room(module) != "store"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.search(node.value)
    }
    assert found == set()


def test_only_the_composition_root_names_adapters() -> None:
    users = {
        module
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and ADAPTERS & {alias.name for alias in node.names}
    }
    assert users == {"bootstrap.py"}


def test_our_own_modules_are_imported_at_the_top() -> None:
    lazy = {module for module, tree in modules().items() if any(own(function) for function in functions(tree))}
    assert lazy == set(LAZY)


def test_the_inner_rooms_read_no_clock() -> None:
    found = {
        (module, node.func.attr)
        for module, tree in of("model", "retrieval", "ingest", "surfaces")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS
    }
    assert found == set()


def test_async_stands_only_in_the_server() -> None:
    found = {
        room(module)
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncFunctionDef | ast.Await)
    }
    assert found == {"server"}


def test_the_core_knows_no_protocol() -> None:
    wires = {"starlette", "uvicorn", "httptools", "click", "anyio", "asyncio"}
    found = {
        module for module, tree in of("core", "store", "model", "retrieval", "ingest", "auth") if wires & packages(tree)
    }
    assert found == set()


def packages(tree: ast.AST) -> set[str]:
    return {module.split(".")[0] for module in imports(tree)}


def test_a_dialect_imports_only_requests_values_and_the_contract() -> None:
    shared = {"__init__", "contract", "schema", "arguments", "dispatch", "offers", "routes", "openapi"}
    found = {
        (dialect, each)
        for module, tree in of("surfaces")
        if (dialect := module.removeprefix("surfaces/").removesuffix(".py")) not in shared
        for each in own(tree)
        if not re.fullmatch(allowed_of(dialect), each)
    }
    assert found == set()


def allowed_of(dialect: str) -> str:
    """What a dialect may import: besides the shared, what belongs to itself and bears its name."""
    itself = dialect.partition("_")[0]
    return rf"commonplace\.(model\..*|core\.requests|surfaces|surfaces\.(contract|routes|{itself}\w*))"


def test_every_named_query_is_used() -> None:
    trees = [tree for _, tree in of("store", "core", "operations")]
    said = {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    built = [pattern for tree in trees for node in ast.walk(tree) if (pattern := built_name(node))]
    unused = {
        query
        for dialect in ("sqlite", "postgres")
        for query in queries(dialect)
        if query not in said and not any(pattern.fullmatch(query) for pattern in built)
    }
    assert unused == set()


def built_name(node: ast.AST) -> re.Pattern[str] | None:
    """What an f-string that begins with a word and goes on with names may say."""
    if not isinstance(node, ast.JoinedStr) or not isinstance(node.values[0], ast.Constant):
        return None
    return re.compile(
        "".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else "[a-z_]+" for part in node.values)
    )
