"""A store in which something has happened, for operations to look at."""

import pytest
from lived import Lived

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import (
    Amend,
    AssertFact,
    CorrectFact,
    CreateCollection,
    CreateFolder,
    FileItem,
    InvalidateFact,
    Link,
    Retract,
    Store,
    Supersede,
)
from commonplace.model.access import Caller, Tier
from support import FakeClock


@pytest.fixture
def lived(app: App, owner: Caller, agent: Caller, clock: FakeClock) -> Lived:
    """Versions, links, tags, facts with corrections, folders, a sensitive collection, and something retracted."""
    perform(app, owner, CreateCollection(name="Private", tier=Tier.SENSITIVE))
    folder = perform(app, owner, CreateFolder(name="Clients"))
    clock.advance()
    plan = perform(app, agent, Store(text="Müller has five seats.", title="Müller plan", tags=("client", "type:Deal")))
    clock.advance()
    joined = perform(
        app, agent, Store(text="Alice joined. See [[Office]] and [[Bob]].", note_fact=True, episode="e1", key="k1")
    )
    secret = perform(app, owner, Store(text="Only for people.", title="Secret", collection="private", note_fact=True))
    perform(app, owner, FileItem(id=plan.item_id, folders=(folder.id,)))
    perform(app, agent, Link(origin=joined.version_id, target=plan.version_id, kind="ABOUT"))
    clock.advance()
    perform(
        app, agent, Supersede(id=plan.version_id, text="Müller has nine seats.", title="Müller plan", reason="call")
    )
    perform(app, agent, Amend(id=joined.item_id, archived=True, custom_title="Alice"))
    gone = perform(app, agent, Store(text="The office closes at six.", title="Office", provenance="door sign"))
    job = perform(app, agent, AssertFact(subject="alice", predicate="works_at", value="Acme", confidence=0.9, key="k2"))
    seats = perform(app, agent, AssertFact(subject="Müller", predicate="seats", value=9))
    clock.advance()
    perform(app, agent, Retract(id=gone.version_id, reason="moved"))
    perform(app, agent, CorrectFact(id=job.id, value="Initech", reason="told"))
    perform(app, agent, InvalidateFact(id=seats.id))
    clock.advance()
    return Lived(plan, joined, secret, job.id)
