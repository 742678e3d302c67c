"""The official client of the protocol against our processes, over stdio and over HTTP."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

pytestmark = pytest.mark.slow

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def arguments(folder: Path, *command: str) -> list[str]:
    places = ["--data-dir", str(folder / "data"), "--config-dir", str(folder / "config")]
    return ["-m", "commonplace", *command, *places]


@pytest.fixture
def http(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The address of a server at its first start, and the token that it gave out."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    serve = [sys.executable, *arguments(tmp_path, "serve", "--port", str(port))]
    with subprocess.Popen(serve, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr
        said = ""
        while "Started server" not in said:
            assert server.poll() is None, said
            said += server.stderr.readline()
        found = re.search(r"kmt_[\w-]{43}", said)
        assert found
        yield f"http://127.0.0.1:{port}/mcp", found[0]
        server.send_signal(signal.SIGTERM)
        server.stderr.read()
        assert server.wait() == 0


async def remember_and_recall(client: Client) -> None:
    """What every client does, whatever carries its messages."""
    assert client.server_info is not None
    assert client.server_info.name == "commonplace"
    names = {tool.name for tool in (await client.list_tools()).tools}
    assert {"recall", "remember"} <= names
    made = fields(await client.call_tool("remember", {"text": "The bakery opens at seven."}))
    found = fields(await client.call_tool("recall", {"query": "When does the bakery open?"}))
    assert found["hits"][0]["id"] == made["id"]
    refused = await client.call_tool("recall", {"query": "bakery", "libary": "home"})
    assert refused.is_error
    assert refused.structured_content is not None
    assert "libary" in refused.structured_content["message"]
    listed = (await client.list_resources()).resources
    read = await client.read_resource(listed[0].uri)
    assert read.contents[0].text == "The bakery opens at seven."
    prompted = await client.get_prompt("catch_up", {"collection": "personal"})
    assert "bakery" in prompted.messages[1].content.text


def fields(result: Any) -> dict[str, Any]:
    assert not result.is_error, result
    return dict(result.structured_content)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_remembers_and_recalls_over_stdio(tmp_path: Path, mode: str) -> None:
    server = StdioServerParameters(command=sys.executable, args=arguments(tmp_path, "mcp"))

    async def story() -> None:
        async with Client(server, mode=mode) as client:
            await remember_and_recall(client)

    anyio.run(story)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_with_a_token_remembers_and_recalls_over_http(http: tuple[str, str], mode: str) -> None:
    url, token = http

    async def story() -> None:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as carrier,
            Client(streamable_http_client(url, http_client=carrier), mode=mode) as client,
        ):
            await remember_and_recall(client)

    anyio.run(story)


def test_without_a_token_nothing_is_answered_over_http(http: tuple[str, str]) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    refused = httpx2.post(http[0], json=hello)
    assert refused.status_code == 401
    assert "resource_metadata=" in refused.headers["www-authenticate"]


@pytest.mark.parametrize("before", [True, False], ids=["options before mcp", "options after mcp"])
def test_standard_output_holds_messages_alone_and_the_process_ends_with_its_input(
    tmp_path: Path, *, before: bool
) -> None:
    places = arguments(tmp_path)[2:]
    command = [*places, "mcp"] if before else ["mcp", *places]
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "remember", "arguments": {"text": "x"}}},
    ]
    done = subprocess.run(
        [sys.executable, "-m", "commonplace", *command],
        input="".join(f"{json.dumps(line)}\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
    )
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]
