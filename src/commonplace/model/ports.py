"""What the core asks of the outside world, each in at most three methods."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from commonplace.model.interval import Instant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vector = Sequence[float]


class Clock(Protocol):
    """Tells the time; tests inject their own."""

    def now(self) -> Instant:
        """The present, in microseconds since 1970 in UTC."""


class Ids(Protocol):
    """Makes ids that are never used twice."""

    def new(self) -> str:
        """A fresh UUIDv7 in its canonical form."""


class Embedder(Protocol):
    """Turns text into vectors of one space."""

    @property
    def name(self) -> str:
        """Name and version of the model: the name of its space."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """One unit vector per text, as rows in order."""

    def centred(self, vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """Unit vectors seen from the middle of all texts; the same where the model's space has no such bias."""


class Rewriter(Protocol):
    """Turns a chunk and a proposal in words into the corrected chunk."""

    @property
    def method(self) -> str:
        """How it works: llm, sampling or deterministic."""

    def rewrite(self, text: str, proposal: str) -> str | None:
        """The corrected text, or None where this rewriter cannot tell what is meant."""


class Extractor(Protocol):
    """Finds facts in a text."""

    def extract(self, text: str, at: Instant) -> Sequence["Finding"]:
        """Facts in the order of the text; relative dates are read against `at`."""


class Finding(Protocol):
    """A fact that an extractor read in a text."""

    subject: str
    predicate: str
    value: str | float | bool
    valid_from: Instant
    valid_to: Instant
    confidence: float


class Reranker(Protocol):
    """Scores how well passages answer a query."""

    def score(self, query: str, passages: Sequence[str]) -> Sequence[float]:
        """One score per passage, in order."""


class Fetcher(Protocol):
    """Fetches a page or a file from the network."""

    def fetch(self, url: str) -> tuple[str, bytes]:
        """The media type and the bytes."""
