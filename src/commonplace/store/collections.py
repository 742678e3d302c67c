"""Collections and folders: rows to values and back."""

from commonplace.model.access import Collection, Folder, Tier
from commonplace.model.interval import Instant
from commonplace.store.connection import Row
from commonplace.store.database import Read, Write
from commonplace.store.view import View


def insert_collection(write: Write, collection: Collection, name_key: str) -> None:
    """Make a collection."""
    write.insert(
        "collection",
        id=collection.id,
        slug=collection.slug,
        name=collection.name,
        name_key=name_key,
        tier=collection.tier.value,
        recall_cap=collection.recall_cap,
        created_at=collection.created_at,
    )


def collections(read: Read) -> list[Collection]:
    """Every collection by slug, sensitive ones included: the caller's sight is applied in core."""
    return [_collection(row) for row in read.all("collections")]


def is_empty(read: Read, collection_id: str) -> bool:
    """Whether no item and no fact is in a collection; what was undone does not count."""
    return read.one("held_in_collection", collection_id=collection_id) is None


def folders(read: Read, view: View) -> list[Folder]:
    """Every folder by name; what the caller may not see in it is not counted."""
    return [_folder(row) for row in read.all("folders", **view.parameters)]


def folder_ids_of(read: Read, member_id: str) -> list[tuple[str, str]]:
    """Id and name of the folders an item or fact is in."""
    return [(row["id"], row["name"]) for row in read.all("folders_of_item", id=member_id)]


def _collection(row: Row) -> Collection:
    return Collection(
        row["id"], row["slug"], row["name"], Tier(row["tier"]), row["recall_cap"], Instant(row["created_at"])
    )


def _folder(row: Row) -> Folder:
    added = row["last_added_at"]
    return Folder(
        row["id"],
        row["name"],
        Instant(row["created_at"]),
        None if added is None else Instant(added),
        row["item_count"],
    )
