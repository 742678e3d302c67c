from pathlib import Path
from random import Random

import pytest
from lived import Lived

from commonplace.auth.keys import Keys
from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import Apply, Forget, History, Move, Propose, Store, Undo
from commonplace.ingest.rewrite import DeterministicRewriter
from commonplace.model.access import Caller
from commonplace.model.interval import DAY
from commonplace.operations.verify import verify, verify_control
from commonplace.store import index
from commonplace.store.sqlite import SqliteEngine
from support import FakeClock, app_on

PAGE_BYTES = 4096


def meddle(app: App, caller: Caller, statement: str) -> None:
    """Change the store past every verb."""
    with app.db.engine.transaction(caller.workspace_id, write=True) as connection:
        connection.plain(statement)  # type: ignore[attr-defined]


def problems(app: App, caller: Caller) -> str:
    return "\n".join(verify(app, caller.workspace_id).problems)


@pytest.fixture
def app(app: App) -> App:
    """The rewriter that reads a correction makes one possible."""
    return App(app.db, app.clock, app.ids, app.embedder, (DeterministicRewriter(),))


def test_a_store_that_was_lived_in_is_whole(app: App, owner: Caller, lived: Lived) -> None:
    report = verify(app, owner.workspace_id)
    assert report.problems == ()
    assert report.ok
    assert report.counts["event"] > 10
    assert report.counts["item"] == 4
    assert verify_control(app) == ()


def test_it_stays_whole_through_correcting_undoing_moving_and_forgetting(
    app: App, owner: Caller, agent: Caller, lived: Lived, clock: FakeClock
) -> None:
    made = perform(app, agent, Propose(chunk_id=lived.joined.chunk_ids[0], proposal='replace "Alice" with "Carol"'))
    perform(app, agent, Apply(id=made.id))
    assert problems(app, owner) == ""
    perform(app, owner, Undo(event_id=perform(app, owner, History(limit=1))[0].id))
    assert problems(app, owner) == ""
    perform(app, owner, Move(ids=(lived.joined.item_id,), collection="private"))
    assert problems(app, owner) == ""
    perform(app, owner, Forget(ids=(lived.plan.item_id,)))
    assert problems(app, owner) == ""


def test_it_stays_whole_when_a_single_chunk_was_forgotten(app: App, owner: Caller, agent: Caller) -> None:
    text = "\n\n".join(f"# Part {number}\n\n" + f"Sentence {number} says this. " * 80 for number in range(3))
    kept = perform(app, agent, Store(text=text, title="Parts"))
    perform(app, agent, Forget(chunks=(kept.chunk_ids[1],)))
    assert problems(app, owner) == ""


def test_what_ends_by_the_passing_of_time_is_no_problem(
    app: App, owner: Caller, agent: Caller, clock: FakeClock
) -> None:
    perform(app, agent, Store(text="The offer stands.", valid_to=clock.now() + DAY))
    clock.advance(2 * DAY)
    assert problems(app, owner) == ""


def test_a_changed_payload_is_found(app: App, owner: Caller, lived: Lived) -> None:
    meddle(
        app, owner, "UPDATE event_payload SET body = (SELECT body FROM event_payload o WHERE o.seq = 4) WHERE seq = 3"
    )
    assert problems(app, owner) == "The payload of event 3 was changed after it was written."


def test_a_payload_that_was_emptied_without_a_forget_is_found(app: App, owner: Caller, lived: Lived) -> None:
    meddle(app, owner, "UPDATE event_payload SET redacted = true WHERE seq = 3")
    assert problems(app, owner) == "The payload of event 3 was emptied, but nothing of it was forgotten."


def test_a_changed_event_is_found(app: App, owner: Caller, lived: Lived) -> None:
    meddle(app, owner, "UPDATE event SET actor = 'nobody' WHERE seq = 3")
    assert problems(app, owner) == "Event 3 was changed after it was written."


def test_a_missing_event_is_found(app: App, owner: Caller, lived: Lived) -> None:
    meddle(app, owner, "DELETE FROM event WHERE seq = 3")
    assert "The op-log lacks the events between 2 and 4." in problems(app, owner)


def test_a_lost_end_of_the_log_is_found(app: App, owner: Caller, lived: Lived) -> None:
    last = verify(app, owner.workspace_id).counts["event"]
    meddle(app, owner, f"DELETE FROM event WHERE seq = {last}")
    assert f"The head of the op-log is event {last}, but its last event is {last - 1}." in problems(app, owner)


def test_a_deleted_row_is_found(app: App, owner: Caller, lived: Lived) -> None:
    meddle(app, owner, f"DELETE FROM idempotency WHERE ids LIKE '%{lived.job}%'")
    found = problems(app, owner)
    assert found.startswith("The row of idempotency")
    assert found.endswith("is missing; the op-log has it.")


def test_a_row_that_nobody_wrote_is_found(app: App, owner: Caller, lived: Lived) -> None:
    meddle(
        app,
        owner,
        f"INSERT INTO version_tag (workspace_id, version_id, tag) "
        f"VALUES ('{owner.workspace_id}', '{lived.plan.version_id}', 'forged')",
    )
    assert problems(app, owner) == f"The row of version tag {lived.plan.version_id} is in no event of the op-log."


