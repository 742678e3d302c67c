"""The check of a call's arguments against its row."""

import re
from collections.abc import Mapping
from typing import Any

from commonplace.model.errors import Invalid, TooLarge
from commonplace.surfaces.contract import Arguments, Param, Prompt, Tool, UnknownArguments

NUMERAL = re.compile(r"\s*-?\d{1,15}(\.\d{1,15})?\s*", re.ASCII)
NOUNS: dict[type, str] = {str: "a string", int: "an integer", float: "a number", bool: "a boolean", dict: "an object"}


def check(tool: Tool | Prompt, arguments: object, unknown: UnknownArguments) -> tuple[Arguments, tuple[str, ...]]:
    """The arguments by parameter, defaults filled in, and the names of those that were ignored."""
    if not isinstance(arguments, Mapping):
        raise Invalid("arguments must be an object.", param="arguments", reason="type")
    ignored = _unknown(tool, arguments)
    if ignored and unknown == "refuse":
        raise _unknown_argument(tool, ignored[0])
    given = {param.name: _value(param, raw) for param in tool.params if (raw := _raw(param, arguments)) is not _ABSENT}
    _check_presence(tool, given)
    return {param.name: given.get(param.name, param.default) for param in tool.params}, ignored


_ABSENT = object()


def _unknown(tool: Tool | Prompt, arguments: Arguments) -> tuple[str, ...]:
    known = {name for param in tool.params for name in (param.name, *param.aliases)}
    return tuple(name for name in arguments if name not in known)


def _unknown_argument(tool: Tool | Prompt, name: str) -> Invalid:
    accepted = [param.name for param in tool.params if not param.hidden]
    return Invalid(
        f"{tool.name} takes no argument {name}; it takes {', '.join(accepted) or 'none'}.",
        param=name,
        reason="unknown_argument",
        accepted=accepted,
    )


def _raw(param: Param, arguments: Arguments) -> Any:
    """What was given under the parameter's name or an alias; null is absent unless the row allows it."""
    names = [name for name in (param.name, *param.aliases) if name in arguments]
    if "null" in param.words and any(arguments[name] is None for name in names):
        raise _refusal(param, "missing", f"{param.name} must not be null", "null")
    values = [arguments[name] for name in names if param.nullable or arguments[name] is not None]
    if any(value != values[0] for value in values):
        raise _refusal(param, "conflict", f"{' and '.join(names)} mean the same and must not differ")
    return values[0] if values else _ABSENT


def _check_presence(tool: Tool | Prompt, given: Arguments) -> None:
    for param in tool.params:
        if param.required and param.name not in given:
            raise _refusal(param, "missing", f"{param.name} is required")
    for rule in tool.rules:
        if not rule.holds(given):
            raise Invalid(rule.message, param=rule.param, reason=rule.reason)


def _value(param: Param, raw: Any) -> Any:
    if not param.many or raw is None:
        return _single(param, raw, param.name)
    if not isinstance(raw, list):
        raise _refusal(param, "type", f"{param.name} must be a list", "list")
    if len(raw) < param.min_items:
        raise _refusal(param, "empty", f"{param.name} must not be empty")
    if param.max_items is not None and len(raw) > param.max_items:
        raise _refusal(param, "range", f"{param.name} must have at most {param.max_items} elements")
    return tuple(_single(param, element, f"{param.name}[{index}]") for index, element in enumerate(raw))


def _single(param: Param, raw: Any, name: str) -> Any:
    if raw is None and param.nullable:
        return None
    value = _typed(param, raw, name)
    if isinstance(value, str):
        _check_text(param, value, name)
    elif isinstance(value, int | float):
        _check_range(param, value, name)
    return _read(param, value, name)


def _typed(param: Param, raw: Any, name: str) -> Any:
    raw = _heard(raw) if param.spoken else raw
    if not any(_is_a(raw, kind) for kind in param.kinds):
        expected = " or ".join(NOUNS[kind] for kind in param.kinds)
        raise _refusal(param, "type", f"{name} must be {expected}")
    return int(raw) if param.kinds == (int,) else raw


def _heard(raw: Any) -> Any:
    """The number that a text says; anything else as it is."""
    return float(raw) if isinstance(raw, str) and NUMERAL.fullmatch(raw) else raw


def _is_a(raw: Any, kind: type) -> bool:
    """JSON's types, not Python's: True is no number, and 5.0 is an integer."""
    if isinstance(raw, bool) or kind is bool:
        return isinstance(raw, bool) and kind is bool
    if isinstance(raw, float) and kind is int:
        return raw.is_integer()
    return isinstance(raw, int | float) if kind is float else isinstance(raw, kind)


def _check_text(param: Param, text: str, name: str) -> None:
    if param.enum and text not in (*param.enum, *param.hidden_enum):
        problem = f"{name} must be one of {', '.join(param.enum)}"
        raise _refusal(param, "enum", problem, allowed=list(param.enum), given=text)
    if param.min_chars and not text.strip():
        raise _refusal(param, "empty", f"{name} must not be empty")
    if len(text) < param.min_chars:
        problem = f"{name} must have at least {param.min_chars} characters"
        raise _refusal(param, "range", problem, minimum=param.min_chars)
    _check_size(param, text, name)
    if param.pattern and not re.fullmatch(param.pattern, text):
        raise _refusal(param, "format", f"{name} must have the form {param.pattern}")


def _check_size(param: Param, text: str, name: str) -> None:
    if param.max_chars is not None and len(text) > param.max_chars:
        raise _too_large(param, name, len(text), param.max_chars, "characters")
    if param.max_bytes is not None and (size := len(text.encode())) > param.max_bytes:
        raise _too_large(param, name, size, param.max_bytes, "bytes")


def _check_range(param: Param, number: float, name: str) -> None:
    low, high = param.minimum, param.maximum
    if (low is None or number >= low) and (high is None or number <= high):
        return
    if low is not None and high is not None:
        problem = f"{name} must be between {low} and {high}"
    else:
        problem = f"{name} must be at least {low}" if high is None else f"{name} must be at most {high}"
    side = "maximum" if high is not None and number > high else "minimum"
    raise _refusal(param, "range", problem, side, minimum=low, maximum=high)


def _read(param: Param, value: Any, name: str) -> Any:
    if param.read is None:
        return value
    try:
        return param.read(value)
    except Invalid as error:
        raise _refusal(param, "format", f"{name}: {error.message.rstrip('.')}", given=value) from error


def _refusal(
    param: Param, reason: str, problem: str, said: str = "", *, given: object = "", **facts: object
) -> Invalid:
    """In the contract's own words where it has some."""
    own = param.words.get(said or reason)
    message = problem if own is None else own.replace("{given}", str(given))
    return Invalid(f"{message}.", param=param.name, reason=reason, **facts)


def _too_large(param: Param, name: str, size: int, limit: int, unit: str) -> TooLarge:
    facts = {f"size_{unit}": size, f"limit_{unit}": limit}
    problem = param.words.get("too_large", f"{name} must have at most {limit} {unit}")
    return TooLarge(f"{problem}.", param=param.name, reason="too_large", **facts)
