from typing import Any

import pytest
from core_support import collection, file, folder, found, state, store, token

from commonplace.core import perform
from commonplace.core.access import authenticate
from commonplace.core.app import App
from commonplace.core.requests import (
    CountAll,
    CreateFolder,
    DeleteFolder,
    FactsAbout,
    FileItem,
    Get,
    History,
    IssueToken,
    ListFolders,
    UnfileItem,
)
from commonplace.model.access import Caller, Folder, Tier
from commonplace.model.errors import Conflict, Forbidden, Invalid, NotFound, Unauthenticated
from commonplace.model.event import EventKind
from support import FakeClock, rows


def folders(app: App, caller: Caller) -> list[Folder]:
    return list(perform(app, caller, ListFolders()))


def delete(app: App, caller: Caller, each: Folder, **asked: Any) -> int:
    return int(perform(app, caller, DeleteFolder(id=each.id, **asked)))


def test_folders_are_listed_by_name_with_what_is_in_them(app: App, agent: Caller, clock: FakeClock) -> None:
    """GR-RST-1"""
    two, one = folder(app, "two"), folder(app, " One ")
    stored = store(app, agent, "Said.")
    added = clock.advance()
    file(app, stored.item_id, two)
    state(app, token(app, two), "x", "is", "red")
    assert folders(app, agent) == [
        Folder(one.id, "One", one.created_at, None, 0),
        Folder(two.id, "two", two.created_at, added, 1),
    ]


def test_a_scoped_token_sees_its_folders_and_makes_or_deletes_none(app: App) -> None:
    """GR-AUT-3"""
    one, _ = folder(app, "One"), folder(app, "Two")
    caller = token(app, one)
    assert [each.id for each in folders(app, caller)] == [one.id]
    for request in (CreateFolder(name="Three"), DeleteFolder(id=one.id)):
        with pytest.raises(Forbidden) as refused:
            perform(app, caller, request)
        assert refused.value.facts["reason"] == "forbidden_scope"


def test_a_count_tells_nothing_of_what_is_sensitive(app: App, agent: Caller, owner: Caller) -> None:
    """GN-TIE-3"""
    collection(app, "Vault", Tier.SENSITIVE)
    one = folder(app, "One")
    file(app, store(app, owner, "Said.", collection="vault").item_id, one)
    assert (folders(app, agent)[0].item_count, folders(app, agent)[0].last_added_at) == (0, None)
    assert folders(app, owner)[0].item_count == 1


@pytest.mark.parametrize("name", ["", "  ", "x" * 201])
def test_a_name_has_one_to_two_hundred_characters(app: App, owner: Caller, name: str) -> None:
    with pytest.raises(Invalid, match="1 to 200 characters"):
        perform(app, owner, CreateFolder(name=name))
    folder(app, "x" * 200)


def test_a_name_is_taken_whatever_its_case(app: App, owner: Caller) -> None:
    folder(app, "Straße")
    with pytest.raises(Conflict) as refused:
        perform(app, owner, CreateFolder(name="STRASSE "))
    assert refused.value.facts == {"reason": "name_taken", "name": "STRASSE"}


def test_a_deleted_folder_leaves_its_items(app: App, agent: Caller, owner: Caller) -> None:
    """GR-RST-5"""
    one = folder(app, "One")
    stored = store(app, agent, "Said.")
    file(app, stored.item_id, one)
    assert delete(app, agent, one) == 0
    assert folders(app, agent) == []
    assert perform(app, agent, Get(id=stored.item_id)).folders == ()
    assert perform(app, owner, History(limit=1))[0].kind == EventKind.FOLDER
    with pytest.raises(NotFound, match=f"no folder {one.id}"):
        delete(app, agent, one)


