from dataclasses import replace

import pytest
from core_support import collection, folder, found, store, token

from commonplace.core import perform
from commonplace.core.app import App
from commonplace.core.requests import (
    CountAll,
    DecideReview,
    DeleteFolder,
    Get,
    ListCollections,
    ListReviews,
)
from commonplace.core.reviews import close
from commonplace.model.access import Caller, Tier
from commonplace.model.answer import Review
from commonplace.model.errors import Ambiguous, Conflict, Expired, Forbidden, Invalid, NotFound
from commonplace.model.interval import DAY, MINUTE, SECOND, Instant
from support import FakeClock, rows

TEXT = "Three pages on rye. " * 20


def ask(app: App, caller: Caller, name: str, text: str = TEXT, **asked: object) -> Ambiguous:
    """What a caller is told who names a collection that is not there."""
    with pytest.raises(Ambiguous) as refused:
        store(app, caller, text, collection=name, **asked)
    return refused.value


def waiting(app: App, caller: Caller, state: str = "pending") -> list[Review]:
    return list(perform(app, caller, ListReviews(state=state)))


@pytest.mark.parametrize("name", ["Book Notes", "book-notes", "booknotes", "BOOK_NOTES", "ＢＯＯＫ notes"])
def test_a_name_that_is_the_same_but_for_signs_and_case_is_written_to(app: App, agent: Caller, name: str) -> None:
    """GN-RES-1 GN-RES-2"""
    collection(app, "Book Notes")
    assert store(app, agent, TEXT, collection=name).collection == "book-notes"


@pytest.mark.parametrize("name", ["日記", "дневник"])
def test_names_of_every_script_are_names(app: App, agent: Caller, name: str) -> None:
    """GN-RES-1"""
    made = collection(app, name)
    assert store(app, agent, TEXT, collection=name).collection == made.slug
    assert ask(app, agent, "ノート").facts["resolution"] == "none"


def test_a_name_without_letter_or_digit_is_refused(app: App, agent: Caller) -> None:
    """GN-RES-1"""
    with pytest.raises(Invalid, match="letter or digit"):
        store(app, agent, TEXT, collection="--- ")
    assert waiting(app, agent) == []


def test_no_near_match_is_taken_and_a_person_is_asked(app: App, agent: Caller) -> None:
    """GN-RES-5 GN-RES-6 GN-RES-8"""
    for name in ("Recipes", "Travel"):
        collection(app, name)
    refused = ask(app, replace(agent, client="Desk"), "Recipe", title="Rye", kind="clip")
    assert refused.facts["resolution"] == "ambiguous"
    assert refused.facts["requested"] == "Recipe"
    assert refused.facts["candidates"] == [{"slug": "recipes", "name": "Recipes", "score": 0.9, "reason": "substring"}]
    assert refused.facts["existing"] == [
        {"slug": "personal", "name": "Personal"},
        {"slug": "recipes", "name": "Recipes"},
        {"slug": "travel", "name": "Travel"},
    ]
    assert refused.facts["retry"] is False
    assert "Recipes" in refused.message
    assert "do not call again" in refused.message
    [review] = waiting(app, agent)
    assert review.id == refused.facts["pending_review_id"]
    assert (review.suggested, review.label, review.client, review.state) == ("Recipe", "Rye", "Desk", "pending")
    assert review.preview == TEXT[:280]
    assert review.candidates == (("recipes", "Recipes", 0.9, "substring"),)
    assert review.expires_at - review.created_at == 7 * DAY
    assert rows(app, agent, "item") == []
    assert len(perform(app, agent, ListCollections())) == 3


def test_where_nothing_is_near_all_are_named(app: App, agent: Caller) -> None:
    """GN-RES-6"""
    refused = ask(app, agent, "Astronomy")
    assert (refused.facts["resolution"], refused.facts["candidates"]) == ("none", [])
    assert "Personal" in refused.message


def test_sensitive_collections_are_no_candidates_and_not_listed(app: App, agent: Caller, owner: Caller) -> None:
    """GN-RES-3 GN-TIE-3"""
    collection(app, "Recipes", Tier.SENSITIVE)
    for caller in (agent, owner):
        refused = ask(app, caller, "Recipe")
        assert refused.facts["candidates"] == []
        assert refused.facts["existing"] == [{"slug": "personal", "name": "Personal"}]
        assert "Recipes" not in refused.message


def test_a_sensitive_target_is_refused_without_a_review(app: App, agent: Caller, owner: Caller) -> None:
    """GN-REM-4"""
    collection(app, "Vault", Tier.SENSITIVE)
    with pytest.raises(Forbidden) as refused:
        store(app, agent, TEXT, collection="VAULT", tell_sensitive=True)
    assert refused.value.facts == {"reason": "sensitive_collection", "name": "VAULT"}
    assert waiting(app, owner) == []
    assert store(app, owner, TEXT, collection="vault").slug is None


