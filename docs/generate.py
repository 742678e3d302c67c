"""Writes docs/reference and docs/surfaces from the code; with --check it only fails when a page is stale."""  # noqa: INP001 - a script

import argparse
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import click

from commonplace.cli import cli
from commonplace.cli.session import COMMON
from commonplace.config import PREFIX, SETTINGS
from commonplace.mcp import _parser as mcp_parser
from commonplace.model import errors
from commonplace.model.errors import CommonplaceError
from commonplace.surfaces import RESTS, SURFACES
from commonplace.surfaces.contract import Param, Surface, Tool, kind_of
from commonplace.surfaces.routes import JSON, Route

DOCS = Path(__file__).parent
MADE = "<!-- Made by docs/generate.py: change the code and run `make docs`. -->"

TYPES = {str: "text", int: "whole number", float: "number", bool: "true or false", dict: "object", list: "list"}
PLACES = {
    "data_dir": "`commonplace` in the system's folder for data; on Linux `~/.local/share/commonplace`",
    "config_dir": "`commonplace` in the system's folder for settings; on Linux `~/.config/commonplace`",
}


def cli_page() -> str:
    """Every command with its arguments and options."""
    root = click.Context(cli, info_name="commonplace")
    common = _table(("Option", "Meaning"), _options(root, COMMON))
    return _page(
        "Commands",
        "`commonplace` alone says what it is and names three commands to begin with. "
        "It exits with 0 when it is done, with 1 when something failed, and with 2 when it was asked wrongly. "
        "What went wrong is one line on standard error.",
        "These options go with every command, before it or after it; every command also has `--help`:",
        common,
        *_commands(root, cli),
    )


def _commands(parent: click.Context, group: click.Group, level: int = 2) -> Iterator[str]:
    for name in group.list_commands(parent):
        command = group.get_command(parent, name)
        assert command is not None, "a group knows the commands it lists"
        context = click.Context(command, info_name=name, parent=parent)
        yield f"{'#' * level} {context.command_path}"
        yield inspect.cleandoc(command.help or "")
        if isinstance(command, click.Group):
            yield from _commands(context, command, level + 1)
            continue
        if name != "mcp":
            yield f"```text\n{context.command_path} {' '.join(command.collect_usage_pieces(context))}\n```"
        if options := list(_mcp_options()) if name == "mcp" else _options(context, command.params):
            yield _table(("Option", "Meaning"), options)


def _options(context: click.Context, params: Iterable[click.Parameter]) -> list[tuple[str, str]]:
    records = [param.get_help_record(context) for param in params if isinstance(param, click.Option)]
    return [(f"`{record[0]}`", " ".join(record[1].split())) for record in records if record]


def _mcp_options() -> Iterator[tuple[str, str]]:
    for action in mcp_parser()._actions:  # noqa: SLF001 - argparse tells its options nowhere else
        value = "|".join(action.choices) if action.choices else action.metavar or ""
        if "--help" not in action.option_strings:
            yield f"`{f'{action.option_strings[0]} {value}'.strip()}`", f"{(action.help or '').capitalize()}."


def config_page() -> str:
    """Every setting."""
    rows = [
        (
            f"`{name}`",
            f"`{PREFIX}{name.upper()}`" + (", `…_FILE`" if setting.metadata["secret"] else ""),
            PLACES.get(name) or _shown(setting.default),
            setting.metadata["says"],
        )
        for name, setting in SETTINGS.items()
    ]
    return _page(
        "Settings",
        "A flag of the command wins over a variable of the environment, a variable over `config.toml` in the folder "
        "`config_dir`, and that file over the default. Everything has a default that works. "
        "`commonplace config show --origin` tells every value and where it comes from.",
        "A secret may stand in a file of its own, which the variable ending in `_FILE` names. "
        "An empty variable says nothing. A list is separated by commas, or is an array in the file.",
        _table(("Setting", "Variable", "Default", "Meaning"), rows),
    )


def _shown(default: object) -> str:
    return "none" if default in ("", ()) else f"`{default}`"


def errors_page() -> str:
    """Every kind of error."""
    rows = [(f"`{kind_of(each())}`", inspect.getdoc(each) or "") for each in _kinds(CommonplaceError)]
    tree = (inspect.getdoc(errors) or "").split("\n\n")[1]
    return _page(
        "Errors",
        "What goes wrong is one of these kinds. The command line prints the sentence and exits with 1. A tool answers "
        "with the sentence and, as `structuredContent`, with `error` (the kind), `message` (the sentence) and the "
        "facts that belong to it.",
        _table(("Kind", "The sentence, where nothing more precise is said"), rows),
        "The kinds as they stand in the code:",
        f"```text\n{tree}\n```",
    )


