"""PostgreSQL through psycopg: one database, row-level security, a role that cannot step around it."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from uuid import UUID

from commonplace.model.errors import CommonplaceError, Conflict, Invalid, TooLarge, Unavailable
from commonplace.store.connection import CONTROL, Half, Row
from commonplace.store.migrate import Kind, outstanding
from commonplace.store.queries import queries

try:
    import psycopg
    from psycopg.abc import Buffer
    from psycopg.adapt import Dumper, Loader
    from psycopg.pq import Format, TransactionStatus
    from psycopg.rows import dict_row
    from psycopg.types import TypeInfo
    from psycopg_pool import ConnectionPool, PoolTimeout
except ImportError as error:
    raise Unavailable("PostgreSQL needs its driver: install commonplace[postgres].") from error

SCHEMA = "commonplace"
ROLE = "commonplace_tenant"
MIGRATION_LOCK = 0x636F6D6D
POOL_MAX = 32
POOL_WAIT_S = 30.0
CONNECT_S = 10
RECONNECT_S = 2.0
ANALYSED_AFTER = (50, 500, 5_000)
"""Writes of a process after which it has the planner count the tables: autovacuum comes once a minute, and by then a
search through tables that were never counted may have read every row for every row."""
# Tables of our own schema first: theirs may have the same names, and `vector` is a type of the extension's.
FIND_TABLES = f"SET search_path = {SCHEMA}, public".encode()
CREATE_ROLE = f"CREATE ROLE {ROLE} NOLOGIN NOSUPERUSER NOBYPASSRLS"

Raw = psycopg.Connection[dict[str, Any]]

log = logging.getLogger(__name__)


class TextId(Loader):
    """A uuid column as the text that ids are everywhere else."""

    format = Format.BINARY

    def load(self, data: Buffer) -> str:
        """The canonical form."""
        return str(UUID(bytes=bytes(data)))


class HalfDumper(Dumper):
    """A vector to pgvector's binary form: dimension, zero, big-endian numbers."""

    format = Format.BINARY

    def dump(self, obj: Half) -> bytes:
        """The same 16-bit floats, their bytes swapped."""
        return (len(obj) // 2).to_bytes(2, "big") + b"\0\0" + _swapped(obj)


class HalfLoader(Loader):
    """A vector from pgvector's binary form."""

    format = Format.BINARY

    def load(self, data: Buffer) -> Half:
        """The same 16-bit floats, their bytes swapped."""
        return Half(_swapped(bytes(data)[4:]))


def _swapped(data: bytes) -> bytes:
    turned = bytearray(data)
    turned[0::2], turned[1::2] = data[1::2], data[0::2]
    return bytes(turned)


@contextmanager
def translated() -> Iterator[None]:
    """Turn the driver's errors into ours, each with what to do."""
    try:
        yield
    except (
        psycopg.errors.UniqueViolation,
        psycopg.errors.SerializationFailure,
        psycopg.errors.DeadlockDetected,
    ) as error:
        raise Conflict("Another write came first; try again.") from error
    except psycopg.DataError as error:
        raise Invalid(f"PostgreSQL cannot keep this value: {_reason(error)}.") from error
    except psycopg.errors.ProgramLimitExceeded as error:
        raise TooLarge("A name or another text that is searched for as a whole is too long: shorten it.") from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise Unavailable(
            f"This PostgreSQL role may not use the tables of Commonplace ({_reason(error)}): "
            "use the role that made them, or let an administrator grant them."
        ) from error
    except psycopg.errors.DiskFull as error:
        raise Unavailable("PostgreSQL's disk is full: nothing was written; free some space and try again.") from error
    except (psycopg.OperationalError, PoolTimeout) as error:
        raise Unavailable(
            f"PostgreSQL cannot be reached ({_reason(error)}): start it or correct the database address."
        ) from error


def _reason(error: Exception) -> str:
    """The first line of what the driver says."""
    return next(iter(str(error).strip().splitlines()), "no answer").rstrip(".")


class PostgresConnection:
    """Runs named queries inside one transaction."""

    def __init__(self, raw: Raw) -> None:
        self.raw = raw
        self.queries = queries("postgres")

    def run(self, query: str, parameters: Row) -> int:
        """Run a query and tell how many rows it changed."""
        with translated():
            return self.raw.execute(self._text(query), _bound(parameters)).rowcount

    def many(self, query: str, parameters: Iterable[Row]) -> None:
        """Run a query once per set of parameters."""
        with translated(), self.raw.cursor() as cursor:
            cursor.executemany(self._text(query), [_bound(each) for each in parameters])

    def one(self, query: str, parameters: Row) -> Row | None:
        """The first row, or None."""
        with translated():
            return self.raw.execute(self._text(query), _bound(parameters), binary=True).fetchone()

    def all(self, query: str, parameters: Row) -> list[Row]:
        """Every row."""
        with translated():
            return cast("list[Row]", self.raw.execute(self._text(query), _bound(parameters), binary=True).fetchall())

    def plain(self, text: str) -> None:
        """Run statements of the schema or of a transaction."""
        with translated():
            self.raw.execute(text.encode(), prepare=False)

    def _text(self, query: str) -> bytes:
        return self.queries[query].encode()


def _bounds(part: str, *, write: bool) -> Iterator[str]:
    if not write:
        yield "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
    if part != CONTROL:
        yield f"SET LOCAL ROLE {ROLE}"
        yield f"SELECT set_config('commonplace.workspace', '{UUID(part)}', true)"


def _location(address: str) -> str:
    """Where the database is, without who may enter."""
    told = psycopg.conninfo.conninfo_to_dict(address)
    return psycopg.conninfo.make_conninfo(
        "", **{name: told[name] for name in ("host", "port", "dbname") if name in told}
    )


def _bound(parameters: Row) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in parameters.items()}


