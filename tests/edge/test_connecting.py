"""`commonplace connect`, in this process, for a person whose home is elsewhere."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from commonplace.cli import cli

Run = Callable[..., Result]

VARIABLES = ("XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA", "CODEX_HOME", "CLAUDE_CONFIG_DIR")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(cli, ["connect", *arguments])

    return run


def fields(run: Run, *arguments: str) -> dict[str, object]:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_an_entry_starts_this_very_install(run: Run, tmp_path: Path) -> None:
    done = run("cursor", "--surface", "knowmind", "--data-dir", str(tmp_path / "data"), "--workspace", "work")
    assert done.exit_code == 0, done.output
    path = tmp_path / ".cursor" / "mcp.json"
    entry = json.loads(path.read_text("utf-8"))["mcpServers"]["commonplace"]
    assert Path(entry["command"]).is_absolute()
    assert Path(entry["command"]).parent == Path(sys.executable).parent
    assert entry["args"] == [
        *("mcp", "--surface", "knowmind", "--workspace", "work", "--data-dir", str(tmp_path / "data"))
    ]
    assert str(path) in done.stdout


def test_json_tells_what_was_done(run: Run, tmp_path: Path) -> None:
    path = tmp_path / ".codex" / "config.toml"
    made = fields(run, "codex")
    assert made.keys() == {"client", "path", "changed", "backup", "entry"}
    assert (made["client"], made["path"], made["changed"], made["backup"]) == ("codex", str(path), True, None)
    assert not fields(run, "codex")["changed"]
    removed = fields(run, "codex", "--remove")
    assert (removed["changed"], removed["entry"]) == (True, None)
    assert Path(str(removed["backup"])).is_file()


def test_a_dry_run_shows_the_change_and_makes_none(run: Run, tmp_path: Path) -> None:
    done = run("gemini", "--dry-run")
    assert '+    "commonplace": {' in done.stdout.splitlines()
    assert list(tmp_path.iterdir()) == []


def test_over_http_the_entry_calls_the_server_of_the_settings(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONPLACE_HOST", "0.0.0.0")
    monkeypatch.setenv("COMMONPLACE_PORT", "9000")
    headers = {"Authorization": "Bearer kmt_x"}
    asked = ("cursor", "--http", "--token", "kmt_x", "--dry-run")
    assert fields(run, *asked)["entry"] == {"url": "http://127.0.0.1:9000/mcp", "headers": headers}
    monkeypatch.setenv("COMMONPLACE_PUBLIC_URL", "https://memory.example/")
    found = fields(run, *asked, "--surface", "knowmind")["entry"]
    assert found == {"url": "https://memory.example/mcp/knowmind", "headers": headers}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--http",), "commonplace token create"),
        (("--token", "kmt_x"), "needs no token"),
        (("--remove", "--http"), "leave --http and --token away"),
        (("--http", "--token", "kmt_x", "--workspace", "work"), "the token says which workspace"),
    ],
)
def test_options_that_do_not_fit_are_refused(run: Run, arguments: tuple[str, ...], says: str) -> None:
    done = run("cursor", *arguments)
    assert done.exit_code == 2
    assert says in done.stderr


def test_a_file_with_comments_is_left_and_the_entry_shown_for_pasting(run: Run, tmp_path: Path) -> None:
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text("{ /* mine */ }")
    done = run("gemini")
    assert done.exit_code == 1
    assert done.stderr.strip() == f"{path} has comments, so it is left to you to change it."
    assert "commonplace" in json.loads(done.stdout)["mcpServers"]
    assert path.read_text() == "{ /* mine */ }"


def test_without_claude_code_the_command_is_shown(run: Run) -> None:
    done = run("claude-code")
    assert done.exit_code == 0
    assert "no command claude here" in done.stderr
    assert done.stdout.startswith("claude mcp add --scope user commonplace -- ")
    assert not fields(run, "claude-code")["changed"]


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
def test_claude_code_is_called_where_it_is(run: Run, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> {tmp_path}/said\n')
    program.chmod(0o755)
    assert run("claude-code", "--dry-run").exit_code == 0
    assert not (tmp_path / "said").exists()
    assert fields(run, "claude-code")["changed"]
    assert (tmp_path / "said").read_text().splitlines()[:5] == ["mcp", "add", "--scope", "user", "commonplace"]
