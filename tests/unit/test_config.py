from pathlib import Path

import pytest

from commonplace.config import HIDDEN, SETTINGS, load, shown
from commonplace.model.errors import Invalid


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.toml").write_text('port = 7000\nhosts = ["a.example"]\nworkspace = "from the file"\n')
    return tmp_path


def test_flags_win_over_the_environment_and_that_over_the_file_and_that_over_defaults(folder: Path) -> None:
    environment = {"COMMONPLACE_CONFIG_DIR": str(folder), "COMMONPLACE_PORT": "7001", "COMMONPLACE_WORKSPACE": "env"}
    loaded = load({"workspace": "flag", "host": None}, environment)
    settings = loaded.settings
    assert (settings.workspace, settings.port, settings.hosts, settings.host) == (
        "flag",
        7001,
        ("a.example",),
        "127.0.0.1",
    )
    assert [loaded.origins[name] for name in ("workspace", "port", "hosts", "host")] == [
        "flag",
        "environment",
        str(folder / "config.toml"),
        "default",
    ]


def test_a_flag_names_another_settings_file(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("port = 9000\n")
    assert load({"config": str(other), "config_dir": str(folder)}, {}).settings.port == 9000
    with pytest.raises(Invalid, match="There is no settings file"):
        load({"config": str(tmp_path / "absent.toml")}, {})


def test_without_any_source_every_setting_has_its_default(tmp_path: Path) -> None:
    loaded = load({"config_dir": tmp_path}, {})
    assert loaded.settings.port == 8642
    assert loaded.settings.data_dir.is_absolute()


def test_a_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("ab" * 32 + "\n")
    environment = {"COMMONPLACE_CONFIG_DIR": str(tmp_path), "COMMONPLACE_KEY_FILE": str(path)}
    assert load({}, environment).settings.key == "ab" * 32
    with pytest.raises(Invalid, match="cannot be read"):
        load({}, {**environment, "COMMONPLACE_KEY_FILE": str(tmp_path / "absent")})


def test_an_empty_variable_says_nothing(tmp_path: Path) -> None:
    environment = {"COMMONPLACE_CONFIG_DIR": str(tmp_path), "COMMONPLACE_PORT": "", "COMMONPLACE_DATABASE": ""}
    loaded = load({}, environment)
    assert (loaded.settings.port, loaded.origins["database"]) == (8642, "default")


def test_a_list_is_written_with_commas(tmp_path: Path) -> None:
    environment = {"COMMONPLACE_CONFIG_DIR": str(tmp_path), "COMMONPLACE_HOSTS": "a.example, b.example,"}
    assert load({}, environment).settings.hosts == ("a.example", "b.example")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("port", "many", "port .environment. must be a whole number, not 'many'"),
        ("workers_max", "0", "workers_max .environment. must be at least 1, not 0"),
        ("encryption", "yes", "encryption .environment. must not be 'yes': on or off"),
        ("database", "mysql://x", "database .environment. must not be 'mysql://x'"),
        ("log_level", "loud", "debug, info, warning or error"),
        ("public_url", "example.org", "public_url .environment. must not be"),
    ],
)
def test_a_wrong_value_is_refused_with_its_name_and_origin(tmp_path: Path, name: str, value: str, says: str) -> None:
    with pytest.raises(Invalid, match=says):
        load({"config_dir": tmp_path}, {f"COMMONPLACE_{name.upper()}": value})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"prot = 1", "unknown settings: prot"),
        (b"port = ", "cannot be read"),
        (b"port = [1]", "port .* must be a whole number"),
        (b"\xff", "cannot be read"),
    ],
)
def test_a_wrong_file_is_refused_with_its_path(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "config.toml").write_bytes(content)
    with pytest.raises(Invalid, match=says) as caught:
        load({"config_dir": tmp_path}, {})
    assert str(tmp_path) in caught.value.message


def test_variables_that_name_no_setting_are_told(tmp_path: Path) -> None:
    environment = {"COMMONPLACE_PROT": "1", "COMMONPLACE_KEY_FILE": "", "COMMONPLACE_PORT_FILE": "x", "HOME": "x"}
    assert load({"config_dir": tmp_path}, environment).unknown == ("COMMONPLACE_PORT_FILE", "COMMONPLACE_PROT")


@pytest.mark.parametrize(
    ("address", "masked"),
    [
        ("sqlite", "sqlite"),
        ("postgresql://host/base", "postgresql://host/base"),
        ("postgresql://me@host/base", "postgresql://me@host/base"),
        ("postgresql://me:pa@ss@host/base", f"postgresql://me:{HIDDEN}@host/base"),
        ("postgresql://host/base?user=me&password=pass&a=b", f"postgresql://host/base?user=me&password={HIDDEN}&a=b"),
    ],
)
def test_the_password_of_a_database_is_not_shown(tmp_path: Path, address: str, masked: str) -> None:
    assert shown(load({"config_dir": tmp_path, "database": address}, {}).settings)["database"] == masked


def test_the_master_key_is_not_shown(tmp_path: Path) -> None:
    assert shown(load({"config_dir": tmp_path, "key": "ab" * 32}, {}).settings)["key"] == HIDDEN


def test_every_setting_says_what_it_is_for() -> None:
    assert all(setting.metadata["says"].endswith((".", "…")) for setting in SETTINGS.values())
