"""What the Graphnosis tools ask for, and how their answers read: pure functions."""

from collections.abc import Mapping

from commonplace.core.requests import Apply, Forget, Propose, Recall, Store
from commonplace.model.answer import Applied, Forgotten, Proposed, Recalled, Stats, Stored
from commonplace.model.errors import Invalid
from commonplace.model.ids import render
from commonplace.model.interval import format_second
from commonplace.model.names import name_key
from commonplace.surfaces.contract import Arguments, Fields

CALL_TOKENS_MAX = 8_000
CANDIDATES_MIN = 256

REWRITERS: Mapping[str | None, tuple[str, ...]] = {
    "deterministic": ("deterministic",),
    "llm-assisted": ("llm", "sampling"),
}


def lower(prefix: str, thing: str) -> str:
    """An id in this contract's lower case."""
    return render(prefix, thing).lower()


def engram(name: str) -> str:
    """A name that can be an engram's: one with a letter or a digit."""
    name_key(name)
    return name


def node_of(one: Fields) -> str:
    """The chunk that an element of `items` names."""
    node = one.get("nodeId")
    if not isinstance(node, str):
        raise Invalid("an item is an object with a nodeId")
    return node


def recall_request(given: Arguments) -> Recall:
    """What to look for; the cosine orders, and its floor leaves the unrelated out."""
    return Recall(
        text=given["query"],
        limit=given["maxNodes"] or given["topK"],
        scoring="cosine",
        depth=CANDIDATES_MIN,
        min_score=given["minScore"],
        collections=given["graphs"],
        except_collections=given["except_engrams"],
        tell_sensitive=True,
        capped_collections=True,
        max_llm_tokens=given["maxTokens"] or CALL_TOKENS_MAX,
        one_per_item=False,
        hops=0,
    )


def recall_reply(answer: Recalled, _: Arguments) -> Fields:
    """The chunks, nearest first; named engrams that are sensitive were left out."""
    chunks = [
        {
            "chunkId": lower("chk", hit.chunk_id or hit.id),
            "sourceId": lower("src", hit.item_id or hit.id),
            "graph": hit.collection,
            "text": hit.text,
            "score": hit.score,
            "sourceName": hit.label or hit.title,
            "updatedAt": format_second(hit.updated_at or hit.recorded_at),
        }
        for hit in answer.hits
    ]
    told = {"commonplace/excluded_graphs": list(answer.excluded)} if answer.excluded else {}
    return {"results": chunks, "totalTokens": answer.llm_tokens, "truncated": answer.truncated, "_meta": told}


def stats_reply(answer: Stats, _: Arguments) -> Fields:
    """The engrams and their sums."""
    graphs = answer.collections
    return {
        "cortexPath": answer.location,
        "graphs": [
            {
                "name": one.slug,
                "tier": one.tier,
                "sources": one.items,
                "chunks": one.chunks,
                "estimatedTokens": one.llm_tokens,
            }
            for one in graphs
        ],
        "totalSources": sum(one.items for one in graphs),
        "totalChunks": sum(one.chunks for one in graphs),
        "embeddingModel": answer.embedder,
        "embeddingDimensions": answer.dimensions,
        "cortexDbSizeBytes": answer.size_bytes,
    }


def remember_request(given: Arguments) -> Store:
    """A text for an engram; either name of one goes through the resolver."""
    return Store(
        tell_sensitive=True,
        text=given["text"],
        title=given["label"],
        generic_label="Note",
        collection=given["graphId"] or given["target_engram"],
        platform=given["kind"],
    )


def remember_reply(answer: Stored, given: Arguments) -> Fields:
    """Where the text is; a second name that meant another engram was ignored."""
    other = given["target_engram"] if given["graphId"] else None
    ignored = other is not None and name_key(other) != name_key(answer.collection)
    return {
        "sourceId": lower("src", answer.item_id),
        "graphId": answer.collection,
        "nodeCount": len(answer.chunk_ids),
        "_meta": {"commonplace/ignored_arguments": ["target_engram"]} if ignored else {},
    }


def correct_request(given: Arguments) -> Propose:
    """What should change in a chunk, said in words."""
    return Propose(
        chunk_id=given["chunkId"],
        proposal=given["proposal"],
        methods=REWRITERS.get(given["mode"]),
        within=given["graphId"],
        tell_sensitive=True,
    )


def correct_reply(answer: Proposed, _: Arguments) -> Fields:
    """The chunk as it is and as it would be."""
    return {
        "correctionId": lower("cor", answer.id),
        "chunkId": lower("chk", answer.chunk_id),
        "originalText": answer.original,
        "proposedText": answer.proposed,
        "diff": answer.diff,
        "expiresAt": format_second(answer.expires_at),
        "method": answer.method,
    }


def apply_request(given: Arguments) -> Apply:
    """The correction to make."""
    return Apply(id=given["correctionId"], within=given["graphId"], tell_sensitive=True)


def apply_reply(answer: Applied, _: Arguments) -> Fields:
    """What was changed, and the event that tells of it."""
    return {
        "chunkId": lower("chk", answer.chunk_id),
        "applied": True,
        "newEmbeddingComputed": True,
        "opLogEventId": lower("op", answer.event_id),
    }


def forget_request(given: Arguments) -> Forget:
    """A source, or chunks of one."""
    chunk, source = given["chunkId"], given["sourceId"]
    return Forget(
        items=(source,) if source else (),
        chunks=((chunk,) if chunk else ()) + given["nodeIds"] + given["items"],
        within=given["graphId"],
        tell_sensitive=True,
    )


def forget_reply(answer: Forgotten, _: Arguments) -> Fields:
    """What is gone for good."""
    return {"deleted": True, "chunksRemoved": answer.chunks, "sourceRemoved": bool(answer.item_ids)}


def unresolved(facts: Fields) -> Fields:
    """Which engrams a name may have meant, and the review in which a person says so."""
    return {
        "resolution": facts["resolution"],
        "requested": facts["requested"],
        "candidates": [
            {"graphId": one["slug"], "displayName": one["name"], "score": one["score"], "reason": one["reason"]}
            for one in facts["candidates"]
        ],
        "existing": [{"graphId": one["slug"], "displayName": one["name"]} for one in facts["existing"]],
        "pendingReviewId": facts["pending_review_id"],
        "retry": facts["retry"],
    }
