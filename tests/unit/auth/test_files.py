from pathlib import Path

import pytest

from commonplace.auth.files import exclusive, read_whole, remove, write_whole
from commonplace.model.errors import Unavailable


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    write_whole(path, b"old")
    write_whole(path, b"new")
    assert read_whole(path) == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_gone_is_none_and_may_be_removed(tmp_path: Path) -> None:
    remove(tmp_path / "folder" / "gone")
    assert read_whole(tmp_path / "folder" / "gone") is None


def test_what_cannot_be_used_is_named_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "inside").mkdir(parents=True)
    for use in (read_whole, remove, lambda path: write_whole(path, b"new"), lambda path: exclusive(path).__enter__()):
        with pytest.raises(Unavailable, match="folder cannot be used"):
            use(folder)
    assert list(tmp_path.iterdir()) == [folder]


def test_the_lock_is_free_again_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="within"), exclusive(tmp_path / "lock"):
        raise ValueError("within")
    with exclusive(tmp_path / "lock"):
        assert (tmp_path / "lock").exists()
