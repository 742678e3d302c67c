from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from core_support import collection, correcting, found, ids, store, token

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.proposals import open_proposals
from commonplace.core.requests import (
    Amend,
    Apply,
    DecideReview,
    Forget,
    Get,
    History,
    Move,
    Propose,
    SetCollection,
    Supersede,
)
from commonplace.model.access import Caller, Scope, Tier
from commonplace.model.answer import Applied, Proposed, Stored
from commonplace.model.errors import CommonplaceError, Conflict, Expired, Forbidden, Invalid, NotFound, Upstream
from commonplace.model.event import EventKind
from commonplace.model.interval import MINUTE, Instant
from commonplace.store.view import view_of
from support import FakeClock, rows

TEXT = "# Door\nThe code is 1111 and the lock is new.\n# Gate\nThe gate squeaks."


@pytest.fixture
def app(app: App) -> App:
    """An app that corrects by rules."""
    return correcting(app)


def propose(app: App, caller: Caller, stored: Stored, wording: str, chunk: int = 0, **asked: Any) -> Proposed:
    proposed: Proposed = perform(app, caller, Propose(chunk_id=stored.chunk_ids[chunk], proposal=wording, **asked))
    return proposed


def apply(app: App, caller: Caller, proposed: Proposed, **asked: Any) -> Applied:
    applied: Applied = perform(app, caller, Apply(id=proposed.id, **asked))
    return applied


class Rewriter:
    """Says what a test wants it to say."""

    def __init__(self, method: str, rewrite: Callable[[str, str], str | None]) -> None:
        self.method, self.rewrite = method, rewrite


def failing(text: str, proposal: str) -> str | None:
    raise Upstream("The model is away.", provider="ollama")


def test_a_proposal_shows_the_change_and_writes_nothing_else(app: App, agent: Caller) -> None:
    """GN-COR-1 GN-COR-2"""
    stored = store(app, agent, "The code is 1111.\nIt is old.")
    events = rows(app, agent, "event")
    made = propose(app, agent, stored, "The code changed from 1111 to 2222.")
    assert (made.original, made.proposed) == ("The code is 1111.\nIt is old.", "The code is 2222.\nIt is old.")
    assert made.diff == "- The code is 1111.\n+ The code is 2222.\n  It is old."
    assert made.expires_at - made.created_at == 10 * MINUTE
    assert made.method == "deterministic"
    assert perform(app, agent, Get(id=stored.item_id)).text == made.original
    assert rows(app, agent, "event") == events


def test_a_diff_of_one_line_has_two(app: App, agent: Caller) -> None:
    """GN-COR-1 GN-COR-5"""
    stored = store(app, agent, "Look under /v1/find.")
    made = propose(app, agent, stored, "The path changed from /v1/find to /v3/seek in May 2024.")
    assert made.diff.splitlines() == ["- Look under /v1/find.", "+ Look under /v3/seek."]


def test_applying_changes_the_text_in_place(app: App, agent: Caller, clock: FakeClock) -> None:
    """GN-APP-1 GN-APP-4 GN-APP-5"""
    stored = store(app, agent, TEXT, title="House")
    made = propose(app, agent, stored, "replace '1111' with '2222'")
    applied_at = clock.advance(MINUTE)
    applied = apply(app, agent, made)
    assert applied.chunk_id == stored.chunk_ids[0]
    whole = perform(app, agent, Get(id=stored.item_id))
    assert whole.text == TEXT.replace("1111", "2222")
    assert (whole.version.id, whole.version.valid.start, whole.chunk_ids) == (
        stored.version_id,
        stored.created_at,
        stored.chunk_ids,
    )
    [hit] = found(app, agent, "2222", mode="keyword")
    assert (hit.chunk_id, hit.updated_at) == (stored.chunk_ids[0], applied_at)
    assert found(app, agent, "1111", mode="keyword") == []
    assert ids(found(app, agent, "squeaks", mode="keyword")) == [stored.version_id]


def test_the_next_chunk_is_indexed_with_the_new_words_before_it(app: App, agent: Caller) -> None:
    """GN-APP-1 and engine 4"""
    stored = store(app, agent, TEXT)
    apply(app, agent, propose(app, agent, stored, "replace 'new' with 'Schnapper'"))
    chunks = {hit.chunk_id for hit in found(app, agent, "Schnapper", mode="keyword", one_per_item=False)}
    assert chunks == set(stored.chunk_ids)
    apply(app, agent, propose(app, agent, stored, "replace 'squeaks' with 'sings'", chunk=1))
    assert perform(app, agent, Get(id=stored.item_id)).text.endswith("The gate sings.")


