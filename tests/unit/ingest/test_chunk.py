import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from commonplace.ingest.chunk import PIECE_CHARACTERS_MAX, chunks, indexed_text, llm_tokens, overlap, title_of

SENTENCE = "The quick brown fox jumps over the lazy dog near the river. "
LINES = st.lists(
    st.sampled_from(
        ["# One", "## Two", "Title\n===", "```", "text " * 90, "word", "", "  ", "\t", "x" * 700, SENTENCE * 9]
    )
    | st.text(max_size=20)
).map("\n".join)


@given(text=LINES, markdown=st.booleans())
@example(text="\n" * 3_000 + "# T\n\n" + " " * 3_000, markdown=True)
@example(text="x" * 4_001 + " y", markdown=False)
@settings(deadline=None)
def test_pieces_joined_are_the_text(text: str, *, markdown: bool) -> None:
    pieces = chunks(text, markdown=markdown)
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.ordinal for piece in pieces] == list(range(len(pieces)))
    assert all(text.startswith(piece.text, piece.start) for piece in pieces)
    assert all(llm_tokens(piece.text.strip()) <= 500 for piece in pieces)
    assert all(piece.text.strip() for piece in pieces) or not text.strip()


@given(text=LINES, markdown=st.booleans())
@settings(deadline=None)
def test_no_piece_ends_inside_a_word_that_would_fit(text: str, *, markdown: bool) -> None:
    word_ends = {end for word in re.finditer(r"\S+", text) for end in range(word.start() + 1, word.end())}
    for piece in chunks(text, markdown=markdown)[1:]:
        if piece.start in word_ends:
            start = len(text[: piece.start]) - len(re.split(r"\s", text[: piece.start])[-1])
            assert len(re.split(r"\s", text[start:], maxsplit=1)[0]) > PIECE_CHARACTERS_MAX


def test_no_text_makes_no_piece_and_white_space_makes_one() -> None:
    assert chunks("") == []
    assert len(chunks(" \n" * 5_000)) == 1


def test_a_short_text_without_headings_is_one_piece() -> None:
    (only,) = chunks("First paragraph.\n\nSecond paragraph.\n\n" * 12)
    assert (only.start, only.headings) == (0, ())


def test_each_heading_begins_a_piece_with_its_path() -> None:
    text = "Preface.\n\n# Guide\nIntro.\n\n## Install\nRun it.\n\n## Use\nCall it.\n\n# Notes\nEnd.\n"
    assert [(piece.headings, piece.text.split()[-1]) for piece in chunks(text)] == [
        ((), "Preface."),
        (("Guide",), "Intro."),
        (("Guide", "Install"), "it."),
        (("Guide", "Use"), "it."),
        (("Notes",), "End."),
    ]


def test_a_heading_without_a_body_leads_the_next_section() -> None:
    (only,) = chunks("\n# Guide\n\n## Install\n\nRun it.\n")
    assert only.headings == ("Guide", "Install")


def test_underlined_headings_count_and_rules_do_not() -> None:
    text = "Guide\n=====\nIntro.\n\nInstall\n-------\nRun it.\n\n---\n\nlast line\nof text\n---\n"
    assert [piece.headings for piece in chunks(text)] == [("Guide",), ("Guide", "Install")]


def test_signs_in_code_are_no_headings() -> None:
    text = "# Guide\n```sh\n# a comment\n~~~\n# another\n```\nDone.\n\n# Next\n#tag and #5\n"
    assert [piece.headings for piece in chunks(text)] == [("Guide",), ("Next",)]


def test_plain_text_has_no_headings() -> None:
    assert [piece.headings for piece in chunks("# One\ntext\n# Two\ntext", markdown=False)] == [()]


def test_heading_paths_hold_no_markdown() -> None:
    assert chunks("# **Read** [the manual](https://example.org) `now` ##\ntext")[0].headings == ("Read the manual now",)


def test_a_nameless_heading_is_left_out_of_the_path() -> None:
    assert chunks("#\n## Two\ntext")[0].headings == ("Two",)


