import json
from typing import Any

import pytest
from lived import Lived

from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import (
    AssertFact,
    CorrectFact,
    CountAll,
    CreateCollection,
    FactsAbout,
    Forget,
    Get,
    History,
    List,
    ListCollections,
    Recall,
    SetCollection,
    Store,
)
from commonplace.core.workspaces import create_workspace
from commonplace.model.access import Caller, Tier
from commonplace.model.errors import CommonplaceError, Conflict, Forbidden, Invalid, TooLarge, Unavailable
from commonplace.model.interval import DAY, Instant, parse_instant
from commonplace.operations.transfer import export_lines, import_lines
from commonplace.operations.verify import verify
from support import FakeClock

HEAD = '{"type":"commonplace","format":1,"version":"1","workspace":"w","exported_at":"2026-01-01T00:00:00Z"}'
NEW = {"recorded_at", "created_at", "exported_at", "actor", "client", "workspace"}


@pytest.fixture
def mover(app: App) -> Caller:
    """The owner, in a new workspace."""
    create_workspace(app, "copy")
    return local_caller(app, "copy", human=True)


def essence(lines: list[str]) -> list[Any]:
    """What an export says but for ids, which become their places, and times of recording."""
    ids: dict[str, str] = {}

    def plain(name: str, value: Any) -> Any:
        if isinstance(value, dict):
            relation = value.get("type") == "relation"
            return {
                key: plain(key, each)
                for key, each in value.items()
                if key not in NEW and not (relation and key == "valid_from")
            }
        if isinstance(value, list):
            return [plain(name, each) for each in value]
        if name in {"id", "origin", "target", "item", "supersedes"}:
            return ids.setdefault(value, f"thing {len(ids)}")
        return bool(value) if name == "closed_at" else value

    said = [plain("", json.loads(line)) for line in lines]
    relations = [{**each, "id": ""} for each in said if each["type"] == "relation"]
    return [each for each in said if each["type"] != "relation"] + sorted(relations, key=str)


def test_an_import_into_a_new_workspace_gives_an_equal_export(
    app: App, owner: Caller, mover: Caller, lived: Lived
) -> None:
    lines = list(export_lines(app, owner))
    import_lines(app, mover, lines)
    assert essence(list(export_lines(app, mover))) == essence(lines)
    assert verify(app, mover.workspace_id).problems == ()


def test_an_export_is_the_same_each_time(app: App, owner: Caller, lived: Lived) -> None:
    assert list(export_lines(app, owner)) == list(export_lines(app, owner))


def test_an_export_holds_what_a_person_needs_to_leave(app: App, owner: Caller, lived: Lived) -> None:
    said = [json.loads(line) for line in export_lines(app, owner)]
    assert [each["type"] for each in said[:4]] == ["commonplace", "collection", "collection", "folder"]
    plan = next(each for each in said if each.get("id") == lived.plan.item_id)
    assert [each["text"] for each in plan["versions"]] == ["Müller has five seats.", "Müller has nine seats."]
    assert plan["versions"][0]["valid_to"] == plan["versions"][1]["valid_from"]
    assert plan["versions"][0]["tags"] == ["client", "type:Deal"]
    assert plan["folders"] == ["Clients"]
    job = next(each for each in said if each.get("id") == lived.job)
    assert job["closed_at"]
    assert job["confidence"] == 0.9
    kinds = {each["kind"] for each in said if each["type"] == "relation"}
    assert kinds == {"ABOUT", "SUPERSEDES", "REFERENCES_ENTITY"}


def test_a_model_exports_nothing_sensitive(app: App, agent: Caller, lived: Lived) -> None:
    whole = "\n".join(export_lines(app, agent))
    assert "Only for people" not in whole
    assert "Private" not in whole


