"""Candidates: what the words and the vectors of a query find under one filter."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from commonplace.model.fact import Window, at
from commonplace.store.connection import Half, Row
from commonplace.store.database import Read
from commonplace.store.view import View, Wanted

Kind = Literal["chunk", "fact"]

POSTINGS_MAX = 50_000
NEAR_TERMS_MAX = 50_000
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something found, before it is ranked. For facts, `chunk_id` and the rest are empty."""

    owner: str
    score: float
    chunk_id: str = ""
    version_id: str = ""
    item_id: str = ""
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class Filter:
    """The one filter under which every kind of search looks."""

    view: View
    limit: int
    wanted: Wanted = Wanted()
    window: Window | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """Everything that the queries ask of it."""
        window = self.window or at(self.view.as_of)
        return self.view.parameters | self.wanted.parameters | asdict(window)


def lexical(read: Read, kind: Kind, terms: Sequence[str], filtered: Filter) -> list[Candidate]:
    """What the words find, best first; each shelf is scored by its own statistics."""
    found: list[Candidate] = []
    for shelf in _shelves(read, kind, filtered.view):
        affordable = _affordable(read, f"{kind}_{shelf}", terms)
        if affordable:
            match = " OR ".join('"' + term.replace('"', '""') + '"' for term in affordable)
            rows = read.all(
                f"search_{kind}_{shelf}", match=match, terms=affordable, limit=filtered.limit, **filtered.parameters
            )
            found += [_candidate(row, round(row["score"], DIGITS)) for row in rows]
    return _best(found, filtered.limit)


def similar(read: Read, kind: Kind, space_id: str, vector: Half, filtered: Filter) -> list[Candidate]:
    """What lies nearest to a vector, by exact cosine, best first."""
    shelves = tuple(f"{kind}_{shelf}" for shelf in _shelves(read, kind, filtered.view))
    rows = read.all(f"vectors_{kind}", space_id=space_id, shelves=shelves, **filtered.parameters)
    if not rows:
        return []
    scores = cosines(vector, [row["data"] for row in rows])
    return _best([_candidate(row, score) for row, score in zip(rows, scores, strict=True)], filtered.limit)


def _shelves(read: Read, kind: Kind, view: View) -> tuple[str, ...]:
    """What has begun since the last write still stands in history; facts are current before they begin."""
    begun = kind == "chunk" and view.is_now and read.has_begun
    return (*view.shelves, "history") if begun else view.shelves


def _best(found: list[Candidate], limit: int) -> list[Candidate]:
    return sorted(found, key=lambda each: (-each.score, each.chunk_id or each.owner))[:limit]


def _affordable(read: Read, shelf: str, terms: Sequence[str]) -> tuple[str, ...]:
    """The rarest terms first, as many as the postings they make us read allow."""
    counted = {row["term"]: int(row["entries"]) for row in read.all(f"rarity_{shelf}", terms=tuple(terms))}
    kept: list[str] = []
    spent = 0
    for term in sorted(counted, key=lambda each: (counted[each], each)):
        spent += counted[term]
        if kept and spent > POSTINGS_MAX:
            break
        kept.append(term)
    return tuple(kept)


def cosines(vector: Half, others: Sequence[bytes]) -> list[float]:
    """The cosine of one unit vector with others."""
    import numpy as np

    matrix = np.frombuffer(b"".join(others), "<f2").reshape(len(others), -1).astype(np.float32)
    return [round(float(score), DIGITS) for score in matrix @ np.frombuffer(vector, "<f2").astype(np.float32)]


def near_terms(read: Read, shelf: str, term: str) -> list[str]:
    """Terms of the living vocabulary that are about as long as this one: what one edit may have come from."""
    size = len(term)
    rows = read.all(f"near_{shelf}", shortest=size - 1, longest=size + 1, limit=NEAR_TERMS_MAX)
    return [row["term"] for row in rows]


def _candidate(row: Row, score: float) -> Candidate:
    return Candidate(
        row["owner"],
        score,
        row.get("chunk_id", ""),
        row.get("version_id", ""),
        row.get("item_id", ""),
        row.get("ordinal", 0),
    )
