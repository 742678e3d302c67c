"""Fusion: two lists of candidates into one order, by our own blend or by a score that a contract fixes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

WORDS_WEIGHT = 0.5
DIGITS = 4

RANK_CONSTANT = 60
WORDS_SHARE = 0.8


class Found(Protocol):
    """Anything that a search found."""

    @property
    def owner(self) -> str:
        """The index entry."""

    @property
    def chunk_id(self) -> str:
        """The chunk, empty for a fact."""

    @property
    def score(self) -> float:
        """How well it fits, on the scale of its search."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its fused score and what each search contributed."""

    id: str
    score: float
    why: Mapping[str, float] = field(default_factory=dict)


def fuse(
    words: Sequence[Found], vectors: Sequence[Found], among: tuple[Sequence[Found], Sequence[Found]] | None = None
) -> list[Scored]:
    """A convex blend of both scores, each brought to 0–1 over all it was found among; best first, ties by id."""
    all_words, all_vectors = among or (words, vectors)
    by_words, by_vectors = _spread(words, all_words), _spread(vectors, all_vectors)
    raw = {_id(each): {"bm25": each.score} for each in words}
    weight = WORDS_WEIGHT if all_words and all_vectors else float(bool(all_words))
    scored = []
    for each in dict.fromkeys((*by_words, *by_vectors)):
        parts = {"words": by_words.get(each, 0.0), "vectors": by_vectors.get(each, 0.0)}
        score = weight * parts["words"] + (1 - weight) * parts["vectors"]
        why = {name: round(part, DIGITS) for name, part in (parts | raw.get(each, {})).items()}
        scored.append(Scored(each, round(score, DIGITS), why))
    return _sorted(scored)


def by_bm25(words: Sequence[Found]) -> list[Scored]:
    """What the words found, by its own score; its rank would contribute as much as among reciprocal ranks."""
    ranked = enumerate(sorted(words, key=lambda each: (-each.score, _id(each))), RANK_CONSTANT + 1)
    return [
        Scored(_id(each), each.score, {"bm25": each.score, "words": WORDS_SHARE / place, "vectors": 0.0})
        for place, each in ranked
    ]


def by_cosine(vectors: Sequence[Found]) -> list[Scored]:
    """By the cosine alone, negative as 0."""
    return weighted((), vectors, 1.0)


def weighted(words: Sequence[Found], vectors: Sequence[Found], share: float) -> list[Scored]:
    """A fixed share of the cosine, negative as 0, the rest for the words by the best of them; what is missing is 0."""
    best = max((each.score for each in words), default=0.0) or 1.0
    by_words = {_id(each): each.score / best for each in words}
    cosines = {_id(each): max(0.0, each.score) for each in vectors}
    scored = []
    for each in dict.fromkeys((*by_words, *cosines)):
        parts = {"words": by_words.get(each, 0.0), "vectors": cosines.get(each, 0.0)}
        score = share * parts["vectors"] + (1 - share) * parts["words"]
        scored.append(Scored(each, round(score, DIGITS), parts))
    return _sorted(scored)


def by_ranks(words: Sequence[Found], vectors: Sequence[Found], window: int) -> list[Scored]:
    """Reciprocal ranks, of as many as the window holds in either list."""
    bm25 = {_id(each): each.score for each in words}
    by_words = {_id(each): WORDS_SHARE / (RANK_CONSTANT + rank) for rank, each in enumerate(words[:window], 1)}
    by_vectors = {
        _id(each): (1 - WORDS_SHARE) / (RANK_CONSTANT + rank) for rank, each in enumerate(vectors[:window], 1)
    }
    scored = []
    for each in dict.fromkeys((*by_words, *by_vectors)):
        parts = {"words": by_words.get(each, 0.0), "vectors": by_vectors.get(each, 0.0), "bm25": bm25.get(each, 0.0)}
        scored.append(Scored(each, parts["words"] + parts["vectors"], parts))
    return _sorted(scored)


def _sorted(scored: Iterable[Scored]) -> list[Scored]:
    return sorted(scored, key=lambda each: (-each.score, each.id))


def _id(found: Found) -> str:
    return found.chunk_id or found.owner


def _spread(found: Sequence[Found], among: Sequence[Found]) -> dict[str, float]:
    """Scores from 0 to 1, the worst and the best of all at the ends; where all are equal each is the best."""
    if not found:
        return {}
    top, low = max(each.score for each in among), min(each.score for each in among)
    if top == low:
        return {_id(each): 1.0 for each in found}
    return {_id(each): (each.score - low) / (top - low) for each in found}
