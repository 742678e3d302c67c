"""Budgets of llm tokens: the best first, whole or not at all, and what was cut is told."""

from collections.abc import Sequence
from typing import Protocol, TypeVar


class Sized(Protocol):
    """Anything with a size in llm tokens."""

    @property
    def llm_tokens(self) -> int:
        """About how many tokens a language model reads in it."""


T = TypeVar("T", bound=Sized)


def fit(ranked: Sequence[T], budget: int | None) -> tuple[list[T], int]:
    """The best that fit, never cut; the first one always, or nothing would be said at all."""
    kept: list[T] = []
    spent = 0
    for each in ranked:
        if kept and budget is not None and spent + each.llm_tokens > budget:
            break
        kept.append(each)
        spent += each.llm_tokens
    return kept, spent
