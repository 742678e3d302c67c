from unicodedata import category

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from commonplace.retrieval.analyse import fact_terms, fold, query_terms, split_compound, terms, within_one_edit

NAMES = [
    "E2004",
    "-32602",
    "get_item",
    "/v1/search",
    "C++",
    "C#",
    "node.js",
    "2026-05-23",
    "v1.2.3-rc.1",
    "info@example.org",
    "https://example.org/a/b?c=d#e",
    "--dry-run",
    "std::vector",
    "~/.config/app.toml",
]


def meet(one: str, other: str) -> bool:
    """Whether each text finds the other."""
    finds = [
        bool(set(sum(query_terms(asked).groups, ())) & set(terms(stored)))
        for asked, stored in ((one, other), (other, one))
    ]
    return all(finds)


@given(st.text())
@example("a\u00a0b\u2028c\x00d\x1ce\u200bf\ufeffg")
@example("ﷺ ½ ㈱ ŉ ͅ 1️⃣ 葛󠄀")
@example("\ud800 +1 (2) 3--..//== ~~~~/x ___ ''")
@settings(deadline=None)
def test_terms_of_any_text_may_be_joined_by_spaces(text: str) -> None:
    found = terms(text, known=lambda part: len(part) % 2 == 0)
    assert found == terms(text, known=lambda part: len(part) % 2 == 0)
    assert " ".join(found).split() == found
    assert not any(category(sign) in {"Cc", "Cf", "Cs", "Zs"} for term in found for sign in term)


@given(st.text())
@settings(deadline=None)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_folding_takes_case_width_and_diacritics_away() -> None:
    assert fold("Ｃrème BRÛLÉE, Straße, Łódź, Ёлка, Йод") == "creme brulee, strasse, lodz, елка, йод"


def test_a_word_gives_its_surface_forms_and_both_stems() -> None:
    assert terms("Häuser") == ["haeuser", "hauser", "d:haus", "e:hauser"]
    assert terms("running") == ["running", "d:running", "e:run"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Müller", "Mueller"),
        ("Müller", "Muller"),
        ("Mueller", "Muller"),
        ("Straße", "STRASSE"),
        ("Haus", "Häuser"),
        ("library", "libraries"),
        ("Café", "cafe"),
        ("1,219", "1219"),
        ("1.219", "1219"),
        ("1,219", "1.219"),
        ("3,14", "3.14"),
        ("getItemById", "item"),
        ("get_item", "item"),
        ("foo.bar()", "foo.bar"),
        ("src/foo/bar.py", "bar.py"),
        ("(node.js),", "Node.js"),
        ("+49 30 1234567", "+49 (30) 123-4567"),
        ("ｆｕｌｌ", "full"),
        ("Donau\u00addampfer", "Donaudampfer"),
        ("東京タワー", "タワー"),
        ("학교에서", "학교"),
        ("дневник", "ДНЕВНИК"),
        ("हिन्दी", "हिन्दी"),
        ("שָׁלוֹם", "שלום"),
    ],
)
def test_ways_of_writing_meet(one: str, other: str) -> None:
    assert meet(one, other)


@pytest.mark.parametrize(("one", "other"), [("haus", "maus"), ("C++", "C#"), ("東京", "京都"), ("हिन्दी", "हिन्दू")])
def test_different_words_do_not_meet(one: str, other: str) -> None:
    assert not set(query_terms(one).groups[0]) & set(terms(other))


@pytest.mark.parametrize("name", NAMES)
def test_an_identifier_is_one_exact_term_beside_its_parts(name: str) -> None:
    assert f"={name.casefold()}" in terms(f"Siehe ({name}), bitte.")
    assert query_terms(name).identifiers[0] == f"={name.casefold()}"


def test_a_plain_word_is_no_identifier() -> None:
    assert query_terms("Berlin, 'Anna's' 2026 ___").identifiers == ()


def test_a_single_sign_is_found_in_a_longer_run() -> None:
    assert query_terms("猫").groups == (("猫",),)
    assert "猫" in terms("黒い猫がいる")


def test_camel_case_is_found_whole_and_in_parts() -> None:
    assert {"httpserver", "http", "server"} <= set(terms("HTTPServer"))


