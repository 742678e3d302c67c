"""The server as the contract tests reach it, and a client of its REST routes in the name of a token."""

from dataclasses import dataclass
from typing import Any

from starlette.testclient import TestClient

from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import IssueToken
from commonplace.model.access import Scope
from commonplace.server.http import application
from commonplace.surfaces.dispatch import Perform

Fields = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """What the server is told about where it runs."""

    hosts: tuple[str, ...] = ()
    public_url: str = ""
    body_bytes_max: int = 1_000_000
    workers_max: int = 2
    conformance: bool = False


def serving(app: App, perform: Perform = perform) -> TestClient:
    """The server without a socket."""
    return TestClient(application(app, Settings(), perform=perform), base_url="http://127.0.0.1")


class Web:
    """Asks routes and expects a status."""

    def __init__(self, http: TestClient, app: App, **token: Any) -> None:
        given = {"scopes": (Scope.WRITE,), **token}
        issued = perform(app, local_caller(app, human=True), IssueToken(**given))
        self.http = http
        self.headers = {"Authorization": f"Bearer {issued.secret}"}

    def ask(self, method: str, path: str, status: int = 200, body: object = None, **query: Any) -> Fields:
        """The body of the response."""
        response = self.http.request(method, path, json=body, params=query or None, headers=self.headers)
        assert response.status_code == status, response.text
        fields: Fields = response.json()
        return fields

    def get(self, path: str, status: int = 200, **query: Any) -> Fields:
        """What a path reads."""
        return self.ask("GET", path, status, **query)

    def post(self, path: str, status: int = 200, **body: Any) -> Fields:
        """What a path answers to a body."""
        return self.ask("POST", path, status, body)

    def delete(self, path: str, status: int = 200, **query: Any) -> Fields:
        """What a path answers when it takes something away."""
        return self.ask("DELETE", path, status, **query)
