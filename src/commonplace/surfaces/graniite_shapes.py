"""What the Graniite tools ask for, and how their answers read: pure functions."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from commonplace.core.requests import Get, List, Recall, Store
from commonplace.model.answer import Hit, Recalled, Stored
from commonplace.model.errors import Invalid, Upstream
from commonplace.model.ids import parse
from commonplace.model.interval import format_second
from commonplace.model.item import Item, Version, Whole
from commonplace.model.names import shorten, words
from commonplace.surfaces.contract import Arguments, Fields

NOTE_BYTES_MAX = 102_400
SNIPPET_CHARACTERS = 200
LEAD_WORDS = 4
SNIPPET_COLUMNS = 70
TRANSCRIPT_BYTES_MAX = 4 * 1024 * 1024
NOTHING_FOUND = "No matching chunks found."
NOTHING_THERE = "Nothing here yet: the folders this token can see are empty."


def item_id(text: str) -> str:
    """An id in some form that an item may have."""
    if parse(text) is None and not text.startswith(("memory_", "doc_")):
        raise Invalid("it must be a UUID")
    return text


def search_request(given: Arguments) -> Recall:
    """What to look for among the chunks."""
    return Recall(
        text=given["query"],
        limit=given["limit"],
        mode=given["mode"],
        scoring="seventy_thirty",
        one_per_item=False,
        hops=0,
    )


def search_reply(answer: Recalled, given: Arguments) -> Fields:
    """The chunks, best first."""
    hits = [hit_fields(rank, hit, given["query"]) for rank, hit in enumerate(answer.hits, 1)]
    return {"query": given["query"], "mode": given["mode"], "total": len(hits), "results": hits}


def hit_fields(rank: int, hit: Hit, query: str) -> Fields:
    """One chunk."""
    return {
        "rank": rank,
        "score": round(hit.score, 4),
        "title": hit.label or hit.title,
        "snippet": snippet(hit.text, query),
        "text": hit.text,
        "user_item_id": hit.item_id,
        "content_id": hit.content_id,
        "chunk_id": hit.chunk_id,
        "chunk_index": hit.chunk_index,
        "url": hit.url,
        "platform": hit.platform,
        "created_at": format_second(hit.added_at or hit.recorded_at),
    }


def snippet(text: str, query: str) -> str:
    """The passage with most words of the query, cut at word ends."""
    asked, said = set(words(query.casefold())), text.split()
    found = [at for at, word in enumerate(said) if not asked.isdisjoint(words(word.casefold()))]
    starts = sorted({0, *(max(0, at - LEAD_WORDS) for at in found)})
    passages = [shorten(" ".join(said[start : start + SNIPPET_CHARACTERS]), SNIPPET_CHARACTERS) for start in starts]
    return max(passages, key=lambda passage: len(asked.intersection(words(passage.casefold()))))


def search_text(fields: Fields) -> str:
    """The chunks as a numbered list."""
    return "\n\n".join(hit_text(hit) for hit in fields["results"]) or NOTHING_FOUND


def hit_text(hit: Fields) -> str:
    """One chunk of the list."""
    quoted = wrap(f'"...{hit["snippet"]}..."', SNIPPET_COLUMNS, initial_indent=" " * 3, subsequent_indent=" " * 4)
    return "\n".join([f"{hit['rank']}. ({hit['score']:.2f}) {hit['title']}", *quoted])


def get_request(given: Arguments) -> Get:
    """The item to read."""
    return Get(id=given["item_id"])


def get_reply(answer: Whole, _: Arguments) -> Fields:
    """An item with its full text."""
    item, kept = answer.item, answer.item.media
    text, cut = transcript(answer.text)
    fields = {
        "user_item_id": item.id,
        "content_id": item.content_key,
        "title": title_of(item, answer.version),
        "custom_title": item.custom_title,
        "source_title": item.source_title,
        "url": item.url,
        "platform": item.platform,
        "created_at": format_second(item.created_at),
        "archived": item.archived,
        "read": item.read,
        "in_kb": item.in_kb,
        "auto_transform": bool(kept.get("auto_transform")),
        "transcript": text,
        "transcript_segments": [],
        **taken(kept, "transcription_status", "transcription_error", "transform_error", "transform_failed_at"),
        **taken(kept, "media_kind", "mime_type", "duration_seconds", "thumbnail_url", "published_at"),
        "outputs": [],
        "folders": [{"id": id_, "name": name} for id_, name in answer.folders],
    }
    return {**fields, "truncated": True, "transcript_chars": len(answer.text)} if cut else fields


def transcript(text: str) -> tuple[str, bool]:
    """The text, cut at a word end where it is too long to send, and whether it was."""
    encoded = text.encode()
    if len(encoded) <= TRANSCRIPT_BYTES_MAX:
        return text, False
    head = encoded[:TRANSCRIPT_BYTES_MAX].decode(errors="ignore")
    return head[: head.rfind(" ")] if " " in head else head, True


def get_text(fields: Fields) -> str:
    """An item as Markdown."""
    source = [f"Source: {fields['url']}"] if fields["url"] else []
    more = ["", f"(cut: the whole text has {fields['transcript_chars']} characters)"] if "truncated" in fields else []
    head = [f"# {fields['title']}", f"Platform: {fields['platform']}", *source]
    return "\n".join([*head, "", "## Transcript / source text", fields["transcript"], *more])


def list_request(given: Arguments) -> List:
    """The newest items."""
    return List(limit=given["limit"])


def list_reply(answer: Sequence[Any], _: Arguments) -> Fields:
    """The items, newest first."""
    return {"items": [row_fields(each.item, each.version) for each in answer]}


def row_fields(item: Item, version: Version) -> Fields:
    """One item of a list."""
    return {
        "user_item_id": item.id,
        "content_id": item.content_key,
        "title": title_of(item, version),
        "url": item.url,
        "platform": item.platform,
        "created_at": format_second(item.created_at),
        "in_kb": item.in_kb,
        "archived": item.archived,
        "read": item.read,
        "auto_transform": bool(item.media.get("auto_transform")),
        **taken(item.media, "transcription_status", "duration_seconds", "media_kind", "thumbnail_url", "published_at"),
    }


def list_text(fields: Fields) -> str:
    """One line for each item."""
    lines = [
        f"{number}. {row['title']} ({row['platform']}, {row['created_at'][:10]}) — {row['user_item_id']}"
        for number, row in enumerate(fields["items"], 1)
    ]
    return "\n".join(lines) or NOTHING_THERE


def add_request(given: Arguments) -> Store:
    """A text to keep; pages and media are not fetched yet."""
    if given["kind"] == "url":
        detail = "no fetcher configured"
        raise Upstream(f"Ingest failed: {detail}", reason="ingest_failed", url=given["url"], detail=detail)
    return Store(
        text=given["text"],
        title=given["title"],
        kind="document" if len(given["text"].encode()) > NOTE_BYTES_MAX else "note",
        platform="text",
        in_kb=given["in_kb"],
        media={"auto_transform": given["auto_transform"]},
    )


def add_reply(answer: Stored, given: Arguments) -> Fields:
    """What was kept; a url beside a text was ignored."""
    return {
        "status": "ready",
        "user_item_id": answer.item_id,
        "content_id": answer.content_id,
        "folder_id": answer.folder_id,
        "_meta": {"commonplace/ignored_arguments": ["url"]} if given["url"] else {},
    }


def title_of(item: Item, version: Version) -> str:
    """What an item is called."""
    return item.custom_title or item.source_title or version.title


def taken(kept: dict[str, Any], *names: str) -> Fields:
    """What is known about a medium, null where nothing is."""
    return {name: kept.get(name) for name in names}
