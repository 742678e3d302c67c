"""What the knowmind surface offers besides tools: the prompt `status`."""

from commonplace.core.requests import CountAll
from commonplace.model.access import Scope
from commonplace.model.answer import Stats
from commonplace.surfaces.contract import Arguments, Fields, Prompt, user_message


def status_reply(stats: Stats, _: Arguments) -> list[Fields]:
    """Health and counts in words: what could be counted could be read."""
    lines = [
        f"The memory works (version {stats.version}). It holds:",
        "",
        f"- memories: {stats.memories}",
        f"- relations: {stats.relations}",
        f"- indexed chunks: {stats.chunks}",
        f"- collections: {len(stats.collections)}",
        f"- decisions that wait for me: {stats.reviews_pending}",
        "",
        "Tell me in one or two sentences how it stands.",
    ]
    return [user_message("\n".join(lines))]


PROMPTS = (
    Prompt(
        name="status",
        summary="Whether the memory works, and what it holds.",
        scope=Scope.READ,
        request=lambda _: CountAll(),
        reply=status_reply,
    ),
)