def test_importing_twice_adds_nothing(app: App, owner: Caller, mover: Caller, lived: Lived) -> None:
    lines = list(export_lines(app, owner))
    first = import_lines(app, mover, lines)
    before = perform(app, mover, CountAll()), perform(app, mover, History(limit=1))
    again = import_lines(app, mover, lines)
    assert (first.items, first.versions, first.facts, first.relations, first.collections, first.folders) == (
        *(4, 1, 5, 2, 1, 1),
    )
    assert (again.items, again.versions, again.facts, again.relations, again.collections, again.folders) == (0,) * 6
    assert again.known == 4 + 5 + 2
    assert (perform(app, mover, CountAll()), perform(app, mover, History(limit=1))) == before


def test_an_import_that_was_cut_off_goes_on(app: App, owner: Caller, mover: Caller, lived: Lived) -> None:
    lines = list(export_lines(app, owner))
    plan = next(place for place, line in enumerate(lines) if lived.plan.item_id in line)
    with pytest.raises(Invalid, match="empty"):
        import_lines(app, mover, [*lines[:plan], lines[plan].replace("Müller has nine seats.", " ")])
    import_lines(app, mover, lines)
    assert verify(app, mover.workspace_id).problems == ()
    found = perform(app, mover, Recall(text="Müller seats")).hits
    assert [hit.text for hit in found if "seats" in hit.text] == ["Müller has nine seats."]


def test_what_was_forgotten_here_stays_forgotten(app: App, owner: Caller, mover: Caller, lived: Lived) -> None:
    lines = list(export_lines(app, owner))
    import_lines(app, mover, lines)
    fact = perform(app, mover, FactsAbout(entity="alice", include_history=True))[0]
    items = tuple(each.item.id for each in perform(app, mover, List(archived=None)))
    perform(app, mover, Forget(ids=(*items, fact.id)))
    counts = import_lines(app, mover, lines)
    assert (counts.items, counts.versions, counts.facts, counts.relations) == (0, 0, 0, 0)
    assert perform(app, mover, List(archived=None)) == []


def test_facts_go_with_the_item_they_came_from(app: App, owner: Caller, mover: Caller, lived: Lived) -> None:
    import_lines(app, mover, export_lines(app, owner))
    model = local_caller(app, "copy", human=False)
    assert "Only for people." not in [
        hit.text for hit in perform(app, model, Recall(text="people", targets=("fact",))).hits
    ]
    secret = next(each for each in perform(app, mover, List()) if each.version.title == "Secret")
    assert perform(app, mover, Forget(ids=(secret.item.id,))).facts == 1


def test_a_sensitive_collection_is_never_put_into_an_open_one(app: App, owner: Caller, mover: Caller) -> None:
    perform(app, owner, SetCollection(slug="personal", tier=Tier.SENSITIVE))
    perform(app, owner, Store(text="For me alone."))
    with pytest.raises(Conflict, match="Line 2: Personal is sensitive where this comes from"):
        import_lines(app, mover, export_lines(app, owner))
    perform(app, mover, SetCollection(slug="personal", tier=Tier.SENSITIVE))
    assert import_lines(app, mover, export_lines(app, owner)).items == 1


def test_a_model_cannot_make_the_collections_of_an_export(app: App, owner: Caller, mover: Caller, lived: Lived) -> None:
    with pytest.raises(Forbidden, match="Line 3: "):
        import_lines(app, local_caller(app, "copy", human=False), export_lines(app, owner))


def test_a_collection_keeps_its_slug_and_cap(app: App, owner: Caller, mover: Caller) -> None:
    perform(app, owner, CreateCollection(name="Book notes"))
    perform(app, owner, SetCollection(slug="book-notes", name="Reading", recall_cap=900))
    import_lines(app, mover, export_lines(app, owner))
    found = next(each for each in perform(app, mover, ListCollections()) if each.slug == "book-notes")
    assert (found.name, found.recall_cap) == ("Reading", 900)


def test_more_than_a_page_comes_out_once_each(app: App, owner: Caller, agent: Caller) -> None:
    for number in range(205):
        perform(app, agent, Store(text=f"Note {number}."))
    said = [json.loads(line) for line in export_lines(app, owner)]
    texts = [each["versions"][0]["text"] for each in said if each["type"] == "item"]
    assert texts == [f"Note {number}." for number in range(205)]


