import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from pages import ROOT

from commonplace.cli import cli
from commonplace.config import SETTINGS
from commonplace.model.errors import CommonplaceError
from commonplace.surfaces.contract import kind_of


def commands(group: click.Group, parent: click.Context) -> Iterator[tuple[str, click.Command]]:
    """Every command with the words it is called by."""
    for name in group.list_commands(parent):
        command = group.get_command(parent, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=parent)
        yield context.command_path, command
        if isinstance(command, click.Group):
            yield from commands(command, context)


COMMANDS = dict(commands(cli, click.Context(cli, info_name="commonplace")))


def page(name: str) -> str:
    return (ROOT / "docs" / "reference" / name).read_text("utf-8")


@pytest.mark.slow
def test_the_reference_is_what_the_code_says() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", COMMANDS)
def test_a_command_is_documented_with_its_options(path: str) -> None:
    _, _, part = page("cli.md").partition(f" {path}\n")
    part = part.partition("\n##")[0]
    options = [option for option in COMMANDS[path].params if isinstance(option, click.Option)]
    assert COMMANDS[path].help, f"{path} does not say what it does"
    assert all(option.help for option in options), f"an option of {path} does not say what it is for"
    assert [each for option in options for each in option.opts if each not in part] == []


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_setting_is_documented(setting: str) -> None:
    assert f"| `{setting}` | `COMMONPLACE_{setting.upper()}`" in page("config.md")


def test_every_kind_of_error_is_documented() -> None:
    kinds = {kind_of(each()) for each in CommonplaceError.__subclasses__()}
    assert {kind for kind in kinds if f"| `{kind}` |" not in page("errors.md")} == set()
