import json
import os
from pathlib import Path

import pytest

from commonplace.model.errors import Conflict, Invalid, Upstream
from commonplace.operations.clients import CLIENTS, Called, Client, Machine, Started, Target, entry_of
from commonplace.operations.connect import carry_out, difference, plan, snippet

STARTED = Started("/srv/venv/bin/commonplace", ("mcp", "--surface", "native"))
CALLED = Called("http://127.0.0.1:8642/mcp", "kmt_secret")
STDIO = {"command": STARTED.command, "args": ["mcp", "--surface", "native"]}
BEARER = {"Authorization": "Bearer kmt_secret"}
WITH_FILES = tuple(client for client in CLIENTS.values() if not client.program)
JSON_CLIENTS = tuple(client for client in WITH_FILES if client.form.name == "JSON")
CLAUDE_CODE, CODEX, CURSOR = CLIENTS["claude-code"], CLIENTS["codex"], CLIENTS["cursor"]
FOREIGN_JSON = (
    '{\n\t"theme": "dark",\n\t"SECTION" : {\n\t\t"other": {"command":"x", "args": [1.50, "ü"]}\n\t},\n\t"z": []\n}'
)
FOREIGN_TOML = """\
# mine
model = "o"   # kept

[mcp_servers.other]
command = "x"

# of the next one
[tui]
list = [
  1,
]
"""


def by_name(client: Client) -> str:
    return client.name


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine("linux", tmp_path / "person", {})


def written(client: Client, machine: Machine, text: str) -> Path:
    path = client.place(machine)
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode())
    return path


def foreign(client: Client) -> str:
    return FOREIGN_TOML if client is CODEX else FOREIGN_JSON.replace("SECTION", client.section)


def do(client: Client, machine: Machine, target: Target | None) -> Path | None:
    return carry_out(plan(client, machine, target))


def servers(client: Client, path: Path) -> object:
    return client.form.parse(path.read_text("utf-8"))[client.section]


@pytest.mark.parametrize(
    ("name", "linux", "darwin", "win32"),
    [
        ("claude-code", ".claude.json", ".claude.json", ".claude.json"),
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            "Library/Application Support/Claude/claude_desktop_config.json",
            "AppData/Roaming/Claude/claude_desktop_config.json",
        ),
        ("cursor", ".cursor/mcp.json", ".cursor/mcp.json", ".cursor/mcp.json"),
        (
            "vscode",
            ".config/Code/User/mcp.json",
            "Library/Application Support/Code/User/mcp.json",
            "AppData/Roaming/Code/User/mcp.json",
        ),
        ("codex", ".codex/config.toml", ".codex/config.toml", ".codex/config.toml"),
        ("gemini", ".gemini/settings.json", ".gemini/settings.json", ".gemini/settings.json"),
    ],
)
def test_each_client_has_its_file_on_each_system(name: str, linux: str, darwin: str, win32: str) -> None:
    for system, place in (("linux", linux), ("darwin", darwin), ("win32", win32)):
        assert CLIENTS[name].place(Machine(system, Path("person"), {})) == Path("person", place)


def test_variables_move_the_files(tmp_path: Path) -> None:
    named = {"CODEX_HOME": "c", "CLAUDE_CONFIG_DIR": "d", "XDG_CONFIG_HOME": "x"}
    machine = Machine("linux", tmp_path, named)
    assert CODEX.place(machine) == Path("c/config.toml")
    assert CLAUDE_CODE.place(machine) == Path("d/.claude.json")
    assert CLIENTS["vscode"].place(machine) == Path("x/Code/User/mcp.json")


def test_claude_desktop_from_a_windows_package_has_a_folder_of_its_own(tmp_path: Path) -> None:
    own = tmp_path / "Packages" / "Claude_abc" / "LocalCache" / "Roaming" / "Claude"
    own.mkdir(parents=True)
    machine = Machine("win32", tmp_path, {"LOCALAPPDATA": str(tmp_path)})
    assert CLIENTS["claude-desktop"].place(machine) == own / "claude_desktop_config.json"


