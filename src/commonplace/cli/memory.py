"""The memory from a terminal: putting in, finding, looking back, forgetting."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any, get_args

import click

from commonplace.cli.fields import stored_fields
from commonplace.cli.session import Command, confirm, session
from commonplace.cli.show import Fields, cell, json_option, show, show_table, table
from commonplace.cli.values import moment
from commonplace.core.requests import About, Forget, History, Recall, Store, Undo
from commonplace.model.answer import Known, Recalled
from commonplace.model.errors import Invalid
from commonplace.model.item import MemoryType
from commonplace.surfaces.native_fields import event_fields
from commonplace.surfaces.native_shapes import about_reply, fact_fields, forget_reply, recall_reply, relation_fields

as_of_option = click.option("--as-of", type=moment, metavar="TIME", help="What was true then; default now.")
known_at_option = click.option("--known-at", type=moment, metavar="TIME", help="What was known then; default now.")


@click.command(cls=Command)
@click.argument("text", required=False)
@click.option("--title", help="Short name; default the first line.")
@click.option("--collection", help="Where to file it.")
@click.option(
    "--type",
    "memory_type",
    type=click.Choice(get_args(MemoryType)),
    default="semantic",
    show_default=True,
    help="Fact, event, how-to or reference.",
)
@click.option("--tag", "tags", multiple=True, help="A word to find it by; may be given again.")
@click.option("--source", "provenance", help="Where it comes from.")
@click.option("--valid-from", type=moment, metavar="TIME", help="Since when it is true; default now.")
@click.option("--key", help="The same key again stores nothing new.")
@json_option
def remember_command(text: str | None, **given: Any) -> None:
    """Put a text in. Without TEXT, or with -, it is read from standard input."""
    said = _piped() if text in {None, "-"} else text
    with session() as here:
        fields = stored_fields(here.ask(Store(text=said or "", extract=True, similar=True, **given)))
    show(fields, _remembered(fields))


@click.command(cls=Command)
@click.argument("query", required=False)
@click.option("-k", "limit", type=click.IntRange(1, 50), default=8, show_default=True, help="At most so many hits.")
@as_of_option
@known_at_option
@click.option("--collection", "collections", multiple=True, help="Only from this one; may be given again.")
@click.option("--explain", is_flag=True, help="Tell what found each hit.")
@json_option
def recall_command(query: str | None, collections: tuple[str, ...], **given: Any) -> None:
    """Find what answers a query. Without QUERY, the newest."""
    request = Recall(text=query, targets=("memory", "fact"), collections=collections or None, **given)
    with session() as here:
        answer: Recalled = here.ask(request)
    fields = recall_reply(answer, {})
    show(fields, _hit_lines(fields["hits"]) if answer.hits else ["Nothing was found."])


@click.command(cls=Command)
@click.argument("entity")
@as_of_option
@known_at_option
@click.option("--since", type=moment, metavar="TIME", help="Changes after then; default all.")
@json_option
def about_command(**given: Any) -> None:
    """Tell what is known about an entity. Facts, changes, relations, and what contradicts itself."""
    with session() as here:
        known: Known = here.ask(About(**given))
    show(about_reply(known, {}), _known_lines(known))


@click.command(cls=Command)
@click.argument("id", required=False)
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many events.")
@json_option
def history_command(**given: Any) -> None:
    """Tell what was written, newest first. Of one thing when its ID is given."""
    with session() as here:
        events = [event_fields(event) for event in here.ask(History(**given))]
    show_table(events, ("recorded_at", "kind", "actor", "client", "id", "subjects"), "Nothing was written yet.")


@click.command(cls=Command)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--source", help="Everything that comes from there.")
@click.option("--collection", help="Everything in this collection.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def forget_command(*, yes: bool, **given: Any) -> None:
    """Erase things for good. With text, index, earlier versions and what was drawn from them."""
    if not any(given.values()):
        raise click.UsageError("Name what to forget: an ID, --source or --collection.")
    confirm("Erase this for good, with its history?", yes=yes)
    with session() as here:
        fields = forget_reply(here.ask(Forget(**given)), {})
    show(fields, _forgotten(fields))


@click.command(cls=Command)
@click.argument("event")
@json_option
def undo_command(event: str) -> None:
    """Take a write back. `commonplace history` names the events."""
    with session() as here:
        fields = event_fields(here.ask(Undo(event_id=event)))
    show(fields, [f"Undone, as event {fields['id']}."])


def _piped() -> str:
    if sys.stdin.isatty():
        raise click.UsageError("Give a TEXT, or pipe one in.")
    try:
        return sys.stdin.buffer.read().decode().removesuffix("\n")
    except UnicodeDecodeError as error:
        raise Invalid("What came on standard input is not UTF-8 text.") from error


def _remembered(fields: Fields) -> Iterator[str]:
    yield f"Remembered in {fields['collection']}: {fields['id']}"
    for one in fields["similar"]:
        yield f"Nearly the same: {one['id']}  {cell(one['title'])}"


def _hit_lines(hits: Sequence[Fields]) -> Iterator[str]:
    for hit in hits:
        yield f"{hit['score']:6.3f}  {cell(hit['title'])}  ({hit['collection']}, {cell(hit['valid_from'])})"
        yield from (f"        {line}" for line in hit["text"].splitlines())
        if "why" in hit:
            yield "        " + "  ".join(f"{stage} {share:.3f}" for stage, share in hit["why"].items())
        yield f"        {hit['id']}"


def _known_lines(known: Known) -> Iterator[str]:
    columns = ("predicate", "object", "valid_from", "valid_to", "confidence", "id")
    if not (known.facts or known.changes.new or known.relations):
        yield f"Nothing is known about {known.entity}."
    if known.facts:
        yield from table([fact_fields(fact) for fact in known.facts], columns)
    if known.changes.closed:
        yield from ("", "No longer true:")
        yield from table([fact_fields(fact) for fact in known.changes.closed], columns)
    if known.relations:
        yield from ("", "Relations:")
        yield from table([relation_fields(each) for each in known.relations], ("rel_type", "from_id", "to_id"))
    for found in known.health.contradictions:
        yield f"Contradiction in {found.fact.predicate}: {found.suggestion}."


def _forgotten(fields: Fields) -> Iterator[str]:
    counts = ", ".join(f"{fields[name]} {name}" for name in ("versions", "chunks", "facts", "relations"))
    yield f"Erased {len(fields['items'])} items: {counts}."
    if not fields["journal_clear"]:
        yield "The journal still holds it, for another process is reading."