def test_to_who_may_not_know_of_it_a_sensitive_target_is_as_unknown_as_any(app: App, agent: Caller) -> None:
    """GN-TIE-1"""
    unknown = ask(app, agent, "Vault")
    collection(app, "Vault", Tier.SENSITIVE)
    hidden = ask(app, agent, "Vault")
    assert hidden.message == unknown.message
    assert hidden.facts == unknown.facts


def test_a_person_is_told_and_not_asked(app: App, owner: Caller) -> None:
    """GN-RES-8"""
    refused = ask(app, owner, "Attic")
    assert refused.facts["pending_review_id"] is None
    assert "Make it first" in refused.message
    assert waiting(app, owner) == []


def test_the_same_question_within_ten_minutes_is_one_review(app: App, agent: Caller, clock: FakeClock) -> None:
    """GN-RES-5"""
    first = ask(app, agent, "Attic").facts["pending_review_id"]
    clock.advance(10 * MINUTE - SECOND)
    assert ask(app, agent, "ATTIC").facts["pending_review_id"] == first
    others = {
        ask(app, agent, "Attic", "Another text.").facts["pending_review_id"],
        ask(app, agent, "Cellar").facts["pending_review_id"],
        ask(app, replace(agent, client="Desk"), "Attic").facts["pending_review_id"],
    }
    clock.advance(2 * SECOND)
    others.add(ask(app, agent, "Attic").facts["pending_review_id"])
    assert len(others | {first}) == 5
    assert perform(app, agent, CountAll()).reviews_pending == 5


def test_an_approved_text_is_written_once_as_it_was_asked_for(app: App, agent: Caller, owner: Caller) -> None:
    """GN-RES-5"""
    made = collection(app, "Recipes")
    asker = replace(agent, client="Desk")
    asked = {"title": "Rye", "kind": "clip", "platform": "clip", "tags": ("bread",), "provenance": "book", "key": "k"}
    review_id = str(ask(app, asker, "Recipe", **asked).facts["pending_review_id"])
    decided = perform(app, owner, DecideReview(id=review_id, approve=True, collection="recipes"))
    whole = perform(app, agent, Get(id=decided.stored.item_id))
    assert (decided.state, whole.text, whole.collection, whole.version.title) == ("approved", TEXT, made.slug, "Rye")
    assert (whole.version.tags, whole.version.provenance, whole.item.kind) == (("bread",), "book", "clip")
    assert (whole.item.client, whole.item.actor) == ("Desk", "owner")
    assert len(found(app, agent, "rye")) == 1
    [kept] = rows(app, owner, "review")
    assert (kept["body"], kept["preview"], kept["request"], kept["item_id"]) == ("", "", "{}", whole.item.id)
    assert [each.state for each in waiting(app, owner, "approved")] == ["approved"]
    for approve in (True, False):
        with pytest.raises(NotFound, match="waits for a decision"):
            perform(app, owner, DecideReview(id=review_id, approve=approve))


def test_a_decision_that_was_cut_off_writes_nothing_twice(app: App, agent: Caller, owner: Caller) -> None:
    """GN-RES-5"""
    review_id = str(ask(app, agent, "Attic").facts["pending_review_id"])
    first = store(app, owner, TEXT, key=f"review:{review_id}")
    decided = perform(app, owner, DecideReview(id=review_id, approve=True, collection="personal"))
    assert decided.stored.item_id == first.item_id
    assert len(rows(app, owner, "item")) == 1


@pytest.mark.parametrize(("create", "slug"), [(None, "attic"), ("Loft", "loft")])
def test_approving_makes_the_collection_that_was_asked_for_or_another(
    app: App, agent: Caller, owner: Caller, create: str | None, slug: str
) -> None:
    """GN-RES-5"""
    review_id = str(ask(app, agent, "Attic").facts["pending_review_id"])
    decided = perform(app, owner, DecideReview(id=review_id, approve=True, create=create))
    assert decided.stored.collection == slug


def test_a_collection_made_in_the_meantime_is_used(app: App, agent: Caller, owner: Caller) -> None:
    first, second = (str(ask(app, agent, "Attic", text).facts["pending_review_id"]) for text in ("One.", "Two."))
    collection(app, "attic")
    assert perform(app, owner, DecideReview(id=first, approve=True)).stored.collection == "attic"
    with pytest.raises(Conflict, match="approve with --as attic"):
        perform(app, owner, DecideReview(id=second, approve=True, create="Attic"))
    with pytest.raises(NotFound, match="no collection cellar"):
        perform(app, owner, DecideReview(id=second, approve=True, collection="cellar"))
    assert len(waiting(app, owner)) == 1


def test_a_rejected_text_is_erased(app: App, agent: Caller, owner: Caller) -> None:
    """GN-RES-5"""
    review_id = str(ask(app, agent, "Attic").facts["pending_review_id"])
    decided = perform(app, owner, DecideReview(id=review_id, approve=False))
    assert (decided.state, decided.stored) == ("rejected", None)
    [kept] = rows(app, owner, "review")
    assert (kept["body"], kept["preview"], kept["decided_by"]) == ("", "", "owner")
    assert rows(app, owner, "item") == []


