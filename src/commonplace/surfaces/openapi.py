"""The routes as a document of OpenAPI 3.1, for programs that generate clients from one."""

from collections.abc import Iterable, Sequence

from commonplace.surfaces.contract import TEXT, Fields, Param, Schema
from commonplace.surfaces.routes import JSON, Rest, Route
from commonplace.surfaces.schema import described

REFUSED: Schema = {
    "type": "object",
    "properties": {"error": TEXT, "message": TEXT},
    "required": ["error"],
    "description": "A word for programs, a sentence for people, and the facts that belong to it.",
}


def describe(rests: Sequence[Rest], url: str, version: str) -> Fields:
    """Every route of every dialect, as it is served at an address."""
    paths: dict[str, Fields] = {}
    for rest in rests:
        for row in rest.tools:
            paths.setdefault(row.path, {})[row.method.lower()] = _operation(rest, row)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Commonplace", "version": version},
        "servers": [{"url": url}],
        "tags": [{"name": rest.title} for rest in rests],
        "paths": paths,
        "components": {
            "schemas": {"Refused": REFUSED},
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(rest: Rest, row: Route) -> Fields:
    needs = f" Needs the scope {row.scope}." if row.scope else ""
    operation: Fields = {
        "operationId": f"{rest.name}.{row.name.removeprefix(f'{rest.name}.')}",
        "tags": [rest.title],
        "summary": row.summary,
        "description": " ".join((row.summary + needs, *(rule.message for rule in row.rules))),
        "security": [] if row.open else [{"bearer": []}],
        "parameters": [_parameter(row, param) for param in row.params if _shown(param) and not _is_in_body(row, param)],
        "responses": {
            str(row.status): {"description": "Done.", "content": {row.media: {"schema": row.output}}},
            "default": {
                "description": "Refused.",
                "content": {JSON: {"schema": {"$ref": "#/components/schemas/Refused"}}},
            },
        },
    }
    body = [param for param in row.params if _shown(param) and _is_in_body(row, param)]
    return {**operation, "requestBody": _body(body, closed=rest.unknown_arguments == "refuse")} if body else operation


def _shown(param: Param) -> bool:
    return not param.hidden


def _is_in_body(row: Route, param: Param) -> bool:
    return row.takes_body and not row.has_in_path(param.name)


def _parameter(row: Route, param: Param) -> Fields:
    place = "path" if row.has_in_path(param.name) else "query"
    schema = {word: value for word, value in described(param).items() if word != "description"}
    return {"name": param.name, "in": place, "required": param.required, "description": param.summary, "schema": schema}


def _body(params: Iterable[Param], *, closed: bool) -> Fields:
    params = tuple(params)
    required = [param.name for param in params if param.required]
    schema: Schema = {"type": "object", "properties": {param.name: described(param) for param in params}}
    if required:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return {"required": bool(required), "content": {JSON: {"schema": schema}}}
