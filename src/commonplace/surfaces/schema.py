"""Rows as the lists of MCP show them; tools with JSON Schemas (draft 2020-12).

Rules between parameters stand in the summaries, not in the schemas: widely used clients refuse a tool whose schema has
`anyOf`, `not` or `if` at its top.
"""

from commonplace.model.access import Scope
from commonplace.surfaces.contract import Fields, Param, Schema, Surface, Tool

JSON_TYPES: dict[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object"}


def listing(surface: Surface) -> list[Schema]:
    """Every tool of a surface."""
    return [_listed(tool, closed=surface.unknown_arguments == "refuse") for tool in surface.tools]


def prompts(surface: Surface) -> list[Fields]:
    """Every prompt of a surface."""
    return [
        {
            "name": prompt.name,
            "description": prompt.summary,
            "arguments": [
                {"name": param.name, "description": param.summary, "required": param.required}
                for param in prompt.params
            ],
        }
        for prompt in surface.prompts
    ]


def templates(surface: Surface) -> list[Fields]:
    """Every template of addresses that a surface serves."""
    return [
        {"uriTemplate": row.uri, "name": row.name, "description": row.summary, "mimeType": row.mime}
        for row in surface.resources
        if "{" in row.uri
    ]


def input_schema(tool: Tool, *, closed: bool) -> Schema:
    """What a tool takes; a closed one refuses what it does not name."""
    shown = [param for param in tool.params if not param.hidden]
    schema: Schema = {"type": "object", "properties": {param.name: described(param) for param in shown}}
    required = [param.name for param in tool.params if param.required]
    if required:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return schema


def _listed(tool: Tool, *, closed: bool) -> Schema:
    return {
        "name": tool.name,
        "description": tool.summary,
        "inputSchema": input_schema(tool, closed=closed),
        **({"outputSchema": tool.output} if tool.output else {}),
        "annotations": {
            "readOnlyHint": tool.scope in {None, Scope.READ},
            "destructiveHint": tool.destructive,
            "openWorldHint": False,
        },
    }


def described(param: Param) -> Schema:
    """What a parameter takes, and what it is for."""
    schema = _value(param)
    if param.many:
        schema = _without_none(
            {"type": "array", "items": schema, "minItems": param.min_items or None, "maxItems": param.max_items}
        )
    default = list(param.default) if isinstance(param.default, tuple) else param.default
    return _without_none({**schema, "default": default, "description": param.summary})


def _value(param: Param) -> Schema:
    names = [JSON_TYPES[kind] for kind in param.kinds] + ["null"] * param.nullable
    # So many characters take at least as many bytes: the limit in bytes is the tightest one a schema can tell.
    limits = [limit for limit in (param.max_chars, param.max_bytes) if limit is not None]
    is_text = str in param.kinds and not param.enum
    return _without_none(
        {
            "type": names if len(names) > 1 else names[0],
            "enum": list(param.enum) or None,
            "minimum": param.minimum,
            "maximum": param.maximum,
            "minLength": param.min_chars or None if is_text else None,
            "maxLength": min(limits, default=None),
            "pattern": f"^(?:{param.pattern})$" if param.pattern else None,
        }
    )


def _without_none(schema: Schema) -> Schema:
    return {word: value for word, value in schema.items() if value is not None}