def test_a_changed_row_is_found(app: App, owner: Caller, lived: Lived) -> None:
    meddle(app, owner, f"UPDATE fact SET value = '\"Umbrella\"' WHERE id = '{lived.job}' AND expired_at IS NULL")
    assert problems(app, owner) == f"The row of fact {lived.job} is not what the op-log says."


def test_a_changed_text_is_found(app: App, owner: Caller, lived: Lived) -> None:
    meddle(app, owner, "UPDATE content SET body = 'Something else.' WHERE body LIKE 'Alice%'")
    assert problems(app, owner) == f"The text of version {lived.joined.version_id} is not what was written."


def test_a_missing_index_entry_is_found(app: App, owner: Caller, lived: Lived) -> None:
    with app.db.write(owner) as write:
        owned = write.all("chunks_of_version", version_id=lived.joined.version_id, known_at=write.now)[0]["content_id"]
        index.drop(write, owned)
    assert problems(app, owner) == f"The index has no entry of {owned}, which belongs on the shelf chunk_current."


def test_an_entry_on_the_wrong_shelf_is_found(app: App, owner: Caller, lived: Lived) -> None:
    with app.db.write(owner) as write:
        index._move(write, lived.job, "fact_history", "fact_current")
    assert problems(app, owner) == (f"The index has {lived.job} on the shelf fact_current; it belongs on fact_history.")


def test_words_that_differ_from_their_entries_are_found(app: App, owner: Caller, lived: Lived) -> None:
    meddle(app, owner, f"UPDATE lexical SET terms = 'umbrella' WHERE owner = '{lived.job}'")
    assert problems(app, owner) == (
        "The words of the shelf fact_history are not those of its entries; run `commonplace reindex`."
    )


def test_a_vector_without_an_entry_is_found(app: App, owner: Caller, lived: Lived) -> None:
    meddle(app, owner, f"UPDATE vector SET shelf = 'fact_current' WHERE owner = '{lived.job}'")
    assert problems(app, owner) == f"The vector {lived.job} lacks its index entry."


def test_a_broken_inverse_is_found(app: App, owner: Caller, lived: Lived) -> None:
    meddle(app, owner, "UPDATE relation SET valid_to = valid_to - 1 WHERE kind = 'SUPERSEDES'")
    assert problems(app, owner).count("has no inverse that says the same.") == 2


def test_two_valid_versions_are_found(app: App, owner: Caller, lived: Lived) -> None:
    meddle(
        app,
        owner,
        f"UPDATE version SET valid_to = valid_to + 1 WHERE id = '{lived.plan.version_id}' "
        "AND retired_at = 9223372036854775807",
    )
    assert f"Item {lived.plan.item_id} has two valid versions at one moment, or none between two." in problems(
        app, owner
    )


def test_a_text_that_nothing_refers_to_is_found(app: App, owner: Caller, lived: Lived) -> None:
    meddle(app, owner, "DELETE FROM chunk WHERE ordinal = 0 AND item_id IN (SELECT id FROM item WHERE archived)")
    assert " lacks its chunk." in problems(app, owner)


def test_an_unknown_workspace_is_a_problem(app: App) -> None:
    assert len(verify(app, app.ids.new()).problems) == 1


@pytest.mark.parametrize("encrypted", [True, False])
def test_junk_in_the_file_is_a_problem_wherever_it_lies(tmp_path: Path, *, encrypted: bool) -> None:
    keys = Keys(tmp_path / "data", tmp_path / "config")
    keys.create(encrypted=encrypted)
    engine = SqliteEngine(tmp_path / "data", keys, encrypted=encrypted)
    app = app_on(engine)
    caller = local_caller(app, human=True)
    for number in range(8):
        perform(app, caller, Store(text=f"Note {number} is long. " * 200))
    with engine._leased(caller.workspace_id) as connection:
        connection.plain("VACUUM")  # a free page holds nothing that junk could harm
    engine.close()
    file = engine.path(caller.workspace_id)
    whole = file.read_bytes()
    for start in range(0, len(whole), 5 * PAGE_BYTES):
        file.write_bytes(whole[:start] + Random(start).randbytes(PAGE_BYTES) + whole[start + PAGE_BYTES :])
        assert verify(app, caller.workspace_id).problems, start
        engine.close()
    file.write_bytes(whole)
    assert verify(app, caller.workspace_id).problems == ()
    engine.close()


def test_junk_in_the_control_file_is_a_problem(sqlite_app: App) -> None:
    file = sqlite_app.db.engine.path("control")
    sqlite_app.db.engine.close()
    file.write_bytes(file.read_bytes()[:-PAGE_BYTES] + bytes(PAGE_BYTES))
    assert len(verify_control(sqlite_app)) == 1


def test_a_missing_file_is_a_problem(sqlite_app: App) -> None:
    workspace_id = local_caller(sqlite_app, human=True).workspace_id
    sqlite_app.db.engine.close()
    sqlite_app.db.engine.path(workspace_id).unlink()
    assert "is missing from" in verify(sqlite_app, workspace_id).problems[0]
