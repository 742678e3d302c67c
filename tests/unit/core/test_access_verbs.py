import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from core_support import collection, correcting, file, folder, state, store, token

from commonplace.core import perform
from commonplace.core.access import authenticate, local_caller
from commonplace.core.app import App
from commonplace.core.requests import (
    Amend,
    Apply,
    CorrectFact,
    CountAll,
    CreateCollection,
    FileItem,
    Forget,
    Get,
    InvalidateFact,
    IssueToken,
    Link,
    ListTokens,
    Propose,
    Recall,
    RelationsOf,
    Retract,
    RevokeToken,
    Store,
    Supersede,
    UnfileItem,
    Unlink,
)
from commonplace.core.workspaces import create_workspace
from commonplace.model.access import Caller, Scope, Tier
from commonplace.model.answer import Stored
from commonplace.model.errors import Forbidden, Invalid, NotFound, Quota, Unauthenticated
from commonplace.model.interval import DAY, FOREVER, Instant
from support import FakeClock

UNKNOWN = "00000000-0000-7000-8000-00000000000f"

MEMORY_VERBS: dict[str, Callable[[str], object]] = {
    "get": lambda thing: Get(id=thing),
    "recall": lambda thing: Recall(ids=(thing,)),
    "relations_of": lambda thing: RelationsOf(id=thing),
    "supersede": lambda thing: Supersede(id=thing, text="New."),
    "retract": lambda thing: Retract(id=thing),
    "amend": lambda thing: Amend(id=thing, read=True),
    "forget": lambda thing: Forget(ids=(thing,)),
    "forget_item": lambda thing: Forget(items=(thing,)),
    "link_from": lambda thing: Link(origin=thing, target=thing, kind="ABOUT"),
    "unlink": lambda thing: Unlink(origin=thing, target=thing, kind="ABOUT"),
    "file": lambda thing: FileItem(id=thing, folders=()),
    "unfile": lambda thing: UnfileItem(id=thing, folder="x"),
}
CHUNK_VERBS: dict[str, Callable[[str], object]] = {
    "propose": lambda thing: Propose(chunk_id=thing, proposal="replace 'a' with 'b'"),
    "forget_chunk": lambda thing: Forget(chunks=(thing,)),
    "apply": lambda thing: Apply(id=thing),
}
FACT_VERBS: dict[str, Callable[[str], object]] = {
    "recall": lambda thing: Recall(ids=(thing,)),
    "correct": lambda thing: CorrectFact(id=thing, value=1),
    "invalidate": lambda thing: InvalidateFact(id=thing),
    "retract": lambda thing: Retract(id=thing),
    "forget": lambda thing: Forget(ids=(thing,)),
}


class Hidden:
    """A memory, its correction and its fact, out of a caller's sight for one of three reasons."""

    def __init__(self, app: App, why: str) -> None:
        self.app = correcting(app)
        self.caller, writer, asked = local_caller(app, human=False), local_caller(app, human=True), {}
        if why == "sensitive":
            asked = {"collection": collection(app, "Vault", Tier.SENSITIVE).slug}
        elif why == "scope":
            self.caller = token(app, folder(app, "One"), folder(app, "Two"))
        else:
            create_workspace(app, "other")
            writer = local_caller(app, "other", human=True)
        self.stored: Stored = store(self.app, writer, "a", **asked)
        self.proposal = perform(
            self.app, writer, Propose(chunk_id=self.stored.chunk_ids[0], proposal="replace 'a' with 'b'")
        ).id
        self.fact = state(self.app, writer, "x", "is", "red", item=self.stored.item_id)

    def refusal(self, request: object) -> tuple[str, dict[str, object]]:
        with pytest.raises(NotFound) as refused:
            perform(self.app, self.caller, request)
        return refused.value.message, dict(refused.value.facts)

    def assert_as_unknown(self, request: Callable[[str], object], thing: str) -> None:
        message, facts = self.refusal(request(thing))
        unknown_message, unknown_facts = self.refusal(request(UNKNOWN))
        assert message.replace(thing, UNKNOWN) == unknown_message
        assert {name: UNKNOWN if value == thing else value for name, value in facts.items()} == unknown_facts


@pytest.fixture(params=["sensitive", "scope", "workspace"])
def hidden(app: App, request: pytest.FixtureRequest) -> Hidden:
    """Something that the caller may not know of."""
    return Hidden(app, request.param)


@pytest.mark.parametrize("verb", MEMORY_VERBS)
def test_a_hidden_memory_is_as_one_that_never_was(hidden: Hidden, verb: str) -> None:
    """K-SEC-1 K-IDS-5 GR-GET-1 GR-AUT-5 GR-AUT-6 GN-TIE-1"""
    for thing in (hidden.stored.version_id, hidden.stored.item_id):
        hidden.assert_as_unknown(MEMORY_VERBS[verb], thing)


