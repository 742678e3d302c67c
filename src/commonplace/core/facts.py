"""Facts: stating, correcting and closing them, and what is known about an entity."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.collections import default_for_writing
from commonplace.core.indexing import CLIENT_SPACE, check_dimensions, embed, place, unit
from commonplace.core.keys import Made, keep_key, made_by
from commonplace.core.names import identify
from commonplace.core.requests import AssertFact, ChangesOf, CorrectFact, FactsAbout, HealthOf, InvalidateFact, Store
from commonplace.core.workspaces import workspace_of
from commonplace.model.access import Caller, Collection, Scope, Tier, Workspace
from commonplace.model.answer import Asserted, Corrected
from commonplace.model.errors import Conflict, Invalid, NotFound, TooLarge
from commonplace.model.event import EventKind
from commonplace.model.fact import (
    HALF_LIVES_DAYS,
    HIGH_IMPACT,
    Changes,
    Fact,
    Health,
    Value,
    contradictions,
    effective_confidence,
    same_value,
    value_text,
)
from commonplace.model.interval import DAY, FOREVER, SECOND, Instant, Interval
from commonplace.model.item import Item
from commonplace.retrieval.analyse import fact_terms
from commonplace.store import facts as stored
from commonplace.store import index
from commonplace.store.collections import collections, folder_ids_of
from commonplace.store.connection import Half
from commonplace.store.database import Read, Write
from commonplace.store.facts import NewFact
from commonplace.store.index import Entry
from commonplace.store.view import View, view_of

Certainty = Callable[[Fact, Instant], float]

NAME_BYTES_MAX = 512
VALUE_BYTES_MAX = 32_768
CORRECTION_GAP = 2 * SECOND


def assert_fact(app: App, caller: Caller, request: AssertFact) -> Asserted:
    """State a fact; what contradicts it is named, nothing is closed."""
    require(caller, Scope.WRITE)
    subject, predicate = _checked_name(request.subject, "subject"), _checked_name(request.predicate, "predicate")
    value = _checked_value(request.value)
    vector = embed(app.embedder, [_said(subject, predicate, value)])[0]
    workspace = workspace_of(app, caller.workspace_id)
    with app.db.write(caller) as write:
        if known := made_by(write, caller, request.key):
            return Asserted(known.fact_id, (), known=True)
        collection_id, item_id = _home(write, caller, workspace, request.item)
        start = write.now if request.valid_from is None else request.valid_from
        new = NewFact(
            subject=subject,
            predicate=predicate,
            value=value,
            valid=Interval(start, FOREVER if request.valid_to is None else request.valid_to),
            collection_id=collection_id,
            item_id=item_id,
            confidence=_checked_confidence(request.confidence),
            provenance=request.provenance,
            episode=request.episode,
        )
        against = _against(write, caller, new)
        if against and predicate in _policy(workspace, "reject"):
            raise Conflict(f"{subject} already has another {predicate}.", reason="contradiction", ids=against)
        fact = _insert(app, write, caller, Draft(new, vector))
        keep_key(write, caller, request.key, Made(fact_ids=(fact.id,)))
        write.record(EventKind.FACT_ASSERT, fact.id)
    return Asserted(fact.id, against)


def correct_fact(app: App, caller: Caller, request: CorrectFact) -> Corrected:
    """Close a fact and state its replacement, in one write."""
    require(caller, Scope.WRITE)
    value = _checked_value(request.value)
    with app.db.read(caller.workspace_id) as read:
        seen = find_fact(read, view_of(read, caller), request.id)
    vector = embed(app.embedder, [_said(seen.subject, seen.predicate, value)])[0]
    with app.db.write(caller) as write:
        old = find_fact(write, view_of(write, caller), request.id)
        if corrected_by := stored.successor(write, old.id):
            raise Conflict(
                "This fact was already corrected; correct its replacement.",
                reason="already_corrected",
                id=old.id,
                current_id=corrected_by,
            )
        start = write.now if request.valid_from is None else request.valid_from
        if request.valid_from is not None and start <= old.valid.start:
            raise Invalid("The correction must begin after the fact.", param="valid_from", reason="range")
        if old.expired_at is None and old.valid.end > start:
            stored.close_fact(write, old, Instant(max(start, old.valid.start)), request.reason)
            index.settle(write, facts=[old.id])
        new = NewFact(
            subject=old.subject,
            predicate=old.predicate,
            value=value,
            valid=Interval(start),
            collection_id=old.collection_id,
            item_id=old.item_id,
            episode=old.episode,
            predecessor=old.id,
        )
        fact = _insert(app, write, caller, Draft(new, vector))
        write.record(EventKind.FACT_CORRECT, old.id, fact.id)
    return Corrected(old.id, fact.id)


def invalidate_fact(app: App, caller: Caller, request: InvalidateFact) -> Fact:
    """Close a fact; one that is closed keeps its first times."""
    require(caller, Scope.WRITE)
    with app.db.write(caller) as write:
        view = view_of(write, caller)
        fact = find_fact(write, view, request.id)
        end = Instant(max(write.now, fact.valid.start)) if request.valid_to is None else request.valid_to
        if fact.expired_at is not None or fact.valid.end <= end:
            return fact
        if end < fact.valid.start:
            raise Invalid("A fact cannot end before it began.", param="valid_to", reason="range")
        stored.close_fact(write, fact, end, request.reason)
        index.settle(write, facts=[fact.id])
        write.record(EventKind.FACT_INVALIDATE, fact.id)
        return find_fact(write, view, fact.id)


def close_of_item(write: Write, caller: Caller, item_id: str, end: Instant, reason: str | None) -> list[str]:
    """Close the live facts that came from an item, for what it said ends; their ids."""
    held = [row["id"] for row in write.all("facts_of_item", items=(item_id,))]
    found = stored.facts_by_id(write, view_of(write, caller), held)
    lasting = [found[each][0] for each in held if each in found]
    ending = [fact for fact in lasting if fact.expired_at is None and fact.valid.end > end]
    for fact in ending:
        stored.close_fact(write, fact, Instant(max(end, fact.valid.start)), reason)
    return [fact.id for fact in ending]


def facts_about(app: App, caller: Caller, request: FactsAbout) -> list[Fact]:
    """The facts about an entity: the live ones, those of a moment, or all."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        view = view_of(read, caller, request.as_of, request.known_at)
        found = stored.facts_of(read, view, request.entity)
        if request.include_history:
            return found
        if request.as_of is None:
            return [fact for fact in found if fact.is_live(view.as_of)]
        return [fact for fact in found if fact.was_valid(view.as_of)]


