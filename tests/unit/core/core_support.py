"""Short ways to say what the tests of the verbs say often."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from commonplace.core import perform
from commonplace.core.access import authenticate, local_caller
from commonplace.core.app import App
from commonplace.core.requests import (
    AssertFact,
    CreateCollection,
    CreateFolder,
    FileItem,
    IssueToken,
    Recall,
    Store,
)
from commonplace.ingest.rewrite import DeterministicRewriter
from commonplace.model.access import Caller, Collection, Folder, Scope, Tier
from commonplace.model.answer import Asserted, Hit, Stored
from commonplace.model.interval import Instant


def store(app: App, caller: Caller, text: str, **asked: object) -> Stored:
    stored: Stored = perform(app, caller, Store(text=text, **asked))  # type: ignore[arg-type]
    return stored


def state(app: App, caller: Caller, subject: str, predicate: str, value: object, **asked: object) -> str:
    request = AssertFact(subject=subject, predicate=predicate, value=value, **asked)  # type: ignore[arg-type]
    asserted: Asserted = perform(app, caller, request)
    return asserted.id


def found(app: App, caller: Caller, text: str, **asked: object) -> list[Hit]:
    return list(perform(app, caller, Recall(text=text, **asked)).hits)  # type: ignore[arg-type]


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.id for hit in hits]


def collection(app: App, name: str, tier: Tier = Tier.PERSONAL) -> Collection:
    made: Collection = perform(app, local_caller(app, human=True), CreateCollection(name=name, tier=tier))
    return made


def folder(app: App, name: str) -> Folder:
    made: Folder = perform(app, local_caller(app, human=True), CreateFolder(name=name))
    return made


def file(app: App, item_id: str, *folders: Folder) -> None:
    perform(app, local_caller(app, human=True), FileItem(id=item_id, folders=tuple(each.id for each in folders)))


def token(
    app: App, *folders: Folder, kb_only: bool = False, scopes: tuple[Scope, ...] = (Scope.READ, Scope.WRITE)
) -> Caller:
    """The caller behind a new token: of these folders, or of the whole library."""
    request = IssueToken(kind="lev", scopes=scopes, folders=tuple(each.id for each in folders) or None, kb_only=kb_only)
    return authenticate(app, perform(app, local_caller(app, human=True), request).secret)


def correcting(app: App) -> App:
    """The app with the rewriter that needs no model."""
    return replace(app, rewriters=(DeterministicRewriter(),))


@dataclass
class Reading:
    """A fact that an extractor reads in a text."""

    subject: str
    predicate: str
    value: str | float | bool
    valid_from: Instant
    valid_to: Instant
    confidence: float = 0.9


class FixedExtractor:
    """Reads the same facts in every text."""

    def __init__(self, *readings: Reading) -> None:
        self.readings = readings

    def extract(self, text: str, at: Instant) -> Sequence[Reading]:
        return self.readings
