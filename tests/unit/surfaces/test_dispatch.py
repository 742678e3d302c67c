import logging
from dataclasses import replace
from typing import Any

import pytest

from commonplace.model.access import Caller, Scope
from commonplace.model.errors import NotFound
from commonplace.surfaces.contract import Internal, Param, Result, RpcError, Surface, Tool, record
from commonplace.surfaces.dispatch import call
from commonplace.surfaces.native import wire_error

READER = Caller("w", "tester", scopes=frozenset({Scope.READ}))
WRITER = Caller("w", "tester")
ECHO = Tool(
    name="echo.text",
    aliases=("echo_text",),
    summary="Echo.",
    scope=Scope.WRITE,
    params=(Param("text", str, "Text.", required=True),),
    request=lambda given: given["text"],
    reply=lambda answer, given: {"answer": answer, "asked": given["text"]},
    output=record(),
)
SURFACE = Surface(name="test", title="Test", paths=(), instructions="", tools=(ECHO,), error=wire_error)


def shout(_app: object, _caller: Caller, request: object) -> object:
    return str(request).upper()


def echo(
    caller: Caller, name: str = "echo.text", surface: Surface = SURFACE, perform: Any = shout, **given: Any
) -> Any:
    return call(surface, None, caller, name, given, perform=perform)  # type: ignore[arg-type]


def test_an_answer_is_shaped_and_wrapped() -> None:
    assert echo(WRITER, text="hi") == {
        "content": [{"type": "text", "text": '{"answer":"HI","asked":"hi"}'}],
        "structuredContent": {"answer": "HI", "asked": "hi"},
        "isError": False,
    }


def test_a_tool_answers_to_its_alias() -> None:
    assert echo(WRITER, "echo_text", text="hi")["structuredContent"]["answer"] == "HI"


def test_an_unknown_tool_is_a_protocol_error_that_lists_the_tools() -> None:
    error = echo(WRITER, "recall", text="hi")
    assert error == RpcError(-32602, "Unknown tool: recall", {"reason": "unknown_tool", "tools": ["echo.text"]})


def test_the_scope_is_checked_before_the_arguments() -> None:
    fields = echo(READER, wrong=1)["structuredContent"]
    assert (fields["error"], fields["required"], fields["have"]) == ("forbidden", "write", ["read"])


def test_a_bad_argument_is_an_error_the_model_can_read() -> None:
    result = echo(WRITER, text="")
    assert result["isError"] is True
    assert result["content"] == [{"type": "text", "text": "text must not be empty."}]
    assert result["structuredContent"] == {
        "error": "invalid",
        "message": "text must not be empty.",
        "param": "text",
        "reason": "empty",
    }


def test_an_error_of_a_verb_carries_its_kind_and_its_facts() -> None:
    def miss(_app: object, _caller: Caller, _request: object) -> object:
        raise NotFound("Nothing has this id.", id="7", near=["8", "9"])

    fields = echo(WRITER, perform=miss, text="hi")["structuredContent"]
    assert fields == {"error": "not_found", "message": "Nothing has this id.", "id": "7", "near": ["8", "9"]}


def test_ignored_arguments_are_named_in_the_result() -> None:
    result = echo(WRITER, surface=replace(SURFACE, unknown_arguments="ignore"), text="hi", colour="red")
    assert result["_meta"] == {"commonplace/ignored_arguments": ["colour"]}


def test_a_bug_is_logged_by_place_and_answered_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    def stumble(_app: object, _caller: Caller, request: object) -> object:
        raise ValueError(request)

    with caplog.at_level(logging.ERROR):
        result: Result = echo(WRITER, perform=stumble, text="my secret")
    trace = result["structuredContent"]["trace"]
    assert result["structuredContent"]["error"] == "internal"
    assert result["content"][0]["text"] == Internal.__doc__
    assert trace in caplog.text
    assert "in stumble" in caplog.text
    assert "ValueError" in caplog.text
    assert "my secret" not in caplog.text + str(result)
