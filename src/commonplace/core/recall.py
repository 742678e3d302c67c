"""Recall: one pipeline from a question to its hits. The order is fused here; other parts find and shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.collections import narrowed
from commonplace.core.indexing import embed, half
from commonplace.core.items import find, whole
from commonplace.core.names import identify
from commonplace.core.requests import Recall
from commonplace.model.access import Caller, Scope
from commonplace.model.answer import Hit, Recalled
from commonplace.model.errors import Invalid
from commonplace.model.fact import Fact, Window, at, value_text
from commonplace.model.interval import Instant
from commonplace.retrieval.analyse import fact_terms, query_terms, within_one_edit
from commonplace.retrieval.budget import fit
from commonplace.retrieval.expand import expand
from commonplace.retrieval.fuse import Scored, fuse
from commonplace.store import facts, hits, index, items, relations
from commonplace.store.connection import Half
from commonplace.store.database import Read
from commonplace.store.search import Candidate, Filter, Kind, lexical, near_terms, similar
from commonplace.store.view import View, Wanted, view_of

DEPTH_MIN = 50
QUERY_BYTES_MAX = 8192
CLIENT_SPACE = "client"


@dataclass(frozen=True, slots=True)
class Question:
    """A recall as it is worked on: who sees what, and the query in the forms that the searches take."""

    request: Recall
    view: View
    wanted: Wanted
    vector: Half | None

    @property
    def depth(self) -> int:
        """How many candidates each search gives."""
        return max(DEPTH_MIN, 2 * self.request.limit)

    @property
    def window(self) -> Window:
        """Which facts count."""
        return replace(self.request.window or at(self.view.as_of), min_confidence=self.request.min_confidence)

    @property
    def filter(self) -> Filter:
        """The one filter of every search."""
        return Filter(self.view, self.depth, self.wanted, self.window)


def recall(app: App, caller: Caller, request: Recall) -> Recalled:
    """Find what answers a text; without one, the newest."""
    require(caller, Scope.READ)
    started = app.clock.now()
    text = _checked_query(request.text)
    vector = _query_vector(app, request, text)
    with app.db.read(caller.workspace_id) as read:
        view = view_of(read, caller, request.as_of, request.known_at)
        kept, excluded = narrowed(read, caller, request.collections)
        if request.ids:
            return _whole(app, read, caller, view, request.ids, started)
        question = Question(request, view, Wanted(kept, request.tags, request.memory_type), vector)
        found = _search(app, read, question, text) if text else _newest(read, question)
    ranked = [hit for hit in found if hit.score >= request.min_score]
    shown, spent = fit(ranked[: request.limit], request.max_llm_tokens)
    elapsed = (app.clock.now() - started) // 1000
    return Recalled(tuple(shown), spent, len(shown) < len(ranked[: request.limit]), elapsed, (), excluded)


def _whole(app: App, read: Read, caller: Caller, view: View, ids: Sequence[str], started: Instant) -> Recalled:
    """Memories with their full text, and facts, in the order they were asked for."""
    found = [_named(read, caller, view, each) for each in ids]
    elapsed = (app.clock.now() - started) // 1000
    return Recalled(tuple(found), sum(hit.llm_tokens for hit in found), truncated=False, elapsed_ms=elapsed)


def _named(read: Read, caller: Caller, view: View, text: str) -> Hit:
    thing = identify(read, text)
    fact = facts.facts_by_id(read, view, [thing]) if thing else {}
    if thing and thing in fact:
        return _fact_hit(*fact[thing], 0.0, {})
    placed = find(read, view, text)
    return replace(hits.of_version(read, view, placed), text=whole(read, caller, view, placed).text)


def _search(app: App, read: Read, question: Question, text: str) -> list[Hit]:
    found: list[Hit] = []
    if "memory" in question.request.targets:
        found += _memories(app, read, question, text)
    if "fact" in question.request.targets:
        found += _facts(app, read, question, text)
    return sorted(found, key=lambda hit: (-hit.score, -hit.valid.start, hit.id))


def _memories(app: App, read: Read, question: Question, text: str) -> list[Hit]:
    terms = [term for group in query_terms(text).groups for term in group]
    words, near = _both(app, read, "chunk", question, terms)
    fused = fuse(words, near)
    if question.request.one_per_item:
        fused = _best_of_each(fused, {each.chunk_id: each.item_id for each in (*words, *near)})
    found = hits.memories(read, question.view, fused[: question.depth], explain=question.request.explain)
    return _with_related(read, question, found)


def _with_related(read: Read, question: Question, found: Sequence[Hit]) -> list[Hit]:
    """The hits with what the best of them are related to, in the place that the way there earns."""

    def neighbours(ids: Sequence[str]) -> list[tuple[str, str]]:
        return relations.neighbours(read, question.view, question.wanted, ids)

    best = {hit.id: hit.score for hit in reversed(found)}
    reached = {each.id: each for each in expand(best, neighbours, question.request.hops)}
    unseen = [each for each in reached if each not in best]
    placed = items.versions_by_id(read, question.view, unseen) if unseen else []
    more = [hits.of_version(read, question.view, each) for each in placed]
    return [
        replace(hit, score=reached[hit.id].score, via=reached[hit.id].via) if hit.id in reached else hit
        for hit in (*found, *more)
    ]


def _facts(app: App, read: Read, question: Question, text: str) -> list[Hit]:
    terms = fact_terms(text)
    words, near = _both(app, read, "fact", question, terms)
    if not words and question.request.mode != "semantic":
        words = lexical(read, "fact", _within_one_edit(read, question.view, terms), question.filter)
    fused = fuse(words, near)[: question.depth]
    held = facts.facts_by_id(read, question.view, [each.id for each in fused])
    return [
        _fact_hit(*held[each.id], each.score, each.why if question.request.explain else {})
        for each in fused
        if each.id in held
    ]


def _both(
    app: App, read: Read, kind: Kind, question: Question, terms: Sequence[str]
) -> tuple[list[Candidate], list[Candidate]]:
    """What the words find and what the vectors find."""
    mode, vector = question.request.mode, question.vector
    words = lexical(read, kind, terms, question.filter) if terms and mode != "semantic" else []
    space = index.space_id(read, _space_name(app, read, question)) if vector is not None and mode != "keyword" else None
    if space is None or vector is None or space[1] * 2 != len(vector):
        return words, []
    return words, similar(read, kind, space[0], vector, question.filter)


def _space_name(app: App, read: Read, question: Question) -> str:
    """A vector that a client gave searches the clients' own space, unless that is empty."""
    own = question.request.vector is not None and index.space_id(read, CLIENT_SPACE)
    return CLIENT_SPACE if own else app.embedder.name


