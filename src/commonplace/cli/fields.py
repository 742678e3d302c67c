"""The fields of what verbs return, as `--json` prints them: ids whole, times in RFC 3339, names that stay.

What our own surface returns too has its fields there.
"""

from typing import Any

from commonplace.core.deciding import Decided
from commonplace.model.access import Folder
from commonplace.model.answer import Stored
from commonplace.model.interval import format_instant
from commonplace.surfaces.native_shapes import remember_reply

Fields = dict[str, Any]


def stored_fields(answer: Stored) -> Fields:
    """What was put in, and where."""
    return {**remember_reply(answer, {}), "collection": answer.collection}


def folder_fields(folder: Folder) -> Fields:
    """A folder."""
    return {
        "id": folder.id,
        "name": folder.name,
        "items": folder.item_count,
        "created_at": format_instant(folder.created_at),
    }


def decided_fields(decided: Decided) -> Fields:
    """What came of a review."""
    return {
        "id": decided.id,
        "state": decided.state,
        "stored": None if decided.stored is None else stored_fields(decided.stored),
        "chunk_id": None if decided.applied is None else decided.applied.chunk_id,
    }
