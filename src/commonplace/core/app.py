"""What the verbs work with: the dependencies of one running install, and no behaviour."""

from dataclasses import dataclass

from commonplace.model.ports import Clock, Embedder, Extractor, Ids, Rewriter
from commonplace.store.database import Database


@dataclass(frozen=True, slots=True)
class App:
    """Every verb takes one of these, a caller and a request."""

    db: Database
    clock: Clock
    ids: Ids
    embedder: Embedder
    rewriters: tuple[Rewriter, ...] = ()
    extractor: Extractor | None = None
