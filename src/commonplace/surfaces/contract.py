"""What a tool is: a row of data, from which its schema, the check of its arguments and its documentation follow.

A surface is a table of such rows with three policies: how an answer is wrapped, how an error reads on the wire, and
what happens to arguments that no row names. Rows and policies are pure, so that a dialect holds nothing but its words.
"""

import re
from collections.abc import Callable, Mapping
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
    """A parameter of a tool. With `many` it is a list, and what limits a value limits each element."""

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
    pattern: str | None = None
    read: Callable[[Any], Any] | None = None
    aliases: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[type, ...]:
        """The types its value may have."""
        return self.kind if isinstance(self.kind, tuple) else (self.kind,)


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition between parameters, over those that were given."""

    param: str
    reason: Literal["missing", "conflict"]
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
    """A row: what a tool is called, what it takes, which request that makes, and how the answer reads."""

    name: str
    summary: str
    scope: Scope
    request: Callable[[Arguments], object]
    reply: Callable[[Any, Arguments], Fields]
    output: Schema
    params: tuple[Param, ...] = ()
    rules: tuple[Rule, ...] = ()
    text: Callable[[Fields], str] = compact
    aliases: tuple[str, ...] = ()
    destructive: bool = False


def result(text: str, fields: Fields, *, is_error: bool = False) -> Result:
    """What `tools/call` answers: a text for the model and the fields for its client."""
    return {"content": [{"type": "text", "text": text}], "structuredContent": fields, "isError": is_error}


def envelope(tool: Tool, fields: Fields) -> Result:
    """The fields for the client, and their text for the model."""
    return result(tool.text(fields), fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """A dialect: its rows and its policies. An error has no row when the tool is unknown."""

    name: str
    title: str
    paths: tuple[str, ...]
    instructions: str
    tools: tuple[Tool, ...]
    error: Callable[[CommonplaceError, Tool | None], Result | RpcError]
    envelope: Callable[[Tool, Fields], Result] = envelope
    unknown_arguments: UnknownArguments = "refuse"

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
