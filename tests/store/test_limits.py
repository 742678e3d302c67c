"""What is too long or cannot be written: both engines answer alike, in one sentence."""

import random
import string

import pytest

from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import (
    AssertFact,
    CreateCollection,
    CreateFolder,
    FactsAbout,
    Forget,
    Get,
    List,
    ListPage,
    Recall,
    Store,
)
from commonplace.core.workspaces import create_workspace
from commonplace.model.access import Caller
from commonplace.model.errors import Ambiguous, Conflict, Invalid, TooLarge
from support import Postgres, app_on, rows


def noise(characters: int) -> str:
    """Letters that no compression makes shorter."""
    return "".join(random.Random(characters).choices(string.ascii_lowercase + string.digits, k=characters))


@pytest.mark.parametrize(
    "asked",
    [
        Store(text="fine", provenance="not\0fine"),
        Store(text="fine", tags=("half \ud800",)),
        Store(text="fine", media={"deep": ["not\0fine"]}),
        AssertFact(subject="not\0fine", predicate="is", value="fine"),
        AssertFact(subject="stars", predicate="number", value=-(2**63)),
        ListPage(of=List(folder="\ud800")),
        List(limit=2**63),
    ],
)
def test_what_one_engine_could_not_keep_both_refuse(app: App, agent: Caller, asked: object) -> None:
    with pytest.raises(Invalid, match=r"NUL|64 bits"):
        perform(app, agent, asked)
    assert rows(app, agent, "item") == rows(app, agent, "fact") == []


def test_a_text_is_mended_also_where_it_waits_for_a_person(app: App, agent: Caller) -> None:
    with pytest.raises(Ambiguous):
        perform(app, agent, Store(text="zero\0byte", collection="Unheard of"))
    assert [row["body"] for row in rows(app, agent, "review")] == ["zero\N{REPLACEMENT CHARACTER}byte"]


def test_long_texts_that_are_allowed_are_kept_and_found(app: App, agent: Caller) -> None:
    source, word = noise(2_000), noise(20_000)
    kept = perform(app, agent, Store(text=f"[[memory_{word}]] {word}", provenance=source, note_fact=True))
    assert perform(app, agent, Recall(text=word[:4_000], targets=("memory", "fact"), mode="keyword")).hits
    assert perform(app, agent, Get(id=kept.version_id)).version.provenance == source
    assert kept.item_id in perform(app, agent, Forget(source=source)).item_ids


def test_an_alias_that_is_too_long_to_be_a_name_is_a_fact_like_any_other(app: App, agent: Caller) -> None:
    perform(app, agent, AssertFact(subject="somebody", predicate="alias", value=noise(20_000)))
    assert len(perform(app, agent, FactsAbout(entity="somebody"))) == 1


@pytest.mark.parametrize(
    "asked", [Store(text="fine", tags=("x" * 101,)), CreateCollection(name="x" * 201), CreateFolder(name="x" * 201)]
)
def test_names_that_are_too_long_are_refused_in_one_sentence(app: App, owner: Caller, asked: object) -> None:
    with pytest.raises(Invalid, match=r"^A (tag|name|folder's name) has .* characters\.$"):
        perform(app, owner, asked)


def test_a_workspace_has_a_name_of_no_more_than_that(app: App) -> None:
    with pytest.raises(TooLarge, match="at most 200 characters"):
        create_workspace(app, "x" * 201)


def test_a_row_that_is_already_there_is_a_conflict(app: App, agent: Caller) -> None:
    with pytest.raises(Conflict, match="try again"), app.db.write(agent) as write:  # noqa: PT012 - the block is tested
        write.insert("registry_class", name="Twice", parent="Memory")
        write.insert("registry_class", name="Twice", parent="Memory")


@pytest.mark.parametrize(("name", "told"), [(noise(9_000), "too long: shorten it"), ("not\0fine", "cannot keep .*NUL")])
def test_what_postgres_cannot_keep_is_told_as_such(postgres: Postgres, name: str, told: str) -> None:
    app = app_on(postgres.emptied())
    agent = local_caller(app, human=False)
    with pytest.raises(Invalid, match=told), app.db.write(agent) as write:
        write.insert("registry_class", name=name, parent="Memory")
