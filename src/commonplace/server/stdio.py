"""MCP over standard input and output: one message a line, answered in order."""

import signal
import sys
from contextlib import suppress
from typing import BinaryIO

from commonplace.server.protocol import PARSE_ERROR, Peer, Reply, answer, refuse
from commonplace.surfaces.contract import RpcError

MESSAGE_BYTES_MAX = 32 * 2**20


def serve_stdio(peer: Peer, sink: BinaryIO) -> None:
    """Serve until the client is gone or the process is told to end; `sink` is what `claim_stdout` gave."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt, BrokenPipeError):
        converse(peer, sys.stdin.buffer, sink)


def converse(peer: Peer, source: BinaryIO, sink: BinaryIO) -> None:
    """Answer each line of `source` on `sink`, until its end."""
    while line := source.readline(MESSAGE_BYTES_MAX + 1):
        if line.isspace():
            continue
        reply = _too_long(source) if _is_cut(line) else answer(peer, line)
        if reply is not None:
            sink.write(reply.encode() + b"\n")
            sink.flush()


def _is_cut(line: bytes) -> bool:
    return len(line) > MESSAGE_BYTES_MAX and not line.endswith(b"\n")


def _too_long(source: BinaryIO) -> Reply:
    """Read over the rest of the line, so that the next message is understood again."""
    while (rest := source.readline(65_536)) and not rest.endswith(b"\n"):
        pass
    return refuse(RpcError(PARSE_ERROR, f"The message is longer than {MESSAGE_BYTES_MAX} bytes."))