def changes(app: App, caller: Caller, request: ChangesOf) -> Changes:
    """What became known about an entity after a moment."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        found = _named(stored.facts_of(read, view_of(read, caller), request.entity), request.predicate)
    new = sorted((f for f in found if f.first_recorded_at > request.since), key=lambda f: (f.first_recorded_at, f.id))
    closed = sorted((f for f in found if (f.expired_at or request.since) > request.since), key=_closing)
    return Changes(
        request.entity, request.since, request.predicate, tuple(new), tuple(closed), _corrections(found, new, closed)
    )


def health_of(app: App, caller: Caller, request: HealthOf) -> Health:
    """How far what is known about an entity can be relied on."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        now = read.now
        found = _named(stored.facts_of(read, view_of(read, caller), request.entity), request.predicate)
    alive = [fact for fact in found if fact.is_live(now)]
    low = sorted((f for f in alive if f.confidence < request.low_confidence), key=lambda f: (f.confidence, f.id))
    before = now - request.stale_after_days * DAY
    stale = sorted(
        (f for f in alive if f.predicate in HIGH_IMPACT and f.valid.start <= before),
        key=lambda f: (f.valid.start, f.id),
    )
    return Health(
        request.entity,
        now,
        request.predicate,
        len(found),
        len(alive),
        tuple(low),
        tuple(stale),
        tuple(contradictions(found, singletons(app, caller))),
    )


def singletons(app: App, caller: Caller) -> frozenset[str]:
    """The predicates that can have one value at a time."""
    return frozenset(_policy(workspace_of(app, caller.workspace_id), "singletons") or HIGH_IMPACT)


def certainty(app: App, workspace_id: str) -> Certainty:
    """How sure a fact is at a moment: its own confidence, less what its age and its source take away."""
    settings = workspace_of(app, workspace_id).settings
    half_lives = {**HALF_LIVES_DAYS, **_numbers(settings.get("half_lives_days"))}
    weights = _numbers(settings.get("source_weights"))
    return lambda fact, now: effective_confidence(fact, now, half_lives, weights)


