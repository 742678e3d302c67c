"""What an import does with each line: one verb, or a few that an import cut off may repeat.

Ids are new; those of the lines are keys, by which a line is known again and later lines find what they name.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.relations import BY_LINK
from commonplace.core.requests import (
    Amend,
    AssertFact,
    CorrectFact,
    CreateCollection,
    CreateFolder,
    FileItem,
    Get,
    InvalidateFact,
    Link,
    ListCollections,
    ListFolders,
    Retract,
    SetCollection,
    Store,
    Supersede,
)
from commonplace.model.access import Caller, Collection, Tier
from commonplace.model.answer import Stored
from commonplace.model.errors import Conflict, Invalid, NotFound, Unavailable
from commonplace.model.interval import FOREVER, Instant, parse_instant
from commonplace.model.item import Version
from commonplace.model.names import name_key
from commonplace.operations.lines import (
    FORMAT,
    CollectionLine,
    ExportLine,
    FactLine,
    FolderLine,
    Head,
    ItemLine,
    PlainLine,
    RelationLine,
    VersionPart,
)


@dataclass(frozen=True, slots=True)
class Counts:
    """What an import added; `known` had come before, `skipped` belongs to what was forgotten or ended."""

    collections: int = 0
    folders: int = 0
    items: int = 0
    versions: int = 0
    facts: int = 0
    relations: int = 0
    known: int = 0
    skipped: int = 0


@dataclass(slots=True)
class Arrival:
    """An import under way: what it did, and what the ids of its lines have become."""

    app: App
    caller: Caller
    counted: Counter[str] = field(default_factory=Counter)
    is_export: bool | None = None
    ids: dict[str, str] = field(default_factory=dict)
    plain: Counter[bytes] = field(default_factory=Counter)

    def ask(self, request: object) -> Any:
        """Carry out a request as the one who imports."""
        return perform(self.app, self.caller, request)


def take(arrival: Arrival, text: str | bytes) -> None:
    """Put in what one line holds; the first line tells which kind of file this is."""
    if arrival.is_export is None:
        arrival.is_export = _is_head(text)
    if not arrival.is_export:
        _plain(arrival, msgspec.json.decode(text, type=PlainLine))
        return
    line = msgspec.json.decode(text, type=ExportLine)
    match line:
        case Head():
            if line.format != FORMAT:
                raise Unavailable(
                    f"The export is of a newer Commonplace ({line.version}); import it with that version."
                )
        case CollectionLine():
            _collection(arrival, line)
        case FolderLine():
            _folder(arrival, line.name)
        case ItemLine():
            _item(arrival, line)
        case FactLine():
            _fact(arrival, line)
        case RelationLine():
            _relation(arrival, line)


def _is_head(text: str | bytes) -> bool:
    try:
        msgspec.json.decode(text, type=Head)
    except msgspec.ValidationError:
        return False
    return True


def _plain(arrival: Arrival, line: PlainLine) -> None:
    said = msgspec.json.encode(line)
    arrival.plain[said] += 1  # the same line twice in one file is two texts
    stored: Stored = arrival.ask(
        Store(
            text=line.text,
            title=line.title,
            tags=line.tags,
            provenance=line.source,
            valid_from=_time(line.valid_from),
            collection=line.collection,
            key=_key(f"{hashlib.sha256(said).hexdigest()} {arrival.plain[said]}"),
        )
    )
    arrival.counted["known" if stored.known else "items"] += 1


def _collection(arrival: Arrival, line: CollectionLine) -> None:
    held = _named(arrival.ask(ListCollections()), line.slug)
    if held:
        if line.tier == Tier.SENSITIVE and held.tier != Tier.SENSITIVE:
            raise Conflict(f"{held.name} is sensitive where this comes from; make it sensitive here first.")
        return
    made: Collection = arrival.ask(CreateCollection(name=line.slug, tier=line.tier))
    arrival.ask(SetCollection(slug=made.slug, name=line.name, recall_cap=line.recall_cap))
    arrival.counted["collections"] += 1


def _named(collections: Iterable[Collection], slug: str) -> Collection | None:
    key = name_key(slug)
    return next((each for each in collections if key in {name_key(each.slug), name_key(each.name)}), None)


def _folder(arrival: Arrival, name: str) -> str:
    for each in arrival.ask(ListFolders()):
        if each.name.casefold() == name.casefold():
            return str(each.id)
    arrival.counted["folders"] += 1
    return str(arrival.ask(CreateFolder(name=name)).id)


def _item(arrival: Arrival, line: ItemLine) -> None:
    stored = _stored(arrival, line)
    arrival.counted["known" if stored.known else "items"] += 1
    if not stored.collection:  # it was forgotten here
        return
    arrival.ids[line.id], arrival.ids[line.versions[0].id] = stored.item_id, stored.version_id
    if not stored.known:
        _set_apart(arrival, line, stored.item_id)
    for previous, part in zip(line.versions, line.versions[1:], strict=False):
        held = _version_since(arrival, stored.item_id, part) if stored.known else None
        arrival.ids[part.id] = held.id if held else _superseded(arrival, arrival.ids[previous.id], part)
    _end(arrival, line.versions[-1])


def _stored(arrival: Arrival, line: ItemLine) -> Stored:
    first, last = line.versions[0], line.versions[-1]
    stored: Stored = arrival.ask(
        Store(
            text=first.text,
            title=first.title,
            collection=line.collection,
            kind=line.kind,
            platform=line.platform,
            memory_type=first.memory_type,
            tags=first.tags,
            provenance=first.provenance,
            url=line.url,
            valid_from=_time(first.valid_from),
            valid_to=None if last.reason else _time(last.valid_to),
            key=_key(line.id),
            in_kb=line.in_kb,
            episode=line.episode,
            media=line.media,
        )
    )
    return stored


def _set_apart(arrival: Arrival, line: ItemLine, item_id: str) -> None:
    if line.archived or line.read or line.custom_title is not None:
        arrival.ask(Amend(id=item_id, archived=line.archived, read=line.read, custom_title=line.custom_title))
    if line.folders:
        arrival.ask(FileItem(id=item_id, folders=tuple(_folder(arrival, name) for name in line.folders)))


def _version_since(arrival: Arrival, item_id: str, part: VersionPart) -> Version | None:
    """The version of an earlier import that is valid from the same moment on."""
    start = parse_instant(part.valid_from)
    found: Version = arrival.ask(Get(id=item_id, as_of=start)).version
    return found if found.valid.start == start else None


def _superseded(arrival: Arrival, previous: str, part: VersionPart) -> str:
    arrival.counted["versions"] += 1
    start = _time(part.valid_from)
    asked = Supersede(id=previous, text=part.text, title=part.title, reason=part.reason, valid_from=start)
    return str(arrival.ask(asked).new_id)


def _end(arrival: Arrival, last: VersionPart) -> None:
    """Retract what was retracted for a reason; an end without one was given with the text."""
    end = _time(last.valid_to)
    if end is None or not last.reason:
        return
    version: Version = arrival.ask(Get(id=arrival.ids[last.id])).version
    if version.valid.end == FOREVER:
        arrival.ask(Retract(id=version.id, reason=last.reason, valid_to=end))


def _fact(arrival: Arrival, line: FactLine) -> None:
    arrival.ids[line.id] = ""
    if _is_gone(arrival, line.item) or _is_gone(arrival, line.supersedes):
        arrival.counted["skipped"] += 1
        return
    try:
        fact_id, known = _corrected(arrival, line) if line.supersedes else _asserted(arrival, line)
        if line.closed_at:
            arrival.ask(InvalidateFact(id=fact_id, valid_to=_time(line.valid_to)))
    except NotFound:  # it was forgotten here
        arrival.counted["skipped"] += 1
        return
    arrival.ids[line.id] = fact_id
    arrival.counted["known" if known else "facts"] += 1


def _asserted(arrival: Arrival, line: FactLine) -> tuple[str, bool]:
    made = arrival.ask(
        AssertFact(
            subject=line.subject,
            predicate=line.predicate,
            value=line.value,
            valid_from=_time(line.valid_from),
            valid_to=None if line.closed_at else _time(line.valid_to),
            confidence=line.confidence,
            provenance=line.provenance,
            episode=line.episode,
            item=arrival.ids[line.item] if line.item else None,
            key=_key(line.id),
        )
    )
    return made.id, made.known


def _corrected(arrival: Arrival, line: FactLine) -> tuple[str, bool]:
    old = arrival.ids[line.supersedes or ""]
    try:
        made = arrival.ask(CorrectFact(id=old, value=line.value, valid_from=_time(line.valid_from)))
    except Conflict as error:
        if error.facts.get("reason") != "already_corrected":
            raise
        return str(error.facts["current_id"]), True
    except Invalid:
        # It took the place of a fact that had not begun: that one never held, and this one stands by itself.
        arrival.ask(InvalidateFact(id=old))
        return _asserted(arrival, line)
    return made.new_id, False


def _relation(arrival: Arrival, line: RelationLine) -> None:
    if line.made_by != BY_LINK:  # texts and versions have made it again
        return
    if line.valid_to or _is_gone(arrival, line.origin) or _is_gone(arrival, line.target):
        arrival.counted["skipped"] += 1
        return
    made = arrival.ask(Link(origin=arrival.ids[line.origin], target=arrival.ids[line.target], kind=line.kind))
    arrival.counted["known" if made.known else "relations"] += 1


def _is_gone(arrival: Arrival, line_id: str | None) -> bool:
    """Whether a line names something that did not come, or that was forgotten here."""
    return line_id is not None and not arrival.ids.get(line_id)


def _key(text: str) -> str:
    return f"import:{text}"


def _time(text: str | None) -> Instant | None:
    return None if text is None else parse_instant(text)
