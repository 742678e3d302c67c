"""What the knowmind surface offers besides tools."""

from client import Client


def test_the_prompt_status_tells_in_words_how_it_stands(knowmind: Client) -> None:
    """K-TRN-3"""
    knowmind.call("knowmind.store_memory", content="The harbour opens in May.")
    assert [each["name"] for each in knowmind.ask("prompts/list")["result"]["prompts"]] == ["status"]
    (message,) = knowmind.ask("prompts/get", {"name": "status"})["result"]["messages"]
    assert "The memory works" in message["content"]["text"]
    assert "- memories: 1" in message["content"]["text"]


def test_without_resources_none_are_announced(knowmind: Client) -> None:
    assert knowmind.ask("initialize")["result"]["capabilities"] == {"tools": {}, "prompts": {}}
    assert knowmind.ask("resources/list")["error"]["code"] == -32601