def is_fact(app: App, caller: Caller, text: str) -> bool:
    """Whether an id names a fact that the caller may see."""
    with app.db.read(caller.workspace_id) as read:
        thing = identify(read, text)
        return thing is not None and stored.fact_by_id(read, view_of(read, caller), thing) is not None


def find_fact(read: Read, view: View, text: str) -> Fact:
    """What an id names, if it is a fact that the caller may see."""
    thing = identify(read, text)
    found = stored.fact_by_id(read, view, thing) if thing else None
    if not found:
        raise NotFound(f"Fact not found: {text}", id=text)
    return found


@dataclass(frozen=True, slots=True)
class Draft:
    """A fact with its vectors, made before any lock is taken: the server's, and one that the client gave."""

    new: NewFact
    vector: Half
    given: Half | None = None


def drafts(app: App, request: Store, text: str) -> list[Draft]:
    """The note fact of a remembered episode, and what the extractor reads in the text."""
    now = app.clock.now()
    found = []
    if request.note_fact:
        episode = request.episode or "default"
        found.append(NewFact(subject=stored.spelling(episode), predicate="memory", value=text, valid=Interval(now)))
    if request.extract and app.extractor:
        found += [
            NewFact(
                subject=read.subject,
                predicate=read.predicate,
                value=read.value,
                valid=Interval(read.valid_from, read.valid_to),
                confidence=read.confidence,
            )
            for read in app.extractor.extract(text, now)
        ]
    vectors = embed(app.embedder, [_said(new.subject, new.predicate, new.value) for new in found])
    given = None if request.vector is None else unit(request.vector)
    return [
        Draft(new, vector, given if new.predicate == "memory" else None)
        for new, vector in zip(found, vectors, strict=True)
    ]


def insert_drafts(app: App, write: Write, caller: Caller, item: Item, made: list[Draft], key: str | None) -> list[str]:
    """Put the facts of an item in; those that were read in it say where they come from, and have keys of their own."""
    ids: list[str] = []
    said: Counter[str] = Counter()
    for draft in made:
        is_note = draft.new.predicate == "memory" and not ids
        said[draft.new.predicate] += 1
        own = None if is_note else _own_key(key, draft.new.predicate, said[draft.new.predicate])
        if known := made_by(write, caller, own):
            ids.append(known.fact_id)
            continue
        new = replace(
            draft.new,
            valid=Interval(write.now) if is_note else draft.new.valid,
            provenance=None if is_note else f"extracted:{ids[0] if ids else item.id}",
            collection_id=item.collection_id,
            item_id=item.id,
            episode=item.episode,
        )
        fact = _insert(app, write, caller, replace(draft, new=new))
        ids.append(fact.id)
        keep_key(write, caller, own, Made(fact_ids=(fact.id,)))
    return ids


def _own_key(key: str | None, predicate: str, number: int) -> str | None:
    """The key of a fact that was read in a text that has a key."""
    if key is None:
        return None
    return f"{key}:{predicate}" if number == 1 else f"{key}:{predicate}:{number}"


