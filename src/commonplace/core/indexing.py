"""From texts to index entries: the slow work before a write, and the placing inside it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commonplace.core.app import App
from commonplace.ingest.chunk import chunks, indexed_text, llm_tokens, overlap
from commonplace.model.errors import Invalid
from commonplace.model.ports import Embedder
from commonplace.retrieval.analyse import terms
from commonplace.store import index
from commonplace.store.connection import Half
from commonplace.store.database import Read, Write
from commonplace.store.index import Entry
from commonplace.store.items import Piece, StoredChunk, chunks_of_version
from commonplace.store.view import LATEST

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

CLIENT_SPACE = "client"

Text = tuple[str, tuple[Piece, ...]]
"""A title and consecutive chunks."""


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


def entries_of(app: App, texts: Iterable[Text]) -> tuple[Entry, ...]:
    """The index entries of several texts."""
    return tuple(entry for title, pieces in texts for entry in entries(app, title, pieces))


def texts_of_item(read: Read, item_id: str) -> list[Text]:
    """The text of every version of an item."""
    return [
        (version["title"], tuple(piece_of(each) for each in chunks_of_version(read, version["id"], LATEST)))
        for version in read.all("open_versions_of_item", item_id=item_id)
    ]


def piece_of(stored: StoredChunk) -> Piece:
    """A stored chunk as it was cut."""
    chunk = stored.chunk
    return Piece(chunk.id, stored.content_id, chunk.ordinal, chunk.headings, chunk.text, chunk.llm_tokens)


def embed(embedder: Embedder, texts: Sequence[str]) -> list[Half]:
    """The vectors of texts, as they are stored."""
    return [half(vector) for vector in embedder.embed(texts)] if texts else []


def half(vector: "ArrayLike") -> Half:
    """A vector as 16-bit floats."""
    import numpy as np

    return Half(np.asarray(vector, "<f2").tobytes())


def check_dimensions(held: int, given: int) -> None:
    """Refuse a vector that does not fit where the clients' vectors are kept."""
    if held != given:
        raise Invalid(
            f"query dimension mismatch: index has dim {held}, query has {given}",
            reason="dimension",
            held=held,
            given=given,
        )


def unit(vector: "ArrayLike") -> Half:
    """A vector that a client gave, brought to length one as ours are."""
    import numpy as np

    given = np.asarray(vector, np.float64)
    return half(given / (np.linalg.norm(given) or 1.0))


def centred_cosines(embedder: Embedder, query: Half, others: Sequence[Half]) -> list[float]:
    """The cosine of a vector with others, in the space as the embedder centres it."""
    import numpy as np

    stored = np.frombuffer(query + b"".join(others), "<f2").reshape(len(others) + 1, -1)
    seen = embedder.centred(stored.astype(np.float32))
    return [float(score) for score in seen[1:] @ seen[0]]


def place_again(app: App, write: Write, made: Sequence[Entry], missing: Mapping[str, str]) -> None:
    """Put entries where they are already, and those that the index lacks on the shelves they are missing from."""
    for entry in made:
        held = write.one("shelf_of", owner=entry.owner)
        shelf = held["shelf"] if held else missing.get(entry.owner)
        if shelf:
            place(app, write, shelf, [entry])


def place(app: App, write: Write, shelf: str, made: Sequence[Entry]) -> None:
    """Put entries on a shelf."""
    if made:
        space_id = index.space(write, app.embedder.name, app.embedder.dimensions)
        for entry in made:
            index.put(write, shelf, space_id, entry)
