"""Fixtures of the contract tests."""

from collections.abc import Iterator

import pytest
from client import Client
from rest_calls import serving
from starlette.testclient import TestClient

from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.model.access import Caller
from commonplace.surfaces.knowmind import KNOWMIND


@pytest.fixture
def person(sqlite_app: App) -> Caller:
    """The owner of the store, at the terminal."""
    return local_caller(sqlite_app, human=True)


@pytest.fixture
def knowmind(sqlite_app: App) -> Client:
    """A model's client on the owner's machine."""
    return Client(sqlite_app, KNOWMIND, local_caller(sqlite_app, human=False, surface="knowmind"))


@pytest.fixture
def http(sqlite_app: App) -> Iterator[TestClient]:
    """The server without a socket."""
    with serving(sqlite_app) as client:
        yield client