def _within_one_edit(read: Read, view: View, terms: Sequence[str]) -> list[str]:
    return [
        other
        for term in dict.fromkeys(terms)
        for shelf in view.shelves
        for other in near_terms(read, f"fact_{shelf}", term)
        if within_one_edit(term, other)
    ]


def _best_of_each(fused: Sequence[Scored], item_of: dict[str, str]) -> list[Scored]:
    seen: set[str] = set()
    best = []
    for each in fused:
        item_id = item_of[each.id]
        if item_id not in seen:
            seen.add(item_id)
            best.append(each)
    return best


def _newest(read: Read, question: Question) -> list[Hit]:
    found: list[Hit] = []
    limit = question.request.limit
    if "memory" in question.request.targets:
        placed = items.newest(read, question.view, question.wanted, limit=limit, in_kb=True)
        found += [hits.of_version(read, question.view, each) for each in placed]
    if "fact" in question.request.targets:
        newest = facts.newest_facts(read, question.view, question.wanted, question.window, limit)
        found += [_fact_hit(fact, collection, 0.0, {}) for fact, collection in newest]
    return sorted(found, key=lambda hit: (-hit.recorded_at, hit.id))


def _fact_hit(fact: Fact, collection: str, score: float, why: Mapping[str, float]) -> Hit:
    said = f"{fact.subject} · {fact.predicate} · {value_text(fact.value)}"
    return Hit(
        kind="fact",
        id=fact.id,
        title=fact.subject,
        text=said,
        score=score,
        collection=collection,
        source=fact.provenance,
        valid=fact.valid,
        recorded_at=fact.first_recorded_at,
        item_id=fact.item_id,
        fact=fact,
        llm_tokens=-(-len(said) // 4),
        why=why,
    )


def _query_vector(app: App, request: Recall, text: str) -> Half | None:
    if not text or request.mode == "keyword":
        return None
    if request.vector is not None:
        return half(request.vector)
    return embed(app.embedder, [text])[0]


def _checked_query(text: str | None) -> str:
    if text is None:
        return ""
    if not text.strip():
        raise Invalid("Invalid params: query must not be empty", param="query", reason="empty")
    if len(text.encode("utf-8", "replace")) > QUERY_BYTES_MAX:
        raise Invalid(
            f"Invalid params: query must be at most {QUERY_BYTES_MAX} bytes", param="query", reason="too_large"
        )
    return text.encode("utf-8", "replace").decode().replace("\0", " ").strip()
