from commonplace.retrieval.expand import REACHED_MAX, expand

EDGES = {"a": ["b"], "b": ["a", "c"], "c": ["b", "d"], "d": ["c"], "e": ["c"]}


def neighbours(ids: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(each, target) for each in ids for target in EDGES.get(each, [])]


def test_no_hops_lead_nowhere() -> None:
    assert expand({"a": 1.0}, neighbours, 0) == []


def test_each_hop_halves_the_score_and_tells_the_way() -> None:
    reached = expand({"a": 1.0}, neighbours, 3)
    assert [(each.id, each.score, each.via) for each in reached] == [
        ("b", 0.5, ("a",)),
        ("c", 0.25, ("a", "b")),
        ("d", 0.125, ("a", "b", "c")),
    ]


def test_of_several_ways_the_best_counts() -> None:
    (reached,) = [each for each in expand({"b": 0.2, "e": 0.8}, neighbours, 1) if each.id == "c"]
    assert (reached.score, reached.via) == (0.4, ("e",))


def test_what_was_found_is_lifted_only_where_the_way_to_it_is_worth_more() -> None:
    assert [(each.id, each.score) for each in expand({"a": 1.0, "b": 0.1}, neighbours, 1)] == [("b", 0.5), ("c", 0.05)]
    assert [each.id for each in expand({"a": 1.0, "b": 0.6}, neighbours, 1)] == ["c"]


def test_a_wide_graph_is_bounded() -> None:
    wide = expand({"hub": 1.0}, lambda ids: [(each, f"{each}-{n}") for each in ids for n in range(500)], 3)
    assert len(wide) == REACHED_MAX
