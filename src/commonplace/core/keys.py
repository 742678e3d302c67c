"""Idempotency: a key that was used before returns what it made, and nothing is made twice."""

import json
from collections.abc import Sequence

from commonplace.store.database import Read, Write

PURPOSE = "idempotency"


def made_by(read: Read, key: str | None) -> list[str]:
    """The ids that a key made before; empty when it is new."""
    if key is None:
        return []
    found = read.one("idempotency_by_hash", key_hash=read.keyed_hash(PURPOSE, key))
    return list(json.loads(found["ids"])) if found else []


def keep_key(write: Write, key: str | None, ids: Sequence[str]) -> None:
    """Remember what a key made; only its keyed hash is stored."""
    if key is not None:
        write.insert(
            "idempotency", key_hash=write.keyed_hash(PURPOSE, key), ids=json.dumps(list(ids)), created_at=write.now
        )