@pytest.mark.parametrize(
    ("name", "stdio", "http"),
    [
        ("claude-code", {"type": "stdio", **STDIO}, {"type": "http", "url": CALLED.url, "headers": BEARER}),
        ("cursor", STDIO, {"url": CALLED.url, "headers": BEARER}),
        ("vscode", {"type": "stdio", **STDIO}, {"type": "http", "url": CALLED.url, "headers": BEARER}),
        ("codex", STDIO, {"url": CALLED.url, "http_headers": BEARER}),
        ("gemini", STDIO, {"httpUrl": CALLED.url, "headers": BEARER}),
    ],
)
def test_each_client_has_its_form_of_an_entry(name: str, stdio: object, http: object) -> None:
    assert entry_of(CLIENTS[name], STARTED) == stdio
    assert entry_of(CLIENTS[name], CALLED) == http


def test_claude_desktop_takes_no_address() -> None:
    assert entry_of(CLIENTS["claude-desktop"], STARTED) == STDIO
    with pytest.raises(Invalid, match="leave --http away"):
        entry_of(CLIENTS["claude-desktop"], CALLED)


@pytest.mark.parametrize("client", WITH_FILES, ids=by_name)
def test_a_client_without_a_file_gets_one_that_only_its_owner_reads(client: Client, machine: Machine) -> None:
    assert do(client, machine, STARTED) is None
    path = client.place(machine)
    assert servers(client, path) == {"commonplace": entry_of(client, STARTED)}
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text("utf-8") == snippet(client, entry_of(client, STARTED))


@pytest.mark.parametrize("client", WITH_FILES, ids=by_name)
def test_what_others_wrote_stays_byte_for_byte(client: Client, machine: Machine) -> None:
    path = written(client, machine, foreign(client))
    do(client, machine, STARTED)
    added = path.read_text("utf-8")
    assert sorted(servers(client, path)) == ["commonplace", "other"]
    kept = iter(added)
    assert all(character in kept for character in foreign(client)), "only insertions, nothing moved"
    do(client, machine, None)
    assert path.read_text("utf-8") == foreign(client)


@pytest.mark.parametrize("client", WITH_FILES, ids=by_name)
def test_the_second_time_changes_nothing(client: Client, machine: Machine) -> None:
    path = written(client, machine, foreign(client))
    do(client, machine, STARTED)
    before = path.stat().st_mtime_ns, path.read_bytes(), sorted(path.parent.iterdir())
    assert not plan(client, machine, STARTED).changes
    assert do(client, machine, STARTED) is None
    assert (path.stat().st_mtime_ns, path.read_bytes(), sorted(path.parent.iterdir())) == before


@pytest.mark.parametrize("client", WITH_FILES, ids=by_name)
def test_a_backup_holds_what_was_there_before(client: Client, machine: Machine) -> None:
    path = written(client, machine, foreign(client))
    path.chmod(0o644)
    backup = do(client, machine, STARTED)
    assert backup is not None
    assert backup.parent == path.parent
    assert backup.name.startswith(f"{path.name}.bak-")
    assert backup.read_text("utf-8") == foreign(client)
    assert path.stat().st_mode & 0o777 == backup.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("client", WITH_FILES, ids=by_name)
def test_planning_writes_nothing_and_shows_the_difference(client: Client, machine: Machine) -> None:
    path = written(client, machine, foreign(client))
    shown = difference(plan(client, machine, STARTED))
    assert path.read_text("utf-8") == foreign(client)
    assert list(path.parent.iterdir()) == [path]
    assert f"+++ {path}" in shown
    assert any(line.startswith("+") and STARTED.command in line for line in shown.splitlines())


@pytest.mark.parametrize("client", WITH_FILES, ids=by_name)
def test_taking_out_what_is_not_there_changes_nothing(client: Client, machine: Machine) -> None:
    assert do(client, machine, None) is None
    assert not client.place(machine).exists()