def _insert(app: App, write: Write, caller: Caller, draft: Draft) -> Fact:
    fact = stored.insert_fact(write, draft.new)
    shelf = _shelf(_collection_of(write, fact), fact, write.now)
    said = _said(fact.subject, fact.predicate, fact.value)
    place(app, write, shelf, [Entry(fact.id, fact_terms(said), draft.vector)])
    if draft.given is not None:
        index.put_vector(write, shelf, _client_space(write, len(draft.given) // 2), fact.id, draft.given)
    for folder_id in _folders_for(write, caller, draft.new):
        write.insert("folder_member", folder_id=folder_id, member_id=fact.id, added_at=write.now)
    return fact


def _folders_for(read: Read, caller: Caller, new: NewFact) -> list[str]:
    """A fact is where its item is; one without is where the fact is that it corrects, or where a token files it."""
    if new.item_id:
        return []
    if new.predecessor:
        return [folder_id for folder_id, _ in folder_ids_of(read, new.predecessor)]
    return list(caller.folders) if caller.folders is not None and len(caller.folders) == 1 else []


def _client_space(write: Write, dimensions: int) -> str:
    """Vectors that clients give are a space of their own, whose first vector fixes the dimension."""
    held = index.space_id(write, CLIENT_SPACE)
    if held:
        check_dimensions(held[1], dimensions)
    return held[0] if held else index.space(write, CLIENT_SPACE, dimensions)


def _shelf(collection: Collection, fact: Fact, now: Instant) -> str:
    if collection.tier == Tier.SENSITIVE:
        return "fact_sensitive"
    return "fact_current" if fact.is_live(now) else "fact_history"


def _collection_of(read: Read, fact: Fact) -> Collection:
    return next(each for each in collections(read) if each.id == fact.collection_id)


def _home(read: Read, caller: Caller, workspace: Workspace, item: str | None) -> tuple[str, str | None]:
    """The collection that a fact belongs to, and the item that it was drawn from."""
    if item is None:
        return default_for_writing(read, caller, workspace).id, None
    thing = identify(read, item)
    found = read.one("item_of", id=thing, **view_of(read, caller).parameters) if thing else None
    if not found:
        raise NotFound(f"Memory not found: {item}", id=item)
    return found["collection_id"], found["id"]


def _against(read: Read, caller: Caller, new: NewFact) -> tuple[str, ...]:
    """The live facts that say something else at the same time."""
    found = stored.facts_of(read, view_of(read, caller), new.subject)
    return tuple(
        fact.id
        for fact in found
        if fact.predicate == new.predicate
        and fact.expired_at is None
        and fact.valid.overlaps(new.valid)
        and not same_value(fact.value, new.value)
    )


def _corrections(found: list[Fact], new: list[Fact], closed: list[Fact]) -> tuple[tuple[Fact, Fact], ...]:
    """Old and new in pairs: by the stored link, else by one following the other within two seconds."""
    held = {fact.id: fact for fact in found}
    pairs = []
    for fact in new:
        if fact.predecessor:
            old = held.get(fact.predecessor)
        else:
            old = next((each for each in closed if not each.corrected and _follows(each, fact)), None)
        if old:
            pairs.append((old, fact))
    return tuple(pairs)


def _follows(old: Fact, new: Fact) -> bool:
    return (
        old.first_recorded_at < new.first_recorded_at
        and (old.subject, old.predicate) == (new.subject, new.predicate)
        and old.expired_at is not None
        and abs(old.expired_at - new.valid.start) <= CORRECTION_GAP
    )


def _closing(fact: Fact) -> tuple[int, str]:
    return (fact.expired_at or 0, fact.id)


def _named(found: list[Fact], predicate: str | None) -> list[Fact]:
    return [fact for fact in found if predicate is None or fact.predicate == predicate]


def _policy(workspace: Workspace, setting: str) -> list[str]:
    chosen = workspace.settings.get(setting)
    return [str(each) for each in chosen] if isinstance(chosen, list) else []


def _numbers(setting: object) -> dict[str, float]:
    return {str(name): float(each) for name, each in setting.items()} if isinstance(setting, dict) else {}


def _said(subject: str, predicate: str, value: Value) -> str:
    return " ".join((subject, predicate.replace("_", " "), value_text(value)))


def _checked_name(text: str, param: str) -> str:
    text = stored.spelling(text)
    if not text:
        raise Invalid(f"{param} is required", param=param, reason="empty")
    if len(text.encode()) > NAME_BYTES_MAX:
        raise TooLarge(f"{param} exceeds max allowed size ({NAME_BYTES_MAX} bytes)", param=param, reason="too_large")
    return text


def _checked_value(value: Value) -> Value:
    if isinstance(value, float) and not math.isfinite(value):
        raise Invalid("A value must be a finite number.", param="object", reason="format")
    if isinstance(value, str) and len(value.encode()) > VALUE_BYTES_MAX:
        raise TooLarge(f"object exceeds max allowed size ({VALUE_BYTES_MAX} bytes)", param="object", reason="too_large")
    return value


def _checked_confidence(confidence: float) -> float:
    if not math.isfinite(confidence):
        raise Invalid("A confidence must be a number between 0 and 1.", param="confidence", reason="format")
    return min(1.0, max(0.0, float(confidence)))