def test_what_was_said_before_is_still_known_to_have_been_said(app: App, agent: Caller, clock: FakeClock) -> None:
    """engine 1"""
    stored = store(app, agent, TEXT)
    before = Instant(clock.advance(MINUTE) - 1)
    apply(app, agent, propose(app, agent, stored, "replace '1111' with '2222'"))
    assert perform(app, agent, Get(id=stored.item_id, known_at=before)).text == TEXT
    assert [hit.text for hit in found(app, agent, "1111", mode="keyword", known_at=before)] == [
        "# Door\nThe code is 1111 and the lock is new.\n"
    ]


def test_the_event_of_a_correction_is_named_and_its_wording_kept(app: App, agent: Caller, owner: Caller) -> None:
    """GN-APP-3"""
    stored = store(app, agent, TEXT)
    applied = apply(app, agent, propose(app, agent, stored, "replace '1111' with '2222'"))
    event = perform(app, owner, History(limit=1))[0]
    assert (event.kind, event.id, event.actor) == (EventKind.CORRECTION, applied.event_id, "stdio")
    [kept] = rows(app, agent, "proposal")
    assert (kept["event_id"], kept["wording"], kept["state"]) == (event.id, "replace '1111' with '2222'", "applied")
    texts = {row["body"] for row in rows(app, agent, "content")}
    assert {
        "# Door\nThe code is 1111 and the lock is new.\n",
        "# Door\nThe code is 2222 and the lock is new.\n",
    } <= texts


def test_a_correction_is_applied_once(app: App, agent: Caller) -> None:
    """GN-APP-2"""
    made = propose(app, agent, store(app, agent, TEXT), "replace '1111' with '2222'")
    applied = apply(app, agent, made)
    with pytest.raises(Conflict) as refused:
        apply(app, agent, made)
    assert (refused.value.facts["reason"], refused.value.facts["event_id"]) == ("used", applied.event_id)


def test_a_correction_expires_after_ten_minutes(app: App, agent: Caller, clock: FakeClock) -> None:
    """GN-APP-2 GN-COR-2"""
    stored = store(app, agent, TEXT)
    late, early = (propose(app, agent, stored, f"replace '1111' with '{code}'") for code in ("3333", "2222"))
    clock.at = Instant(early.expires_at - 2)
    apply(app, agent, early)
    clock.at = late.expires_at
    with pytest.raises(Expired) as refused:
        apply(app, agent, late)
    assert refused.value.facts["expires_at"] == late.expires_at


def test_a_chunk_that_changed_since_is_not_overwritten(app: App, agent: Caller) -> None:
    """GN-APP-2"""
    stored = store(app, agent, TEXT)
    first, second = (propose(app, agent, stored, f"replace '1111' with '{code}'") for code in ("2222", "3333"))
    apply(app, agent, first)
    with pytest.raises(Conflict) as refused:
        apply(app, agent, second)
    assert refused.value.facts == {"reason": "stale", "chunk_id": stored.chunk_ids[0]}


def test_a_superseded_version_is_not_corrected(app: App, agent: Caller) -> None:
    """GN-APP-2 GN-RCL-7"""
    stored = store(app, agent, TEXT)
    made = propose(app, agent, stored, "replace '1111' with '2222'")
    perform(app, agent, Supersede(id=stored.item_id, text="Other."))
    with pytest.raises(Conflict, match="has changed"):
        apply(app, agent, made)
    with pytest.raises(NotFound):
        propose(app, agent, stored, "replace '1111' with '2222'")


def test_a_correction_of_a_forgotten_chunk_is_not_found(app: App, agent: Caller) -> None:
    """GN-APP-2"""
    stored = store(app, agent, TEXT)
    made = propose(app, agent, stored, "replace '1111' with '2222'")
    perform(app, agent, Forget(chunks=stored.chunk_ids[:1]))
    for thing in (made.id, "nothing"):
        with pytest.raises(NotFound, match=f"Correction not found: {thing}"):
            perform(app, agent, Apply(id=thing))