@pytest.mark.parametrize("client", [each for each in WITH_FILES if each.url], ids=by_name)
def test_another_way_replaces_the_entry(client: Client, machine: Machine) -> None:
    path = written(client, machine, foreign(client))
    do(client, machine, STARTED)
    do(client, machine, CALLED)
    assert servers(client, path)["commonplace"] == entry_of(client, CALLED)
    do(client, machine, None)
    assert path.read_text("utf-8") == foreign(client)


def test_what_a_person_added_to_the_entry_is_kept(machine: Machine) -> None:
    written(CURSOR, machine, json.dumps({"mcpServers": {"commonplace": {**STDIO, "envFile": "mine"}}}))
    assert not plan(CURSOR, machine, STARTED).changes


@pytest.mark.parametrize("client", JSON_CLIENTS, ids=by_name)
@pytest.mark.parametrize(
    "text", ["", " \n", "{}", '{"SECTION": {}}', '{"SECTION": {\n}}', '{"SECTION":{"commonplace":{}}}']
)
def test_every_form_of_an_empty_file_takes_the_entry(client: Client, machine: Machine, text: str) -> None:
    path = written(client, machine, text.replace("SECTION", client.section))
    do(client, machine, STARTED)
    assert servers(client, path) == {"commonplace": entry_of(client, STARTED)}
    do(client, machine, None)
    assert servers(client, path) == {}


def test_the_first_of_two_entries_can_be_taken_out(machine: Machine) -> None:
    path = written(CURSOR, machine, '{"mcpServers": {"commonplace": {"url": "a, }"}, "other": {"x": 1}}}')
    do(CURSOR, machine, None)
    assert path.read_text("utf-8") == '{"mcpServers": {"other": {"x": 1}}}'


@pytest.mark.parametrize("client", WITH_FILES, ids=by_name)
def test_the_line_ends_of_windows_are_kept(client: Client, machine: Machine) -> None:
    path = written(client, machine, foreign(client).replace("\n", "\r\n"))
    do(client, machine, STARTED)
    assert b"\n" not in path.read_bytes().replace(b"\r\n", b"")


def test_the_tables_below_ours_in_toml_go_with_it(machine: Machine) -> None:
    above, below = FOREIGN_TOML.split("# of the next one")
    ours = '[mcp_servers."commonplace"] # ours\ncommand = "old"\n\n[mcp_servers.commonplace.env]\nA = "b"\n'
    more = "\n[mcp_servers.commonplace.tools.recall]\napproval_mode = 'auto'\n"
    path = written(CODEX, machine, f"{above}{ours}\n# of the next one{below}{more}")
    do(CODEX, machine, STARTED)
    assert path.read_text("utf-8") == f"{above}{snippet(CODEX, STDIO)}\n# of the next one{below}"
    do(CODEX, machine, None)
    assert path.read_text("utf-8") == FOREIGN_TOML


@pytest.mark.parametrize(
    "text", ['mcp_servers = { commonplace = { url = "x" } }\n', '[mcp_servers]\ncommonplace.url = "x"\n']
)
def test_toml_that_is_written_otherwise_is_left_to_the_person(machine: Machine, text: str) -> None:
    path = written(CODEX, machine, text)
    for target in (STARTED, None):
        with pytest.raises(Conflict, match="left to you"):
            plan(CODEX, machine, target)
    assert path.read_text("utf-8") == text


def test_lines_inside_a_text_are_no_tables(machine: Machine) -> None:
    text = 'note = """\n[mcp_servers.commonplace]\n"""\n'
    path = written(CODEX, machine, text)
    with pytest.raises(Conflict, match="left to you"):
        plan(CODEX, machine, STARTED)
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize("client", CLIENTS.values(), ids=by_name)
@pytest.mark.parametrize("content", [b'{"a": ', b"\xff\xfe", b"[1]"])
def test_a_broken_file_is_refused_with_one_sentence(client: Client, machine: Machine, content: bytes) -> None:
    if client is CODEX and content == b"[1]":
        content = b"[[1]"
    path = client.place(machine)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(Invalid, match="mend it first") as caught:
        plan(client, machine, STARTED)
    assert str(path) in caught.value.message
    assert "\n" not in caught.value.message
    assert path.read_bytes() == content


