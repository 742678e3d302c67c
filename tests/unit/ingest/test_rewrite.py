import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from commonplace.ingest.rewrite import FORMS, DeterministicRewriter, line_diff, readings
from commonplace.model.ports import Rewriter

REWRITER: Rewriter = DeterministicRewriter()

VALUES = [
    ("/v1/search", "/v2/query"),
    ("https://api.example.org/v1?q=a", "https://api.example.org/v2?q=b"),
    ("1.12", "1.13.0-rc1"),
    ("1.200 EUR", "1.350,50 EUR"),
    ("Jürgen Müßig", "Dörte Häßler"),
    ("Dr. Meier", "Dr. Schulz"),
    ("Acme Widgets Inc.", "Beta & Söhne GmbH"),
    ("C++", "C#"),
    ("9 to 5", "10 to 6"),
]
PROPOSALS = [
    "The entry changed from {a} to {b}.",
    "The entry CHANGED in March 2025 from {a} to {b}",
    "It is {b}, not {a}.",
    "It's {b}, not {a}!",
    "The entry is now {b}, not {a}.",
    "Not {a} but {b}.",
    "It is not {a}, but {b}.",
    "Replace {a} with {b}.",
    "please replace {a} with {b}",
    "{a} → {b}",
    "{a} -> {b}",
    "{a} is now {b}.",
    "Der Eintrag hat sich von {a} auf {b} geändert.",
    "Seit Mai hat sich der Eintrag von {a} zu {b} GEÄNDERT!",
    "Es ist {b}, nicht {a}.",
    "Der Eintrag ist jetzt {b}, nicht {a}.",
    "Nicht {a}, sondern {b}.",
    "Es ist nicht {a} sondern {b}.",
    "Ersetze {a} durch {b}.",
    "Bitte ersetzen Sie {a} durch {b}.",
    "{a} ist jetzt {b}.",
]
QUOTED = ['"{}"', "'{}'", "`{}`", "“{}”", "„{}“", "‚{}‘", "«{}»", "»{}«", "‹{}›"]
WORDS = st.text(alphabet="abcäß12", min_size=1, max_size=4)
CUES = st.lists(st.sampled_from([*" ".join(PROPOSALS).split(), *"?.,“'\n", "since", "2025"])).map(" ".join)


def rewrite(text: str, proposal: str) -> str | None:
    return REWRITER.rewrite(text, proposal)


def test_the_example_of_the_document_needs_no_model() -> None:
    proposal = "The endpoint changed from /v1/search to /v2/query in March 2025."
    assert rewrite("The API endpoint is /v1/search.", proposal) == "The API endpoint is /v2/query."
    assert REWRITER.method == "deterministic"


@pytest.mark.parametrize("proposal", PROPOSALS)
@pytest.mark.parametrize(("old", "new"), VALUES)
def test_every_form_takes_every_kind_of_value(proposal: str, old: str, new: str) -> None:
    # A full stop at the end of a name is the sentence's, so it stays where it was.
    expected = f"Entry: {old}, and ({old})\n".replace(old.rstrip("."), new)
    assert rewrite(f"Entry: {old}, and ({old})\n", proposal.format(a=old, b=new)) == expected


@pytest.mark.parametrize("quotes", QUOTED)
@pytest.mark.parametrize("proposal", PROPOSALS)
def test_quotes_of_any_style_say_where_a_value_ends(proposal: str, quotes: str) -> None:
    old, new = "a to b with c", "to, but not auf, durch. Und so"
    said = proposal.format(a=quotes.format(old), b=quotes.format(new))
    assert rewrite(f"Here: {old}.", said) == f"Here: {new}."


@pytest.mark.parametrize(
    "time",
    [
        " in March 2025",
        " in 2025",
        " on 3 May",
        " on March 3, 2025",
        " as of 2025-03-14",
        " since the merger of both",
        ", since May",
        " today",
        " im März 2025",
        " am 3. Mai 2025",
        " ab 14.03.2025",
        " zum 1. Januar",
        " seit dem Umzug",
        " jetzt",
    ],
)
def test_a_time_at_the_end_is_no_part_of_the_value(time: str) -> None:
    for proposal in ("It changed from Basic to Pro{}.", 'replace "Basic" with "Pro"{}', "It is Pro, not Basic{}"):
        assert rewrite("The plan is Basic.", proposal.format(time)) == "The plan is Pro."
    for proposal in ("Er hat sich von Basic auf Pro{} geändert.", "Er hat sich von Basic auf Pro geändert{}"):
        assert rewrite("Der Tarif ist Basic.", proposal.format(time)) == "Der Tarif ist Pro."


def test_a_time_at_the_end_of_both_values_is_what_changed() -> None:
    text = "Acme was founded in March 2019."
    assert rewrite(text, "replace founded in March 2019 with founded in May 2020") == "Acme was founded in May 2020."
    assert rewrite(text, 'replace "in March 2019" with "since 2020"') == "Acme was founded since 2020."


@pytest.mark.parametrize(
    ("old", "text"),
    [
        ("/v1/search", "/v1/search2 x/v1/search /v1/search/all /v1/search?q=1"),
        ("12", "120 1.12 12.5 12,5 212 -12 12% $12 12-14 12(b) 2*12 v12"),
        ("Anna", "Annas Anna's Hanna O'Anna Anna-Lena Anna_1 anna@example.org"),
        ("C", "C++ C# ABC"),
        ("Müller", "Müllerin Großmüller"),
    ],
)
def test_a_value_inside_a_longer_word_stays(old: str, text: str) -> None:
    assert rewrite(text, f"Replace {old} with X") is None
    assert rewrite(f"{text} {old}", f"Replace {old} with X") == f"{text} X"


