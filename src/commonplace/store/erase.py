"""Erasing: rows, index entries and what the op-log says of them, in the transaction of one write."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from commonplace.model.names import slug
from commonplace.store import index
from commonplace.store.connection import Row
from commonplace.store.database import Read, Write, decode_changes, encode_changes


@dataclass(frozen=True, slots=True)
class Doomed:
    """Everything that goes with some items, or with single chunks and facts."""

    items: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    chunks: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    reviews: tuple[str, ...] = ()

    @property
    def subjects(self) -> tuple[str, ...]:
        """The ids by which the op-log knows them."""
        return (*self.items, *self.versions, *self.chunks, *self.facts, *self.relations, *self.reviews)


def doomed_with(read: Read, items: Sequence[str], facts: Sequence[str] = ()) -> Doomed:
    """What must go when these items and facts go."""
    held = tuple(items)
    versions = _ids(read, "versions_of_items", items=held)
    chunks = read.all("chunks_of_items", items=held) if held else []
    drawn = _ids(read, "facts_of_item", items=held)
    return Doomed(
        held,
        versions,
        tuple(dict.fromkeys(row["id"] for row in chunks)),
        tuple(dict.fromkeys(row["content_id"] for row in chunks)),
        tuple(dict.fromkeys((*drawn, *facts))),
        _ids(read, "relations_touching", ends=versions),
    )


def erase(write: Write, doomed: Doomed) -> tuple[str, ...]:
    """Erase it all; the ids that the op-log must name as gone."""
    for owner in (*doomed.contents, *doomed.facts):
        index.drop(write, owner)
    about = _ids(write, "entities_of_facts", facts=doomed.facts)
    classes = _classes(write.all("classes_of_versions", ids=doomed.versions))
    keys = tuple(row["content_key"] for row in write.all("content_keys_of", items=doomed.items))
    for query, ids in (
        ("erase_version_tags", doomed.versions),
        ("erase_pending_links", doomed.versions),
        ("erase_segments", doomed.versions),
        ("erase_outputs", doomed.items),
        ("erase_proposals", (*doomed.items, *doomed.chunks)),
        ("erase_reviews", doomed.items),
        ("erase_undecided_reviews", doomed.reviews),
        ("erase_jobs", doomed.items),
        ("erase_memberships", (*doomed.items, *doomed.facts)),
        ("erase_chunks", doomed.chunks),
        ("erase_contents", doomed.contents),
        ("erase_relations", doomed.relations),
        ("erase_versions", doomed.versions),
        ("erase_items", doomed.items),
        ("erase_aliases", doomed.facts),
        ("erase_facts", doomed.facts),
        ("hide_slugs", doomed.subjects),
    ):
        if ids:
            write.run(query, ids=ids)
    write.run("erase_artifacts", keys=keys)
    entities = _ids(write, "lonely_entities", ids=about)
    write.run("erase_entities", ids=entities)
    gone = (*doomed.subjects, *entities)
    redact(write, gone)
    _erase_classes(write, classes)
    write.run("mark_erased")
    return gone


def redact(write: Write, gone: Sequence[str]) -> None:
    """Take what is gone out of earlier payloads; their hashes stay, so the chain still verifies."""
    ids = frozenset(gone)
    for row in write.all("payloads_of", subjects=tuple(ids)):
        kept = [change for change in decode_changes(row["body"]) if not change.touches(ids)]
        write.run("redact_payload", seq=row["seq"], body=encode_changes(kept), redacted=True)


def reword_version(write: Write, version_id: str, title: str, content_hash: str) -> None:
    """Say in every row of a version what is left of it."""
    write.run("reword_version", id=version_id, title=title, title_key=slug(title), content_hash=content_hash)


def rehead_chunk(write: Write, chunk_id: str, headings: Sequence[str]) -> None:
    """Leave a chunk the headings that still stand in the text."""
    write.run("rehead_chunk", id=chunk_id, headings=json.dumps(list(headings)))


def hide_slug(write: Write, target_id: str) -> None:
    """Keep a readable id only as its keyed hash."""
    write.run("hide_slugs", ids=(target_id,))


def _erase_classes(write: Write, names: frozenset[str]) -> None:
    """Take out the added classes among these that nothing carries; the text that brought one may be gone long since."""
    added = names.intersection(row["name"] for row in write.all("registry_classes"))
    lonely = added - _classes(write.all("classes_carried")) if added else added
    for name in lonely:
        write.run("remove_registry_class", name=name)
    for row in write.all("redacted_payloads") if lonely else ():
        changes = decode_changes(row["body"])
        kept = [each for each in changes if each.table != "registry_class" or each.row["name"] not in lonely]
        if kept != changes:
            write.run("redact_payload", seq=row["seq"], body=encode_changes(kept), redacted=True)


def _classes(rows: Sequence[Row]) -> frozenset[str]:
    return frozenset(name for row in rows for name in json.loads(row["classes"]))


def _ids(read: Read, query: str, **parameters: object) -> tuple[str, ...]:
    return tuple(row["id"] for row in read.all(query, **parameters))