def _kinds(base: type[CommonplaceError]) -> Iterator[type[CommonplaceError]]:
    for each in base.__subclasses__():
        yield each
        yield from _kinds(each)


def surface_page(surface: Surface) -> str:
    """Every tool of a surface with its parameters."""
    return _page(
        f"The surface {surface.name}",
        f"Over HTTP at {' and '.join(f'`{path}`' for path in surface.paths)}; on standard input and output with "
        f"`commonplace mcp --surface {surface.name}`.",
        *(part for tool in surface.tools for part in _tool(tool)),
        *_offers(surface),
    )


def _offers(surface: Surface) -> Iterator[str]:
    """What there is besides tools."""
    if surface.prompts:
        yield "## Prompts"
        rows = [
            (f"`{row.name}`", ", ".join(f"`{each.name}`" for each in row.params), row.summary)
            for row in surface.prompts
        ]
        yield _table(("Prompt", "Arguments", "Meaning"), rows)
    if surface.resources:
        yield "## Resources"
        yield _table(
            ("Address", "Type", "Meaning"), [(f"`{row.uri}`", row.mime, row.summary) for row in surface.resources]
        )


def rest_page() -> str:
    """Every route of every dialect."""
    return _page(
        "REST routes",
        "`commonplace serve` answers these at its address, for the tokens that let MCP clients in too: "
        "`Authorization: Bearer …`. What is in braces stands in the path; the rest in a JSON body, or in the query of "
        "`GET` and `DELETE`. `/api/v1/openapi.json` describes the same for programs and needs no token.",
        "A refusal has a status of its own and a body with `error` (a word for programs), `message` (a sentence for "
        "people) and the facts that belong to it.",
        *(
            part
            for rest in RESTS
            for part in (f"## {rest.title}", *(line for row in rest.tools for line in _route(row)))
        ),
    )


def _route(row: Route) -> Iterator[str]:
    yield from _tool(row, f"### {row.method} {row.path}")
    if row.takes_body and row.method == "DELETE":
        yield "The parameters stand in a body."
    if row.status != 200:
        yield f"Answered with the status {row.status}."
    if row.media != JSON:
        yield f"Answered as `{row.media}`."


def _tool(tool: Tool, title: str = "") -> Iterator[str]:
    yield title or f"## {tool.name}"
    yield tool.summary
    yield f"Needs the scope `{tool.scope}`." if tool.scope else "Open to every caller."
    rows = [(f"`{param.name}`", _takes(param), param.summary) for param in tool.params if not param.hidden]
    if rows:
        yield _table(("Parameter", "Takes", "Meaning"), rows)
    if tool.rules:
        yield "\n".join(f"- {rule.message}" for rule in tool.rules)


def _takes(param: Param) -> str:
    kinds = " or ".join(TYPES[kind] for kind in param.kinds)
    said = [" or ".join(f"`{value}`" for value in param.enum) if param.enum else kinds]
    said = [f"list of {said[0]}"] if param.many else said
    if param.minimum is not None or param.maximum is not None:
        said.append(_range(param.minimum, param.maximum))
    if param.required:
        said.append("required")
    elif param.default not in (None, ()):
        said.append(f"default {_default(param.default)}")
    return ", ".join(said)


def _range(least: float | None, most: float | None) -> str:
    if most is None:
        return f"at least {least:g}"
    return f"at most {most:g}" if least is None else f"{least:g}–{most:g}"


def _default(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_default, value))
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _page(title: str, *parts: str) -> str:
    return "\n\n".join((f"# {title}", MADE, *parts)) + "\n"


PAGES: dict[str, Callable[[], str]] = {
    "reference/cli.md": cli_page,
    "reference/config.md": config_page,
    "reference/errors.md": errors_page,
    "reference/rest.md": rest_page,
    **{f"surfaces/{name}.md": partial(surface_page, surface) for name, surface in SURFACES.items()},
}


def main() -> int:
    """Write the pages, or say which are stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail when a page is stale")
    check = parser.parse_args().check
    stale = 0
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale += 1
        if check:
            sys.stdout.write(f"docs/{name} is stale: run `make docs`.\n")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