@pytest.mark.parametrize("verb", CHUNK_VERBS)
def test_a_hidden_chunk_is_as_one_that_never_was(hidden: Hidden, verb: str) -> None:
    """K-SEC-1 K-IDS-5 GR-AUT-5 GN-TIE-1"""
    hidden.assert_as_unknown(CHUNK_VERBS[verb], hidden.proposal if verb == "apply" else hidden.stored.chunk_ids[0])


@pytest.mark.parametrize("verb", FACT_VERBS)
def test_a_hidden_fact_is_as_one_that_never_was(hidden: Hidden, verb: str) -> None:
    """KR-FCT-5 K-IDS-5"""
    hidden.assert_as_unknown(FACT_VERBS[verb], hidden.fact)


def test_what_is_hidden_is_not_counted(hidden: Hidden) -> None:
    """K-STA-2 GN-STA-1"""
    told = perform(hidden.app, hidden.caller, CountAll())
    assert (told.memories, told.relations, told.chunks, told.facts, told.size_bytes) == (0, 0, 0, 0, 0)
    assert [each.slug for each in told.collections] == ["personal"]
    assert {each.items for each in told.collections} == {0}


@pytest.mark.parametrize(
    ("held", "allowed"), [(Scope.READ, "r"), (Scope.WRITE, "rw"), (Scope.ADMIN, "rwa"), (None, "r")]
)
def test_a_wider_scope_includes_the_narrower_ones(app: App, held: Scope | None, allowed: str) -> None:
    """K-AUT-2 GR-AUT-2"""
    caller = token(app, scopes=(held,) if held else ())
    for letter, request in (("r", CountAll()), ("w", Store(text="Said.")), ("a", ListTokens())):
        if letter in allowed:
            perform(app, caller, request)
        else:
            with pytest.raises(Forbidden) as refused:
                perform(app, caller, request)
            assert refused.value.facts["reason"] == "scope_missing"


def test_a_token_is_shown_once_and_kept_as_its_hash(app: App, owner: Caller) -> None:
    """K-AUT-1 GR-AUT-1"""
    for kind, size in (("kmt", 47), ("lev", 36)):
        issued = perform(app, owner, IssueToken(kind=kind, name="desk"))  # type: ignore[arg-type]
        assert len(issued.secret) == size
        assert issued.secret.startswith(issued.token.prefix)
        with app.db.control() as control:
            row = control.one("token_by_digest", {"digest": hashlib.sha256(issued.secret.encode()).digest()})
        assert row
        assert issued.secret not in str(dict(row))
    listed = perform(app, owner, ListTokens())
    assert [(each.kind, each.name, each.expires_at) for each in listed] == [
        ("kmt", "desk", FOREVER),
        ("lev", "desk", FOREVER),
    ]


def test_the_caller_behind_a_token_is_what_it_was_issued_for(app: App, owner: Caller) -> None:
    """K-AUT-4 GR-AUT-4"""
    one = folder(app, "One")
    request = IssueToken(kind="lev", scopes=(Scope.READ,), folders=(one.id,), kb_only=True)
    issued = perform(app, owner, request)
    caller = authenticate(app, issued.secret, "kronroe")
    assert (caller.workspace_id, caller.folders, caller.kb_only) == (owner.workspace_id, (one.id,), True)
    assert (caller.scopes, caller.human, caller.surface) == (frozenset({Scope.READ}), False, "kronroe")
    assert (caller.actor, caller.token_id) == (f"token:{issued.token.prefix}", issued.token.id)
    whole = authenticate(app, perform(app, owner, IssueToken()).secret)
    assert (whole.folders, whole.kb_only, whole.may(Scope.WRITE), whole.may(Scope.ADMIN)) == (None, False, True, False)


def test_a_kmt_token_is_never_for_some_folders(app: App, owner: Caller) -> None:
    """K-AUT-4 GR-AUT-5"""
    one = folder(app, "One")
    for asked in ({"folders": (one.id,)}, {"kb_only": True}):
        with pytest.raises(Invalid, match="kind lev"):
            perform(app, owner, IssueToken(kind="kmt", **asked))  # type: ignore[arg-type]


def test_a_scope_names_folders_that_are_there(app: App, owner: Caller) -> None:
    """GR-AUT-3"""
    with pytest.raises(NotFound, match="no folder nowhere"):
        perform(app, owner, IssueToken(kind="lev", folders=("nowhere",)))
    with pytest.raises(Invalid, match="at least one folder"):
        perform(app, owner, IssueToken(kind="lev", folders=()))
    assert perform(app, owner, ListTokens()) == []


