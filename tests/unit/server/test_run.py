import signal
import socket
import subprocess
import sys
from dataclasses import dataclass

import httpx2
import pytest

from commonplace.model.errors import Invalid, Unavailable
from commonplace.server.run import serve

SERVER = """
import sys
from commonplace.config import Settings
from commonplace.server.run import serve

serve(None, Settings(port=int(sys.argv[1])), lambda port: None)
"""


@dataclass(frozen=True)
class Settings:
    host: str = "127.0.0.1"
    port: int = 0
    hosts: tuple[str, ...] = ()
    public_url: str = ""
    body_bytes_max: int = 1_000
    workers_max: int = 2
    conformance: int = 0
    log_level: str = "info"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "memory.example"])
def test_another_address_than_loopback_needs_a_list_of_hosts(host: str) -> None:
    with pytest.raises(Invalid, match="COMMONPLACE_HOSTS"):
        serve(None, Settings(host=host), print)  # type: ignore[arg-type]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_port_in_use_is_told_in_a_sentence(host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(Unavailable, match="is in use; choose another"):
        serve(None, Settings(host=host, port=other.getsockname()[1]), print)  # type: ignore[arg-type]


def test_an_address_that_is_not_ours_is_told_in_a_sentence() -> None:
    with pytest.raises(Unavailable, match=r"Cannot listen on 192\.0\.2\.1 port 0: "):
        serve(None, Settings(host="192.0.2.1", hosts=("memory.example",)), print)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_server_answers_until_sigterm_and_then_ends_cleanly() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with subprocess.Popen([sys.executable, "-c", SERVER, str(port)], stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr
        while "Started server" not in server.stderr.readline():
            assert server.poll() is None
        assert httpx2.get(f"http://127.0.0.1:{port}/healthz").json() == {"status": "ok"}
        server.send_signal(signal.SIGTERM)
        assert server.wait() == 0
