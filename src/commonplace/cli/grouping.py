"""Where things are kept: collections, folders, and the reviews that a person decides."""

from collections.abc import Iterator
from typing import Any

import click

from commonplace.cli.fields import decided_fields, folder_fields
from commonplace.cli.session import Group, Session, confirm, session
from commonplace.cli.show import Fields, json_option, say, show, show_table
from commonplace.core.deciding import Decided
from commonplace.core.requests import (
    CreateCollection,
    CreateFolder,
    DecideReview,
    DeleteCollection,
    DeleteFolder,
    FileItem,
    ListCollections,
    ListFolders,
    ListReviews,
    Move,
    SetCollection,
    UnfileItem,
)
from commonplace.model.access import Tier
from commonplace.model.errors import NotFound
from commonplace.surfaces.native_fields import collection_fields, review_fields

TIERS = click.Choice([tier.value for tier in Tier])

REVIEW_STATES = ("pending", "approved", "rejected", "expired")


@click.group(cls=Group)
def collection_command() -> None:
    """Where items are kept, and how sensitive it is."""


@collection_command.command("create")
@click.argument("name")
@click.option("--tier", type=TIERS, default=Tier.PERSONAL.value, show_default=True, help="How sensitive it is.")
@json_option
def create_collection(name: str, tier: str) -> None:
    """Make a collection."""
    with session() as here:
        fields = collection_fields(here.ask(CreateCollection(name=name, tier=Tier(tier))))
    show(fields, [f"Made {fields['slug']}, {fields['tier']}."])


@collection_command.command("list")
@json_option
def list_collections() -> None:
    """List the collections."""
    with session() as here:
        found = [collection_fields(each) for each in here.ask(ListCollections())]
    show_table(found, ("slug", "name", "tier", "recall_cap", "created_at"), "There are no collections.")


@collection_command.command("set")
@click.argument("slug", metavar="NAME")
@click.option("--tier", type=TIERS, help="How sensitive it is.")
@click.option("--name", metavar="NEW", help="What it is called.")
@click.option("--recall-cap", type=int, metavar="LLM_TOKENS", help="How much of it one recall gives at most.")
@json_option
def set_collection(tier: str | None, **given: Any) -> None:
    """Change a collection. What is not named stays."""
    if tier is None and set(given.values()) == {given["slug"], None}:
        raise click.UsageError("Name what to change: --tier, --name or --recall-cap.")
    with session() as here:
        fields = collection_fields(here.ask(SetCollection(tier=Tier(tier) if tier else None, **given)))
    show(fields, [f"{fields['slug']} is {fields['tier']}, named {fields['name']}, {fields['recall_cap']} llm tokens."])


@collection_command.command("delete")
@click.argument("name")
def delete_collection(name: str) -> None:
    """Delete an empty collection."""
    with session() as here:
        here.ask(DeleteCollection(slug=name))
    say(f"Deleted {name}.")


@collection_command.command("move")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.argument("to")
def move_items(ids: tuple[str, ...], to: str) -> None:
    """Move items into another collection. The tier of TO governs them from then on."""
    with session() as here:
        here.ask(Move(ids=ids, collection=to))
    say(f"Moved {len(ids)} to {to}.")


@click.group(cls=Group)
def folder_command() -> None:
    """Groups of items; a scoped token sees some."""


@folder_command.command("create")
@click.argument("name")
@json_option
def create_folder(name: str) -> None:
    """Make a folder."""
    with session() as here:
        fields = folder_fields(here.ask(CreateFolder(name=name)))
    show(fields, [f"Made {fields['name']}: {fields['id']}"])


@folder_command.command("list")
@json_option
def list_folders() -> None:
    """List the folders."""
    with session() as here:
        found = [folder_fields(each) for each in here.ask(ListFolders())]
    show_table(found, ("id", "name", "items", "created_at"), "There are no folders.")


@folder_command.command("add")
@click.argument("folder")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@json_option
def fill_folder(folder: str, ids: tuple[str, ...]) -> None:
    """Put items into a folder. What is in it already stays."""
    with session() as here:
        added = [each for each in ids if here.ask(FileItem(id=each, folders=(folder,)))]
    show({"id": folder, "added": added}, [f"{len(added)} items are newly in the folder."])


@folder_command.command("remove")
@click.argument("folder")
@click.argument("id")
@json_option
def empty_folder(folder: str, id: str) -> None:  # noqa: A002 - the argument's name in every command
    """Take an item out of a folder. The item stays."""
    with session() as here:
        here.ask(UnfileItem(id=id, folder=folder))
    show({"id": folder, "removed": id}, ["Taken out of the folder."])


@folder_command.command("delete")
@click.argument("id")
@click.option("--cascade", is_flag=True, help="Erase what is in no other folder, too.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def delete_folder(id: str, *, cascade: bool, yes: bool) -> None:  # noqa: A002 - the argument's name in every command
    """Delete a folder. What is in it stays, unless --cascade says otherwise."""
    if cascade:
        confirm("Erase what is in this folder and in no other, for good?", yes=yes)
    with session() as here:
        erased: int = here.ask(DeleteFolder(id=id, cascade=cascade))
    show({"id": id, "erased": erased}, [f"Deleted the folder; {erased} items were erased with it."])


@click.group(cls=Group)
def review_command() -> None:
    """Decide what a model asked a person for."""


@review_command.command("list")
@click.option(
    "--state",
    type=click.Choice(["pending", "approved", "rejected", "expired"]),
    default="pending",
    show_default=True,
    help="Of this state.",
)
@json_option
def list_reviews(state: str) -> None:
    """List the reviews, oldest first."""
    with session() as here:
        found = [review_fields(each) for each in here.ask(ListReviews(state=state))]
    show_table(found, ("id", "kind", "suggested", "label", "preview", "client", "created_at"), "Nothing waits.")


@review_command.command("approve")
@click.argument("id")
@click.option("--as", "name", metavar="NAME", help="Into this collection, which is made unless it is there.")
@json_option
def approve_review(id: str, name: str | None) -> None:  # noqa: A002 - the argument's name in every command
    """Do what is asked for."""
    with session() as here:
        decided = _approve(here, id, name)
    fields = decided_fields(decided)
    show(fields, _decision(fields))


@review_command.command("reject")
@click.argument("id")
@json_option
def reject_review(id: str) -> None:  # noqa: A002 - the argument's name in every command
    """Refuse what is asked for. Its text is erased."""
    with session() as here:
        fields = decided_fields(here.ask(DecideReview(id=id, approve=False)))
    show(fields, _decision(fields))


def _approve(here: Session, review_id: str, name: str | None) -> Decided:
    """A name means the collection that has it, else a new one."""
    decided: Decided
    try:
        decided = here.ask(DecideReview(id=review_id, approve=True, collection=name))
    except NotFound:
        if name is None:
            raise
        decided = here.ask(DecideReview(id=review_id, approve=True, create=name))
    return decided


def _decision(fields: Fields) -> Iterator[str]:
    yield f"{fields['state'].capitalize()}."
    if fields["stored"]:
        yield f"Remembered in {fields['stored']['collection']}: {fields['stored']['id']}"
