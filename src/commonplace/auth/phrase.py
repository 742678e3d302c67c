"""A master key that a person can write down: thirteen groups of five letters and digits.

Four characters of a group carry 20 bits, the fifth checks them and the group's place. So every single mistyped
character and every swap of neighbours, of characters or of groups, is noticed, and the message names the group. The
alphabet is Crockford's base 32, which has no letters that look like digits.
"""

import base64
import re

from commonplace.model.errors import Invalid

KEY_BYTES = 32
GROUPS = 13
GROUP_LENGTH = 5

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LOOKALIKES = str.maketrans("OILU", "011V")
_URL_SAFE = str.maketrans("-_", "+/")
_HEX = re.compile(r"[0-9a-fA-F]{64}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{43}=?")


def to_phrase(key: bytes) -> str:
    """The recovery phrase of a 32-byte key."""
    number = int.from_bytes(key)
    shifts = range((GROUPS - 1) * 20, -1, -20)
    return "-".join(_group(place, (number >> shift) & 0xFFFFF) for place, shift in enumerate(shifts, start=1))


def from_phrase(phrase: str) -> bytes:
    """The key of a recovery phrase; case, blanks and dashes do not matter."""
    symbols = re.sub(r"[\s-]", "", phrase).upper().translate(_LOOKALIKES)
    if len(symbols) != GROUPS * GROUP_LENGTH:
        raise Invalid(
            f"This is not a key: a recovery phrase has {GROUPS} groups of {GROUP_LENGTH} characters, "
            "a plain key 64 hexadecimal digits or 44 characters of base64."
        )
    number = 0
    for place in range(1, GROUPS + 1):
        start = (place - 1) * GROUP_LENGTH
        number = number << 20 | _bits(place, symbols[start : start + GROUP_LENGTH])
    if number >> KEY_BYTES * 8:
        raise _mistyped(1)
    return number.to_bytes(KEY_BYTES)


def read_key(text: str) -> bytes:
    """A key in any form a person may give it: hexadecimal, base64 or a recovery phrase."""
    plain = text.strip()
    if _HEX.fullmatch(plain):
        return bytes.fromhex(plain)
    if _BASE64.fullmatch(plain):
        return base64.b64decode(plain[:43].translate(_URL_SAFE) + "=")
    return from_phrase(plain)


def _group(place: int, bits: int) -> str:
    digits = [(bits >> shift) & 31 for shift in (15, 10, 5, 0)]
    return "".join(_ALPHABET[digit] for digit in (*digits, _check(place, digits)))


def _bits(place: int, group: str) -> int:
    digits = [_ALPHABET.find(symbol) for symbol in group]
    if -1 in digits or _check(place, digits[:4]) != digits[4]:
        raise _mistyped(place)
    return digits[0] << 15 | digits[1] << 10 | digits[2] << 5 | digits[3]


def _check(place: int, digits: list[int]) -> int:
    """A polynomial over the field of 32 elements, where unlike modulo 32 no two different digits weigh the same."""
    check = place
    for digit in digits:
        check = (check ^ digit) << 1
        check ^= 0b100101 if check & 32 else 0
    return check


def _mistyped(place: int) -> Invalid:
    return Invalid(
        f"Group {place} of the recovery phrase is mistyped; compare it with what you wrote down.", group=place
    )