@pytest.mark.parametrize(
    ("wording", "error", "reason"),
    [
        (" ", Invalid, "empty"),
        ("x" * 4097, Invalid, "too_large"),
        ("Make it better.", Invalid, "cannot_rewrite"),
        ("replace '9999' with '1'", Invalid, "cannot_rewrite"),
        ("replace '1111' with '1111'", CommonplaceError, None),
    ],
)
def test_what_cannot_be_read_is_not_guessed(
    app: App, agent: Caller, wording: str, error: type[CommonplaceError], reason: str | None
) -> None:
    """GN-COR-6"""
    with pytest.raises(error) as refused:
        propose(app, agent, store(app, agent, TEXT), wording)
    assert reason is None or refused.value.facts["reason"] == reason
    assert rows(app, agent, "proposal") == []


def test_a_change_that_changes_nothing_is_told(app: App, agent: Caller) -> None:
    same = replace(app, rewriters=(Rewriter("llm", lambda text, _: text),))
    with pytest.raises(Conflict) as refused:
        propose(same, agent, store(app, agent, TEXT), "say the same")
    assert refused.value.facts == {"reason": "no_change"}


def test_rewriters_are_asked_in_order_and_a_failing_one_is_passed_over(app: App, agent: Caller) -> None:
    """GN-COR-3"""
    stored = store(app, agent, TEXT)
    away, silent = Rewriter("llm", failing), Rewriter("sampling", lambda _text, _wording: None)
    wording = "replace '1111' with '2222'"
    assert (
        propose(replace(app, rewriters=(away, silent, *app.rewriters)), agent, stored, wording).method
        == "deterministic"
    )
    eager = Rewriter("llm", lambda text, _: text + " Truly.")
    assert propose(replace(app, rewriters=(eager, *app.rewriters)), agent, stored, wording).method == "llm"
    with pytest.raises(Upstream, match="away"):
        propose(replace(app, rewriters=(away, *app.rewriters)), agent, stored, "make it better")


def test_a_caller_may_name_the_methods(app: App, agent: Caller) -> None:
    """GN-COR-3"""
    eager = Rewriter("llm", lambda text, _: text + " Truly.")
    both = replace(app, rewriters=(eager, *app.rewriters))
    stored = store(app, agent, TEXT)
    wording = "replace '1111' with '2222'"
    assert propose(both, agent, stored, wording, methods=("deterministic",)).method == "deterministic"
    with pytest.raises(Invalid, match="cannot be read"):
        propose(app, agent, stored, wording, methods=("llm",))


def test_what_is_forgotten_while_it_is_rewritten_is_not_kept_as_a_proposal(app: App, agent: Caller) -> None:
    """GN-FGT-2"""
    stored = store(app, agent, TEXT)

    def forgetting(text: str, _wording: str) -> str:
        perform(app, agent, Forget(ids=(stored.item_id,)))
        return text + " Truly."

    with pytest.raises(NotFound):
        propose(replace(app, rewriters=(Rewriter("llm", forgetting),)), agent, stored, "swear it")
    assert rows(app, agent, "proposal") == []


def test_what_changes_while_it_is_rewritten_must_be_proposed_again(app: App, agent: Caller) -> None:
    stored = store(app, agent, TEXT)
    made = propose(app, agent, stored, "replace '1111' with '2222'")

    def applying(text: str, _wording: str) -> str:
        apply(app, agent, made)
        return text + " Truly."

    with pytest.raises(Conflict, match="propose it again"):
        propose(replace(app, rewriters=(Rewriter("llm", applying),)), agent, stored, "swear it")


class Interfering:
    """An embedder in whose time somebody else writes, once."""

    def __init__(self, app: App, interfere: Callable[[], object]) -> None:
        self.inner, self.interfere = app.embedder, interfere
        self.name, self.dimensions = app.embedder.name, app.embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Any:
        self.interfere()
        return self.inner.embed(texts)

    def centred(self, vectors: Any) -> Any:
        return vectors


def test_a_chunk_whose_neighbour_changes_meanwhile_is_stale(app: App, agent: Caller) -> None:
    """GN-APP-2"""
    stored = store(app, agent, TEXT)
    first = propose(app, agent, stored, "replace '1111' with '2222'")
    other = propose(app, agent, stored, "replace 'squeaks' with 'sings'", chunk=1)
    interfering = Interfering(app, lambda: apply(app, agent, other))
    with pytest.raises(Conflict, match="has changed"):
        apply(replace(app, embedder=interfering), agent, first)


