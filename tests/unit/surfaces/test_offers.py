from dataclasses import replace
from typing import Any

import pytest

from commonplace.model.access import Caller, Scope
from commonplace.model.errors import NotFound, RateLimited
from commonplace.surfaces.contract import Completion, Param, Prompt, Resource, RpcError, Surface, user_message
from commonplace.surfaces.dispatch import Perform
from commonplace.surfaces.graphnosis import GRAPHNOSIS
from commonplace.surfaces.native import wire_error
from commonplace.surfaces.offers import VALUES_MAX, complete, get_prompt, list_resources, read_resource

READER = Caller("w", "tester", scopes=frozenset({Scope.READ}))
GREET = Prompt(
    name="greet",
    summary="Greet.",
    scope=Scope.READ,
    params=(Param("name", str, "Whom.", required=True),),
    request=lambda given: given["name"],
    reply=lambda answer, given: [user_message(f"{answer} {given['name']}")],
    completions={"name": Completion(lambda begun: begun, lambda answer, begun: [f"{begun}{n % 101}" for n in answer])},
)
NOTE = Resource(
    uri="note://{folder}/{name}.md",
    name="note",
    summary="A note.",
    scope=Scope.READ,
    mime="text/markdown",
    request=lambda given: (given["folder"], given["name"]),
    reply=lambda answer, _: {"text": answer},
)
SURFACE = Surface(
    name="test",
    title="Test",
    paths=(),
    instructions="",
    tools=(),
    error=wire_error,
    prompts=(GREET,),
    resources=(NOTE,),
)


def answers(answer: Any) -> Perform:
    """Performs everything with this answer; an error is raised."""

    def perform(_app: object, _caller: Caller, request: object) -> object:
        if isinstance(answer, Exception):
            raise answer
        return answer(request) if callable(answer) else answer

    return perform


def greet(answer: Any, surface: Surface = SURFACE, **given: str) -> Any:
    return get_prompt(surface, None, READER, "greet", given, perform=answers(answer))  # type: ignore[arg-type]


def read(uri: str, answer: Any) -> Any:
    return read_resource(SURFACE, None, READER, uri, perform=answers(answer))  # type: ignore[arg-type]


def test_a_prompt_is_checked_performed_and_told_as_messages() -> None:
    assert greet("Hello", name="Ada")["messages"] == [user_message("Hello Ada")]
    assert greet("Hello").data["param"] == "name"


def test_an_address_is_taken_apart_by_its_template() -> None:
    uri = "note://on%20sea/the.tide.md"
    assert read(uri, str)["contents"] == [{"uri": uri, "mimeType": "text/markdown", "text": "('on sea', 'the.tide')"}]


@pytest.mark.parametrize("uri", ["note://sea/.md", "note://sea/tide.txt", "NOTE://sea/tide.md", "note:/sea/tide.md"])
def test_what_no_template_fits_is_not_found(uri: str) -> None:
    assert read(uri, str) == RpcError(-32002, "Nothing stands at this address.", {"uri": uri})


def test_other_errors_are_told_as_the_surface_tells_them() -> None:
    limited = read("note://sea/tide.md", RateLimited("Too many calls.", retry_after_s=7))
    assert (limited.status, limited.headers) == (429, {"Retry-After": "7"})
    bug = read("note://sea/tide.md", ValueError("my secret"))
    assert (bug.code, bug.data.keys()) == (-32603, {"trace"})


def test_where_a_surface_tells_errors_as_results_they_are_wrong_parameters_here() -> None:
    told = greet(NotFound("Nobody."), replace(SURFACE, error=GRAPHNOSIS.error), name="Ada")
    assert told == RpcError(-32602, "Nobody.")


def test_a_template_without_a_listing_names_nothing() -> None:
    assert list_resources(SURFACE, None, READER, perform=answers(None)) == {"resources": []}  # type: ignore[arg-type]


def test_completions_are_told_once_each_and_so_many_at_most() -> None:
    ref, argument = {"type": "ref/prompt", "name": "greet"}, {"name": "name", "value": "A"}
    told: Any = complete(SURFACE, None, READER, ref, argument, perform=answers(range(300)))  # type: ignore[arg-type]
    assert told["completion"] == {"values": [f"A{n}" for n in range(VALUES_MAX)], "hasMore": True}
