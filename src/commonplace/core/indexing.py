"""From texts to index entries: the slow work before a write, and the placing inside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commonplace.core.app import App
from commonplace.ingest.chunk import chunks, indexed_text, llm_tokens, overlap
from commonplace.model.ports import Embedder
from commonplace.retrieval.analyse import fact_terms, terms
from commonplace.store import index
from commonplace.store.connection import Half
from commonplace.store.database import Write
from commonplace.store.index import Entry
from commonplace.store.items import Piece

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Prepared:
    """The chunks of a text with their index entries, made before any lock is taken."""

    pieces: tuple[Piece, ...]
    entries: tuple[Entry, ...]


def prepare(app: App, title: str, text: str, *, indexed: bool = True) -> Prepared:
    """Cut a text, analyse and embed it."""
    pieces = tuple(
        Piece(app.ids.new(), app.ids.new(), cut.ordinal, cut.headings, cut.text, llm_tokens(cut.text))
        for cut in chunks(text)
    )
    return Prepared(pieces, entries(app, title, pieces) if indexed else ())


def entries(app: App, title: str, pieces: Sequence[Piece], before: str = "") -> tuple[Entry, ...]:
    """The index entries of consecutive chunks; `before` is the text of the chunk in front of the first."""
    seen = []
    for piece in pieces:
        seen.append(indexed_text(title, piece.headings, overlap(before) if before else "", piece.text))
        before = piece.text
    vectors = embed(app.embedder, seen)
    return tuple(
        Entry(piece.content_id, terms(text), vector) for piece, text, vector in zip(pieces, seen, vectors, strict=True)
    )


def embed(embedder: Embedder, texts: Sequence[str]) -> list[Half]:
    """The vectors of texts, as they are stored."""
    return [half(vector) for vector in embedder.embed(texts)] if texts else []


def half(vector: "ArrayLike") -> Half:
    """A vector as 16-bit floats."""
    import numpy as np

    return Half(np.asarray(vector, "<f2").tobytes())


def fact_entry(app: App, owner: str, said: str) -> Entry:
    """The index entry of a fact: its words unstemmed, and its vector."""
    return Entry(owner, fact_terms(said), embed(app.embedder, [said])[0])


def place(app: App, write: Write, shelf: str, made: Sequence[Entry]) -> None:
    """Put entries on a shelf."""
    if made:
        space_id = index.space(write, app.embedder.name, app.embedder.dimensions)
        for entry in made:
            index.put(write, shelf, space_id, entry)