def test_raising_the_tier_voids_what_was_proposed(app: App, agent: Caller, owner: Caller) -> None:
    """GN-TIE-2"""
    work = collection(app, "Work")
    collection(app, "Vault", Tier.SENSITIVE)
    one, two = (store(app, agent, TEXT, collection=work.slug) for _ in range(2))
    raised, moved = (propose(app, agent, each, "replace '1111' with '2222'") for each in (one, two))
    perform(app, owner, Move(ids=(two.item_id,), collection="vault"))
    perform(app, owner, SetCollection(slug="work", tier=Tier.SENSITIVE))
    for made in (raised, moved):
        with pytest.raises(NotFound):
            apply(app, agent, made)
        with pytest.raises(Conflict, match="already void"):
            apply(app, owner, made)


def test_sensitive_chunks_are_corrected_by_people_alone(app: App, agent: Caller, owner: Caller) -> None:
    """GN-TIE-1 K-SEC-1"""
    collection(app, "Vault", Tier.SENSITIVE)
    secret = store(app, owner, TEXT, collection="vault")
    made = propose(app, owner, secret, "replace '1111' with '2222'")
    for told, error in ((False, NotFound), (True, Forbidden)):
        with pytest.raises(error):
            propose(app, agent, secret, "replace '1111' with '2222'", tell_sensitive=told)
        with pytest.raises(error):
            apply(app, agent, made, tell_sensitive=told)
    assert apply(app, owner, made).chunk_id == secret.chunk_ids[0]


def test_a_chunk_elsewhere_than_was_said_is_left(app: App, agent: Caller) -> None:
    stored = store(app, agent, TEXT)
    collection(app, "Work")
    with pytest.raises(Invalid, match="in the collection personal, not in work"):
        propose(app, agent, stored, "replace '1111' with '2222'", within="work")
    made = propose(app, agent, stored, "replace '1111' with '2222'", within="Personal")
    with pytest.raises(Invalid, match="not in work"):
        apply(app, agent, made, within="work")


def test_a_chunk_out_of_the_knowledge_base_is_corrected_and_not_indexed(app: App, agent: Caller) -> None:
    stored = store(app, agent, TEXT, in_kb=False)
    apply(app, agent, propose(app, agent, stored, "replace '1111' with '2222'"))
    assert found(app, agent, "2222") == []
    perform(app, agent, Amend(id=stored.item_id, in_kb=True))
    assert len(found(app, agent, "2222", mode="keyword")) == 1


def test_a_person_applies_or_rejects_what_waits(app: App, agent: Caller, owner: Caller) -> None:
    """engine 7"""
    stored = store(app, agent, TEXT)
    good, bad = (propose(app, agent, stored, f"replace '1111' with '{code}'") for code in ("2222", "3333"))
    with app.db.read(agent.workspace_id) as read:
        assert [each.id for each in open_proposals(read, view_of(read, agent))] == [good.id, bad.id]
    rejected = perform(app, owner, DecideReview(id=bad.id, approve=False))
    assert (rejected.state, rejected.applied) == ("rejected", None)
    with pytest.raises(Conflict, match="already rejected"):
        apply(app, agent, bad)
    decided = perform(app, owner, DecideReview(id=good.id, approve=True))
    assert decided.applied.chunk_id == stored.chunk_ids[0]
    with app.db.read(agent.workspace_id) as read:
        assert open_proposals(read, view_of(read, agent)) == []


def test_only_what_can_still_be_applied_waits(app: App, agent: Caller, owner: Caller, clock: FakeClock) -> None:
    collection(app, "Vault", Tier.SENSITIVE)
    stored, secret = store(app, agent, TEXT), store(app, owner, TEXT, collection="vault")
    for code in ("2222", "3333"):
        last = propose(app, agent, stored, f"replace '1111' with '{code}'")
    hidden = propose(app, owner, secret, "replace '1111' with '2222'")

    def waiting(caller: Caller) -> list[str]:
        with app.db.read(caller.workspace_id) as read:
            return [each.id for each in open_proposals(read, view_of(read, caller))]

    apply(app, agent, last)
    assert (waiting(agent), waiting(owner)) == ([], [hidden.id])
    clock.advance(11 * MINUTE)
    assert waiting(owner) == []


def test_reading_is_not_enough_to_correct(app: App, agent: Caller) -> None:
    """K-AUT-2"""
    stored = store(app, agent, TEXT)
    made = propose(app, agent, stored, "replace '1111' with '2222'")
    reader = token(app, scopes=(Scope.READ,))
    with pytest.raises(Forbidden):
        propose(app, reader, stored, "replace '1111' with '2222'")
    with pytest.raises(Forbidden):
        apply(app, reader, made)