def test_of_two_decisions_at_once_one_holds(app: App, agent: Caller, owner: Caller) -> None:
    """GN-RES-5"""
    review_id = str(ask(app, agent, "Attic").facts["pending_review_id"])
    with app.db.write(owner) as write:
        close(write, review_id, "rejected", owner, None)
        with pytest.raises(NotFound, match="waits for a decision"):
            close(write, review_id, "approved", owner, None)


def test_a_review_lives_seven_days_and_its_text_no_longer(
    app: App, agent: Caller, owner: Caller, clock: FakeClock
) -> None:
    """GN-RES-5"""
    review_id = str(ask(app, agent, "Attic").facts["pending_review_id"])
    clock.at = Instant(waiting(app, owner)[0].expires_at - 1)
    assert len(waiting(app, owner)) == 1
    clock.advance(1)
    assert waiting(app, owner) == []
    assert perform(app, owner, CountAll()).reviews_pending == 0
    with pytest.raises(Expired, match="older than seven days"):
        perform(app, owner, DecideReview(id=review_id, approve=True))
    later = str(ask(app, agent, "Cellar").facts["pending_review_id"])
    perform(app, owner, DecideReview(id=later, approve=False))
    assert {row["state"]: row["body"] for row in rows(app, owner, "review")} == {"expired": "", "rejected": ""}


def test_only_a_person_decides(app: App, agent: Caller) -> None:
    """engine 7"""
    review_id = str(ask(app, agent, "Attic").facts["pending_review_id"])
    for caller in (agent, token(app)):
        with pytest.raises(Forbidden, match="Only a person"):
            perform(app, caller, DecideReview(id=review_id, approve=True))
        assert len(waiting(app, caller)) == 1


def test_a_token_for_some_folders_sees_what_it_asked_for_itself(app: App, agent: Caller) -> None:
    """GR-AUT-5"""
    scoped = token(app, folder(app, "One"))
    ask(app, agent, "Attic")
    own = ask(app, scoped, "Cellar").facts["pending_review_id"]
    assert [each.id for each in waiting(app, scoped)] == [own]
    assert len(waiting(app, agent)) == 2


@pytest.mark.parametrize("approve", [True, False])
def test_an_unknown_review_is_not_found(app: App, owner: Caller, *, approve: bool) -> None:
    for unknown in ("nothing", "00000000-0000-7000-8000-000000000000"):
        with pytest.raises(NotFound, match=f"not found: {unknown}"):
            perform(app, owner, DecideReview(id=unknown, approve=approve))


def test_a_collection_that_goes_between_question_and_answer_is_not_found(app: App, agent: Caller) -> None:
    class Going:
        """Deletes the collection while the text is embedded."""

        name, dimensions = app.embedder.name, app.embedder.dimensions

        def embed(self, texts: list[str]) -> object:
            with app.db.write(agent) as write:
                [row] = [each for each in write.all("collections") if each["slug"] == "attic"]
                kept = write.one("kept_collection", id=row["id"])
                assert kept
                write.run("remove_collection", id=kept["id"])
            return app.embedder.embed(texts)

    collection(app, "Attic")
    with pytest.raises(NotFound, match="The collection attic is gone"):
        store(replace(app, embedder=Going()), agent, TEXT, collection="attic")  # type: ignore[arg-type]


def test_what_a_token_of_a_folder_asked_for_is_filed_as_its_own(app: App, agent: Caller, owner: Caller) -> None:
    """GR-AUT-5 GN-RES-5"""
    one = folder(app, "One")
    collection(app, "Attic")
    scoped = token(app, one, kb_only=True)
    for name in ("Attik", "Cellar"):
        review_id = str(ask(app, scoped, name, in_kb=False).facts["pending_review_id"])
        if name == "Cellar":
            perform(app, owner, DeleteFolder(id=one.id))
        decided = perform(app, owner, DecideReview(id=review_id, approve=True, collection="attic"))
        whole = perform(app, agent, Get(id=decided.stored.item_id))
        assert whole.item.in_kb
        assert [each[0] for each in whole.folders] == ([one.id] if name == "Attik" else [])


def test_a_decided_or_expired_review_keeps_no_words(app: App, agent: Caller, owner: Caller, clock: FakeClock) -> None:
    """GN-TIE-1 GN-RES-5"""
    collection(app, "Attic")
    for name in ("Attik one", "Attik two", "Attik three"):
        ask(app, agent, name, title="Rye")
    for review, approve in zip(waiting(app, owner)[:2], (True, False), strict=True):
        perform(app, owner, DecideReview(id=review.id, approve=approve, collection="attic"))
    clock.advance(8 * DAY)
    ask(app, agent, "Elsewhere")
    for state in ("approved", "rejected", "expired"):
        [kept] = waiting(app, agent, state)
        assert (kept.suggested, kept.label, kept.preview, kept.candidates) == ("", None, "", ())
