"""One address for every contract: the prefix alone decides who answers."""

from typing import Any

import pytest

from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.surfaces import DIALECTS, SURFACES
from commonplace.surfaces.contract import RpcError
from commonplace.surfaces.dispatch import call
from commonplace.surfaces.native import NATIVE

ALL = SURFACES["all"]


def ask(app: App, name: str, **arguments: Any) -> Any:
    return call(ALL, app, local_caller(app, human=False, surface="all"), name, arguments, perform=perform)


def test_every_tool_is_there_once_and_ours_bear_their_own_names() -> None:
    names = [tool.name for tool in ALL.tools]
    assert len(names) == len(set(names)) == sum(len(surface.tools) for surface in (NATIVE, *DIALECTS))
    assert {tool.name for tool in NATIVE.tools} < set(names)
    assert {"knowmind_recall", "kronroe_recall", "graphnosis_recall"} < set(names)


def test_a_bare_name_is_ours_and_a_prefixed_one_the_others(sqlite_app: App) -> None:
    ask(sqlite_app, "remember", text="Anna owns onboarding.")
    assert ask(sqlite_app, "recall", query="onboarding")["structuredContent"]["hits"][0]["kind"] == "memory"
    assert "memory_id" in ask(sqlite_app, "knowmind_recall", query="onboarding")["hits"][0]
    assert (
        "chunkId"
        in ask(sqlite_app, "graphnosis_recall", query="Anna owns onboarding.")["structuredContent"]["results"][0]
    )
    assert ask(sqlite_app, "kronroe_recall", query="onboarding")["structuredContent"] == {"facts": []}


def test_the_dotted_names_of_knowmind_are_understood(sqlite_app: App) -> None:
    assert ask(sqlite_app, "knowmind.stats") == ask(sqlite_app, "knowmind_stats")


@pytest.mark.parametrize("name", ["graphnosis_dream", "stats", "knowmind_", "graphnosis.recall"])
def test_what_nobody_has_is_unknown_in_our_own_words(sqlite_app: App, name: str) -> None:
    refused = ask(sqlite_app, name)
    assert isinstance(refused, RpcError)
    assert refused.code == -32602


def test_each_dialect_keeps_its_own_errors(sqlite_app: App) -> None:
    assert ask(sqlite_app, "kronroe_recall")["errorCode"] == 2004
    assert ask(sqlite_app, "graphnosis_recall")["structuredContent"]["error"] == "invalid_params"
    assert ask(sqlite_app, "knowmind_recall").code == -32602
