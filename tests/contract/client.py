"""A client of one surface, as the contract tests see it: JSON-RPC in, JSON-RPC out, without a transport."""

from typing import Any

import msgspec

from commonplace import core
from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.server.protocol import Peer, Reply, answer
from commonplace.surfaces.contract import Surface
from commonplace.surfaces.dispatch import Perform

Fields = dict[str, Any]


class Client:
    """Calls the tools of a surface in the name of a caller."""

    def __init__(self, app: App, surface: Surface, caller: Caller, perform: Perform = core.perform) -> None:
        self.peer = Peer(surface, app, caller, perform)

    def send(self, method: str, params: object = None) -> Reply:
        """The reply to one request."""
        message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}}
        reply = answer(self.peer, msgspec.json.encode(message))
        assert reply is not None
        return reply

    def ask(self, method: str, params: object = None) -> Fields:
        """The whole response to a request, as it goes over the wire."""
        body: Fields = msgspec.json.decode(self.send(method, params).encode())
        return body

    def call(self, tool: str, **arguments: Any) -> Fields:
        """The result of a tool, documented fields and envelope."""
        response = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in response, response
        result: Fields = response["result"]
        return result

    def fields(self, tool: str, **arguments: Any) -> Fields:
        """What a tool answers, without its envelope."""
        fields: Fields = self.call(tool, **arguments)["structuredContent"]
        return fields

    def error(self, tool: str, **arguments: Any) -> Fields:
        """The JSON-RPC error that a tool ends in."""
        response = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert "error" in response, response
        error: Fields = response["error"]
        return error
