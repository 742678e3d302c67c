"""Budgets of llm tokens: the best first, whole or not at all, and what was cut is told."""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar


class Sized(Protocol):
    """Anything with a size in llm tokens."""

    @property
    def llm_tokens(self) -> int:
        """About how many tokens a language model reads in it."""


class Kept(Sized, Protocol):
    """Anything with a size that is kept in a collection."""

    @property
    def collection(self) -> str:
        """Its slug."""


T = TypeVar("T", bound=Sized)
K = TypeVar("K", bound=Kept)


def fit(ranked: Sequence[T], budget: int | None, *, never_empty: bool = True) -> tuple[list[T], int]:
    """The best that fit, never cut; the first one even if it does not, unless nothing may be said at all."""
    kept: list[T] = []
    spent = 0
    for each in ranked:
        if (kept or not never_empty) and budget is not None and spent + each.llm_tokens > budget:
            break
        kept.append(each)
        spent += each.llm_tokens
    return kept, spent


def fit_each(ranked: Sequence[K], caps: Mapping[str, int]) -> list[K]:
    """The best of each collection up to its cap: what would exceed it goes, and all of that collection below it."""
    left = dict(caps)
    kept = []
    for each in ranked:
        left[each.collection] -= each.llm_tokens
        if left[each.collection] >= 0:
            kept.append(each)
        else:
            left[each.collection] = 0
    return kept
