"""What holds for every request: each engine can keep its texts and its whole numbers."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

from commonplace.model.errors import Invalid
from commonplace.model.names import is_text

INTEGER_MAX = 2**63 - 1
UNCHECKED = frozenset({"text", "vector"})
"""A verb mends its text itself; a vector is hundreds of plain numbers."""


def check(request: object) -> None:
    """Refuse what could be kept on one engine and not on the other."""
    for field in fields(request) if is_dataclass(request) else ():
        if field.name not in UNCHECKED:
            _check(field.name, getattr(request, field.name))


def _check(name: str, value: object) -> None:
    match value:
        case str() if not is_text(value):
            raise Invalid(f"{name} must not contain NUL or half a character.", param=name, reason="format")
        case int() if abs(value) > INTEGER_MAX:
            raise Invalid(f"{name} must be a number of at most 64 bits.", param=name, reason="range")
        case tuple() | list():
            for each in value:
                _check(name, each)
        case Mapping():
            _check(name, (*value.keys(), *value.values()))
        case _:
            check(value)
