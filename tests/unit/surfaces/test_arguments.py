from collections.abc import Mapping
from typing import Any

import pytest

from commonplace.model.access import Scope
from commonplace.model.errors import Invalid, TooLarge
from commonplace.model.interval import parse_instant
from commonplace.surfaces.arguments import check
from commonplace.surfaces.contract import (
    Param,
    Rule,
    Tool,
    at_least_one,
    conflicts,
    record,
    required_when,
    requires,
)


def tool(*params: Param, rules: tuple[Rule, ...] = ()) -> Tool:
    return Tool(
        name="look",
        summary="Look.",
        scope=Scope.READ,
        request=dict,
        reply=lambda answer, _: answer,
        output=record(),
        params=params,
        rules=rules,
    )


def checked(param: Param, raw: object) -> Any:
    arguments, _ = check(tool(param), {param.name: raw}, "refuse")
    return arguments[param.name]


def refused(row: Tool, arguments: object) -> Invalid:
    with pytest.raises(Invalid) as caught:
        check(row, arguments, "refuse")
    return caught.value


def facts(row: Tool, arguments: object) -> Mapping[str, object]:
    return refused(row, arguments).facts


def test_absent_and_null_arguments_take_the_default() -> None:
    row = tool(Param("k", int, "How many.", default=8), Param("tags", str, "Tags.", many=True, default=()))
    assert check(row, {"tags": None}, "refuse") == ({"k": 8, "tags": ()}, ())


def test_null_is_a_value_where_the_row_allows_it() -> None:
    row = tool(Param("title", str, "Title.", nullable=True, default="unnamed"))
    assert check(row, {"title": None}, "refuse")[0] == {"title": None}


@pytest.mark.parametrize("raw", [5, 5.0])
def test_an_integer_may_be_written_with_a_point(raw: float) -> None:
    value = checked(Param("k", int, "How many."), raw)
    assert (value, type(value)) == (5, int)


@pytest.mark.parametrize(
    ("kind", "raw"),
    [(int, True), (int, "5"), (int, 5.5), (float, True), (float, "1"), (bool, 1), (bool, "true"), (str, 1), (dict, [])],
)
def test_a_value_of_another_json_type_is_refused(kind: type, raw: object) -> None:
    assert facts(tool(Param("x", kind, "X.")), {"x": raw}) == {"param": "x", "reason": "type"}


def test_an_object_is_taken_as_it_is() -> None:
    assert checked(Param("media", dict, "Media."), {"a": 1}) == {"a": 1}


@pytest.mark.parametrize("raw", ["text", 41, 0.5, True])
def test_one_of_several_types_keeps_its_value(raw: object) -> None:
    assert checked(Param("object", (str, float, bool), "Object."), raw) is raw


def test_a_type_error_names_every_type_that_would_do() -> None:
    error = refused(tool(Param("object", (str, float, bool), "Object.")), {"object": []})
    assert error.message == "object must be a string or a number or a boolean."


@pytest.mark.parametrize("raw", [0, 51])
def test_a_number_outside_its_range_is_refused_with_the_range(raw: int) -> None:
    error = refused(tool(Param("k", int, "How many.", minimum=1, maximum=50)), {"k": raw})
    assert error.message == "k must be between 1 and 50."
    assert error.facts == {"param": "k", "reason": "range", "minimum": 1, "maximum": 50}


def test_a_range_may_be_open_at_one_end() -> None:
    assert refused(tool(Param("n", int, "N.", minimum=1)), {"n": 0}).message == "n must be at least 1."
    assert refused(tool(Param("n", int, "N.", maximum=9)), {"n": 10}).message == "n must be at most 9."


def test_a_word_outside_the_choice_is_refused_with_the_choice() -> None:
    error = refused(tool(Param("mode", str, "Mode.", enum=("hybrid", "keyword"))), {"mode": "magic"})
    assert error.facts == {"param": "mode", "reason": "enum", "allowed": ["hybrid", "keyword"]}


@pytest.mark.parametrize("raw", ["", " \n"])
def test_a_blank_text_is_empty(raw: str) -> None:
    assert facts(tool(Param("query", str, "Query.")), {"query": raw})["reason"] == "empty"


def test_a_blank_text_passes_where_the_row_asks_for_no_characters() -> None:
    assert checked(Param("note", str, "Note.", min_chars=0), "") == ""


def test_too_few_characters_are_out_of_range() -> None:
    assert facts(tool(Param("text", str, "Text.", min_chars=20)), {"text": "short"})["reason"] == "range"


def test_sizes_are_counted_in_characters_or_in_bytes_as_the_row_says() -> None:
    assert checked(Param("title", str, "Title.", max_chars=3), "äöü") == "äöü"
    error = refused(tool(Param("query", str, "Query.", max_bytes=3)), {"query": "äöü"})
    assert isinstance(error, TooLarge)
    assert error.facts == {"param": "query", "reason": "too_large", "size_bytes": 6, "limit_bytes": 3}
    assert facts(tool(Param("title", str, "Title.", max_chars=3)), {"title": "äöüß"})["limit_characters"] == 3


def test_a_pattern_holds_for_the_whole_text() -> None:
    param = Param("rel_type", str, "Relation.", pattern=r"[A-Z_]+")
    assert checked(param, "PART_OF") == "PART_OF"
    assert facts(tool(param), {"rel_type": "PART_OF\n"})["reason"] == "format"


