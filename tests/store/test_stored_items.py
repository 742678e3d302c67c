"""Items, versions and chunks as both engines keep them."""

import pytest

from commonplace.core import perform
from commonplace.core import requests as ask
from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.model.errors import Conflict, Invalid, NotFound
from commonplace.model.interval import DAY, FOREVER, Instant
from support import START, FakeClock, rows

LONG = "\n\n".join(
    f"# Part {number}\n\n" + f"Sentence {number} about the garden and its pond. " * 40 for number in range(4)
)


def test_a_text_comes_back_as_it_was_given(app: App, agent: Caller) -> None:
    made = perform(app, agent, ask.Store(text=LONG, title="Parts", tags=("garden", "pond"), media={"pages": 4}))
    whole = perform(app, agent, ask.Get(id=made.item_id))
    assert len(whole.chunk_ids) > 1
    assert (whole.text, whole.version.tags, whole.item.media) == (LONG, ("garden", "pond"), {"pages": 4})


@pytest.mark.parametrize("text", ["naïve 東京 🌱", "quote ' \" \\ % :id {_x} <shelf>", "tab\tand\nline", "\u202eright"])
def test_every_character_is_kept_and_found(app: App, agent: Caller, text: str) -> None:
    made = perform(app, agent, ask.Store(text=text, title=text, tags=(text,), provenance=text))
    whole = perform(app, agent, ask.Get(id=made.version_id))
    assert (whole.text, whole.version.tags, whole.version.provenance) == (text, (text,), text)
    assert [hit.text for hit in perform(app, agent, ask.Recall(tags=(text,))).hits] == [text]


def test_a_past_moment_shows_the_version_of_that_moment(app: App, agent: Caller, clock: FakeClock) -> None:
    made = perform(app, agent, ask.Store(text="five seats"))
    changed = perform(app, agent, ask.Supersede(id=made.item_id, text="nine seats", valid_from=clock.advance(DAY)))
    boundary = changed.changed_at
    assert perform(app, agent, ask.Get(id=made.item_id, as_of=Instant(boundary - 1))).text == "five seats"
    assert perform(app, agent, ask.Get(id=made.item_id, as_of=boundary)).text == "nine seats"
    assert perform(app, agent, ask.Get(id=made.version_id)).text == "five seats"


def test_what_was_not_yet_known_is_not_told(app: App, agent: Caller, clock: FakeClock) -> None:
    made = perform(app, agent, ask.Store(text="a plan", valid_from=Instant(START - DAY)))
    known = made.created_at
    clock.advance(DAY)
    perform(app, agent, ask.Supersede(id=made.item_id, text="another plan", valid_from=Instant(START - 1)))
    past = Instant(START)
    assert perform(app, agent, ask.Get(id=made.item_id, as_of=past)).text == "another plan"
    assert perform(app, agent, ask.Get(id=made.item_id, as_of=past, known_at=known)).text == "a plan"
    with pytest.raises(NotFound):
        perform(app, agent, ask.Get(id=made.item_id, known_at=Instant(known - 1)))


def test_closing_a_version_adds_a_row_and_changes_none(app: App, agent: Caller) -> None:
    made = perform(app, agent, ask.Store(text="a plan"))
    ended = perform(app, agent, ask.Retract(id=made.item_id, reason="over"))
    first, second = sorted(rows(app, agent, "version"), key=lambda row: row["recorded_at"])
    assert first["id"] == second["id"] == made.version_id
    assert (first["valid_to"], first["retired_at"]) == (FOREVER, second["recorded_at"])
    assert (second["valid_to"], second["retired_at"], second["reason"]) == (ended.valid_to, FOREVER, "over")


def test_only_the_current_version_can_be_superseded(app: App, agent: Caller) -> None:
    made = perform(app, agent, ask.Store(text="one"))
    perform(app, agent, ask.Supersede(id=made.version_id, text="two"))
    with pytest.raises(Conflict) as refused:
        perform(app, agent, ask.Supersede(id=made.version_id, text="three"))
    assert refused.value.facts["reason"] == "already_superseded"


def test_a_version_cannot_begin_before_the_one_it_replaces(app: App, agent: Caller) -> None:
    made = perform(app, agent, ask.Store(text="one"))
    with pytest.raises(Invalid, match="must begin after"):
        perform(app, agent, ask.Supersede(id=made.item_id, text="two", valid_from=made.created_at))


def test_the_newest_come_first_page_by_page(app: App, agent: Caller) -> None:
    made = [perform(app, agent, ask.Store(text=f"note {number}")).item_id for number in range(5)]
    pages = [perform(app, agent, ask.List(limit=2, offset=offset)) for offset in (0, 2, 4)]
    assert [placed.item.id for page in pages for placed in page] == made[::-1]


def test_a_list_can_be_narrowed(app: App, agent: Caller, owner: Caller) -> None:
    work = perform(app, owner, ask.CreateCollection(name="Work"))
    folder = perform(app, agent, ask.CreateFolder(name="Plans"))
    plain, filed, at_work = (
        perform(app, agent, ask.Store(text=text)).item_id for text in ("plain", "filed", "at work")
    )
    perform(app, agent, ask.FileItem(id=filed, folders=(folder.id,)))
    perform(app, owner, ask.Move(ids=(at_work,), collection=work.slug))
    perform(app, agent, ask.Amend(id=plain, archived=True))
    assert ids_of(app, agent, ask.List(folder=folder.id)) == [filed]
    assert ids_of(app, agent, ask.List(collections=("work",))) == [at_work]
    assert ids_of(app, agent, ask.List(archived=True)) == [plain]
    assert ids_of(app, agent, ask.List(archived=None)) == [at_work, filed, plain]


def ids_of(app: App, caller: Caller, request: ask.List) -> list[str]:
    return [placed.item.id for placed in perform(app, caller, request)]
