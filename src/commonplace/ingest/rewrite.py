"""Chunk and proposal -> the corrected chunk, by fixed forms and without a model.

A proposal is read only where it can be read in one way; anything else is refused rather than guessed. Quotes around a
value say where it ends; without them both values must be built alike, so that `from 12 to 13. Please check` is refused.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

# No sentence needs more, and reading stays cheap whatever the proposal is.
JOINTS_MAX = 20
QUOTES = "\"'`“”„‟‚‘’«»‹›"
QUOTE_PAIRS = {'""', "''", "``", "“”", "””", "„“", "„”", "‚‘", "‚’", "‘’", "«»", "»«", "‹›", "›‹"}

MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)"
)
DATE = (
    rf"(?:(?:\d{{1,2}}(?:\.|st|nd|rd|th)?\s)?{MONTH}(?:\s\d{{1,2}}(?!\d),?)?(?:\s\d{{4}})?"
    r"|\d{4}(?:-\d\d-\d\d)?|\d{1,2}\.\d{1,2}\.\d{4})"
)
TIME = (
    rf",?\s(?:(?:in|on|as\sof|im|am|ab|zum)\s{DATE}|(?:since|seit)\s[^{QUOTES}]+"
    r"|today|yesterday|now|heute|gestern|jetzt)"
)
CLOSING_TIME = re.compile(rf"{TIME}\Z", re.IGNORECASE)
HEDGE = r"(?:n[o'’]t\b|\b(?:never|if|whether|nicht|nie|niemals|kein\w*|falls|wenn|ob)\b)"
# Where a value without quotes may as well have ended.
BREAK = re.compile(
    r"[.,;:!?]\s|\s[-–—]\s|\s\(|\n|→|->|[\"“”„«»]"
    r"|\b(?:and|or|but|because|since|to|from|for|by|with|is|are|not|now"
    r"|und|oder|aber|sondern|weil|seit|auf|zu|von|für|durch|mit|ist|sind|nicht|jetzt)\b",
    re.IGNORECASE,
)
# `The plan` and `it` point at what the chunk speaks of, `Basic` names it.
POINTER = re.compile(
    r"(?:an?(?=\s)|the|this|that|it|he|she|they|we|I|you|my|our|your|his|her|its|their|there|here"
    r"|(?:d|ein|kein|dies|mein|unser|ihr|sein)(?:er|ie|as|en|em|es|e)?|es|er|sie|wir|ich|hier|da)\b",
    re.IGNORECASE,
)
BEING = re.compile(r"\s*(?:[:=]|(?:is|are|was|were|ist|sind|war|waren)\b)", re.IGNORECASE)
BEFORE = rf"(?<![^\s{QUOTES}(\[{{<|*])(?<!\w['’*])"
AFTER = rf"(?!['’*]\w)(?=[.,;:!?…]*(?:[\s{QUOTES})\]}}>|*]|\Z))"


@dataclass(frozen=True, slots=True)
class Form:
    """A way to say a correction: what stands before, between and after its two values."""

    sentence: str
    head: str
    joint: str
    tail: str = r"\Z"
    new_first: bool = False
    renames: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What a proposal asks for: the new value wherever the old one stands."""

    old: str
    new: str
    renames: bool = False


GRAMMAR = (
    Form("X changed from A to B.", rf"\bchanged(?:{TIME})?\sfrom\s", r"\sto\s"),
    Form("It is B, not A.", r"\b(?:is|are|it['’]s)\s(?:(?:now|actually)\s)?", r",\s*not\s", new_first=True),
    Form("Not A but B.", r"\bnot\s", r",?\sbut\s"),
    Form('Replace "A" with "B".', r"\A(?:please\s)?replace\s", r"\swith\s"),
    Form("A is now B.", r"\A", r"\sis\snow\s", renames=True),
    Form("A → B", r"\A", r"\s?(?:→|->)\s?"),
    Form(
        "X hat sich von A auf B geändert.",
        rf"\b(?:hat|haben)\ssich\s(?:(?!{HEDGE}).)*?\bvon\s",
        r"\s(?:auf|zu)\s",
        rf"\sgeändert(?:{TIME})?\Z",
    ),
    Form("Es ist B, nicht A.", r"\b(?:ist|sind)\s(?:(?:jetzt|eigentlich)\s)?", r",\s*nicht\s", new_first=True),
    Form("Nicht A, sondern B.", r"\bnicht\s", r",?\ssondern\s"),
    Form('Ersetze "A" durch "B".', r"\A(?:bitte\s)?ersetzen?\s(?:Sie\s)?(?:bitte\s)?", r"\sdurch\s"),
    Form("A ist jetzt B.", r"\A", r"\sist\sjetzt\s", renames=True),
)
FORMS: tuple[str, ...] = tuple(form.sentence for form in GRAMMAR)


