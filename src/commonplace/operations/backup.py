"""A backup is one file: a tar with the control part, every workspace, keys.json and a list of it all, under a seal.

The members are encrypted where the store is, under the same keys. The seal, a line after the tar, is the sha256 of
every byte in front of it, so that a flipped bit or a cut end is noticed before anything is unpacked.
"""

import hashlib
import os
import re
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

import msgspec

from commonplace import __version__
from commonplace.auth.files import make_folder, read_whole, sync_folder, write_whole
from commonplace.auth.homes import Home
from commonplace.auth.keys import Keys
from commonplace.auth.rekey import install
from commonplace.auth.vault import VAULT_NAME
from commonplace.core.app import App
from commonplace.core.workspaces import list_workspaces
from commonplace.model.errors import Conflict, Damaged, Unavailable
from commonplace.model.interval import format_instant
from commonplace.store.connection import CONTROL
from commonplace.store.sqlite import file_of

FORMAT = 1
MANIFEST_NAME = "manifest.json"
STAGING_NAME = ".restoring"
SEAL_BYTES = 91
BLOCK_BYTES = 1024 * 1024
NAME = re.compile(r"manifest\.json|keys\.json|control\.db|workspaces/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.db")


class Member(msgspec.Struct, frozen=True):
    """One file of a backup."""

    name: str
    size_bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """What a backup says of itself."""

    format: int
    product: str
    created_at: str
    members: tuple[Member, ...]


def write_backup(app: App, data_dir: Path, file: Path) -> Manifest:
    """Write a new backup while the store goes on; each part in it is of one moment."""
    _refuse_existing(file)
    with _on_disk(file), TemporaryDirectory(prefix=".commonplace-backup-", dir=file.parent) as folder:
        whole = Path(folder) / "backup.tar"
        whole.touch(0o600)
        with tarfile.open(whole, "w") as archive:
            members = tuple(_pack(archive, name, path) for name, path in _parts(app, data_dir, Path(folder)))
            manifest = Manifest(FORMAT, __version__, format_instant(app.clock.now()), members)
            listed = Path(folder) / MANIFEST_NAME
            write_whole(listed, msgspec.json.format(msgspec.json.encode(manifest), indent=2))
            _pack(archive, MANIFEST_NAME, listed)
        with whole.open("r+b") as opened:
            opened.write(_seal(opened, whole.stat().st_size))
            _sync(opened)
        _refuse_existing(file)
        whole.rename(file)
        sync_folder(file.parent)
    return manifest


def restore_backup(
    file: Path,
    data_dir: Path,
    config_dir: Path,
    *,
    given: str | None = None,
    passphrase: Callable[[], str] | None = None,
) -> Manifest:
    """Bring a backup back into an empty data directory, whole or not at all; its master key must be at hand."""
    with _on_disk(file):
        _check_seal(file)
    with _on_disk(data_dir), _staging(data_dir) as staging:
        manifest = _unpack(file, staging)
        _install_key(Keys(staging, config_dir, given=given, passphrase=passphrase), given)
        # Without keys.json nobody takes what is there for a store, so it comes last.
        for name in ("workspaces", file_of(CONTROL).name, VAULT_NAME):
            if (staging / name).exists():
                (staging / name).rename(data_dir / name)
        sync_folder(data_dir)
    return manifest


