"""MCP's own conformance suite against our process; `conformance` lists what it asks and we do not do, with reasons."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent / "conformance"
SUITE = "npm:@modelcontextprotocol/conformance"
PACKAGE = {
    "private": True,
    "dependencies": {"node": "22.23.3", "active": f"{SUITE}@0.1.16", "requirements": f"{SUITE}@0.2.0-alpha.12"},
    "allowScripts": {"node": True},
}
QUIETLY = ("--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1", "--fetch-timeout=60000")


@pytest.fixture(scope="module")
def modules() -> Path:
    """The suites and the Node they need, installed once for these versions and kept."""
    wanted = json.dumps(PACKAGE)
    kept = Path(tempfile.gettempdir()) / f"commonplace-conformance-{zlib.crc32(wanted.encode()):08x}"
    if not kept.exists():
        made = Path(tempfile.mkdtemp(prefix="commonplace-conformance-"))
        (made / "package.json").write_text(wanted, "utf-8")
        install(made)
        # Of two processes that install at once the later one finds the place taken, and keeps what is there.
        with suppress(OSError):
            made.rename(kept)
        shutil.rmtree(made, ignore_errors=True)
    return kept / "node_modules"


def install(folder: Path) -> None:
    """Install what the folder's package.json names, or skip the test where that cannot be had."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("The conformance suite needs npm, which is not installed.")
    for command in ([npm, "install", *QUIETLY], [folder / "node_modules" / ".bin" / "node", "--version"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            shutil.rmtree(folder)
            pytest.skip(f"The conformance suite could not be installed: {done.stderr.strip()}")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The fixtures of the protocol at a server of ours."""
    folder = tmp_path_factory.mktemp("conformance")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    places = ["--data-dir", str(folder / "data"), "--config-dir", str(folder / "config"), "--port", str(port)]
    serve = [sys.executable, "-m", "commonplace", "serve", *places]
    environment = os.environ | {"COMMONPLACE_CONFORMANCE": "1"}
    with subprocess.Popen(serve, stderr=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stderr
        said = ""
        while "Started server" not in said:
            assert server.poll() is None, said
            said += server.stderr.readline()
        yield f"http://127.0.0.1:{port}/mcp/conformance"
        server.send_signal(signal.SIGTERM)
        server.stderr.read()
        assert server.wait() == 0


@pytest.mark.parametrize(
    ("suite", "revision"), [("requirements", "2026-07-28"), ("requirements", "2025-11-25"), ("active", None)]
)
def test_the_suite_finds_no_fault_but_what_we_refuse(
    modules: Path, url: str, tmp_path: Path, suite: str, revision: str | None
) -> None:
    chosen = ["--requirements", revision] if revision else []
    baseline = HERE / f"expected-{revision or suite}.yaml"
    done = subprocess.run(
        [
            modules / ".bin" / "node",
            modules / suite / "dist" / "index.js",
            *("server", "--url", url, *chosen, "--expected-failures", baseline),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    summary = done.stdout[done.stdout.find("=== SUMMARY") :]
    print(summary)  # noqa: T201 - the suite's own account of what was checked
    assert done.returncode == 0, summary + done.stderr
