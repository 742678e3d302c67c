"""The HTTP server as a process: where it listens, and how it ends."""

import errno
import logging
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from ipaddress import ip_address
from typing import Protocol

import uvicorn

from commonplace.core.app import App
from commonplace.model.errors import Invalid, Unavailable
from commonplace.server.http import HttpSettings, application

DRAIN_S_MAX = 10


class ServeSettings(HttpSettings, Protocol):
    """The settings a serving process depends on."""

    @property
    def host(self) -> str:
        """The address to listen on."""

    @property
    def port(self) -> int:
        """The port to listen on."""

    @property
    def log_level(self) -> str:
        """How much is logged."""


def serve(app: App, settings: ServeSettings, listening: Callable[[int], None]) -> None:
    """Serve until told to end, then finish the calls at hand; `listening` is told the port once it is ours."""
    _check_host(settings)
    with closing(_listen(settings.host, settings.port)) as listener, suppress(KeyboardInterrupt):
        listening(listener.getsockname()[1])
        logging.basicConfig(stream=sys.stderr, level=settings.log_level.upper(), format="%(levelname)s %(message)s")
        # Once drained, uvicorn raises the signal again: with this handler that ends here, and does not kill us.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        uvicorn.Server(_config(app, settings)).run(sockets=[listener])


def _config(app: App, settings: ServeSettings) -> uvicorn.Config:
    """How uvicorn runs: it logs through us, and no addresses, for these could hold secrets."""
    return uvicorn.Config(
        application(app, settings),
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=DRAIN_S_MAX,
    )


def _check_host(settings: ServeSettings) -> None:
    if not _is_loopback(settings.host) and not settings.hosts:
        raise Invalid(
            f"Listening on {settings.host} makes the memory reachable from other machines; "
            "list the names it may be reached by in the setting hosts (COMMONPLACE_HOSTS)."
        )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Unavailable(f"Port {port} on {host} is in use; choose another with --port.") from error
        raise Unavailable(f"Cannot listen on {host} port {port}: {error.strerror}.") from error
