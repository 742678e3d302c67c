"""`commonplace mcp`: one client on standard input and output, without click, for every session pays its start."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, NoReturn

from commonplace import core
from commonplace.bootstrap import open_app
from commonplace.config import load
from commonplace.core.access import local_caller
from commonplace.model.errors import CommonplaceError
from commonplace.server.protocol import Peer
from commonplace.server.stdio import serve_stdio
from commonplace.surfaces import SURFACES
from commonplace.surfaces.contract import Surface


@dataclass(frozen=True, slots=True)
class Asked:
    """What the arguments ask for."""

    surface: Surface
    flags: Mapping[str, str | None]
    debug: bool


def read(arguments: Sequence[str]) -> Asked:
    """Read the arguments; wrong ones end the process with one line and status 2."""
    given = vars(_parser().parse_args(arguments))
    surface, debug = SURFACES[given.pop("surface")], given.pop("debug")
    return Asked(surface, given, debug)


def run(asked: Asked, sink: BinaryIO) -> int:
    """Serve until the client is gone; the exit status."""
    try:
        settings = load(asked.flags).settings
        with open_app(settings) as app:
            caller = local_caller(app, settings.workspace, human=False, surface=asked.surface.name)
            serve_stdio(Peer(asked.surface, app, caller, core.perform), sink)
    except CommonplaceError as error:
        if asked.debug:
            raise
        sys.stderr.write(f"{error.message}\n")
        return 1
    return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{message[:1].upper()}{message[1:]}. See: {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="commonplace mcp",
        description="Speak MCP on standard input and output, for one client.",
        allow_abbrev=False,
    )
    parser.add_argument("--surface", choices=list(SURFACES), default="native", help="the tools to offer")
    parser.add_argument("--workspace", metavar="NAME", help="the workspace to work in")
    parser.add_argument("--data-dir", metavar="FOLDER", help="folder of the store")
    parser.add_argument("--config-dir", metavar="FOLDER", help="folder of the master key and of config.toml")
    parser.add_argument("--config", metavar="FILE", help="a settings file instead of config.toml")
    parser.add_argument("--debug", action="store_true", help="show tracebacks")
    return parser
