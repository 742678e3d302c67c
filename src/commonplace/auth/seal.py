"""Keys under keys: data keys sealed by the master key, the master key sealed by a passphrase."""

import secrets
import unicodedata
from dataclasses import dataclass, replace
from typing import Annotated

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from msgspec import Meta

from commonplace.auth.phrase import KEY_BYTES
from commonplace.model.errors import Damaged, Invalid, Unauthenticated

PASSPHRASE_LENGTH_MIN = 8

# The second recommendation of RFC 9106: 64 MiB, three passes, four lanes.
COST_KIB = 64 * 1024
PASSES = 3
LANES = 4

_NONCE_BYTES = 12


@dataclass(frozen=True, slots=True)
class PassphraseLock:
    """A master key sealed by a passphrase, and the cost of a try; the limits are for forged files."""

    salt: bytes
    cost_kib: Annotated[int, Meta(ge=8 * 1024, le=1024 * 1024)]
    passes: Annotated[int, Meta(ge=1, le=16)]
    lanes: Annotated[int, Meta(ge=1, le=16)]
    sealed: bytes


def new_key() -> bytes:
    """A random key."""
    return secrets.token_bytes(KEY_BYTES)


def derive(key: bytes, purpose: str, salt: bytes = b"") -> bytes:
    """A key for one purpose, from which neither `key` nor the key of another purpose can be told."""
    return HKDF(SHA256(), KEY_BYTES, salt, f"commonplace {purpose}".encode()).derive(key)


def key_id(master: bytes) -> str:
    """The public name of a master key: it tells a wrong key from a right one and says nothing about it."""
    return derive(master, "id")[:8].hex()


def seal(master: bytes, key: bytes, name: str) -> bytes:
    """The data key of one file, to be opened by this master key and under this name only."""
    return _encrypt(derive(master, "wrap"), key, name)


def unseal(master: bytes, sealed: bytes, name: str) -> bytes:
    """The data key that was sealed."""
    try:
        return _decrypt(derive(master, "wrap"), sealed, name)
    except (InvalidTag, ValueError) as error:
        raise Damaged(f"The key of {name} in keys.json is damaged; restore keys.json from a backup.") from error


def lock(master: bytes, passphrase: str) -> PassphraseLock:
    """The master key sealed by a passphrase."""
    if len(passphrase) < PASSPHRASE_LENGTH_MIN:
        raise Invalid(f"A passphrase needs at least {PASSPHRASE_LENGTH_MIN} characters.")
    empty = PassphraseLock(secrets.token_bytes(16), COST_KIB, PASSES, LANES, sealed=b"")
    return replace(empty, sealed=_encrypt(_stretch(empty, passphrase), master, "master"))


def unlock(locked: PassphraseLock, passphrase: str) -> bytes:
    """The master key that was sealed by the passphrase."""
    try:
        return _decrypt(_stretch(locked, passphrase), locked.sealed, "master")
    except (InvalidTag, ValueError) as error:
        raise Unauthenticated("The passphrase is wrong; try again, or use the recovery phrase.") from error


def _stretch(locked: PassphraseLock, passphrase: str) -> bytes:
    """Keyboards write the same character in different code points, so these are made one first."""
    same = unicodedata.normalize("NFKC", passphrase).encode()
    return Argon2id(
        salt=locked.salt,
        length=KEY_BYTES,
        iterations=locked.passes,
        lanes=locked.lanes,
        memory_cost=locked.cost_kib,
    ).derive(same)


def _encrypt(key: bytes, secret: bytes, name: str) -> bytes:
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, secret, name.encode())


def _decrypt(key: bytes, sealed: bytes, name: str) -> bytes:
    return AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], name.encode())
