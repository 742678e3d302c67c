"""The README's two commands, links that lead somewhere, commands that exist, and sessions that still come out so."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from pages import PAGES, ROOT, blocks, told

from commonplace.cli import cli

README = ROOT / "README.md"
INSTALL = "python3 -m venv .venv && .venv/bin/pip install ./models/* . && .venv/bin/commonplace serve\n"
CHANGING = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|\d\.\d{3}|kmt_[\w-]{43}")
WITH_SESSIONS = [page for page in PAGES if blocks(page, "console")]
LINES = [
    (told(page), line)
    for page in PAGES
    for block in (*blocks(page, "sh"), *blocks(page, "console"))
    for line in block.replace("\\\n", " ").splitlines()
    if re.match(r"(\$ )?(\.venv/bin/)?commonplace\b", line)
]


def test_the_first_block_of_the_readme_installs_and_serves() -> None:
    assert blocks(README, "sh")[0] == INSTALL


def test_ci_runs_the_second_block_of_the_readme() -> None:
    assert (ROOT / ".ci" / "run").read_text("utf-8").endswith(f"\n{blocks(README, 'sh')[1]}")


def test_contributors_run_the_same_command() -> None:
    assert blocks(README, "sh")[1] in blocks(ROOT / "CONTRIBUTING.md", "sh")


@pytest.mark.parametrize("page", PAGES, ids=told)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize(("page", "line"), LINES)
def test_a_command_that_is_shown_exists_with_its_options(page: str, line: str) -> None:
    words = shlex.split(line.removeprefix("$ "), comments=True)[1:]
    if words[:1] == ["mcp"]:
        return
    command: click.Command = cli
    context = click.Context(cli, info_name="commonplace")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words.pop(0))
        assert found is not None, f"{page} shows a command that is not there"
        command, context = found, click.Context(found, parent=context)
    if isinstance(command, click.Group):
        return
    command.make_parser(context).parse_args(words)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_SESSIONS, ids=told)
def test_a_pasted_session_still_comes_out_so(page: Path, tmp_path: Path) -> None:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COMMONPLACE_DATA_DIR": str(tmp_path / "data"),
        "COMMONPLACE_CONFIG_DIR": str(tmp_path / "config"),
    }
    pasted = "".join(blocks(page, "console"))
    shown = ""
    for command in re.findall(r"^\$ (.*)$", pasted, re.MULTILINE):
        done = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True, check=False)
        shown += f"$ {command}\n{done.stdout}{done.stderr}"
    assert CHANGING.sub("…", shown) == CHANGING.sub("…", pasted)
