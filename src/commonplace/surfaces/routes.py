"""What a REST route is: a tool with a method and a path, whose fields are the body of the response."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from commonplace.surfaces.contract import Fields, Result, RpcError, Surface, Tool

JSON = "application/json"

Method = Literal["GET", "POST", "PUT", "DELETE"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route(Tool):
    """A row: where it is asked for, and with which status it is answered. A parameter named in the path stands there.

    The others stand in the body, or in the query where there is none. An open route needs no token. Where the answer
    is not JSON it is the field `text`.
    """

    method: Method
    path: str
    status: int = 200
    has_body: bool | None = None
    media: str = JSON
    open: bool = False

    @property
    def takes_body(self) -> bool:
        """Whether what is not in the path stands in a body; unless a contract differs, it does where one may be."""
        return self.method in {"POST", "PUT"} if self.has_body is None else self.has_body

    def has_in_path(self, name: object) -> bool:
        """Whether a parameter is a part of the path."""
        return f"{{{name}}}" in self.path


def plain(_tool: Tool, fields: Fields) -> Result:
    """A response without an envelope, and without a note that says nothing."""
    return {name: value for name, value in fields.items() if name != "_meta" or value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest(Surface):
    """The routes of a dialect. The data of its errors are the bodies of the responses."""

    tools: tuple[Route, ...]
    paths: tuple[str, ...] = ()
    instructions: str = ""
    envelope: Callable[[Tool, Fields], Result] = plain


def route(tool: Tool, method: Method, path: str, status: int = 200) -> Route:
    """The route that asks for what a tool does, in the same words."""
    return Route(
        name=tool.name,
        summary=tool.summary,
        scope=tool.scope,
        request=tool.request,
        reply=tool.reply,
        output=tool.output,
        params=tool.params,
        rules=tool.rules,
        per_hour=tool.per_hour,
        method=method,
        path=path,
        status=status,
    )


def refusal(
    status: int, reason: str, message: str, facts: Mapping[str, object], headers: Mapping[str, str] | None = None
) -> RpcError:
    """What every dialect answers with where it refuses: a word for programs, a sentence for people, and the facts."""
    body = {"error": reason, "message": message, **facts}
    return RpcError(status, message, body, status, headers or {})