def test_no_term_is_longer_than_a_name_can_be() -> None:
    assert max(map(len, terms("x" * 5_000 + " y/" * 2_000 + "z" * 5_000))) <= 102


def test_stop_words_have_no_stems() -> None:
    assert terms("die and") == ["die", "and"]


def test_a_query_has_a_group_for_each_word_that_says_something() -> None:
    assert query_terms("Was ist mit den Häusern und Häusern?").groups == (
        ("haeusern", "hausern", "d:haus", "e:hausern"),
    )


def test_stop_words_alone_are_asked_for() -> None:
    assert query_terms("to be or not to be").groups == (("to",), ("be",), ("or",), ("not",))


def test_an_empty_query_asks_for_nothing() -> None:
    asked = query_terms(" ?! ")
    assert (asked.groups, asked.phrases, asked.identifiers) == ((), (), ())


@pytest.mark.parametrize("quoted", ['"Frau Müller"', "„Frau Müller“", "«Frau Müller»", "“frau  müller”"])
def test_a_quoted_phrase_is_found_in_the_plain_words_of_a_text(quoted: str) -> None:
    (phrase,) = query_terms(f"wann kam {quoted} an").phrases
    assert phrase in " ".join(fact_terms("Gestern kam Frau Müller."))


def test_a_long_query_is_bounded() -> None:
    asked = query_terms(" ".join(f'word{number} "phrase {number}"' for number in range(500)))
    assert (len(asked.groups), len(asked.phrases), len(asked.identifiers)) == (64, 8, 64)


def test_the_terms_of_a_fact_are_its_plain_words() -> None:
    assert fact_terms("Anna Müller works_at Köln-Süd 42.5") == [
        "anna",
        "muller",
        "works",
        "at",
        "koln",
        "sud",
        "42",
        "5",
    ]


VOCABULARY = frozenset(
    ["arbeit", "zimmer", "kranken", "krank", "haus", "apotheke", "schiff", "fahrt", "donau", "dampf"]
)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("arbeitszimmer", ["arbeit", "zimmer"]),
        ("krankenhaus", ["kranken", "haus"]),
        ("krankenhausapotheke", ["kranken", "haus", "apotheke"]),
        ("donaudampfschifffahrt", ["donau", "dampf", "schiff", "fahrt"]),
        ("hausboot", []),
        ("haus", []),
        ("haus" * 11, []),
        ("hausarzt", []),
    ],
)
def test_a_compound_is_divided_where_the_corpus_knows_its_parts(word: str, parts: list[str]) -> None:
    assert split_compound(word, VOCABULARY.__contains__) == parts


def test_a_part_is_no_shorter_than_four_letters() -> None:
    assert split_compound("aberglaube", {"aber", "ab", "glaube", "erglaube"}.__contains__) == ["aber", "glaube"]
    assert split_compound("arbeitstag", {"arbeit", "tag"}.__contains__) == []


def test_a_compound_is_found_by_its_parts() -> None:
    stored = terms("Das Krankenhaus", VOCABULARY.__contains__)
    assert set(query_terms("Häuser").groups[0]) & set(stored)
    assert "d:haus" in query_terms("Krankenhaus", VOCABULARY.__contains__).groups[0]


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("anna", "anna", True),
        ("anna", "ana", True),
        ("anna", "hanna", True),
        ("anna", "annab", True),
        ("anna", "anne", True),
        ("anna", "nana", False),
        ("anna", "an", False),
        ("", "a", True),
        ("", "", True),
    ],
)
def test_one_edit_is_a_letter_more_less_or_other(one: str, other: str, *, near: bool) -> None:
    assert within_one_edit(one, other) is near
    assert within_one_edit(other, one) is near


@given(st.text("ab", max_size=6), st.text("ab", max_size=6))
@settings(deadline=None)
def test_one_edit_agrees_with_trying_every_edit(one: str, other: str) -> None:
    edits = {
        one[:at] + put + one[at + gone :] for at in range(len(one) + 1) for put in ("", "a", "b") for gone in (0, 1)
    }
    assert within_one_edit(one, other) == (other in edits)
