"""Idempotency: a key that was used before returns what it made, and nothing is made twice."""

import json
from dataclasses import dataclass, replace

from commonplace.model.access import Caller
from commonplace.model.interval import Instant
from commonplace.store.database import Read, Write
from commonplace.store.facts import fact_by_id
from commonplace.store.view import View, view_of

PURPOSE = "idempotency"
NEVER = Instant(0)


@dataclass(frozen=True, slots=True)
class Made:
    """What a key made: an item with its version, facts, or both."""

    item_id: str = ""
    version_id: str = ""
    fact_ids: tuple[str, ...] = ()
    at: Instant = NEVER

    @property
    def fact_id(self) -> str:
        """The fact to name where one is asked for; what was stored, where the key made none."""
        return self.fact_ids[0] if self.fact_ids else self.version_id


def made_by(read: Read, caller: Caller, key: str | None) -> Made | None:
    """What a key made before; None when it is new, or when what it made is not for this caller to know of."""
    for purpose in (_own(caller), PURPOSE) if key is not None else ():
        found = read.one("idempotency_by_hash", key_hash=read.keyed_hash(purpose, key or ""))
        if found:
            item_id, version_id, *facts = json.loads(found["ids"])
            made = Made(item_id, version_id, tuple(facts), Instant(found["created_at"]))
            if purpose != PURPOSE or not _is_hidden(read, caller, made):
                return made
    return None


def keep_key(write: Write, caller: Caller, key: str | None, made: Made) -> None:
    """Remember what a key made by its keyed hash alone; one that is taken by what is hidden is the caller's own."""
    if key is not None:
        shared = write.keyed_hash(PURPOSE, key)
        taken = write.one("idempotency_by_hash", key_hash=shared) is not None
        ids = json.dumps([made.item_id, made.version_id, *made.fact_ids])
        key_hash = write.keyed_hash(_own(caller), key) if taken else shared
        write.insert("idempotency", key_hash=key_hash, ids=ids, created_at=write.now)


def _own(caller: Caller) -> str:
    sight = "a person" if caller.human else " ".join(sorted(caller.folders or ("a model",)))
    return f"{PURPOSE} of {sight}"


def _is_hidden(read: Read, caller: Caller, made: Made) -> bool:
    """Whether it is there and out of the caller's sight; what was forgotten hides nothing."""
    view = view_of(read, caller)
    all_of_it = replace(view, sensitive=True, scoped=False, kb_only=False)
    return _is_there(read, all_of_it, made) and not _is_there(read, view, made)


def _is_there(read: Read, view: View, made: Made) -> bool:
    if made.item_id:
        return read.one("item_of", id=made.item_id, **view.parameters) is not None
    return any(fact_by_id(read, view, each) for each in made.fact_ids)
