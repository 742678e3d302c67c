"""What is told to registries of servers agrees with the package."""

import json
import tomllib
from typing import Any

from pages import ROOT

from commonplace import __version__

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
BUNDLE = ROOT / "packaging" / "mcpb"


def read(name: str) -> Any:
    return json.loads((ROOT / name).read_text("utf-8"))


SERVER, MANIFEST = read("server.json"), read("packaging/mcpb/manifest.json")


def test_every_place_names_the_same_version() -> None:
    bundle = tomllib.loads((BUNDLE / "pyproject.toml").read_text("utf-8"))["project"]
    [package] = SERVER["packages"]
    assert {SERVER["version"], package["version"], MANIFEST["version"], bundle["version"]} == {__version__}
    assert bundle["dependencies"] == [f"{PROJECT['name']}=={__version__}"]


def test_every_place_describes_it_alike_and_briefly() -> None:
    assert SERVER["description"] == MANIFEST["description"] == PROJECT["description"]
    assert len(PROJECT["description"]) <= 100


def test_the_registry_entry_starts_the_package_on_stdio() -> None:
    [package] = SERVER["packages"]
    assert SERVER["$schema"].endswith("/2025-12-11/server.schema.json")
    assert SERVER["name"].endswith(f"/{PROJECT['name']}")
    assert (package["registryType"], package["identifier"]) == ("pypi", PROJECT["name"])
    assert package["transport"] == {"type": "stdio"}
    assert package["packageArguments"][0] == {"type": "positional", "value": "mcp"}


def test_the_bundle_is_run_by_uv_and_has_what_it_starts() -> None:
    assert MANIFEST["manifest_version"] == "0.4"
    assert MANIFEST["server"]["type"] == "uv"
    assert (BUNDLE / MANIFEST["server"]["entry_point"]).is_file()
    assert MANIFEST["server"]["mcp_config"]["args"][-1] == MANIFEST["server"]["entry_point"]
    bundle = tomllib.loads((BUNDLE / "pyproject.toml").read_text("utf-8"))["project"]
    assert MANIFEST["compatibility"]["runtimes"]["python"] == bundle["requires-python"] == PROJECT["requires-python"]