def test_a_reader_turns_the_text_into_a_value_or_names_the_parameter() -> None:
    param = Param("as_of", str, "When.", read=parse_instant)
    assert checked(param, "1970-01-01T00:00:01Z") == 1_000_000
    error = refused(tool(param), {"as_of": "soon"})
    assert error.facts == {"param": "as_of", "reason": "format"}
    assert error.message.startswith("as_of: ")


def test_a_list_is_checked_element_by_element() -> None:
    param = Param("tags", str, "Tags.", many=True, max_chars=5, min_items=1, max_items=2)
    assert checked(param, ["one", "two"]) == ("one", "two")
    assert refused(tool(param), {"tags": ["one", 2]}).message == "tags[1] must be a string."
    assert facts(tool(param), {"tags": "one"})["reason"] == "type"
    assert facts(tool(param), {"tags": []})["reason"] == "empty"
    assert facts(tool(param), {"tags": ["a", "b", "c"]})["reason"] == "range"


def test_an_unknown_argument_is_refused_by_name() -> None:
    error = refused(tool(Param("query", str, "Query."), Param("k", int, "K.")), {"qurey": "x"})
    assert error.message == "look takes no argument qurey; it takes query, k."
    assert error.facts == {"param": "qurey", "reason": "unknown_argument", "accepted": ["query", "k"]}


def test_an_unknown_argument_is_named_where_the_surface_ignores_it() -> None:
    assert check(tool(Param("k", int, "K.", default=1)), {"z": 0}, "ignore") == ({"k": 1}, ("z",))


def test_an_alias_stands_for_its_parameter_but_must_not_contradict_it() -> None:
    row = tool(Param("query", str, "Query.", aliases=("q",)))
    assert check(row, {"q": "x"}, "refuse")[0] == {"query": "x"}
    assert check(row, {"q": "x", "query": "x"}, "refuse")[0] == {"query": "x"}
    assert facts(row, {"q": "x", "query": "y"}) == {"param": "query", "reason": "conflict"}


def test_a_required_parameter_must_be_there() -> None:
    row = tool(Param("query", str, "Query.", required=True))
    assert facts(row, {}) == facts(row, {"query": None}) == {"param": "query", "reason": "missing"}


def test_arguments_are_an_object() -> None:
    assert facts(tool(), ["query"]) == {"param": "arguments", "reason": "type"}


@pytest.mark.parametrize(
    ("rule", "breaks", "keeps", "fact"),
    [
        (requires("a", "b"), {"a": 1}, {"b": 1}, {"param": "b", "reason": "missing"}),
        (conflicts("a", "b"), {"a": 1, "b": 1}, {"a": 1}, {"param": "a", "reason": "conflict"}),
        (at_least_one("a", "b"), {}, {"b": 1}, {"param": "a", "reason": "missing"}),
        (required_when("a", "b", 2), {"b": 2}, {"b": 1}, {"param": "a", "reason": "missing"}),
    ],
)
def test_rules_hold_between_the_arguments_that_were_given(
    rule: Rule, breaks: dict[str, int], keeps: dict[str, int], fact: dict[str, str]
) -> None:
    row = tool(Param("a", int, "A.", default=1), Param("b", int, "B.", default=2), rules=(rule,))
    assert facts(row, breaks) == fact
    check(row, keeps, "refuse")


def test_a_hidden_word_is_taken_and_not_named_among_the_choices() -> None:
    param = Param("kind", str, "Kind.", enum=("url", "text"), hidden_enum=("pdf",))
    assert checked(param, "pdf") == "pdf"
    assert facts(tool(param), {"kind": "doc"})["allowed"] == ["url", "text"]


def test_a_hidden_parameter_is_taken_and_not_named_among_the_accepted() -> None:
    row = tool(Param("query", str, "Query."), Param("maxNodes", int, "Old.", hidden=True))
    assert check(row, {"maxNodes": 3}, "refuse")[0]["maxNodes"] == 3
    assert facts(row, {"nodes": 3})["accepted"] == ["query"]


@pytest.mark.parametrize(("raw", "heard"), [("8", 8), (" 8.0 ", 8), (8, 8)])
def test_a_spoken_number_may_come_as_a_text(raw: object, heard: int) -> None:
    assert checked(Param("limit", int, "Limit.", spoken=True), raw) == heard


@pytest.mark.parametrize("raw", ["eight", "8.5", "", "1e3"])
def test_a_text_that_says_no_such_number_is_refused(raw: str) -> None:
    assert facts(tool(Param("limit", int, "Limit.", spoken=True)), {"limit": raw})["reason"] == "type"


@pytest.mark.parametrize(
    ("words", "raw", "message"),
    [
        ({"null": "it must not be null"}, None, "it must not be null."),
        ({"minimum": "too low"}, 0, "too low."),
        ({"maximum": "too high"}, 9, "too high."),
        ({"type": "no number"}, "x", "no number."),
        ({"type": "no number"}, 0, "limit must be between 1 and 8."),
    ],
)
def test_a_contract_has_words_of_its_own(words: Mapping[str, str], raw: object, message: str) -> None:
    param = Param("limit", int, "Limit.", required=True, minimum=1, maximum=8, words=words)
    assert refused(tool(param), {"limit": raw}).message == message


def test_own_words_may_repeat_what_was_given() -> None:
    param = Param("mode", str, "Mode.", enum=("fast",), words={"enum": "invalid mode '{given}'"})
    assert refused(tool(param), {"mode": "slow"}).message == "invalid mode 'slow'."
