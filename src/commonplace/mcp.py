"""`commonplace mcp`: one client on standard input and output, without click, for every session pays its start."""

import argparse
import sys
from collections.abc import Sequence
from typing import BinaryIO

from commonplace import core
from commonplace.bootstrap import open_app
from commonplace.config import load
from commonplace.core.access import local_caller
from commonplace.model.errors import CommonplaceError
from commonplace.server.protocol import Peer
from commonplace.server.stdio import serve_stdio
from commonplace.surfaces import SURFACES


def run(arguments: Sequence[str], sink: BinaryIO) -> int:
    """Serve until the client is gone; the exit status."""
    given = vars(_parser().parse_args(arguments))
    surface, debug = SURFACES[given.pop("surface")], given.pop("debug")
    try:
        settings = load(given).settings
        with open_app(settings) as app:
            caller = local_caller(app, settings.workspace, human=False, surface=surface.name)
            serve_stdio(Peer(surface, app, caller, core.perform), sink)
    except CommonplaceError as error:
        if debug:
            raise
        sys.stderr.write(f"{error.message}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="commonplace mcp", description="Speak MCP on standard input and output.")
    parser.add_argument("--surface", choices=list(SURFACES), default="native", help="the tools to offer")
    parser.add_argument("--workspace", help="the workspace to work in")
    parser.add_argument("--data-dir", help="folder of the store")
    parser.add_argument("--config-dir", help="folder of the master key")
    parser.add_argument("--debug", action="store_true", help="show tracebacks")
    return parser
