"""The plain bytes of a data directory: every page, free ones too, and every frame of a journal, without SQLite."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

from commonplace.auth.keys import Keys

PAGE_BYTES = 4096
TAIL_BYTES = 32
"""At the end of an encrypted page: sixteen bytes of nonce, sixteen of seal."""
HEAD_BYTES = 24
"""At the start of the first page: what SQLite must know before it has a key."""
JOURNAL_HEAD_BYTES = 32
FRAME_HEAD_BYTES = 24


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of a data directory, as the words in it would read."""
    keys = Keys(folder / "data", folder / "config")
    for path in sorted(each for each in (folder / "data").rglob("*") if each.is_file()):
        store = path.relative_to(folder / "data").as_posix().removesuffix("-wal")
        key = keys.data_key(store) if store.endswith(".db") else None
        # By another process: one that closes a file lets go of every lock it has on it, SQLite's too.
        raw = subprocess.run(["cat", path], capture_output=True, check=True).stdout
        yield path.name, raw if key is None else b"".join(pages(raw, key, journal=path.name.endswith("-wal")))


def pages(raw: bytes, key: bytes, *, journal: bool = False) -> Iterator[bytes]:
    """The pages of an encrypted file, or of its journal."""
    if not journal:
        for start in range(0, len(raw), PAGE_BYTES):
            yield page(raw[start : start + PAGE_BYTES], start // PAGE_BYTES + 1, key)
        return
    for start in range(JOURNAL_HEAD_BYTES, len(raw), FRAME_HEAD_BYTES + PAGE_BYTES):
        frame = raw[start : start + FRAME_HEAD_BYTES + PAGE_BYTES]
        yield page(frame[FRAME_HEAD_BYTES:], int.from_bytes(frame[:4]), key)


def page(raw: bytes, number: int, key: bytes) -> bytes:
    """One page without its cipher: ChaCha20 with a key of its own, which the nonce and the number give."""
    body, nonce = raw[:-TAIL_BYTES], raw[-TAIL_BYTES : -TAIL_BYTES // 2]
    counter = int.from_bytes(nonce[-4:], "little") ^ number
    own = _stream(key, counter, nonce[:-4], bytes(64))[32:]
    start = HEAD_BYTES if number == 1 else 0
    return raw[:start] + _stream(own, counter + 1, nonce[:-4], body[start:])


def _stream(key: bytes, counter: int, nonce: bytes, data: bytes) -> bytes:
    start = (counter % 2**32).to_bytes(4, "little") + nonce
    return Cipher(algorithms.ChaCha20(key, start), None).encryptor().update(data)
