from dataclasses import dataclass

from commonplace.retrieval.budget import fit, fit_each


@dataclass(frozen=True, slots=True)
class Sized:
    llm_tokens: int
    collection: str = "work"


def test_without_a_budget_everything_fits() -> None:
    assert fit([Sized(5), Sized(9)], None) == ([Sized(5), Sized(9)], 14)


def test_the_first_that_does_not_fit_ends_it() -> None:
    assert fit([Sized(5), Sized(9), Sized(1)], 10) == ([Sized(5)], 5)


def test_the_first_stands_alone_unless_nothing_may_be_said() -> None:
    assert fit([Sized(50)], 10) == ([Sized(50)], 50)
    assert fit([Sized(50)], 10, never_empty=False) == ([], 0)


def test_each_collection_has_its_own_cap() -> None:
    ranked = [Sized(6), Sized(6, "home"), Sized(6), Sized(1), Sized(4, "home")]
    assert fit_each(ranked, {"work": 10, "home": 10}) == [Sized(6), Sized(6, "home"), Sized(4, "home")]