def test_an_export_is_of_the_moment_when_it_began(app: App, owner: Caller, agent: Caller, clock: FakeClock) -> None:
    first = perform(app, agent, Store(text="Before."))
    lines = export_lines(app, owner)
    started = [next(lines)]
    clock.advance()
    perform(app, agent, Store(text="After."))
    whole = "\n".join([*started, *lines])
    assert first.item_id in whole
    assert "After." not in whole


def test_plain_lines_become_items(app: App, agent: Caller) -> None:
    plain = [
        '{"text": "Tea at four."}',
        "",
        '{"text": "Rent is due.", "title": "Rent", "tags": ["home"], "source": "lease", "valid_from": "2024-01-01"}',
    ]
    assert import_lines(app, agent, plain).items == 2
    rent = next(each for each in perform(app, agent, List()) if each.version.title == "Rent")
    assert rent.version.tags == ("home",)
    assert rent.version.provenance == "lease"
    assert rent.version.valid.start == parse_instant("2024-01-01")
    assert perform(app, agent, Get(id=rent.item.id)).text == "Rent is due."


def test_plain_lines_come_once_but_equal_ones_in_a_file_are_two(app: App, agent: Caller) -> None:
    plain = ['{"text": "Tea."}', '{"text": "Tea."}']
    assert import_lines(app, agent, plain).items == 2
    assert import_lines(app, agent, plain).known == 2
    assert perform(app, agent, CountAll()).memories == 2


@pytest.mark.parametrize(
    ("line", "kind", "says"),
    [
        ("{", Invalid, "Line 2 cannot be read: "),
        ('{"title": "No text"}', Invalid, "missing required field `text`"),
        ('{"text": "Ä", "colour": "red"}', Invalid, "unknown field `colour`"),
        ('{"text": " "}', Invalid, "Line 2: The text must not be empty."),
        ('{"text": "Ä", "valid_from": "soon"}', Invalid, "Line 2: 'soon' is not"),
        (json.dumps({"text": "x" * 10_485_761}), TooLarge, "Line 2: "),
    ],
)
def test_a_bad_line_is_named_by_its_number(
    app: App, agent: Caller, line: str, kind: type[CommonplaceError], says: str
) -> None:
    with pytest.raises(kind) as caught:
        import_lines(app, agent, ['{"text": "Good."}', line, '{"text": "Never read."}'])
    assert says in caught.value.message
    assert "Line 2" in caught.value.message
    assert caught.value.facts["line"] == 2
    assert perform(app, agent, CountAll()).memories == 1


def test_bytes_that_are_no_text_are_a_bad_line(app: App, agent: Caller) -> None:
    with pytest.raises(Invalid, match="Line 1 cannot be read"):
        import_lines(app, agent, [b'{"text": "\xff"}'])


def test_an_export_of_a_newer_format_says_so(app: App, agent: Caller) -> None:
    with pytest.raises(Unavailable, match="Line 1: The export is of a newer Commonplace"):
        import_lines(app, agent, [HEAD.replace('"format":1', '"format":2')])


def test_a_line_of_an_unknown_type_is_a_bad_line(app: App, agent: Caller) -> None:
    with pytest.raises(Invalid, match="Line 2 cannot be read"):
        import_lines(app, agent, [HEAD, '{"type":"spell"}'])


def test_a_fact_corrected_before_it_began_does_not_stop_an_import(
    app: App, owner: Caller, mover: Caller, clock: FakeClock
) -> None:
    later = Instant(clock.now() + 30 * DAY)
    planned = perform(app, owner, AssertFact(subject="Ada", predicate="works_at", value="Acme", valid_from=later))
    perform(app, owner, CorrectFact(id=planned.id, value="Initech"))
    import_lines(app, mover, list(export_lines(app, owner)))
    assert [fact.value for fact in perform(app, mover, FactsAbout(entity="Ada"))] == ["Initech"]
    import_lines(app, mover, list(export_lines(app, owner)))
    assert len(perform(app, mover, FactsAbout(entity="Ada", include_history=True))) == 2
