"""The verbs are tried on SQLite alone; that both engines answer alike is shown in tests/store and tests/property."""

import pytest


@pytest.fixture
def engine_name() -> str:
    """One engine."""
    return "sqlite"