@pytest.mark.parametrize("secret", ["", "Bearer x", "kmt_" + "a" * 43, "lev_" + "a" * 32, "lev_short"])
def test_an_unknown_token_is_nobody(app: App, secret: str) -> None:
    with pytest.raises(Unauthenticated) as refused:
        authenticate(app, secret)
    assert refused.value.facts == {"reason": "invalid_token"}


def test_a_token_ends_when_it_expires(app: App, owner: Caller, clock: FakeClock) -> None:
    """K-AUT-1"""
    for past in (clock.at, Instant(clock.at - 1)):
        with pytest.raises(Invalid, match="in the future"):
            perform(app, owner, IssueToken(expires_at=past))
    issued = perform(app, owner, IssueToken(expires_at=Instant(clock.at + DAY)))
    clock.advance(DAY - 1)
    assert authenticate(app, issued.secret)
    clock.advance(1)
    with pytest.raises(Unauthenticated):
        authenticate(app, issued.secret)


def test_a_revoked_token_ends_at_once(app: App, owner: Caller) -> None:
    issued = perform(app, owner, IssueToken())
    perform(app, owner, RevokeToken(id=issued.token.id))
    with pytest.raises(Unauthenticated):
        authenticate(app, issued.secret)
    for unknown in (issued.token.id, UNKNOWN, "nothing"):
        with pytest.raises(NotFound, match="no active token"):
            perform(app, owner, RevokeToken(id=unknown))


def test_a_token_of_another_workspace_is_not_revoked(app: App, owner: Caller) -> None:
    """K-SEC-2"""
    create_workspace(app, "other")
    issued = perform(app, owner, IssueToken())
    with pytest.raises(NotFound):
        perform(app, local_caller(app, "other", human=True), RevokeToken(id=issued.token.id))
    assert authenticate(app, issued.secret)


def test_a_workspace_has_at_most_fifty_active_tokens(app: App, owner: Caller, clock: FakeClock) -> None:
    """K-AUT-1"""
    first, second, *_ = (perform(app, owner, IssueToken(expires_at=Instant(clock.at + DAY))) for _ in range(50))
    with pytest.raises(Quota) as refused:
        perform(app, owner, IssueToken())
    assert refused.value.facts == {"limit": 50}
    perform(app, owner, RevokeToken(id=first.token.id))
    perform(app, owner, IssueToken())
    clock.advance(DAY)
    perform(app, owner, IssueToken())
    assert second.token in perform(app, owner, ListTokens())


def test_tokens_are_the_matter_of_those_who_administer(app: App) -> None:
    """K-AUT-2"""
    writer, admin = token(app), token(app, scopes=(Scope.ADMIN,))
    for request in (IssueToken(), RevokeToken(id=UNKNOWN), ListTokens()):
        with pytest.raises(Forbidden, match="Scope admin missing"):
            perform(app, writer, request)
    assert len(perform(app, admin, ListTokens())) == 2


def test_the_local_owner_is_a_person_only_at_the_terminal(app: App) -> None:
    """K-SEC-1"""
    agent = local_caller(app, human=False, surface="knowmind", client="Desk")
    assert (agent.actor, agent.human, agent.surface, agent.client) == ("stdio", False, "knowmind", "Desk")
    with pytest.raises(Forbidden, match="Only a person") as refused:
        perform(app, agent, CreateCollection(name="Attic"))
    assert refused.value.facts == {"reason": "human_only"}
    with pytest.raises(NotFound, match="no workspace named nowhere"):
        local_caller(app, "nowhere", human=True)


def test_one_workspace_sees_nothing_of_another(app: App, agent: Caller) -> None:
    """K-SEC-2"""
    create_workspace(app, "other")
    other = local_caller(app, "other", human=True)
    stored = store(app, agent, "Fig.", title="Fig", key="k")
    assert perform(app, other, Recall(text="fig")).hits == ()
    assert perform(app, other, CountAll()).memories == 0
    again: Any = store(app, other, "Fig.", title="Fig", key="k")
    assert (again.known, again.slug) == (False, stored.slug)


def test_a_filed_item_is_seen_by_every_token_of_its_folder(app: App, agent: Caller) -> None:
    """GR-AUT-5"""
    one = folder(app, "One")
    stored = store(app, agent, "Said.")
    file(app, stored.item_id, one)
    assert perform(app, token(app, one), Get(id=stored.slug or "")).text == "Said."


def test_a_revoked_token_stays_so_when_the_clock_is_set_back(app: App, owner: Caller, clock: FakeClock) -> None:
    """K-AUT-1"""
    issued = perform(app, owner, IssueToken())
    clock.advance()
    perform(app, owner, RevokeToken(id=issued.token.id))
    clock.advance(-5_000_000)
    with pytest.raises(Unauthenticated):
        authenticate(app, issued.secret)
