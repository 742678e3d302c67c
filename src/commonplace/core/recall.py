"""Recall: one pipeline from a question to its hits. The order is fused here; other parts find and shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.collections import narrowed, visible
from commonplace.core.facts import Certainty, certainty
from commonplace.core.indexing import CLIENT_SPACE, centred_cosines, check_dimensions, embed, unit
from commonplace.core.items import find
from commonplace.core.names import DOCUMENT, identify
from commonplace.core.requests import Recall
from commonplace.model.access import Caller, Scope
from commonplace.model.answer import Hit, Recalled
from commonplace.model.errors import Invalid
from commonplace.model.fact import Fact, Window, at, value_text
from commonplace.model.interval import Instant
from commonplace.retrieval.analyse import fact_terms, query_terms, within_one_edit
from commonplace.retrieval.budget import fit, fit_each
from commonplace.retrieval.expand import expand
from commonplace.retrieval.fuse import Scored, by_bm25, by_cosine, by_ranks, fuse, weighted
from commonplace.retrieval.temporal import Found, reorder
from commonplace.store import facts, hits, index, items, relations
from commonplace.store.connection import Half
from commonplace.store.database import Read
from commonplace.store.search import Candidate, Filter, Kind, lexical, near_terms, similar
from commonplace.store.view import View, Wanted, view_of

FACTS_READ = 50
RANKS_WINDOW = 50
COSINE_SHARES = {"hybrid": 0.7, "semantic": 1.0, "keyword": 0.0}
QUERY_BYTES_MAX = 8192
ALIAS_WORDS_MAX = 4


@dataclass(frozen=True, slots=True)
class Question:
    """A recall as it is worked on: who sees what, and the query in the forms that the searches take."""

    request: Recall
    view: View
    wanted: Wanted
    vector: Half | None
    sure: Certainty

    @property
    def depth(self) -> int:
        """How many candidates each search gives."""
        return max(self.request.depth, 2 * self.request.limit)

    def deeper(self) -> "Question":
        """The same with more candidates, for many of those before were of the same items."""
        return replace(self, request=replace(self.request, depth=4 * self.depth))

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
    sure = certainty(app, caller.workspace_id)
    with app.db.read(caller.workspace_id) as read:
        view = view_of(read, caller, request.as_of, request.known_at)
        kept, excluded = narrowed(
            read, caller, request.collections, request.except_collections, tell_sensitive=request.tell_sensitive
        )
        if request.ids:
            return _whole(app, read, view, request.ids, started)
        if request.temporal is not None:
            request = replace(request, window=request.temporal.window(view.as_of))
        if request.window is not None and request.window.ends_after < view.as_of:
            view = replace(view, is_now=False)
        question = Question(request, view, Wanted(kept, request.tags, request.memory_type, request.facts), vector, sure)
        found = _search(app, read, question, text) if text else _newest(read, question)
        caps = {each.slug: each.recall_cap for each in visible(read, caller)}
        ranked = [hit for hit in found if hit.score >= request.min_score][: request.limit]
        if request.whole_notes:
            ranked = [hit if hit.item_kind == DOCUMENT else _opened(read, view, hit) for hit in ranked]
    capped = fit_each(ranked, caps) if request.capped_collections else ranked
    shown, spent = fit(capped, request.max_llm_tokens, never_empty=not request.capped_collections)
    elapsed = (app.clock.now() - started) // 1000
    return Recalled(tuple(shown), spent, len(shown) < len(ranked), elapsed, (), excluded)


def _whole(app: App, read: Read, view: View, ids: Sequence[str], started: Instant) -> Recalled:
    """Memories with their full text, and facts, in the order they were asked for."""
    found = [_named(read, view, each) for each in ids]
    elapsed = (app.clock.now() - started) // 1000
    return Recalled(tuple(found), sum(hit.llm_tokens for hit in found), truncated=False, elapsed_ms=elapsed)


def _named(read: Read, view: View, text: str) -> Hit:
    thing = identify(read, text)
    fact = facts.facts_by_id(read, view, [thing]) if thing else {}
    if thing and thing in fact:
        return _fact_hit(*fact[thing], 0.0, {})
    return _opened(read, view, hits.of_version(read, view, find(read, view, text)))


def _opened(read: Read, view: View, hit: Hit) -> Hit:
    """A memory with its full text in the place of one passage; a fact as it is."""
    if hit.kind == "fact" or hit.chunks == 1:
        return replace(hit, chunk_index=None)
    held = [each.chunk for each in items.chunks_of_version(read, hit.id, view.known_at)]
    text, spent = "".join(chunk.text for chunk in held), sum(chunk.llm_tokens for chunk in held)
    return replace(hit, text=text, llm_tokens=spent, chunk_index=None)


Pair = tuple[list[Candidate], list[Candidate]]
"""What the words found and what the vectors found."""


def _search(app: App, read: Read, question: Question, text: str) -> list[Hit]:
    """Memories and facts are scored among each other: the best of either is not the best of all."""
    nothing: Pair = ([], [])
    memories = _chunk_candidates(app, read, question, text) if "memory" in question.request.targets else nothing
    stated = _fact_candidates(app, read, question, text) if "fact" in question.request.targets else nothing
    among: Pair = (memories[0] + stated[0], memories[1] + stated[1])
    found = [*_memories(app, read, question, memories, among), *_facts(app, read, question, stated, among)]
    if question.request.scoring != "blend":
        return found
    return sorted(found, key=lambda hit: (-hit.score, -hit.valid.start, hit.id))


def _chunk_candidates(app: App, read: Read, question: Question, text: str) -> Pair:
    terms = [term for group in query_terms(text).groups for term in group]
    words, near = _both(app, read, "chunk", question, terms)
    if question.request.one_per_item:
        of_items = {each.item_id for each in (*words, *near)}
        if len(of_items) < question.request.limit and max(len(words), len(near)) >= question.depth:
            return _chunk_candidates(app, read, question.deeper(), text)
    return words, near


def _fact_candidates(app: App, read: Read, question: Question, text: str) -> Pair:
    terms = fact_terms(" ".join((text, *facts.names_behind(read, question.view, _runs(text)))))
    words, near = _both(app, read, "fact", question, terms)
    if not words and question.request.mode != "semantic":
        words = lexical(read, "fact", _within_one_edit(read, question.view, terms), question.filter)
    if not question.request.min_effective:
        return words, near
    return _sure_enough(read, question, words), _sure_enough(read, question, near)


def _memories(app: App, read: Read, question: Question, pair: Pair, among: Pair) -> list[Hit]:
    fused = _scored(app, read, question, pair, among)
    if question.request.one_per_item:
        fused = _best_of_each(fused, {each.chunk_id: each.item_id for each in (*pair[0], *pair[1])})
    found = hits.memories(read, question.view, fused[: question.depth], explain=question.request.explain)
    return _with_related(read, question, found) if question.request.hops else found


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


def _facts(app: App, read: Read, question: Question, pair: Pair, among: Pair) -> list[Hit]:
    return [
        _fact_hit(
            each.fact, each.collection, each.scored.score, _reasons(each, question) if question.request.explain else {}
        )
        for each in _ordered(app, read, question, pair, among)
    ]


def _ordered(app: App, read: Read, question: Question, pair: Pair, among: Pair) -> list[Found]:
    """The best of the facts that were found, in the order that the time asked about gives them."""
    fused = _scored(app, read, question, pair, among)[: max(FACTS_READ, 2 * question.request.limit)]
    held = facts.facts_by_id(read, question.view, [each.id for each in fused])
    found = [Found(each, *held[each.id]) for each in fused if each.id in held]
    hint, now = question.request.temporal, question.view.as_of
    if hint is None or question.request.scoring != "rrf":
        return found
    return reorder(found, hint.settled(now), now)


def _reasons(found: Found, question: Question) -> dict[str, float]:
    return {**found.scored.why, "effective": question.sure(found.fact, question.view.as_of)}


def _sure_enough(read: Read, question: Question, found: list[Candidate]) -> list[Candidate]:
    held = facts.facts_by_id(read, question.view, [each.owner for each in found])
    least, now = question.request.min_effective, question.view.as_of
    return [each for each in found if question.sure(held[each.owner][0], now) >= least]


def _scored(app: App, read: Read, question: Question, pair: Pair, among: Pair) -> list[Scored]:
    """What was found in the order of the score that was asked for."""
    words, near = pair
    match question.request.scoring:
        case "blend":
            return fuse(words, near, among)
        case "cosine":
            return by_cosine(_centred(app, read, question, [*words, *near]))
        case "seventy_thirty":
            return weighted(words, near, COSINE_SHARES[question.request.mode])
        case "bm25":
            return by_bm25(words)
        case "rrf" | _:
            return by_ranks(words, near, max(RANKS_WINDOW, question.request.limit))


def _centred(app: App, read: Read, question: Question, found: Sequence[Candidate]) -> list[Candidate]:
    """What was found with its cosine in the centred space, where a floor tells the unrelated from the related."""
    space = index.space_id(read, app.embedder.name)
    if space is None or question.vector is None:
        return []
    held = index.vectors(read, space[0], [each.owner for each in found])
    once = [each for each in {each.owner: each for each in found}.values() if each.owner in held]
    scores = centred_cosines(app.embedder, question.vector, [held[each.owner] for each in once])
    return [replace(each, score=score) for each, score in zip(once, scores, strict=True)]


def _both(
    app: App, read: Read, kind: Kind, question: Question, terms: Sequence[str]
) -> tuple[list[Candidate], list[Candidate]]:
    """What the words find and what the vectors find."""
    mode, vector = question.request.mode, question.vector
    words = lexical(read, kind, terms, question.filter) if terms and mode != "semantic" else []
    if vector is None:
        return words, []
    space_id = _space(app, read, question, len(vector) // 2)
    return words, similar(read, kind, space_id, vector, question.filter) if space_id else []


def _space(app: App, read: Read, question: Question, dimensions: int) -> str | None:
    """Where a vector searches: one that a client gave in the clients' own space, unless that is empty."""
    own = index.space_id(read, CLIENT_SPACE) if question.request.vector is not None else None
    if own:
        check_dimensions(own[1], dimensions)
    found = own or index.space_id(read, app.embedder.name)
    return found[0] if found and found[1] == dimensions else None


def _runs(text: str) -> list[str]:
    """Every run of a few words: each may be what somebody is also called."""
    said = [word.strip(".,;:!?()\"'") for word in text.split()]
    return [" ".join(said[at : at + size]) for size in range(1, ALIAS_WORDS_MAX + 1) for at in range(len(said))]


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
        placed = items.newest(read, question.view, replace(question.wanted, in_kb=True), limit=limit)
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
        return unit(request.vector)
    return embed(app.embedder, [text])[0]


def _checked_query(text: str | None) -> str:
    if text is None:
        return ""
    if not text.strip():
        raise Invalid("query must not be empty.", param="query", reason="empty")
    if len(text.encode("utf-8", "replace")) > QUERY_BYTES_MAX:
        raise Invalid(f"query must have at most {QUERY_BYTES_MAX} bytes.", param="query", reason="too_large")
    return text.encode("utf-8", "replace").decode().replace("\0", " ").strip()
