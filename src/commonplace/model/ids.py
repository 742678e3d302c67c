"""Ids: UUIDs inside, and 26 signs of Crockford's base32 behind a prefix where a contract asks for that."""

import re
from uuid import UUID

SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
VALUES = {sign: value for value, sign in enumerate(SIGNS)}
PREFIXES = ("kf", "chk", "src", "cor", "op")
RENDERED = re.compile(rf"(?:{'|'.join(PREFIXES)})_([0-7][{SIGNS}]{{25}})", re.IGNORECASE)


def render(prefix: str, thing: str) -> str:
    """An id as a contract writes it: sortable by time like the UUID itself."""
    number = UUID(thing).int
    return f"{prefix}_{''.join(SIGNS[number >> shift & 31] for shift in range(125, -1, -5))}"


def parse(text: str) -> str | None:
    """The UUID behind a UUID or a rendered id; None for anything else."""
    found = RENDERED.fullmatch(text)
    if found:
        number = 0
        for sign in found[1].upper():
            number = number << 5 | VALUES[sign]
        return str(UUID(int=number))
    try:
        return str(UUID(text))
    except ValueError:
        return None
