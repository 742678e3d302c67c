"""A model's client for contracts whose failures are results too."""

from dataclasses import replace
from typing import Any

from client import Client, Fields

from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.ingest.rewrite import DeterministicRewriter
from commonplace.model.access import Caller
from commonplace.surfaces.contract import Surface


class Speaker(Client):
    """Tells what was done from what was refused."""

    @property
    def app(self) -> App:
        """The app it speaks to."""
        return self.peer.app

    @property
    def caller(self) -> Caller:
        """Who it is to the app."""
        return self.peer.caller

    def done(self, tool: str, **arguments: Any) -> Fields:
        """The fields of a success."""
        result = self.call(tool, **arguments)
        assert result["isError"] is False, result
        fields: Fields = result["structuredContent"]
        return fields

    def refused(self, tool: str, **arguments: Any) -> Fields:
        """The fields of a failure."""
        result = self.call(tool, **arguments)
        assert result["isError"] is True, result
        fields: Fields = result["structuredContent"]
        return fields

    def acting(self, **changes: Any) -> "Speaker":
        """The same client with other rights."""
        return Speaker(self.app, self.peer.surface, replace(self.caller, **changes))

    def on(self, **changes: Any) -> "Speaker":
        """The same client on an app with other parts."""
        return Speaker(replace(self.app, **changes), self.peer.surface, self.caller)


def speaker(surface: Surface, app: App, client: str | None = "Claude") -> Speaker:
    """A model's client on the owner's machine."""
    caller = local_caller(app, human=False, surface=surface.name, client=client)
    return Speaker(replace(app, rewriters=(DeterministicRewriter(),)), surface, caller)
