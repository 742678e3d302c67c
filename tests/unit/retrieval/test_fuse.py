from dataclasses import dataclass

import pytest

from commonplace.retrieval.fuse import Scored, by_bm25, by_cosine, by_ranks, fuse, weighted


@dataclass(frozen=True, slots=True)
class Found:
    owner: str
    score: float
    chunk_id: str = ""


WORDS = [Found("a", 8.0), Found("b", 4.0)]
VECTORS = [Found("b", 0.9), Found("c", -0.2)]


def ranked(scored: list[Scored]) -> list[tuple[str, float]]:
    return [(each.id, round(each.score, 4)) for each in scored]


def test_the_blend_weighs_both_lists_alike() -> None:
    assert ranked(fuse(WORDS, VECTORS)) == [("a", 0.5), ("b", 0.5), ("c", 0.0)]
    assert ranked(fuse(WORDS, [])) == [("a", 1.0), ("b", 0.0)]
    assert ranked(fuse([Found("a", 3.0)], [])) == [("a", 1.0)]


def test_bm25_keeps_its_score_and_tells_its_rank() -> None:
    first, second = by_bm25([*reversed(WORDS)])
    assert (first.id, first.score, first.why["bm25"]) == ("a", 8.0, 8.0)
    assert (first.why["words"], second.why["words"]) == (0.8 / 61, 0.8 / 62)


def test_the_cosine_alone_is_never_negative() -> None:
    assert ranked(by_cosine(VECTORS)) == [("b", 0.9), ("c", 0.0)]


def test_a_fixed_share_counts_what_is_missing_as_nothing() -> None:
    assert ranked(weighted(WORDS, VECTORS, 0.7)) == [("b", 0.78), ("a", 0.3), ("c", 0.0)]
    assert ranked(weighted(WORDS, [], 0.0)) == [("a", 1.0), ("b", 0.5)]
    assert weighted([], [], 0.7) == []


def test_ranks_count_within_their_window() -> None:
    scored = {each.id: each for each in by_ranks(WORDS, VECTORS, 2)}
    assert scored["b"].score == pytest.approx(0.8 / 62 + 0.2 / 61)
    assert scored["a"].why == {"words": 0.8 / 61, "vectors": 0.0, "bm25": 8.0}
    assert {each.id for each in by_ranks(WORDS, VECTORS, 1)} == {"a", "b"}


def test_equal_scores_are_in_the_order_of_their_ids() -> None:
    twins = [Found("x", 1.0, "2"), Found("y", 1.0, "1")]
    assert [each.id for each in by_bm25(twins)] == ["1", "2"]
    assert [each.id for each in by_cosine(twins)] == ["1", "2"]
