import pytest

from commonplace.auth.seal import derive, key_id, lock, new_key, seal, unlock, unseal
from commonplace.model.errors import Damaged, Unauthenticated

MASTER = bytes(range(32))


def test_a_sealed_key_opens_under_its_name_only() -> None:
    key = new_key()
    sealed = seal(MASTER, key, "control.db")
    assert unseal(MASTER, sealed, "control.db") == key
    for name, content in (("other.db", sealed), ("control.db", sealed[:-1]), ("control.db", b"")):
        with pytest.raises(Damaged, match=r"in keys\.json is damaged"):
            unseal(MASTER, content, name)


def test_the_same_key_is_never_sealed_to_the_same_bytes() -> None:
    assert seal(MASTER, MASTER, "control.db") != seal(MASTER, MASTER, "control.db")


def test_derived_keys_differ_by_purpose_and_by_salt() -> None:
    assert len({derive(MASTER, "a"), derive(MASTER, "b"), derive(MASTER, "a", b"salt"), MASTER}) == 4


def test_the_id_of_a_key_stays_the_same_over_versions() -> None:
    assert key_id(MASTER) == "59b532d26684db5f"


def test_a_try_at_a_passphrase_costs_64_mebibytes() -> None:
    locked = lock(MASTER, "correct horse")
    assert (locked.cost_kib, locked.passes) == (65536, 3)
    assert unlock(locked, "correct horse") == MASTER
    with pytest.raises(Unauthenticated):
        unlock(locked, "correct house")
