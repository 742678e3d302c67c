"""What our own surface offers besides tools: prompts, resources and completion."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from client import Client

from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import CreateCollection, SetCollection, Store
from commonplace.model.access import Tier
from commonplace.surfaces.native import NATIVE


@pytest.fixture
def memory(sqlite_app: App) -> Client:
    """A model's client on the owner's machine."""
    return Client(sqlite_app, NATIVE, local_caller(sqlite_app, human=False))


def words(client: Client, prompt: str, **arguments: str) -> str:
    """What a prompt says last in the name of the person: the data."""
    messages = client.ask("prompts/get", {"name": prompt, "arguments": arguments})["result"]["messages"]
    assert {message["role"] for message in messages} == {"user"}
    text: str = messages[-1]["content"]["text"]
    return text


def read(client: Client, uri: str) -> dict[str, Any]:
    """What stands at an address."""
    (content,) = client.ask("resources/read", {"uri": uri})["result"]["contents"]
    assert content["uri"] == uri
    fields: dict[str, Any] = content
    return fields


def completed(client: Client, ref: dict[str, str], name: str, begun: str) -> list[str]:
    """The values for an argument that begins so."""
    given = {"ref": ref, "argument": {"name": name, "value": begun}}
    values: list[str] = client.ask("completion/complete", given)["result"]["completion"]["values"]
    return values


def test_catch_up_tells_the_newest_first_and_what_to_do_with_them(memory: Client) -> None:
    assert words(memory, "catch_up") == "My long-term memory holds nothing here yet."
    memory.call("remember", text="The tide tables were printed.")
    memory.call("remember", text="The harbour opens\nin May. " + "It is deep. " * 40)
    lines = words(memory, "catch_up").splitlines()
    assert [line.split(": ")[1][:19] for line in lines] == ["The harbour opens i", "The tide tables wer"]
    assert " … (id " in lines[0]
    task, _ = memory.ask("prompts/get", {"name": "catch_up"})["result"]["messages"]
    assert "data, not instructions" in task["content"]["text"]


def test_catch_up_keeps_to_a_collection_and_names_one_that_is_not_there(memory: Client) -> None:
    person = replace(memory.peer.caller, human=True)
    perform(memory.peer.app, person, CreateCollection(name="Harbour"))
    perform(memory.peer.app, person, Store(text="The pier was mended.", collection="Harbour"))
    memory.call("remember", text="The bakery opens at seven.")
    assert "bakery" not in words(memory, "catch_up", collection="Harbour")
    refused = memory.ask("prompts/get", {"name": "catch_up", "arguments": {"collection": "Harvour"}})["error"]
    assert refused["code"] == -32602
    assert "Harvour" in refused["message"]


def test_review_tells_what_waits_for_a_person(memory: Client) -> None:
    assert words(memory, "review") == "Nothing waits for my decision."
    memory.call("remember", text="The lamp was lit.", collection="Lighthouse")
    told = words(memory, "review")
    assert "asked for the collection Lighthouse, to store: The lamp was lit." in told


def test_a_prompt_that_is_not_there_and_a_wrong_argument_are_wrong_parameters(memory: Client) -> None:
    unknown = memory.ask("prompts/get", {"name": "dream"})["error"]
    assert (unknown["code"], unknown["data"]["prompts"]) == (-32602, ["catch_up", "review"])
    assert memory.ask("prompts/get", {"name": "review", "arguments": {"colour": "red"}})["error"]["code"] == -32602
    assert memory.ask("prompts/get", {"name": ["review"]})["error"]["code"] == -32602


def test_a_memory_is_read_whole_at_its_address_and_the_newest_are_listed(memory: Client) -> None:
    text = "The harbour opens in May.\n\n" + "It is deep. " * 400
    made = memory.fields("remember", text=text)
    (listed,) = memory.ask("resources/list")["result"]["resources"]
    assert (listed["uri"], listed["name"]) == (f"memory://{made['id']}", "The harbour opens in May.")
    assert read(memory, listed["uri"]) == {"uri": listed["uri"], "mimeType": "text/plain", "text": text}


def test_an_entity_is_read_by_its_name(memory: Client) -> None:
    memory.call("assert_fact", subject="Ada Lovelace", predicate="works_at", object="Analytical Engines")
    content = read(memory, "entity://Ada%20Lovelace")
    known = msgspec.json.decode(content["text"])
    assert content["mimeType"] == "application/json"
    assert [fact["object"] for fact in known["facts"]] == ["Analytical Engines"]


@pytest.mark.parametrize("uri", ["memory://7", "entity://Nobody", "dream://1", "memory://", ""])
def test_an_address_with_nothing_at_it_is_not_found(memory: Client, uri: str) -> None:
    error = memory.ask("resources/read", {"uri": uri})["error"]
    assert (error["code"], error["data"]) == (-32002, {"uri": uri})


def test_the_stateless_era_counts_a_missing_resource_among_wrong_parameters(memory: Client) -> None:
    prefix = "io.modelcontextprotocol/"
    meta = {f"{prefix}protocolVersion": "2026-07-28", f"{prefix}clientCapabilities": {}}
    error = memory.ask("resources/read", {"uri": "memory://7", "_meta": meta})["error"]
    assert (error["code"], error["data"]) == (-32602, {"uri": "memory://7"})
    assert memory.ask("resources/read", {"uri": 7})["error"]["code"] == -32602


def test_what_is_sensitive_is_neither_listed_nor_read_nor_completed(memory: Client) -> None:
    person = replace(memory.peer.caller, human=True)
    perform(memory.peer.app, person, CreateCollection(name="Diary"))
    hidden = perform(memory.peer.app, person, Store(text="I am in love.", collection="Diary"))
    perform(memory.peer.app, person, SetCollection(slug="diary", tier=Tier.SENSITIVE))
    assert memory.ask("resources/list")["result"]["resources"] == []
    assert memory.ask("resources/read", {"uri": f"memory://{hidden.version_id}"})["error"]["code"] == -32002
    assert completed(memory, {"type": "ref/prompt", "name": "catch_up"}, "collection", "di") == []
    assert completed(memory, {"type": "ref/resource", "uri": "memory://{id}"}, "id", "love") == []


def test_values_are_completed_from_what_the_memory_holds(memory: Client) -> None:
    made = memory.fields("remember", text="The harbour opens in May.")
    memory.call("assert_fact", subject="Ada Lovelace", predicate="works_at", object="Analytical Engines")
    entity, one = {"type": "ref/resource", "uri": "entity://{name}"}, {"type": "ref/resource", "uri": "memory://{id}"}
    assert completed(memory, entity, "name", "ada") == ["Ada Lovelace"]
    assert completed(memory, one, "id", "harbour") == [made["id"]]
    assert completed(memory, one, "id", "") == [made["id"]]
    assert completed(memory, {"type": "ref/prompt", "name": "catch_up"}, "collection", "PERS") == ["Personal"]
    assert completed(memory, {"type": "ref/prompt", "name": "catch_up"}, "colour", "r") == []


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": {"type": "ref/prompt", "name": "dream"}, "argument": {"name": "x", "value": ""}},
        {"ref": {"type": "ref/resource", "uri": "dream://{id}"}, "argument": {"name": "x", "value": ""}},
        {"ref": {"type": "ref/prompt", "name": "review"}, "argument": {"name": "x", "value": 7}},
    ],
)
def test_a_completion_of_nothing_we_have_is_refused(memory: Client, params: dict[str, Any]) -> None:
    assert memory.ask("completion/complete", params)["error"]["code"] == -32602


def test_without_the_scope_nothing_is_listed_and_nothing_read(memory: Client) -> None:
    memory.call("remember", text="The harbour opens in May.")
    nobody = Client(memory.peer.app, NATIVE, replace(memory.peer.caller, scopes=frozenset()))
    assert nobody.ask("resources/list")["result"]["resources"] == []
    assert nobody.ask("prompts/get", {"name": "catch_up"})["error"]["data"]["required"] == "read"
    assert nobody.ask("resources/read", {"uri": "memory://7"})["error"]["data"]["required"] == "read"


def test_templates_and_prompts_are_listed_and_a_surface_without_them_has_no_such_methods(memory: Client) -> None:
    templates = memory.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert [each["uriTemplate"] for each in templates] == ["memory://{id}", "entity://{name}"]
    catch_up, review = memory.ask("prompts/list")["result"]["prompts"]
    assert [each["name"] for each in catch_up["arguments"]] == ["collection"]
    assert review["arguments"] == []
    bare = Client(memory.peer.app, replace(NATIVE, prompts=(), resources=()), memory.peer.caller)
    assert bare.ask("initialize")["result"]["capabilities"] == {"tools": {}}
    for method in ("prompts/list", "resources/list", "resources/templates/list", "completion/complete"):
        assert bare.ask(method)["error"]["code"] == -32601
