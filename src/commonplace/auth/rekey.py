"""What the owner does with the master key: replace it, lock it with a passphrase, keep it elsewhere.

Data keys never change, so open stores go on. A kill at any point leaves keys that open.
"""

from dataclasses import replace
from typing import Literal

from commonplace.auth.homes import Home
from commonplace.auth.keys import Keys
from commonplace.auth.seal import key_id, lock, new_key, seal, unseal
from commonplace.auth.vault import Vault, new_store_id
from commonplace.model.errors import Conflict


def rotate(keys: Keys) -> None:
    """Make a new master key and seal every data key with it; the old recovery phrase opens older backups only."""
    if keys.masters.given is not None:
        raise Conflict(
            "A key that is given cannot be replaced here; run `commonplace key restore` with it, "
            "unset COMMONPLACE_KEY and COMMONPLACE_KEY_FILE, and rotate then."
        )
    locked = keys.vault().passphrase
    passphrase = keys.masters.ask(locked)[0] if locked else None
    with keys.opened() as (vault, master):
        vault.require_encryption()
        if vault.passphrase != locked:
            raise Conflict("The passphrase was changed in the meantime; run the command again.")
        fresh = new_key()
        opened = {name: unseal(master, sealed, name) for name, sealed in vault.data_keys.items()}
        renewed = replace(
            vault,
            key_id=key_id(fresh),
            data_keys={name: seal(fresh, key, name) for name, key in opened.items()},
            passphrase=lock(fresh, passphrase) if passphrase else None,
        )
        keys.masters.keep(renewed, fresh)
        keys.failpoint("master key kept")
        keys.change(vault, renewed)


def set_passphrase(keys: Keys, passphrase: str) -> None:
    """Lock the master key: from now on only the passphrase or the recovery phrase opens the store."""
    with keys.opened() as (vault, master):
        vault.require_encryption()
        keys.change(vault, replace(vault, home=Home.PASSPHRASE, passphrase=lock(master, passphrase)))


def remove_passphrase(keys: Keys) -> None:
    """Keep the master key in a file again."""
    with keys.opened() as (vault, master):
        if vault.home is not Home.PASSPHRASE:
            raise Conflict("No passphrase locks this store.")
        _move(keys, vault, master, Home.FILE)


def move(keys: Keys, home: Literal[Home.FILE, Home.KEYRING]) -> None:
    """Keep the master key in a file of the configuration directory, or in the keyring of the system."""
    with keys.opened() as (vault, master):
        vault.require_encryption()
        if vault.home is Home.PASSPHRASE:
            raise Conflict("A passphrase locks this store; remove it with `commonplace key passphrase --remove` first.")
        _move(keys, vault, master, home)


def install(keys: Keys) -> None:
    """Keep the master key of a restored store under an id of its own, so that it shares none with the original.

    A key that was given goes into a file: it is how a recovery phrase replaces a lost key or a forgotten passphrase.
    """
    with keys.opened() as (vault, master):
        home = Home.FILE if keys.masters.given is not None and vault.encrypted else vault.home
        passphrase = vault.passphrase if home is Home.PASSPHRASE else None
        own = replace(vault, store=new_store_id(), home=home, passphrase=passphrase, leftovers=())
        keys.masters.keep(own, master)
        keys.failpoint("master key kept")
        keys.write(own)


def _move(keys: Keys, vault: Vault, master: bytes, home: Home) -> None:
    moved = replace(vault, home=home, passphrase=None)
    keys.masters.keep(moved, master)
    keys.failpoint("master key kept")
    keys.change(vault, moved)
