"""MCP over standard input and output: one message a line or behind its length, answered in order."""

import signal
import sys
from contextlib import suppress
from typing import BinaryIO

from commonplace.server.protocol import PARSE_ERROR, Peer, answer, introduced, refuse
from commonplace.surfaces.contract import RpcError

MESSAGE_BYTES_MAX = 32 * 2**20
CHUNK_BYTES = 65_536
HEADER = b"content-length:"


def serve_stdio(peer: Peer, sink: BinaryIO) -> None:
    """Serve until the client is gone or the process is told to end; `sink` is what `claim_stdout` gave."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt, BrokenPipeError):
        converse(peer, sys.stdin.buffer, sink)


def converse(peer: Peer, source: BinaryIO, sink: BinaryIO) -> None:
    """Answer each message of `source` on `sink`, in the framing it came in, until the end."""
    while line := source.readline(MESSAGE_BYTES_MAX + 1):
        if line.isspace():
            continue
        framed = line[: len(HEADER)].lower() == HEADER
        message = _framed(line, source) if framed else _lined(line, source)
        if isinstance(message, bytes):
            peer = introduced(peer, message)
            reply = answer(peer, message)
        else:
            reply = refuse(message)
        if reply is not None:
            sink.write(_in_frame(reply.encode()) if framed else reply.encode() + b"\n")
            sink.flush()


def _lined(line: bytes, source: BinaryIO) -> bytes | RpcError:
    if len(line) <= MESSAGE_BYTES_MAX or line.endswith(b"\n"):
        return line
    # The rest of the line is read over, so that the next message is understood again.
    while (rest := source.readline(CHUNK_BYTES)) and not rest.endswith(b"\n"):
        pass
    return _too_long()


def _framed(line: bytes, source: BinaryIO) -> bytes | RpcError:
    """A message whose length stands in a block of headers before it, as editors send them."""
    while (other := source.readline(CHUNK_BYTES)) and not other.isspace():
        pass
    length = line[len(HEADER) :].strip()
    if not length.isdigit():
        return RpcError(PARSE_ERROR, "Content-Length must be a number of bytes.")
    size = int(length)
    if size <= MESSAGE_BYTES_MAX:
        return source.read(size)
    while size > 0 and (skipped := source.read(min(size, CHUNK_BYTES))):
        size -= len(skipped)
    return _too_long()


def _in_frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _too_long() -> RpcError:
    return RpcError(PARSE_ERROR, f"The message is longer than {MESSAGE_BYTES_MAX} bytes.")
