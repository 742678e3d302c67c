"""Bearer tokens: random, shown once, stored as a prefix and a SHA-256 digest.

A slow hash would add only latency: nobody can try out 192 random bits.
"""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field
from typing import Literal

TokenKind = Literal["kmt", "lev"]

_RANDOM_BYTES: dict[TokenKind, int] = {"kmt": 32, "lev": 24}
_FORM = re.compile(r"kmt_[A-Za-z0-9_-]{43}|lev_[A-Za-z0-9_-]{32}")
_PREFIX_LENGTH = 12


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token at the only moment when its secret is known."""

    secret: str = field(repr=False)
    prefix: str
    digest: bytes


def make_token(kind: TokenKind) -> NewToken:
    """A new token in the form of its contract (K-AUT-1, GR-AUT-1)."""
    secret = f"{kind}_{secrets.token_urlsafe(_RANDOM_BYTES[kind])}"
    return NewToken(secret, secret[:_PREFIX_LENGTH], digest(secret))


def looks_like_token(text: str) -> bool:
    """Whether a text has the form of a token; says nothing about its being one."""
    return _FORM.fullmatch(text) is not None


def digest(secret: str) -> bytes:
    """What is stored and looked up instead of the secret."""
    return hashlib.sha256(secret.encode()).digest()


def matches(secret: str, stored: bytes) -> bool:
    """Whether this is the secret of a stored digest, in the same time for every answer."""
    return looks_like_token(secret) and hmac.compare_digest(digest(secret), stored)
