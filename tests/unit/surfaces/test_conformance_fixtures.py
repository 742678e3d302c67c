from typing import Any

import msgspec
import pytest

from commonplace.server.protocol import Peer, answer
from commonplace.surfaces import SURFACES
from commonplace.surfaces.conformance import ANYONE, CONFORMANCE, echo

PEER = Peer(CONFORMANCE, None, ANYONE, echo)  # type: ignore[arg-type]


def ask(method: str, **params: Any) -> Any:
    reply = answer(PEER, msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    assert reply is not None
    return msgspec.json.decode(reply.encode())


def test_the_fixtures_are_no_surface_to_choose() -> None:
    assert CONFORMANCE.name not in SURFACES


@pytest.mark.parametrize("name", [tool.name for tool in CONFORMANCE.tools])
def test_every_tool_answers_and_shows_no_schema_of_what_it_answers(name: str) -> None:
    result = ask("tools/call", name=name)["result"]
    assert result["content"]
    assert result["isError"] is (name == "test_error_handling")
    assert all("outputSchema" not in tool for tool in ask("tools/list")["result"]["tools"])


def test_a_prompt_fills_its_arguments_in() -> None:
    given = {"name": "test_prompt_with_arguments", "arguments": {"arg1": "hello", "arg2": "world"}}
    (message,) = ask("prompts/get", **given)["result"]["messages"]
    assert message["content"]["text"] == "Prompt with arguments: arg1='hello', arg2='world'"
    embedded = {"name": "test_prompt_with_embedded_resource", "arguments": {"resourceUri": "test://a"}}
    assert ask("prompts/get", **embedded)["result"]["messages"][0]["content"]["resource"]["uri"] == "test://a"


def test_an_address_without_variables_is_listed_and_one_with_them_filled_in() -> None:
    listed = [each["uri"] for each in ask("resources/list")["result"]["resources"]]
    assert listed == ["test://static-text", "test://static-binary"]
    assert [ask("resources/read", uri=uri)["result"]["contents"][0]["uri"] for uri in listed] == listed
    (content,) = ask("resources/read", uri="test://template/12%203/data")["result"]["contents"]
    assert msgspec.json.decode(content["text"])["id"] == "12 3"


def test_a_value_is_completed_by_words_that_begin_so() -> None:
    ref = {"type": "ref/prompt", "name": "test_prompt_with_arguments"}
    completion = ask("completion/complete", ref=ref, argument={"name": "arg1", "value": "par"})["result"]["completion"]
    assert completion == {"values": ["paris", "park", "party"], "hasMore": False}


def test_an_unknown_fixture_is_a_wrong_parameter() -> None:
    assert ask("tools/call", name="dream")["error"]["code"] == -32602
