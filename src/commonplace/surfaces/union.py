"""Every contract at one address: our own tools under their bare names, the others' behind the name of their system."""

from dataclasses import replace

from commonplace.surfaces.contract import Surface, Tool


def union(own: Surface, parts: tuple[Surface, ...]) -> Surface:
    """A surface with the tools of all; a call is answered wholly by the dialect it belongs to."""
    tools = (*own.tools, *(_prefixed(part, tool) for part in parts for tool in part.tools))
    return replace(own, name="all", title=f"{own.title}, every contract", paths=("/mcp/all",), tools=tools, parts=parts)


def _prefixed(part: Surface, tool: Tool) -> Tool:
    bare = tool.name.removeprefix(f"{part.name}.")
    return replace(tool, name=f"{part.name}_{bare}", aliases=())
