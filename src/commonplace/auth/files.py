"""Files that hold keys: read by their owner only, replaced whole, and changed by one process at a time."""

import errno
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from commonplace.model.errors import Unavailable

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def read_whole(path: Path) -> bytes | None:
    """The bytes of a file, or None where there is no such file."""
    with _usable(path):
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file at one instant: whoever reads it, also after a kill, meets the old bytes or the new ones."""
    beside = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
    with _usable(path):
        try:
            _write_new(beside, content)
            beside.replace(path)
        except OSError:
            with suppress(OSError):
                beside.unlink()
            raise
        sync_folder(path.parent)


def remove(path: Path) -> None:
    """Remove a file; one that is gone already is fine."""
    with _usable(path), suppress(FileNotFoundError):
        path.unlink()
        sync_folder(path.parent)


def make_folder(path: Path) -> None:
    """Make a folder that only its owner can look into, unless it is there."""
    with _usable(path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Wait until nobody else holds this lock file, then hold it; the system frees it when a process dies."""
    with _usable(path):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        with _usable(path):
            _acquire(handle)
        try:
            yield
        finally:
            _release(handle)
    finally:
        os.close(handle)


@contextmanager
def _usable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be used ({error.strerror}); check that this user may read and write it."
        ) from error


def _write_new(path: Path, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


if sys.platform == "win32":

    def _acquire(handle: int) -> None:
        while True:
            try:
                msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
            except OSError as error:  # Windows gives up after ten seconds; whoever holds the lock may need longer
                if error.errno != errno.EDEADLK:
                    raise
            else:
                return

    def _release(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

    def sync_folder(folder: Path) -> None:
        """Make the names in a folder last; Windows writes them with the file."""

else:

    def _acquire(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

    def _release(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)

    def sync_folder(folder: Path) -> None:
        """Make the names in a folder last."""
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