class DeterministicRewriter:
    """Rewrites by the forms alone; the same proposal always gives the same text."""

    @property
    def method(self) -> str:
        """How it works."""
        return "deterministic"

    def rewrite(self, text: str, proposal: str) -> str | None:
        """The text with every old value replaced, or None where the proposal can be read in no way or in several."""
        results = {_replaced(text, reading) for reading in readings(proposal)} - {None}
        return results.pop() if len(results) == 1 else None


def readings(proposal: str) -> list[Reading]:
    """Every way in which a proposal fits the forms; a question fits none."""
    sentence = proposal.strip().rstrip(".!…").rstrip()
    if sentence.endswith("?"):
        return []
    return [reading for form in GRAMMAR for reading in _read(form, sentence)]


def line_diff(old: str, new: str) -> str:
    """The lines of both texts, marked as removed, added or unchanged; white space at the end is left out."""
    before, after = old.rstrip().splitlines(), new.rstrip().splitlines()
    lines: list[str] = []
    for kind, start, end, new_start, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += [f"  {line}" for line in before[start:end]]
        else:
            lines += [f"- {line}" for line in before[start:end]]
            lines += [f"+ {line}" for line in after[new_start:new_end]]
    return "\n".join(lines)


def _read(form: Form, sentence: str) -> Iterator[Reading]:
    head = re.search(form.head, sentence, re.IGNORECASE)
    tail = re.search(form.tail, sentence, re.IGNORECASE)
    if not head or not tail or re.search(HEDGE, sentence[: head.start()], re.IGNORECASE):
        return
    said = sentence[head.end() : tail.start()]
    for joint in islice(re.finditer(form.joint, said, re.IGNORECASE), JOINTS_MAX):
        reading = _reading(form, said[: joint.start()], said[joint.end() :])
        if reading:
            yield reading


def _reading(form: Form, first: str, last: str) -> Reading | None:
    # A time at the end of both values is what changed; at the end of the sentence alone it says when.
    if not CLOSING_TIME.search(first):
        last = CLOSING_TIME.sub("", last)
    if form.renames and bool(POINTER.match(first.lstrip())) != bool(POINTER.match(last.lstrip())):
        return None
    (first, first_breaks), (last, last_breaks) = _value(first), _value(last)
    if not first.strip() or not last.strip() or first_breaks != last_breaks:
        return None
    old, new = (last, first) if form.new_first else (first, last)
    return Reading(old, new, form.renames)


def _value(words: str) -> tuple[str, int]:
    """A value without its quotes, and in how many places it may as well have ended."""
    value = words.strip()
    quotes = value[:1] + value[-1:]
    if quotes in QUOTE_PAIRS and not set(quotes) & set(value[1:-1]):
        return value[1:-1], 0
    value = value.rstrip(".,;:!…")
    return value, len(BREAK.findall(value))


def _replaced(text: str, reading: Reading) -> str | None:
    places = _places(text, reading.old)
    # Where the chunk says what A is, `A is now B` corrects what it says and gives no new name.
    if not places or (reading.renames and any(BEING.match(text, place.end()) for place in places)):
        return None
    ends = [0, *(place.end() for place in places)]
    starts = [*(place.start() for place in places), len(text)]
    return reading.new.join(text[end:start] for end, start in zip(ends, starts, strict=True))


def _places(text: str, value: str) -> list[re.Match[str]]:
    """Where a value stands in a text as whole words: exactly, or else in other letter case or spacing."""
    spaced = r"\s+".join(re.escape(word) for word in value.split())
    exact = list(re.finditer(BEFORE + re.escape(value) + AFTER, text))
    return exact or list(re.finditer(BEFORE + spaced + AFTER, text, re.IGNORECASE))