def _parts(app: App, data_dir: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Each part in turn as a file that is there until the next one is asked for."""
    copied = folder / "part.db"
    workspaces = _workspaces(app)
    for part in (CONTROL, *workspaces):
        app.db.engine.copy(part, copied)
        yield file_of(part).as_posix(), copied
        copied.unlink()
    write_whole(copied, read_whole(data_dir / VAULT_NAME) or b"")
    yield VAULT_NAME, copied
    if _workspaces(app) != workspaces:  # the list, the parts and the keys may then be of different sets
        raise Conflict("A workspace was made or deleted during the backup; run it again.")


def _workspaces(app: App) -> list[str]:
    return [each.id for each in list_workspaces(app)]


def _pack(archive: tarfile.TarFile, name: str, path: Path) -> Member:
    told = tarfile.TarInfo(name)
    told.size, told.mode, told.mtime = path.stat().st_size, 0o600, int(path.stat().st_mtime)
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
        opened.seek(0)
        archive.addfile(told, opened)
    return Member(name, told.size, digest)


def _unpack(file: Path, staging: Path) -> Manifest:
    with _whole(file), tarfile.open(file, "r:") as archive:
        members = {told.name: _unpacked(archive, told, staging) for told in archive}
    manifest = _manifest(file, staging)
    listed = {member.name: member for member in manifest.members}
    if members != {**listed, MANIFEST_NAME: members[MANIFEST_NAME]}:
        raise _damaged(file)
    return manifest


def _unpacked(archive: tarfile.TarFile, told: tarfile.TarInfo, staging: Path) -> Member:
    content = archive.extractfile(told) if told.isreg() and NAME.fullmatch(told.name) else None
    if content is None:
        raise Damaged(f"The backup holds something that is none of its parts ({told.name}); nothing was restored.")
    path = staging / told.name
    make_folder(path.parent)
    with content, path.open("xb") as opened:
        path.chmod(0o600)
        shutil.copyfileobj(content, opened, BLOCK_BYTES)
        _sync(opened)
    with path.open("rb") as opened:
        return Member(told.name, told.size, hashlib.file_digest(opened, "sha256").hexdigest())


def _manifest(file: Path, staging: Path) -> Manifest:
    path = staging / MANIFEST_NAME
    try:
        read = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _damaged(file) from error
    if read.format != FORMAT:
        raise Unavailable(f"{file} was written by a newer Commonplace ({read.product}); restore it with that version.")
    path.unlink()
    return read


def _install_key(keys: Keys, given: str | None) -> None:
    """Open every key of the backup, then keep the master key for the store that it becomes."""
    try:
        keys.verify()
    except Unavailable as error:
        if given:
            raise Unavailable(
                "This key does not open the backup: give the recovery phrase of the time when the backup was made."
            ) from error
        if keys.status().home is Home.PASSPHRASE:
            raise
        raise Unavailable(
            f"The master key of the backup is not at hand, it was kept in {keys.status().place}: "
            "put it back there, or give it or the recovery phrase as COMMONPLACE_KEY.",
            reason="key_missing",
        ) from error
    install(keys)


@contextmanager
def _staging(data_dir: Path) -> Iterator[Path]:
    """A folder inside the data directory, which may be a mount; nothing is left of it but what was moved out."""
    if data_dir.exists() and any(data_dir.iterdir()):
        raise Conflict(f"{data_dir} is not empty; restore into an empty directory.")
    made = not data_dir.exists()
    make_folder(data_dir)
    staging = data_dir / STAGING_NAME
    make_folder(staging)
    try:
        yield staging
    finally:
        shutil.rmtree(staging)
        if made and not any(data_dir.iterdir()):
            data_dir.rmdir()


def _seal(opened: BinaryIO, size_bytes: int) -> bytes:
    """The line that ends a backup; the file stands behind the bytes it is about."""
    digest = hashlib.sha256()
    left = size_bytes
    while left > 0 and (block := opened.read(min(left, BLOCK_BYTES))):
        digest.update(block)
        left -= len(block)
    return f"commonplace backup sha256 {digest.hexdigest()}\n".encode()


def _check_seal(file: Path) -> None:
    with file.open("rb") as opened:
        expected = _seal(opened, file.stat().st_size - SEAL_BYTES)
        if opened.read() != expected:
            raise _damaged(file)


def _damaged(file: Path) -> Damaged:
    return Damaged(f"{file} is damaged, cut short or no backup; nothing was restored, use another one.")


@contextmanager
def _whole(file: Path) -> Iterator[None]:
    try:
        yield
    except tarfile.TarError as error:
        raise _damaged(file) from error


def _refuse_existing(file: Path) -> None:
    if file.exists():
        raise Conflict(f"{file} is there already; give the backup another name.")


def _sync(opened: BinaryIO) -> None:
    opened.flush()
    os.fsync(opened.fileno())


@contextmanager
def _on_disk(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be used ({error.strerror or error}): check its folder and the space there."
        ) from error
