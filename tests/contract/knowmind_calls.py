"""Calls of the knowmind tools that several tests make; each of `TOOLS` is answered once `filled` has run."""

from typing import Any

from client import Client

from commonplace.core.app import App
from commonplace.core.workspaces import find_workspace
from commonplace.model.access import Caller, Scope
from commonplace.surfaces.knowmind import KNOWMIND

TOOLS = {
    "knowmind.recall": {"query": "onboarding"},
    "knowmind.recall_at_time": {"query": "onboarding"},
    "knowmind.list_relations": {"memory_id": "memory_a_2024_10"},
    "knowmind.health": {},
    "knowmind.stats": {},
    "knowmind.store_memory": {"content": "Anna owns onboarding.", "title": "Onboarding"},
    "knowmind.upload_document": {"content": "# Flow\n\nFirst day.", "title": "Handbook"},
    "knowmind.update_fact": {"target_id": "memory_a_2024_10", "new_title": "A", "new_content": "Changed."},
    "knowmind.link": {"from_id": "memory_a_2024_10", "to_id": "memory_b_2024_10", "rel_type": "OWNS"},
    "knowmind.unlink": {"from_id": "memory_a_2024_10", "to_id": "memory_b_2024_10", "rel_type": "OWNS"},
}
SECTIONS = "# Arrival\n\nKeys are at the porter.\n\n# Badge\n\nThe badge is printed in the basement.\n"
WRITES = [name for name, _ in list(TOOLS.items())[5:]]


def filled(client: Client) -> Client:
    """With two memories of known ids, the one owning the other."""
    for title in ("A", "B"):
        client.call("knowmind.store_memory", content=f"This is {title}.", title=title)
    client.call("knowmind.link", **TOOLS["knowmind.link"])
    return client


def client_of(app: App, *scopes: Scope) -> Client:
    """A client whose token has these scopes."""
    caller = Caller(find_workspace(app, "default").id, "token", scopes=frozenset(scopes))
    return Client(app, KNOWMIND, caller)


def message(name: str, **arguments: Any) -> dict[str, Any]:
    """The request that calls a tool."""
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def store(client: Client, title: str, content: str = "Something to keep.", **more: Any) -> str:
    """The id of a new memory."""
    stored: str = client.fields("knowmind.store_memory", content=content, title=title, **more)["memory_id"]
    return stored


def update(client: Client, target: str, title: str = "New", content: str = "Changed.", **more: Any) -> str:
    """The id of a new version."""
    given = {"target_id": target, "new_title": title, "new_content": content, **more}
    changed: str = client.fields("knowmind.update_fact", **given)["new_memory_id"]
    return changed


def link(client: Client, origin: str, target: str, kind: str) -> dict[str, Any]:
    """The ids of a relation."""
    return client.fields("knowmind.link", from_id=origin, to_id=target, rel_type=kind)


def outgoing(client: Client, thing: str) -> list[tuple[str, str]]:
    """What a memory is related to."""
    listed = client.fields("knowmind.list_relations", memory_id=thing)["outgoing"]
    return [(row["rel_type"], row["to"]) for row in listed]
