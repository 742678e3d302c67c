"""The op-log: one write, one event, chained by hashes."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from commonplace.model.interval import Instant


class EventKind(StrEnum):
    """Every kind of write there is."""

    INGEST = "ingest"
    REINGEST = "reingest"
    SUPERSEDE = "supersede"
    RETRACT = "retract"
    CORRECTION = "correction"
    FORGET = "forget"
    FACT_ASSERT = "fact_assert"
    FACT_CORRECT = "fact_correct"
    FACT_INVALIDATE = "fact_invalidate"
    LINK = "link"
    UNLINK = "unlink"
    COLLECTION_CREATE = "graph_create"
    COLLECTION_CONFIG = "graph_config"
    TIER = "tier"
    MOVE = "move"
    FOLDER = "folder"
    ITEM = "item"
    IMPORT = "import"
    UNDO = "undo"


UNDOABLE = frozenset(EventKind) - {EventKind.FORGET, EventKind.IMPORT, EventKind.TIER, EventKind.UNDO}

GENESIS = bytes(32)


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the op-log; its payload stands apart, so that it can be erased."""

    seq: int
    id: str
    recorded_at: Instant
    kind: EventKind
    actor: str
    client: str | None
    surface: str
    subjects: tuple[str, ...]
    payload_hash: bytes
    previous_hash: bytes
    hash: bytes


def chain_hash(previous_hash: bytes, payload_hash: bytes, line: str) -> bytes:
    """The link of the chain: the line before, the payload by its hash, and all that the line itself says."""
    return hashlib.sha256(previous_hash + payload_hash + line.encode()).digest()