def test_servers_that_are_no_table_are_refused(machine: Machine) -> None:
    written(CURSOR, machine, '{"mcpServers": []}')
    with pytest.raises(Invalid, match="mend it first"):
        plan(CURSOR, machine, STARTED)


@pytest.mark.parametrize("client", JSON_CLIENTS, ids=by_name)
@pytest.mark.parametrize("text", ['{\n  // mine\n  "a": 1\n}', '{"a": "http://x" /* mine */}'])
def test_comments_are_refused(client: Client, machine: Machine, text: str) -> None:
    path = written(client, machine, text)
    with pytest.raises(Conflict, match="has comments"):
        plan(client, machine, STARTED)
    assert path.read_text("utf-8") == text


@pytest.mark.skipif(os.name == "nt", reason="links need rights of their own there")
def test_a_link_stays_a_link(machine: Machine, tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text("{}")
    path = CURSOR.place(machine)
    path.parent.mkdir(parents=True)
    path.symlink_to(kept)
    do(CURSOR, machine, STARTED)
    assert path.is_symlink()
    assert "commonplace" in servers(CURSOR, kept)


class TestClaudeCode:
    def test_it_registers_by_its_own_command(self, machine: Machine) -> None:
        [call] = plan(CLAUDE_CODE, machine, STARTED).calls
        assert " ".join(call) == (
            "claude mcp add --scope user commonplace -- /srv/venv/bin/commonplace mcp --surface native"
        )

    def test_over_http_the_header_comes_last(self, machine: Machine) -> None:
        [call] = plan(CLAUDE_CODE, machine, CALLED).calls
        assert call[3:] == (
            *("--scope", "user", "--transport", "http", "commonplace", "http://127.0.0.1:8642/mcp"),
            *("--header", "Authorization: Bearer kmt_secret"),
        )

    def test_what_it_has_already_changes_nothing(self, machine: Machine) -> None:
        held = {"mcpServers": {"commonplace": {"type": "stdio", **STDIO, "env": {}}}}
        written(CLAUDE_CODE, machine, json.dumps(held))
        assert not plan(CLAUDE_CODE, machine, STARTED).changes

    def test_another_entry_is_removed_first(self, machine: Machine) -> None:
        written(CLAUDE_CODE, machine, json.dumps({"mcpServers": {"commonplace": {"type": "stdio", "command": "old"}}}))
        assert [call[2] for call in plan(CLAUDE_CODE, machine, STARTED).calls] == ["remove", "add"]
        assert [call[2] for call in plan(CLAUDE_CODE, machine, None).calls] == ["remove"]

    def test_there_is_nothing_to_remove_where_nothing_is(self, machine: Machine) -> None:
        assert not plan(CLAUDE_CODE, machine, None).changes

    @pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
    def test_its_command_is_called_and_the_file_backed_up(self, machine: Machine, tmp_path: Path) -> None:
        path = written(CLAUDE_CODE, machine, "{}")
        planned = plan(CLAUDE_CODE, machine, STARTED)
        backup = carry_out(planned, stand_in(tmp_path, f'printf "%s\\n" "$@" > {tmp_path}/said'))
        assert (tmp_path / "said").read_text().splitlines() == list(planned.calls[0][1:])
        assert backup is not None
        assert path.read_text() == backup.read_text() == "{}"

    @pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")
    def test_what_it_complains_about_is_told(self, machine: Machine, tmp_path: Path) -> None:
        with pytest.raises(Upstream, match="`claude mcp add` failed: no such scope"):
            carry_out(plan(CLAUDE_CODE, machine, STARTED), stand_in(tmp_path, "echo no such scope >&2; exit 1"))


def stand_in(folder: Path, does: str) -> str:
    program = folder / "claude"
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)
    return str(program)
