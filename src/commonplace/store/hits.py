"""Hits: found chunks with what a reader wants to know of them."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from commonplace.model.answer import Hit
from commonplace.model.interval import Instant, Interval
from commonplace.store.connection import Row
from commonplace.store.database import Read
from commonplace.store.items import Placed, chunks_of_version
from commonplace.store.view import View


class Ranked(Protocol):
    """A chunk with its place in the order."""

    @property
    def id(self) -> str:
        """The chunk."""

    @property
    def score(self) -> float:
        """The fused score."""

    @property
    def why(self) -> Mapping[str, float]:
        """What each search contributed."""


def memories(read: Read, view: View, ranked: Sequence[Ranked], *, explain: bool) -> list[Hit]:
    """The hits of ranked chunks, in their order."""
    rows = {row["chunk_id"]: row for row in read.all("hits", chunks=[each.id for each in ranked], **view.parameters)}
    return [_hit(rows[each.id], each.score, each.why if explain else {}) for each in ranked if each.id in rows]


def of_version(read: Read, view: View, placed: Placed) -> Hit:
    """A version as a hit, by its first chunk."""
    first = chunks_of_version(read, placed.version.id, view.known_at)[0].chunk
    row = next(iter(read.all("hits", chunks=[first.id], **view.parameters)))
    return _hit(row, 0.0, {})


def _hit(row: Row, score: float, why: Mapping[str, float]) -> Hit:
    return Hit(
        kind="memory",
        id=row["version_id"],
        title=row["title"],
        text=row["body"],
        score=score,
        collection=row["collection"],
        source=row["provenance"],
        valid=Interval(Instant(row["valid_from"]), Instant(row["valid_to"])),
        recorded_at=Instant(row["created_at"]),
        slug=row["slug"],
        item_id=row["item_id"],
        item_kind=row["kind"],
        chunk_id=row["chunk_id"],
        chunk_index=row["ordinal"],
        chunks=row["chunks"],
        llm_tokens=row["llm_tokens"],
        updated_at=Instant(row["updated_at"]),
        label=row["label"],
        platform=row["platform"],
        url=row["url"],
        content_id=row["content_id"],
        added_at=Instant(row["added_at"]),
        why=why,
    )
