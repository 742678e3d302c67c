import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.model.errors import Invalid
from commonplace.model.names import (
    Candidate,
    candidates,
    collection_slug,
    dated,
    name_key,
    next_version_slug,
    shorten,
    slug,
    without_diacritics,
    words,
)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("QM is mandatory", "qm_is_mandatory"),
        ("Größe über Äpfel & Öl", "groesse_ueber_aepfel_oel"),
        ("Café à Łódź", "cafe_a_lodz"),
        ("ÜBERSICHT", "uebersicht"),
        ("  --v2.1--  ", "v2_1"),
        ("日記 2026", "日記_2026"),
        ("Мой дневник", "мой_дневник"),
        ("हिन्दी", "हिन्दी"),
        ("?!", "note"),
        ("", "note"),
    ],
)
def test_a_slug_is_the_title_in_lower_case_letters_and_digits(title: str, expected: str) -> None:
    assert slug(title) == expected


def test_a_slug_ends_at_a_word_within_48_characters() -> None:
    assert slug("one two three four five six seven eight nine ten eleven") == (
        "one_two_three_four_five_six_seven_eight_nine_ten"
    )
    assert slug("one two three four five six seven eight nine tent eleven") == (
        "one_two_three_four_five_six_seven_eight_nine"
    )


def test_a_single_word_too_long_for_a_slug_is_cut_inside() -> None:
    assert slug("a" * 60) == "a" * 48


@given(st.text())
@settings(deadline=None)
def test_a_slug_of_any_title_is_short_and_made_of_words(title: str) -> None:
    made = slug(title)
    assert 0 < len(made) <= 48
    assert all(words(part) == [part] for part in made.split("_"))


def test_words_keep_the_marks_of_their_script_and_drop_signs() -> None:
    assert words("foo_bar, हिन्दी — 42!") == ["foo", "bar", "हिन्दी", "42"]
    assert words("\u0301 🎉") == []


def test_diacritics_go_and_letters_of_their_own_stay() -> None:
    assert without_diacritics("crème brûlée, ёлка, йод, άλφα, がく") == "creme brulee, елка, йод, αλφα, がく"


def test_shortening_keeps_whole_words() -> None:
    assert shorten("one two", 7) == "one two"
    assert shorten("one two", 6) == "one"
    assert shorten("one two three", 7) == "one two"


def test_a_collection_slug_is_readable() -> None:
    assert collection_slug("Book Notes") == "book-notes"
    assert collection_slug("  Bücher / 2026 ") == "buecher-2026"
    assert collection_slug("日記") == "日記"


@pytest.mark.parametrize("nameless", ["", "   ", "--", "🎉"])
def test_a_name_without_a_letter_or_digit_is_refused(nameless: str) -> None:
    with pytest.raises(Invalid, match="letter or digit"):
        name_key(nameless)
    with pytest.raises(Invalid, match="letter or digit"):
        collection_slug(nameless)


def test_spacing_case_and_width_do_not_make_another_name() -> None:
    assert {name_key(name) for name in ("Book Notes", "book-notes", "booknotes", "ＢＯＯＫ_notes")} == {"booknotes"}
    assert name_key("日記") == "日記"
    assert name_key("Дневник") == "дневник"


def test_different_letters_make_another_name() -> None:
    assert name_key("Bücher") != name_key("Bucher")


@given(st.text())
@settings(deadline=None)
def test_the_key_of_a_key_is_itself(name: str) -> None:
    try:
        key = name_key(name)
    except Invalid:
        return
    assert name_key(key) == key


EXISTING = [("work", "Work"), ("book-notes", "Book Notes"), ("personal", "Personal"), ("family-trips", "Family Trips")]


def test_a_name_inside_another_is_a_candidate_for_what_it_contains() -> None:
    assert candidates("work stuff", EXISTING) == [Candidate("work", "Work", 0.9, "substring")]


def test_a_short_part_counts_less() -> None:
    assert candidates("wor", EXISTING) == [Candidate("work", "Work", 0.75, "edit-distance")]
    assert candidates("log", [("changelog", "Changelog")]) == [Candidate("changelog", "Changelog", 0.7, "substring")]


def test_the_same_words_in_another_order_are_a_candidate() -> None:
    assert candidates("notesBook", EXISTING) == [Candidate("book-notes", "Book Notes", 1.0, "tokens")]


def test_a_misspelt_name_is_a_candidate_by_its_spelling() -> None:
    (only,) = candidates("persnal", EXISTING)
    assert (only.slug, only.reason, round(only.score, 2)) == ("personal", "edit-distance", 0.88)


def test_the_better_of_slug_and_display_name_counts() -> None:
    assert candidates("Holidays", [("trips-2026", "Our Holidays")])[0].score == 0.9


def test_of_equal_scores_the_same_words_come_before_the_spelling() -> None:
    assert candidates("work log", [("work-log", "Diary")]) == [Candidate("work-log", "Diary", 1.0, "tokens")]


def test_nothing_near_gives_no_candidate() -> None:
    assert candidates("zebra", EXISTING) == []
    assert candidates("zebra", []) == []


def test_at_most_three_candidates_come_best_first_and_in_a_fixed_order() -> None:
    existing = [(f"project-{letter}", f"Project {letter.upper()}") for letter in "dcba"] + [("projects", "Projects")]
    found = candidates("project x", [*existing, ("project-xy", "Project XY")])
    assert [candidate.slug for candidate in found] == ["project-xy", "project-a", "project-b"]


def test_candidates_for_no_name_are_refused() -> None:
    with pytest.raises(Invalid):
        candidates("?", EXISTING)


@pytest.mark.parametrize(
    ("of", "following"),
    [
        ("memory_plan_2026_05", "memory_plan_2026_05_v2"),
        ("memory_plan_v2", "memory_plan_v3"),
        ("memory_plan_v9", "memory_plan_v10"),
        ("v2", "v2_v2"),
    ],
)
def test_a_new_version_counts_on(of: str, following: str) -> None:
    assert next_version_slug(of) == following


@pytest.mark.parametrize(
    ("stem", "prefix", "date", "expected"),
    [
        ("plan", "memory", (2026, 5), "memory_plan_2026_05"),
        ("works_at", "edge", (2026, 5, 23), "edge_works_at_2026_05_23"),
        ("plan_2025_12", "memory", (2026, 5), "memory_plan_2025_12"),
        ("plan_2025_12_31", "memory", (2026, 5), "memory_plan_2025_12_31"),
        ("2025_12", "doc", (2026, 5), "doc_2025_12"),
        ("plan_2025", "memory", (2026, 5), "memory_plan_2025_2026_05"),
        ("plan_2025_13", "memory", (2026, 5), "memory_plan_2025_13_2026_05"),
    ],
)
def test_an_id_ends_in_one_date(stem: str, prefix: str, date: tuple[int, ...], expected: str) -> None:
    assert dated(stem, prefix, date) == expected
