"""The port between the store and an engine: named queries in, rows out."""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

Row = Mapping[str, Any]

CONTROL = "control"
"""The part that holds workspaces and tokens; every other part is a workspace, named by its id."""


class Connection(Protocol):
    """One transaction on one part of the store."""

    def run(self, query: str, parameters: Row) -> int:
        """Run a query and tell how many rows it changed."""

    def many(self, query: str, parameters: Iterable[Row]) -> None:
        """Run a query once per set of parameters."""

    def one(self, query: str, parameters: Row) -> Row | None:
        """The first row, or None."""

    def all(self, query: str, parameters: Row) -> list[Row]:
        """Every row."""


class Engine(Protocol):
    """Where parts live: files of SQLite, or one PostgreSQL database."""

    encrypted: bool
    location: str

    def transaction(self, part: str, *, write: bool) -> AbstractContextManager[Connection]:
        """One transaction; it commits unless an error leaves the block."""

    def prepare(self, part: str, *, create: bool = False) -> None:
        """Bring a part's tables up to date; only one asked for as new is made."""

    def drop(self, part: str) -> None:
        """Delete the part with everything in it."""

    def clear_journal(self, part: str) -> bool:
        """Free the journal of erased content; whether that is done."""

    def size_bytes(self, part: str) -> int:
        """How much room the part takes."""

    def copy(self, part: str, path: Path) -> None:
        """Write the part as it is at one moment to a new file, while others read and write it."""

    def check(self, part: str) -> list[str]:
        """What the engine itself finds wrong with how the part is stored."""

    def versions(self) -> Mapping[str, str]:
        """The engine and what it is built with, by name."""

    def close(self) -> None:
        """Let go of every connection."""


class Half(bytes):
    """A vector as little-endian 16-bit floats: the same numbers on every engine."""

    __slots__ = ()
