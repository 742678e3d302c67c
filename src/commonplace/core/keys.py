"""Idempotency: a key that was used before returns what it made, and nothing is made twice."""

import json
from dataclasses import dataclass

from commonplace.model.access import Caller, Tier
from commonplace.model.interval import Instant
from commonplace.store.database import Read, Write

PURPOSE = "idempotency"
SENSITIVE = f"{PURPOSE} of what is sensitive"
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
    """What a key made before, as far as the caller may know of it; None when it is new to them."""
    for purpose in _purposes(caller) if key is not None else ():
        found = read.one("idempotency_by_hash", key_hash=read.keyed_hash(purpose, key or ""))
        if found:
            item_id, version_id, *facts = json.loads(found["ids"])
            return Made(item_id, version_id, tuple(facts), Instant(found["created_at"]))
    return None


def keep_key(write: Write, caller: Caller, key: str | None, made: Made, tier: Tier = Tier.PERSONAL) -> None:
    """Remember what a key made; only its keyed hash is stored."""
    if key is not None:
        purpose = SENSITIVE if tier == Tier.SENSITIVE else _purposes(caller)[0]
        ids = json.dumps([made.item_id, made.version_id, *made.fact_ids])
        write.insert("idempotency", key_hash=write.keyed_hash(purpose, key), ids=ids, created_at=write.now)


def _purposes(caller: Caller) -> tuple[str, ...]:
    """Where a caller's keys are looked for: what one may not see must not answer for what one writes."""
    if caller.folders is not None:
        return (f"{PURPOSE} of {' '.join(sorted(caller.folders))}",)
    return (PURPOSE, SENSITIVE) if caller.human else (PURPOSE,)