class PostgresEngine:
    """One database with every part in it."""

    encrypted = False

    def __init__(self, address: str) -> None:
        self.location = _location(address)
        self._address = address
        self._pool: ConnectionPool[Raw] = ConnectionPool(
            address,
            min_size=0,
            max_size=POOL_MAX,
            timeout=POOL_WAIT_S,
            open=False,
            configure=self._configure,
            reconnect_timeout=RECONNECT_S,
            connection_class=cast("type[Raw]", psycopg.Connection),
            kwargs={"row_factory": dict_row, "connect_timeout": CONNECT_S},
        )
        self._halfvec: TypeInfo | None = None
        self._writes = 0
        with translated(), psycopg.connect(address, connect_timeout=CONNECT_S, row_factory=dict_row) as raw:
            raw.execute(FIND_TABLES)
            self._make_role(raw)
            self._migrate(PostgresConnection(raw))
            self._refuse_strong_role(raw)
            self._halfvec = TypeInfo.fetch(raw, "halfvec")
        self._pool.open()

    def _configure(self, raw: Raw) -> None:
        raw.execute(FIND_TABLES)
        raw.commit()
        raw.adapters.register_loader("uuid", TextId)
        if self._halfvec:
            self._halfvec.register(raw)
            dumper = type("HalfDumper", (HalfDumper,), {"oid": self._halfvec.oid})
            raw.adapters.register_dumper(Half, dumper)
            raw.adapters.register_loader(self._halfvec.oid, HalfLoader)

    @contextmanager
    def transaction(self, part: str, *, write: bool) -> Iterator[PostgresConnection]:
        """One transaction under the tenant's role; the control part keeps the role of the address."""
        with translated():
            raw = self._begun("; ".join(_bounds(part, write=write)) or "SELECT 1")
            try:
                yield PostgresConnection(raw)
                raw.commit()
            finally:
                if not raw.closed and raw.info.transaction_status != TransactionStatus.IDLE:
                    raw.rollback()
                self._pool.putconn(raw)
        if write and part != CONTROL:
            self._writes += 1
            if self._writes in ANALYSED_AFTER:
                self._count_tables()

    def _begun(self, bounds: str) -> Raw:
        """A connection in a transaction. After a restart of the server the idle ones are dead: each is met once."""
        for _ in range(POOL_MAX):
            raw = self._pool.getconn()
            try:
                raw.execute(bounds.encode(), prepare=False)
            except psycopg.OperationalError:
                self._pool.putconn(raw)
                psycopg.connect(self._address, connect_timeout=CONNECT_S).close()
            else:
                return raw
        raise Unavailable("PostgreSQL ends every connection; look into its log.")

    def prepare(self, part: str, *, create: bool = False) -> None:
        """Nothing to make: a workspace is rows."""

    def drop(self, part: str) -> None:
        """Delete every row of a workspace."""
        with self.transaction(part, write=True) as connection:
            for row in connection.all("tenant_tables", {"role": ROLE}):
                connection.plain(f"DELETE FROM {row['name']}")

    def clear_journal(self, part: str) -> bool:
        """Vacuum the tables that held the content; the journal and replicas are outside the promise."""
        self._maintain("VACUUM")
        return True

    def _count_tables(self) -> None:
        """Let the planner count; the write before it is kept, whatever becomes of this."""
        try:
            self._maintain("ANALYZE")
        except (CommonplaceError, psycopg.Error) as error:
            log.debug("the tables were not counted: %s", error.__cause__ or error)

    def _maintain(self, command: str) -> None:
        """Run a command on every table of the workspaces, outside a transaction."""
        with translated(), self._pool.connection() as raw:
            names = [row["name"] for row in PostgresConnection(raw).all("tenant_tables", {"role": ROLE})]
            raw.commit()
            raw.autocommit = True
            try:
                raw.execute(f"{command} {', '.join(names)}".encode())
            finally:
                raw.autocommit = False

    def size_bytes(self, part: str) -> int:
        """The bytes of the whole database."""
        with self.transaction(CONTROL, write=False) as connection:
            row = connection.one("database_size", {})
        return int(row["bytes"]) if row else 0

    def copy(self, part: str, path: Path) -> None:
        """PostgreSQL has tools of its own for this."""
        raise Invalid(
            "A PostgreSQL store is backed up with its own tools: run pg_dump --format=custom --file=FILE ADDRESS, "
            "and pg_restore to bring it back."
        )

    def check(self, part: str) -> list[str]:
        """Nothing: its pages are PostgreSQL's own affair."""
        return []

    def versions(self) -> Mapping[str, str]:
        """The server and its vector extension."""
        with self.transaction(CONTROL, write=False) as connection:
            return dict(connection.one("server_versions", {}) or {})

    def close(self) -> None:
        """Let go of every connection."""
        self._pool.close()

    def _make_role(self, raw: Raw) -> None:
        held = raw.execute(
            "SELECT pg_has_role(oid, 'MEMBER') AS granted FROM pg_roles WHERE rolname = %s", (ROLE,)
        ).fetchone()
        if held and held["granted"]:
            return
        try:
            with raw.transaction():
                if not held:
                    raw.execute(CREATE_ROLE.encode())
                raw.execute(f"GRANT {ROLE} TO CURRENT_USER".encode())
        except (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
            # Another process was faster: roles belong to all databases of a server.
            self._make_role(raw)
        except psycopg.errors.InsufficientPrivilege as error:
            user = raw.info.user
            raise Unavailable(
                f"{user} may not create roles; let a database administrator run: {CREATE_ROLE}; GRANT {ROLE} TO {user};"
            ) from error

    def _migrate(self, connection: PostgresConnection) -> None:
        connection.plain(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
        self._make_extension(connection.raw)
        connection.plain(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}; GRANT USAGE ON SCHEMA {SCHEMA} TO {ROLE}")
        connection.run("make_migration", {})
        kinds: tuple[Kind, ...] = ("control", "store")
        for kind in kinds:
            applied = connection.one("applied_migration", {"kind": kind}) or {"number": 0}
            for step in outstanding(kind, "postgres", applied["number"] or 0, "The database"):
                connection.plain(step.sql)
                connection.run("insert_migration", {"kind": kind, "number": step.number, "name": step.name})

    def _make_extension(self, raw: Raw) -> None:
        try:
            with raw.transaction():
                raw.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except psycopg.Error as error:
            raise Unavailable(
                "PostgreSQL lacks pgvector 0.8: install it and let an administrator run: CREATE EXTENSION vector;"
            ) from error

    def _refuse_strong_role(self, raw: Raw) -> None:
        with raw.transaction():
            raw.execute(f"SET LOCAL ROLE {ROLE}".encode())
            strong = raw.execute(
                "SELECT rolsuper OR rolbypassrls AS strong FROM pg_roles WHERE rolname = current_user"
            ).fetchone()
        if strong and strong["strong"]:
            raise Unavailable(
                f"The role {ROLE} could read every workspace; let an administrator run: "
                f"ALTER ROLE {ROLE} NOSUPERUSER NOBYPASSRLS;"
            )
