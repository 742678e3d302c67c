"""Expansion: from what was found, over relations, to what it leads to; bounded in width and depth."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

SEEDS_MAX = 10
DAMPING = 0.5
REACHED_MAX = 50
DIGITS = 4

Neighbours = Callable[[tuple[str, ...]], Iterable[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Reached:
    """Something that relations lead to: a share of the score it was reached from, and the way there."""

    id: str
    score: float
    via: tuple[str, ...]


def expand(found: Mapping[str, float], neighbours: Neighbours, hops: int) -> list[Reached]:
    """What the best of the found leads to within some hops, where that is worth more than being found itself."""
    seeds = sorted(found, key=lambda each: (-found[each], each))[:SEEDS_MAX]
    front = {each: Reached(each, found[each], ()) for each in seeds}
    reached: dict[str, Reached] = {}
    for _ in range(hops):
        step: dict[str, Reached] = {}
        for origin, target in neighbours(tuple(front)):
            start = front[origin]
            candidate = Reached(target, round(start.score * DAMPING, DIGITS), (*start.via, origin))
            known = max(
                found.get(target, 0.0), *(each[target].score for each in (reached, step) if target in each), 0.0
            )
            if candidate.score > known:
                step[target] = candidate
        reached |= step
        front = step
        if not front or len(reached) >= REACHED_MAX:
            break
    return sorted(reached.values(), key=lambda each: (-each.score, each.id))[:REACHED_MAX]
