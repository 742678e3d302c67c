"""What a tool is: a row of data, from which its schema, the check of its arguments and its documentation follow.

A surface is a table of such rows with three policies: how an answer is wrapped, how an error reads on the wire, and
what happens to arguments that no row names. Rows and policies are pure, so that a dialect holds nothing but its words.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from commonplace.model.access import Scope
from commonplace.model.errors import CommonplaceError

Arguments = Mapping[str, Any]
Fields = dict[str, Any]
Result = dict[str, Any]
Schema = dict[str, Any]

UnknownArguments = Literal["refuse", "ignore"]

TEXT: Schema = {"type": "string"}
TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
NUMBER: Schema = {"type": "number"}
INTEGER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}


class Internal(CommonplaceError):
    """Something went wrong inside the server; its log tells where, under this trace id."""


@dataclass(frozen=True, slots=True)
class RpcError:
    """A JSON-RPC error, with the HTTP status and headers it travels under."""

    code: int
    message: str
    data: Fields = field(default_factory=dict)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of a tool. With `many` it is a list, and what limits a value limits each element.

    A hidden one, or a hidden word, is taken and not advertised; a number that is `spoken` may also come as a text.
    `words` are a contract's own for what may be wrong: null, missing, empty, list, type, enum, minimum, maximum,
    too_large, format.
    """

    name: str
    kind: type | tuple[type, ...]
    summary: str
    required: bool = False
    default: Any = None
    many: bool = False
    nullable: bool = False
    minimum: float | None = None
    maximum: float | None = None
    min_chars: int = 1
    max_chars: int | None = None
    max_bytes: int | None = None
    min_items: int = 0
    max_items: int | None = None
    enum: tuple[str, ...] = ()
    hidden_enum: tuple[str, ...] = ()
    pattern: str | None = None
    read: Callable[[Any], Any] | None = None
    aliases: tuple[str, ...] = ()
    hidden: bool = False
    spoken: bool = False
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def kinds(self) -> tuple[type, ...]:
        """The types its value may have."""
        return self.kind if isinstance(self.kind, tuple) else (self.kind,)


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition between parameters, over those that were given."""

    param: str
    reason: str
    message: str
    holds: Callable[[Arguments], bool]


def requires(param: str, other: str) -> Rule:
    """The first is of use only with the other."""
    return Rule(other, "missing", f"{param} requires {other}.", lambda given: param not in given or other in given)


def conflicts(param: str, other: str) -> Rule:
    """The first cannot stand beside the other."""
    message = f"{param} cannot be used with {other}."
    return Rule(param, "conflict", message, lambda given: param not in given or other not in given)


def at_least_one(*params: str) -> Rule:
    """Some of them must be given."""
    message = f"One of {', '.join(params)} is required."
    return Rule(params[0], "missing", message, lambda given: any(param in given for param in params))


def required_when(param: str, other: str, value: object) -> Rule:
    """It must be given where the other has this value."""
    message = f"{param} is required when {other} is {value}."
    return Rule(param, "missing", message, lambda given: given.get(other) != value or param in given)


def record(**fields: Schema) -> Schema:
    """The schema of an object; nothing in it is required, for some clients hold an error's fields against it too."""
    return {"type": "object", "properties": fields}


def rows(**fields: Schema) -> Schema:
    """The schema of a list of such objects."""
    return {"type": "array", "items": record(**fields)}


def compact(fields: Fields) -> str:
    """The fields as JSON without white space."""
    return msgspec.json.encode(fields).decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A row: what a tool is called, what it takes, which request that makes, and how the answer reads.

    Without a scope it is open to every caller.
    """

    name: str
    summary: str
    scope: Scope | None
    request: Callable[[Arguments], object]
    reply: Callable[[Any, Arguments], Fields]
    output: Schema
    params: tuple[Param, ...] = ()
    rules: tuple[Rule, ...] = ()
    text: Callable[[Fields], str] = compact
    aliases: tuple[str, ...] = ()
    destructive: bool = False
    per_hour: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """How a value is completed: what its beginning asks for, and which values in the answer go on from it."""

    request: Callable[[str], object]
    values: Callable[[Any, str], Iterable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A row: a question that a person picks, answered from the store and handed to the model as messages."""

    name: str
    summary: str
    scope: Scope | None
    request: Callable[[Arguments], object]
    reply: Callable[[Any, Arguments], list[Fields]]
    params: tuple[Param, ...] = ()
    rules: tuple[Rule, ...] = ()
    completions: Mapping[str, Completion] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A row: what a client reads at an address. With a {variable} in it, it is a template of addresses.

    The reply is a `text` or a `blob`. Of a template, `listing` asks for those that are worth naming.
    """

    uri: str
    name: str
    summary: str
    scope: Scope | None
    request: Callable[[Arguments], object]
    reply: Callable[[Any, Arguments], Fields]
    mime: str = "text/plain"
    listing: "Listing | None" = None
    completions: Mapping[str, Completion] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listing:
    """The addresses of a template that are told unasked, each with its `uri`, `name` and `description`."""

    request: object
    reply: Callable[[Any], list[Fields]]


def result(text: str, fields: Fields, *, is_error: bool = False) -> Result:
    """What `tools/call` answers: a text for the model and the fields for its client."""
    return {"content": [{"type": "text", "text": text}], "structuredContent": fields, "isError": is_error}


def user_message(text: str) -> Fields:
    """A message of a prompt, in the words of the person."""
    return {"role": "user", "content": {"type": "text", "text": text}}


def envelope(tool: Tool, fields: Fields) -> Result:
    """The fields for the client, and their text for the model."""
    return result(tool.text(fields), fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """A dialect: its rows and its policies. An error has no row when it comes before the tool is known.

    Calls count against the plan's requests a minute, or a tool of its own hour.
    """

    name: str
    title: str
    paths: tuple[str, ...]
    instructions: str
    tools: tuple[Tool, ...]
    error: Callable[[CommonplaceError, Tool | None], Result | RpcError]
    envelope: Callable[[Tool, Fields], Result] = envelope
    unknown_arguments: UnknownArguments = "refuse"
    per_minute: bool = True
    prompts: tuple[Prompt, ...] = ()
    resources: tuple[Resource, ...] = ()
    parts: tuple["Surface", ...] = ()

    def resolve(self, name: str) -> tuple["Surface", str]:
        """Which dialect a tool's name belongs to, and what it is called there; a bare name is always our own."""
        for part in self.parts:
            for known in (name, name.removeprefix(f"{part.name}_")):
                if name.startswith(part.name) and part.find(known):
                    return part, known
        return self, name

    def find(self, name: str) -> Tool | None:
        """The row with this name or alias."""
        return next((tool for tool in self.tools if name == tool.name or name in tool.aliases), None)


def kind_of(error: CommonplaceError) -> str:
    """The name of an error's class in snake_case."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(error).__name__).lower()


def json_safe(facts: Mapping[str, object]) -> Fields:
    """The facts of an error as JSON can hold them."""
    safe: Fields = msgspec.to_builtins(dict(facts), enc_hook=str, str_keys=True)
    return safe