def test_cascading_deletes_what_was_in_no_other_folder(app: App, agent: Caller, owner: Caller) -> None:
    """GR-RST-5 GR-RST-6"""
    collection(app, "Vault", Tier.SENSITIVE)
    one, two = folder(app, "One"), folder(app, "Two")
    only, both = store(app, agent, "Only figs."), store(app, agent, "Both.")
    secret = store(app, owner, "Secret.", collection="vault")
    file(app, only.item_id, one)
    file(app, both.item_id, one, two)
    file(app, secret.item_id, one)
    state(app, token(app, one), "x", "is", "red")
    before = len(rows(app, agent, "event"))
    assert delete(app, owner, one, cascade=True) == 1
    assert found(app, agent, "figs", mode="keyword") == []
    with pytest.raises(NotFound):
        perform(app, agent, Get(id=only.item_id))
    assert perform(app, agent, Get(id=both.item_id)).folders == ((two.id, "Two"),)
    assert perform(app, owner, Get(id=secret.item_id)).text == "Secret."
    assert len(perform(app, agent, FactsAbout(entity="x"))) == 1
    assert len(rows(app, agent, "event")) == before + 1
    assert perform(app, owner, History(limit=1))[0].kind == EventKind.FORGET
    assert perform(app, agent, CountAll()).memories == 1


def test_filing_is_idempotent_and_tells_what_is_new(app: App, agent: Caller) -> None:
    """GR-RST-7"""
    one, two = folder(app, "One"), folder(app, "Two")
    stored = store(app, agent, "Said.")
    assert perform(app, agent, FileItem(id=stored.item_id, folders=(one.id,))) == (one.id,)
    both = FileItem(id=stored.version_id, folders=(one.id, two.id, two.id, two.id.upper()))
    events = len(rows(app, agent, "event"))
    assert perform(app, agent, both) == (two.id,)
    assert perform(app, agent, both) == ()
    assert len(rows(app, agent, "event")) == events + 1


def test_tokens_file_within_their_scope(app: App, agent: Caller) -> None:
    """GR-RST-7"""
    one, two, three = (folder(app, name) for name in ("One", "Two", "Three"))
    stored = store(app, agent, "Said.")
    file(app, stored.item_id, one)
    double = token(app, one, two)
    with pytest.raises(Forbidden) as refused:
        perform(app, token(app, one), FileItem(id=stored.item_id, folders=(one.id,)))
    assert refused.value.facts == {"reason": "forbidden_scope", "out_of_scope": []}
    with pytest.raises(Forbidden) as refused:
        perform(app, double, FileItem(id=stored.item_id, folders=(two.id, three.id)))
    assert refused.value.facts["out_of_scope"] == [three.id]
    assert perform(app, agent, Get(id=stored.item_id)).folders == ((one.id, "One"),)
    assert perform(app, double, FileItem(id=stored.item_id, folders=(two.id,))) == (two.id,)


def test_an_item_may_leave_its_only_folder_and_so_a_tokens_sight(app: App, agent: Caller) -> None:
    """GR-RST-8"""
    one, two = folder(app, "One"), folder(app, "Two")
    stored = store(app, agent, "Said.")
    file(app, stored.item_id, one)
    caller = token(app, one)
    for missing in (two.id, "nothing"):
        with pytest.raises(NotFound):
            perform(app, agent, UnfileItem(id=stored.item_id, folder=missing))
    perform(app, caller, UnfileItem(id=stored.item_id, folder=one.id))
    with pytest.raises(NotFound, match=f"Memory not found: {stored.item_id}"):
        perform(app, caller, Get(id=stored.item_id))
    assert perform(app, agent, Get(id=stored.item_id)).folders == ()


def test_a_folder_out_of_scope_is_not_there(app: App, agent: Caller) -> None:
    """GR-AUT-5"""
    one, two = folder(app, "One"), folder(app, "Two")
    stored = store(app, agent, "Said.")
    file(app, stored.item_id, one, two)
    with pytest.raises(NotFound, match=f"There is no folder {two.id}"):
        perform(app, token(app, one), UnfileItem(id=stored.item_id, folder=two.id))


def test_a_token_ends_with_its_last_folder(app: App, owner: Caller) -> None:
    """GR-AUT-3"""
    one, two = folder(app, "One"), folder(app, "Two")
    issued = perform(app, owner, IssueToken(kind="lev", folders=(one.id, two.id)))
    delete(app, owner, one)
    assert authenticate(app, issued.secret).folders == (one.id, two.id)
    delete(app, owner, two)
    with pytest.raises(Unauthenticated):
        authenticate(app, issued.secret)
