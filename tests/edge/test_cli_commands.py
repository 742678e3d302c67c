"""The commands one by one, in this process."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from commonplace.bootstrap import open_app
from commonplace.cli import COMMANDS, cli
from commonplace.config import SETTINGS, load
from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.requests import AssertFact, InvalidateFact, Link, Store
from commonplace.model.errors import Ambiguous

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    places = ["--data-dir", str(tmp_path / "data"), "--config-dir", str(tmp_path / "config")]

    def run(*arguments: str, piped: str | bytes = "") -> Result:
        return CliRunner().invoke(cli, [*places, *arguments], input=piped)

    return run


def said(run: Run, *arguments: str) -> str:
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def answer(run: Run, *arguments: str) -> Any:
    return json.loads(said(run, *arguments, "--json"))


def as_agent(folder: Path, *requests: object) -> list[Any]:
    with open_app(load({"data_dir": folder / "data", "config_dir": folder / "config"}, {}).settings) as app:
        return [perform(app, local_caller(app, human=False), request) for request in requests]


def test_without_a_command_ten_lines_say_what_it_is_and_what_to_do_next(run: Run) -> None:
    lines = said(run).splitlines()
    assert len(lines) == 10
    assert [line.split()[1] for line in lines if line.startswith("  commonplace ")] == ["serve", "remember", "recall"]


def every_command() -> list[tuple[str, ...]]:
    context = click.Context(cli)
    found: list[tuple[str, ...]] = []
    for name in COMMANDS:
        command = cli.get_command(context, name)
        below = list(command.commands) if isinstance(command, click.Group) else []
        found += [(name,), *((name, each) for each in below)]
    return found


@pytest.mark.parametrize("path", every_command(), ids=" ".join)
def test_every_command_has_help(run: Run, path: tuple[str, ...]) -> None:
    assert said(run, *path, "--help").lower().startswith("usage: ")


def test_a_group_without_its_command_shows_its_commands(run: Run) -> None:
    done = run("token")
    assert done.exit_code == 2
    assert "revoke" in done.stderr


@pytest.mark.parametrize(
    "arguments", [("remember", "a\udcffb"), ("recall", "cat", "--workspace", "\udcff"), ("collection", "\udcff")]
)
def test_an_argument_that_is_no_text_is_refused_in_one_sentence(run: Run, arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert done.stderr.startswith("An argument is not valid UTF-8.")


def test_common_options_stand_before_a_command_or_after_it(run: Run, tmp_path: Path) -> None:
    said(run, "workspace", "create", "family")
    said(run, "--workspace", "family", "remember", "The cat is called Minka.")
    assert len(answer(run, "recall", "cat", "--workspace", "family")["hits"]) == 1
    assert answer(run, "recall", "cat")["hits"] == []
    assert answer(run, "--workspace", "nowhere", "recall", "cat", "--workspace", "family")["hits"]


def test_a_hit_tells_its_passage_its_id_and_when_asked_why_it_was_found(run: Run) -> None:
    made = answer(run, "remember", "The boiler was serviced in May.", "--title", "Boiler")
    lines = said(run, "recall", "boiler", "--explain").splitlines()
    assert "Boiler  (personal, " in lines[0]
    assert lines[1].strip() == "The boiler was serviced in May."
    assert "words" in lines[2]
    assert lines[3].strip() == made["id"]
    assert said(run, "recall", "boiler", "--as-of", "2001-01-01") == "Nothing was found.\n"


def test_without_a_query_the_newest_come_first(run: Run) -> None:
    said(run, "remember", "First.")
    said(run, "remember", "Second.")
    assert [hit["title"] for hit in answer(run, "recall")["hits"]] == ["Second.", "First."]


def test_what_is_nearly_the_same_is_named(run: Run) -> None:
    first = answer(run, "remember", "The dentist is Dr. Weber.")
    assert f"Nearly the same: {first['id']}" in said(run, "remember", "The dentist is Dr. Weber.")


def test_stored_text_does_not_command_the_terminal(run: Run) -> None:
    said(run, "remember", "red \x1b[31malert\x07", "--title", "a\nb")
    lines = said(run, "recall", "alert").splitlines()
    assert "a b  (personal" in lines[0]
    assert lines[1].strip() == "red \N{REPLACEMENT CHARACTER}[31malert\N{REPLACEMENT CHARACTER}"


def test_a_pipe_that_is_not_text_is_refused(run: Run) -> None:
    done = run("remember", piped=b"\xff\xfe")
    assert (done.exit_code, done.stderr) == (1, "What came on standard input is not UTF-8 text.\n")


def test_what_is_known_about_an_entity_is_told(run: Run, tmp_path: Path) -> None:
    asserted, note, other = as_agent(
        tmp_path,
        AssertFact(subject="Alice", predicate="works_at", value="Acme"),
        Store(text="Alice is an engineer.", title="Alice"),
        Store(text="Acme builds boilers.", title="Acme"),
    )
    as_agent(tmp_path, Link(origin=note.version_id, target=other.version_id, kind="ABOUT"))
    known = answer(run, "about", "alice")
    assert [(fact["predicate"], fact["object"]) for fact in known["facts"]] == [("works_at", "Acme")]
    assert [edge["to_id"] for edge in known["relations"]] == [other.version_id]
    as_agent(tmp_path, InvalidateFact(id=asserted.id))
    lines = said(run, "about", "Alice")
    assert "No longer true:" in lines
    assert "Relations:" in lines
    assert said(run, "about", "Nobody") == "Nothing is known about Nobody.\n"


def test_a_write_is_undone(run: Run) -> None:
    made = answer(run, "remember", "A mistake.")
    [event] = answer(run, "history", made["id"])
    said(run, "undo", event["id"])
    assert answer(run, "recall", "mistake")["hits"] == []


def test_forgetting_needs_something_to_forget(run: Run) -> None:
    done = run("forget", "--yes")
    assert (done.exit_code, done.stderr.startswith("Name what to forget: ")) == (2, True)


def test_everything_of_a_source_or_a_collection_is_forgotten(run: Run) -> None:
    said(run, "collection", "create", "Work")
    said(run, "remember", "From the diary.", "--source", "diary")
    said(run, "remember", "At work.", "--collection", "work")
    said(run, "remember", "Neither.")
    assert len(answer(run, "forget", "--source", "diary", "--yes")["items"]) == 1
    assert said(run, "forget", "--collection", "work", "--yes").startswith("Erased 1 items: 1 versions, 1 chunks")
    assert [hit["title"] for hit in answer(run, "recall")["hits"]] == ["Neither."]


def test_collections_are_made_changed_filled_and_deleted(run: Run) -> None:
    assert answer(run, "collection", "create", "Health", "--tier", "sensitive")["tier"] == "sensitive"
    assert answer(run, "collection", "set", "health", "--tier", "personal", "--recall-cap", "900")["recall_cap"] == 900
    made = answer(run, "remember", "Blood type O.")
    assert said(run, "collection", "move", made["id"], "health") == "Moved 1 to health.\n"
    assert answer(run, "recall", "blood")["hits"][0]["collection"] == "health"
    assert run("collection", "delete", "health").exit_code == 1
    said(run, "forget", made["id"], "--yes")
    said(run, "collection", "delete", "health")
    assert [each["slug"] for each in answer(run, "collection", "list")] == ["personal"]
    assert run("collection", "set", "personal").exit_code == 2


def test_items_are_put_into_folders_and_taken_out(run: Run) -> None:
    folder = answer(run, "folder", "create", "Taxes")["id"]
    note = answer(run, "remember", "Receipts are in the blue box.")["id"]
    assert answer(run, "folder", "add", folder, note)["added"] == [note]
    assert answer(run, "folder", "add", folder, note)["added"] == []
    assert answer(run, "folder", "list")[0]["items"] == 1
    said(run, "folder", "remove", folder, note)
    assert answer(run, "folder", "list")[0]["items"] == 0
    assert run("folder", "remove", folder, note).exit_code == 1


def test_folders_are_made_scope_tokens_and_are_deleted(run: Run) -> None:
    folder = answer(run, "folder", "create", "Taxes")
    token = answer(run, "token", "create", "--kind", "lev", "--folders", folder["id"], "--kb-only")
    assert (token["folders"], token["kb_only"], token["token"][:4]) == ([folder["id"]], True, "lev_")
    assert "Taxes" in said(run, "folder", "list")
    assert run("folder", "delete", folder["id"], "--cascade").exit_code == 2
    assert answer(run, "folder", "delete", folder["id"], "--cascade", "--yes")["erased"] == 0
    assert said(run, "folder", "list") == "There are no folders.\n"


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--expires", "90", "'90' is not a duration such as 90d, 12h or 30m."),
        ("--scopes", "read,rule", "'rule' is none of read, write, admin."),
        ("--folders", ",", "name at least one."),
    ],
)
def test_a_wrong_argument_of_a_token_is_named(run: Run, option: str, value: str, says: str) -> None:
    done = run("token", "create", option, value)
    assert done.exit_code == 2
    assert f"Invalid value for '{option}': {says}" in done.stderr


def test_without_json_the_secret_stands_alone_on_standard_output(run: Run) -> None:
    assert said(run, "token", "create").startswith("kmt_")
    assert said(run, "token", "create").count("\n") == 1


def test_workspaces_are_made_changed_and_deleted(run: Run) -> None:
    said(run, "workspace", "create", "family", "--plan", "private")
    assert answer(run, "workspace", "set", "family", "--plan", "pro")["plan"] == "pro"
    assert answer(run, "workspace", "rename", "family", "home")["name"] == "home"
    assert [each["name"] for each in answer(run, "workspace", "list")] == ["default", "home"]
    assert run("workspace", "delete", "home").exit_code == 2
    said(run, "workspace", "delete", "home", "--yes")
    assert [each["name"] for each in answer(run, "workspace", "list")] == ["default"]


def test_a_person_decides_what_a_model_asked_for(run: Run, tmp_path: Path) -> None:
    for text in ("The roof leaks.", "The door sticks.", "The tap drips."):
        with pytest.raises(Ambiguous):
            as_agent(tmp_path, Store(text=text, collection="Repairs"))
    first, second, third = answer(run, "review", "list")
    assert "The roof leaks." in said(run, "review", "list")
    assert answer(run, "review", "approve", first["id"])["stored"]["collection"] == "repairs"
    assert answer(run, "review", "approve", second["id"], "--as", "repairs")["state"] == "approved"
    assert said(run, "review", "reject", third["id"]) == "Rejected.\n"
    assert said(run, "review", "list") == "Nothing waits.\n"
    assert run("review", "approve", third["id"], "--as", "repairs").exit_code == 1


def test_an_approved_text_may_go_into_a_new_collection_of_another_name(run: Run, tmp_path: Path) -> None:
    with pytest.raises(Ambiguous):
        as_agent(tmp_path, Store(text="The roof leaks.", collection="Repairs"))
    [review] = answer(run, "review", "list")
    assert "Remembered in house: " in said(run, "review", "approve", review["id"], "--as", "House")


def test_the_recovery_phrase_brings_a_lost_key_back(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said(run, "remember", "Kept.")
    phrase = answer(run, "key", "show")["recovery_phrase"]
    status = answer(run, "key", "status")
    assert (status["encrypted"], status["home"]) == (True, "file")
    Path(status["place"]).unlink()
    assert "The master key of this store is missing" in run("recall").stderr
    assert "Recovery phrase: run this on a terminal" in run("key", "restore").stderr
    monkeypatch.setenv("COMMONPLACE_KEY", phrase)
    said(run, "key", "restore")
    monkeypatch.delenv("COMMONPLACE_KEY")
    assert answer(run, "recall")["hits"][0]["text"] == "Kept."


def test_the_master_key_is_rotated_and_said_where_to_keep(run: Run) -> None:
    said(run, "remember", "Kept.")
    before = answer(run, "key", "show")
    said(run, "key", "rotate")
    assert answer(run, "key", "show") != before
    assert run("key", "move").exit_code == 2
    assert said(run, "key", "move", "--file") == "The master key is in the file now.\n"
    assert "No passphrase locks this store." in run("key", "passphrase", "--remove").stderr
    assert "run this on a terminal" in run("key", "passphrase").stderr


def test_an_export_is_imported_elsewhere_and_not_twice(run: Run, tmp_path: Path) -> None:
    said(run, "remember", "Grüße aus Wien.")
    lines = said(run, "export")
    assert json.loads(lines.splitlines()[0])["type"] == "commonplace"
    file = str(tmp_path / "lines.jsonl")
    assert said(run, "export", file) == ""
    said(run, "workspace", "create", "family")
    assert answer(run, "import", file, "--workspace", "family")["items"] == 1
    assert run("import", "--workspace", "family", piped=lines).exit_code == 0
    assert [hit["text"] for hit in answer(run, "recall", "--workspace", "family")["hits"]] == ["Grüße aus Wien."]


def test_a_line_that_cannot_be_imported_is_named(run: Run) -> None:
    done = run("import", piped='{"text": "One."}\n{"txet": "Two."}\n')
    assert (done.exit_code, done.stderr.startswith("Line 2 cannot be read: ")) == (1, True)


def test_a_backup_is_restored_into_an_empty_directory_only(run: Run, tmp_path: Path) -> None:
    said(run, "remember", "Kept.")
    file = str(tmp_path / "store.backup")
    assert answer(run, "backup", file)["members"]
    assert "is there already" in run("backup", file).stderr
    assert "is not empty" in run("restore", file).stderr
    other = ["--data-dir", str(tmp_path / "other")]
    assert "Restored into " in said(run, "restore", file, *other)
    assert answer(run, "recall", *other)["hits"][0]["text"] == "Kept."


def test_a_whole_store_is_told_from_a_damaged_one(run: Run, tmp_path: Path) -> None:
    said(run, "remember", "Kept.")
    said(run, "workspace", "create", "family")
    verdict = answer(run, "verify")
    assert (verdict["ok"], [each["name"] for each in verdict["workspaces"]]) == (True, ["default", "family"])
    assert said(run, "verify", "--workspace", "family").startswith("family: all is well")
    [default, _] = answer(run, "workspace", "list")
    path = tmp_path / "data" / "workspaces" / f"{default['id']}.db"
    path.write_bytes(path.read_bytes()[:-4096] + bytes(4096))
    damaged = run("verify", "--json")
    assert damaged.exit_code == 1
    assert json.loads(damaged.stdout)["ok"] is False


def test_the_doctor_looks_and_makes_nothing(run: Run, tmp_path: Path) -> None:
    first = json.loads(run("doctor", "--json").stdout)
    assert "There is no store" in first["checks"][-1]["says"]
    assert not (tmp_path / "data").exists()
    said(run, "remember", "Kept.")
    checks = {check["name"]: check["ok"] for check in json.loads(run("doctor", "--json").stdout)["checks"]}
    assert checks["key"]
    assert checks["workspaces"]
    assert "The store is encrypted" in run("doctor").stdout


def test_every_setting_is_shown_with_its_origin_and_without_its_secret(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMONPLACE_KEY", "ab" * 32)
    monkeypatch.setenv("COMMONPLACE_WORKERS_MAX", "3")
    shown = {each["name"]: each for each in answer(run, "config", "show")}
    assert list(shown) == list(SETTINGS)
    assert shown["workers_max"] == {"name": "workers_max", "value": 3, "origin": "environment"}
    assert shown["data_dir"]["origin"] == "flag"
    assert "abab" not in said(run, "config", "show", "--origin")
    assert "ORIGIN" not in said(run, "config", "show")


def test_settings_are_checked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(run, "config", "check") == "The settings are valid.\n"
    monkeypatch.setenv("COMMONPLACE_PROT", "1")
    done = run("config", "check")
    assert (done.exit_code, done.stderr.startswith("No setting is named by COMMONPLACE_PROT; ")) == (1, True)
    monkeypatch.setenv("COMMONPLACE_PORT", "x")
    assert "port (environment) must be a whole number" in run("recall").stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_a_shell_is_told_how_to_complete_commands(run: Run, shell: str) -> None:
    assert "_COMMONPLACE_COMPLETE" in said(run, "completion", shell)


def test_what_the_machine_refuses_is_told_in_one_line(run: Run, tmp_path: Path) -> None:
    done = run("export", str(tmp_path / "absent" / "file"))
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    done = run("import", str(tmp_path / "absent"))
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