def test_a_long_section_is_cut_at_paragraphs_first() -> None:
    paragraph = SENTENCE * 15
    pieces = chunks("\n\n".join([paragraph] * 6))
    assert [piece.text.strip() for piece in pieces] == ["\n\n".join([paragraph] * 2).strip()] * 3


def test_a_long_paragraph_is_cut_at_sentences() -> None:
    assert all(piece.text.endswith("river. ") for piece in chunks(SENTENCE * 200))


def test_abbreviations_and_ordinals_end_no_sentence() -> None:
    text = "Das gilt, z. B. am 3. Mai, immer noch. " * 200
    assert all(piece.text.endswith("noch. ") for piece in chunks(text))


def test_sentences_end_without_a_space_where_the_script_has_none() -> None:
    pieces = chunks("吾輩は猫である。" * 600)
    assert all(piece.text.endswith("。") for piece in pieces)


def test_lists_are_cut_between_lines() -> None:
    assert all(piece.text.endswith("\n") for piece in chunks("- item without a full stop\n" * 300))


def test_a_word_that_is_too_long_alone_is_cut_inside() -> None:
    assert [len(piece.text) for piece in chunks("a " + "x" * 4_500)] == [2, 2_000, 2_000, 500]


@pytest.mark.parametrize("unit", [SENTENCE, "x", "#\n", "# T\n\ntext\n", "[", "\n", "`", "ab\n--\n", "> "])
def test_a_large_text_of_any_kind_is_cut(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert sum(len(piece.text) for piece in chunks(text)) == len(text)


def test_the_overlap_is_the_last_whole_words() -> None:
    before = overlap(SENTENCE * 40)
    assert SENTENCE.strip().endswith(before.split()[-1])
    assert 150 < len(before) <= 200
    assert f" {before}" in SENTENCE * 40


def test_a_short_text_overlaps_whole() -> None:
    assert overlap(" a few words \n") == "a few words"


def test_an_overlap_starts_at_a_word_that_just_fits() -> None:
    assert overlap("aaaa bbb", tokens=1) == "bbb"
    assert overlap("aaaa bbbb", tokens=1) == "bbbb"
    assert overlap("aaaa bbbbb", tokens=1) == ""


def test_the_index_sees_title_path_overlap_and_text() -> None:
    assert indexed_text("Guide", ("Setup", "Linux"), "before", "text") == "Guide\nSetup > Linux\nbefore\ntext"


def test_the_index_sees_nothing_twice_and_no_empty_lines() -> None:
    assert indexed_text("Guide", ("Guide",), "", "text") == "Guide\ntext"
    assert indexed_text("", (), "", "text") == "text"


def test_four_characters_are_about_one_llm_token() -> None:
    assert [llm_tokens("x" * length) for length in (0, 1, 4, 5)] == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("\n\n# Weekly *review*\n\ntext", "Weekly review"),
        ("> - [x] call `get_item` in __main__", "call get_item in main"),
        ("1. See [the manual](https://example.org/a)", "See the manual"),
        ("About [[anna-berg|Anna]] and [[Ben]]", "About Anna and Ben"),
        ("---\n***\n```python\nprint(items[0])", "print(items[0])"),
        ("-5 degrees, 2 * 3 = 6", "-5 degrees, 2 * 3 = 6"),
        ("#hashtag first", "#hashtag first"),
        ("###\n\nText", "Text"),
        ("---", "---"),
        ("  ", ""),
    ],
)
def test_a_title_is_the_first_line_that_says_something(text: str, title: str) -> None:
    assert title_of(text) == title


def test_a_title_ends_at_a_word_within_80_characters() -> None:
    title = title_of("word " * 100)
    assert title == ("word " * 16).strip()
    assert len(title_of("[" * 1_000_000)) == 80


@given(st.text())
@settings(deadline=None)
def test_any_text_that_is_not_blank_has_a_title(text: str) -> None:
    assert bool(title_of(text).strip()) == bool(text.strip())
