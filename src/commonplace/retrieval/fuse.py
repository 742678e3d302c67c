"""Fusion: two lists of candidates into one order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

WORDS_WEIGHT = 0.5
DIGITS = 4


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


def fuse(words: Sequence[Found], vectors: Sequence[Found]) -> list[Scored]:
    """A convex blend of both scores, each brought to 0–1 over its own list; best first, ties by id."""
    by_words, by_vectors = _spread(words), _spread(vectors)
    raw = {each.chunk_id or each.owner: {"bm25": each.score} for each in words}
    weight = WORDS_WEIGHT if words and vectors else float(bool(words))
    scored = []
    for each in dict.fromkeys((*by_words, *by_vectors)):
        parts = {"words": by_words.get(each, 0.0), "vectors": by_vectors.get(each, 0.0)}
        score = weight * parts["words"] + (1 - weight) * parts["vectors"]
        why = {name: round(part, DIGITS) for name, part in (parts | raw.get(each, {})).items()}
        scored.append(Scored(each, round(score, DIGITS), why))
    return sorted(scored, key=lambda each: (-each.score, each.id))


def _spread(found: Sequence[Found]) -> dict[str, float]:
    """Scores from 0 to 1; the worst of the list keeps a little, for it was found and others were not."""
    if not found:
        return {}
    top, low = max(each.score for each in found), min(each.score for each in found)
    span = (top - low) or 1.0
    floor = 0.0 if top > low else 1.0
    return {each.chunk_id or each.owner: max(floor, (each.score - low) / span) for each in found}
