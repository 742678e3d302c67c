import pytest
from core_support import collection, folder, state, store, token

from commonplace import __version__
from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import (
    Amend,
    CheckReady,
    CountAll,
    InvalidateFact,
    Link,
    Retract,
    Supersede,
    Unlink,
)
from commonplace.model.access import NOBODY, Caller, Scope, Tier
from commonplace.model.answer import CollectionStats, Stats
from commonplace.model.errors import CommonplaceError
from commonplace.model.interval import DAY, Instant
from support import FakeClock


def count(app: App, caller: Caller) -> Stats:
    counted: Stats = perform(app, caller, CountAll())
    return counted


def test_an_empty_store_counts_nothing_and_names_its_embedder(app: App, agent: Caller) -> None:
    """GN-STA-2 GN-STA-3"""
    told = count(app, agent)
    assert (told.memories, told.relations, told.chunks, told.facts, told.size_bytes) == (0, 0, 0, 0, 0)
    assert (told.embedder, told.dimensions) == (app.embedder.name, app.embedder.dimensions)
    assert told.collections == (CollectionStats("personal", "Personal", "personal", 0, 0, 0),)
    assert (told.encrypted, told.version) == (True, __version__)


def test_memories_valid_now_are_counted_once_and_a_pair_is_one_relation(
    app: App, agent: Caller, clock: FakeClock
) -> None:
    """K-STA-1"""
    first, second = store(app, agent, "One."), store(app, agent, "# A\ntwo\n# B\ntwo")
    store(app, agent, "Later.", valid_from=Instant(clock.at + DAY))
    perform(app, agent, Retract(id=store(app, agent, "Gone.").item_id))
    perform(app, agent, Link(origin=first.version_id, target=second.version_id, kind="ABOUT"))
    perform(app, agent, Link(origin=first.version_id, target=second.version_id, kind="BLOCKS"))
    perform(app, agent, Unlink(origin=first.version_id, target=second.version_id, kind="BLOCKS"))
    told = count(app, agent)
    assert (told.memories, told.relations, told.chunks) == (2, 1, 3)
    perform(app, agent, Supersede(id=first.item_id, text="One, renewed."))
    told = count(app, agent)
    assert (told.memories, told.relations, told.chunks) == (2, 3, 3)


def test_sections_of_a_document_are_relations_too(app: App, agent: Caller) -> None:
    """K-STA-1 K-LST-4"""
    store(app, agent, "# A\none\n# B\ntwo", kind="document")
    assert count(app, agent).relations == 2


def test_chunks_out_of_the_index_are_not_counted(app: App, agent: Caller) -> None:
    """K-STA-1"""
    stored = store(app, agent, "One.")
    perform(app, agent, Amend(id=stored.item_id, in_kb=False))
    told = count(app, agent)
    assert (told.memories, told.chunks, told.collections[0].llm_tokens) == (1, 0, 0)


def test_live_facts_are_counted(app: App, agent: Caller, clock: FakeClock) -> None:
    """KR-FCT-2"""
    state(app, agent, "x", "is", "red")
    state(app, agent, "x", "is", "blue", valid_from=Instant(clock.at + DAY))
    state(app, agent, "x", "is", "old", valid_from=Instant(clock.at - DAY), valid_to=clock.at)
    perform(app, agent, InvalidateFact(id=state(app, agent, "x", "is", "green")))
    assert count(app, agent).facts == 2


def test_each_collection_is_counted_and_empty_ones_are_named(app: App, agent: Caller, owner: Caller) -> None:
    """GN-STA-1 GN-STA-3"""
    for name, tier in (("Work", Tier.PUBLIC), ("Attic", Tier.PERSONAL), ("Vault", Tier.SENSITIVE)):
        collection(app, name, tier)
    store(app, agent, "# A\none\n# B\ntwo", collection="work")
    store(app, owner, "Secret.", collection="vault")
    told = count(app, agent)
    assert told.collections == (
        CollectionStats("attic", "Attic", "personal", 0, 0, 0),
        CollectionStats("personal", "Personal", "personal", 0, 0, 0),
        CollectionStats("work", "Work", "public", 1, 2, 4),
    )
    assert (told.memories, told.chunks, told.size_bytes) == (1, 2, 15)
    everything = count(app, owner)
    assert (everything.memories, everything.chunks, everything.size_bytes) == (2, 3, 22)


def test_the_size_is_in_bytes(app: App, agent: Caller) -> None:
    """GN-STA-2"""
    store(app, agent, "äöü")
    assert count(app, agent).size_bytes == 6


def test_a_scoped_token_counts_its_folders(app: App, agent: Caller) -> None:
    """K-STA-2"""
    caller = token(app, folder(app, "One"))
    store(app, agent, "Unseen.")
    store(app, caller, "Seen.")
    told = count(app, caller)
    assert (told.memories, told.chunks, told.collections[0].items) == (1, 1, 1)


def test_the_place_of_the_store_is_told_to_those_who_keep_it(app: App, agent: Caller) -> None:
    """GN-STA-3"""
    assert (
        count(app, agent).location == count(app, token(app, scopes=(Scope.ADMIN,))).location == app.db.engine.location
    )
    assert count(app, token(app)).location == "commonplace://default"


def test_a_store_that_can_be_reached_is_ready(app: App, agent: Caller) -> None:
    """K-HEA-1"""
    for caller in (agent, NOBODY):
        assert perform(app, caller, CheckReady()).version == __version__
    with pytest.raises(CommonplaceError):
        perform(app, Caller("00000000-0000-7000-8000-000000000000", "x"), CheckReady())