def test_every_occurrence_is_replaced_whatever_stands_around_it() -> None:
    text = "Pro, (Pro) \"Pro\" „Pro“ **Pro** |Pro| [Pro]\nPro? Pro! Pro… 'Pro': Pro"
    assert rewrite(text, "Pro → \\g<0>\\1") == text.replace("Pro", "\\g<0>\\1")


def test_the_exact_writing_goes_before_other_letter_case_and_spacing() -> None:
    assert rewrite("Neu Ulm, NEU ULM", "Replace Neu Ulm with Ulm") == "Ulm, NEU ULM"
    assert rewrite("neu\n ulm, NEU\u00a0ULM", "Replace Neu  Ulm with Ulm") == "Ulm, Ulm"
    assert rewrite("NeuUlm", "Replace Neu Ulm with Ulm") is None


@pytest.mark.parametrize(
    "proposal",
    [
        "",
        " \n",
        "...",
        "?",
        "The plan is wrong.",
        "Basic",
        "Basic is old",
        "Did the plan change from Basic to Pro?",
        "Has the plan changed from Basic to Pro ? ",
        "Ist Basic jetzt Pro?",
        "The plan hasn't changed from Basic to Pro.",
        "If the plan changed from Basic to Pro, tell me.",
        "Der Tarif hat sich nicht von Basic auf Pro geändert.",
        "Der Tarif hat sich von Basic auf Pro verbessert.",
        "Don't replace Basic with Pro.",
        "Replace Basic with ",
        'Replace Basic with ""',
        'Replace "" with Pro',
        "Replace Premium with Pro",
        "The plan changed from Basic to Pro. Please check the price.",
        "The plan changed from Basic to Pro and the price changed from 5 to 10.",
        "The plan changed from Basic to Pro because of the merger.",
        "It is called Pro, because it is not Basic.",
        "Basic → Pro → Max",
        'Replace "Basic" with "Pro" or "Max"',
    ],
)
def test_what_fits_no_form_in_one_way_is_refused(proposal: str) -> None:
    assert rewrite("The plan is Basic and costs 5 EUR.", proposal) is None


@pytest.mark.parametrize(
    ("text", "proposal"),
    [
        ("The subscription is Basic.", "The plan is now Business."),
        ("The plan is Basic.", "The plan is now Business."),
        ("We changed the plan.", "The plan is now Business."),
        ("It costs 5 EUR.", "It is now 6 EUR."),
        ("Anna is 12 years old.", "Anna is now 13 years old."),
        ("Anna lives in Bonn.", "Anna is now a manager."),
        ("Preis: 5 EUR", "Preis ist jetzt 6 EUR."),
        ("Wir ändern den Tarif.", "Den Tarif ist jetzt Business."),
    ],
)
def test_a_subject_that_is_no_value_is_not_renamed(text: str, proposal: str) -> None:
    assert rewrite(text, proposal) is None


def test_a_name_that_is_a_value_is_renamed() -> None:
    assert rewrite("The plan is Basic.", "Basic is now Business.") == "The plan is Business."
    assert rewrite("We use the old app.", "The old app is now the new app") == "We use the new app."


def test_a_value_that_is_already_right_gives_the_same_text() -> None:
    assert rewrite("The plan is Pro.", "Pro → Pro") == "The plan is Pro."


def test_each_form_is_named_by_a_sentence_that_it_reads() -> None:
    assert [(reading.old, reading.new) for form in FORMS for reading in readings(form)] == [("A", "B")] * len(FORMS)
    assert len(set(FORMS)) == 11


@given(words=st.lists(WORDS), old=WORDS, new=WORDS, proposal=st.sampled_from(PROPOSALS))
def test_only_the_replaced_places_differ(words: list[str], old: str, new: str, proposal: str) -> None:
    words = [*words, old]
    result = rewrite(" ".join(words), proposal.format(a=f'"{old}"', b=f'"{new}"'))
    assert result is None or result.split(" ") == [new if word == old else word for word in words]
    if "now" not in proposal and "jetzt" not in proposal:
        assert result is not None


@given(text=st.text() | CUES, proposal=st.text() | CUES)
@example(text="x a", proposal="changed from " + " to " * 700 + "since " * 200 + '"')
@example(text="\ud800", proposal="\ud800 → \ud801")
def test_no_input_raises(text: str, proposal: str) -> None:
    result = rewrite(text, proposal)
    assert result is None or text


def test_the_diff_of_one_line_is_two_lines() -> None:
    diff = "- The API endpoint is /v1/search.\n+ The API endpoint is /v2/query."
    assert line_diff("The API endpoint is /v1/search.", "The API endpoint is /v2/query.") == diff
    assert line_diff("The API endpoint is /v1/search.\n\n", "The API endpoint is /v2/query.\n\n") == diff


def test_the_diff_names_removed_lines_before_added_ones() -> None:
    assert line_diff("a\nb\nc\nd", "a\nx\ny\nz\nd") == "  a\n- b\n- c\n+ x\n+ y\n+ z\n  d"
    assert line_diff("a\nb\n\nc", "b\n\nc\nd") == "- a\n  b\n  \n  c\n+ d"
    assert (line_diff("", ""), line_diff("", "a"), line_diff("a", "a")) == ("", "+ a", "  a")


@given(old=st.lists(WORDS), new=st.lists(WORDS))
def test_both_texts_can_be_read_from_the_diff(old: list[str], new: list[str]) -> None:
    lines = line_diff("\n".join(old), "\n".join(new)).splitlines()
    assert [line[2:] for line in lines if line[0] in " -"] == old
    assert [line[2:] for line in lines if line[0] in " +"] == new
