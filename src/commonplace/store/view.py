"""What a caller may see, as parameters of the queries."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from commonplace.model.access import Caller
from commonplace.model.interval import FOREVER, Instant
from commonplace.store.database import Read

LATEST = Instant(FOREVER - 1)
"""As a moment of knowledge: everything that is still held."""

BEGINNING = Instant(-(2**62))


@dataclass(frozen=True, slots=True)
class View:
    """A caller's sight at a moment of the world and a moment of knowledge."""

    sensitive: bool
    scoped: bool
    folders: tuple[str, ...]
    kb_only: bool
    as_of: Instant
    known_at: Instant
    is_now: bool

    @property
    def parameters(self) -> dict[str, Any]:
        """The names that the visibility fragments use."""
        return {
            "sensitive": self.sensitive,
            "scoped": self.scoped,
            "folders": self.folders,
            "kb_only": self.kb_only,
            "as_of": self.as_of,
            "known_at": self.known_at,
        }

    @property
    def shelves(self) -> tuple[str, ...]:
        """The shelves whose entries can be seen: history only when another time is asked about."""
        return ("current", *(() if self.is_now else ("history",)), *(("sensitive",) if self.sensitive else ()))


def view_of(read: Read, caller: Caller, as_of: Instant | None = None, known_at: Instant | None = None) -> View:
    """The sight of a caller; without times it is the present."""
    now = read.now
    later_knowledge = known_at is None or known_at >= now
    return View(
        sensitive=caller.human,
        scoped=caller.folders is not None,
        folders=caller.folders or (),
        kb_only=caller.kb_only,
        as_of=now if as_of is None else as_of,
        known_at=LATEST if later_knowledge or known_at is None else known_at,
        is_now=as_of in (None, now) and later_knowledge,
    )


def unveiled(view: View) -> View:
    """The same sight with what is sensitive in it: only to tell that something is kept back, never what."""
    return replace(view, sensitive=True)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a reader narrows a search or a list to."""

    collections: Sequence[str] | None = None
    tags: Sequence[str] = ()
    memory_type: str | None = None
    facts: Sequence[str] | None = None
    folder: str | None = None
    archived: bool | None = None
    in_kb: bool | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The names that the narrowing fragments use."""
        return {
            "only_collections": self.collections is not None,
            "collections": tuple(self.collections or ()),
            "only_tags": bool(self.tags),
            "tags": tuple(self.tags),
            "tag_count": len(set(self.tags)),
            "only_type": self.memory_type is not None,
            "memory_type": self.memory_type,
            "only_facts": self.facts is not None,
            "facts": tuple(self.facts or ()),
            "only_folder": self.folder is not None,
            "folder": (self.folder,) if self.folder else (),
            "only_archived": self.archived is not None,
            "archived": bool(self.archived),
            "only_in_kb": self.in_kb is not None,
            "in_kb": bool(self.in_kb),
        }
