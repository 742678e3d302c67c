"""The fixtures that the conformance suite of MCP asks a server for: they prove the protocol and touch no store.

They are served only where the setting `conformance` asks for them, without a token. `echo` performs every request by
answering with it.
"""

from collections.abc import Mapping

from commonplace.model.access import Caller
from commonplace.model.errors import CommonplaceError
from commonplace.surfaces.contract import (
    Arguments,
    Completion,
    Fields,
    Param,
    Prompt,
    Resource,
    RpcError,
    Surface,
    Tool,
    compact,
    json_safe,
)

ANYONE = Caller("", "anyone", scopes=frozenset(), surface="conformance")
WORDS = ("paris", "park", "party", "testing")

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA=="
IMAGE: Fields = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
AUDIO: Fields = {"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}


def echo(_app: object, _caller: Caller, request: object) -> object:
    """Perform nothing."""
    return request


def wire_error(error: CommonplaceError, _: Tool | None) -> RpcError:
    """Whatever is wrong with a fixture's call is wrong with its parameters."""
    return RpcError(-32602, error.message, json_safe(error.facts))


def said(text: str) -> Fields:
    """A text as content."""
    return {"type": "text", "text": text}


def embedded(uri: str, mime: str, text: str) -> Fields:
    """A resource as content."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": text}}


def tool(name: str, summary: str, *content: Fields, fails: bool = False) -> Tool:
    """A tool that always answers the same; its fields are the whole result."""
    answer: Fields = {"content": list(content), "isError": fails}
    return Tool(name=name, summary=summary, scope=None, request=dict, reply=lambda _, __: answer, output={})


def prompt(name: str, summary: str, params: Mapping[str, str], *content: Fields) -> Prompt:
    """A prompt of these parameters; they are filled in where its content names them in braces."""
    return Prompt(
        name=name,
        summary=summary,
        scope=None,
        params=tuple(Param(param, str, says, required=True) for param, says in params.items()),
        request=dict,
        reply=lambda given, _: [{"role": "user", "content": filled(each, given)} for each in content],
        completions=dict.fromkeys(params, Completion(str, lambda begun, _: (w for w in WORDS if w.startswith(begun)))),
    )


def filled(content: Fields, given: Arguments) -> Fields:
    """A content with the arguments in their places."""
    return {
        name: filled(value, given) if isinstance(value, dict) else value.format_map(given)
        for name, value in content.items()
    }


TOOLS = (
    tool("test_simple_text", "Answers with a text.", said("This is a simple text response for testing.")),
    tool("test_image_content", "Answers with an image.", IMAGE),
    tool("test_audio_content", "Answers with a sound.", AUDIO),
    tool(
        "test_embedded_resource",
        "Answers with a resource.",
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ),
    tool(
        "test_multiple_content_types",
        "Answers with a text, an image and a resource.",
        said("Multiple content types test:"),
        IMAGE,
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
    tool(
        "test_error_handling",
        "Always fails.",
        said("This tool intentionally returns an error for testing"),
        fails=True,
    ),
    tool("test_logging_tool", "Works without a log.", said("Done, and nothing was logged.")),
    tool("test_streaming_elicitation", "Asks nothing while it works.", said("Done, and nothing was asked.")),
)

PROMPTS = (
    prompt("test_simple_prompt", "A prompt without arguments.", {}, said("This is a simple prompt for testing.")),
    prompt(
        "test_prompt_with_arguments",
        "A prompt with two arguments.",
        {"arg1": "First test argument.", "arg2": "Second test argument."},
        said("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"),
    ),
    prompt(
        "test_prompt_with_embedded_resource",
        "A prompt with a resource.",
        {"resourceUri": "The resource's address."},
        embedded("{resourceUri}", "text/plain", "Embedded resource content for testing."),
        said("Please process the embedded resource above."),
    ),
    prompt("test_prompt_with_image", "A prompt with an image.", {}, IMAGE, said("Please analyze the image above.")),
)

RESOURCES = (
    Resource(
        uri="test://static-text",
        name="static-text",
        summary="A text.",
        scope=None,
        request=dict,
        reply=lambda _, __: {"text": "This is the content of the static text resource."},
    ),
    Resource(
        uri="test://static-binary",
        name="static-binary",
        summary="An image.",
        scope=None,
        mime="image/png",
        request=dict,
        reply=lambda _, __: {"blob": PIXEL},
    ),
    Resource(
        uri="test://template/{id}/data",
        name="template",
        summary="What belongs to an id.",
        scope=None,
        mime="application/json",
        request=dict,
        reply=lambda _, given: {
            "text": compact({"id": given["id"], "templateTest": True, "data": f"Data for ID: {given['id']}"})
        },
    ),
)

CONFORMANCE = Surface(
    name="conformance",
    title="Commonplace, fixtures of the protocol",
    paths=("/mcp/conformance",),
    instructions="Fixtures for the conformance suite of MCP.",
    tools=TOOLS,
    prompts=PROMPTS,
    resources=RESOURCES,
    error=wire_error,
    envelope=lambda _, fields: fields,
    per_minute=False,
)
