"""Names and titles: how they are compared, suggested, and made into slugs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import Literal
from unicodedata import category, normalize

from commonplace.model.errors import Invalid, TooLarge

SLUG_CHARACTERS_MAX = 48
NAME_CHARACTERS_MAX = 200
CANDIDATES_MAX = 3
SCORE_MIN = 0.6

Reason = Literal["substring", "tokens", "edit-distance"]
REASONS: dict[Reason, str] = {
    "substring": "contains your text",
    "tokens": "same words",
    "edit-distance": "close spelling",
}

UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
# Latin letters that Unicode does not take apart into a letter and a mark.
STROKES = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
# Accents, Hebrew and Arabic vowel points, variation selectors. й is a letter of its own and keeps its breve.
MARKS = re.compile(
    "(?<!и)[\u0300-\u036f\u20d0-\u20ff]|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u064b-\u0652\u0670]"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
CAMEL = re.compile(r"(?<=[a-zß-ÿ\d])(?=[A-ZÀ-Þ])|(?<=[A-Z])(?=[A-Z][a-z])")
VERSION = re.compile(r"_v(\d+)$", re.ASCII)
HALF = re.compile("[\ud800-\udfff]")
DATED = re.compile(r"(^|_)\d{4}_(0[1-9]|1[0-2])(_(0[1-9]|[12]\d|3[01]))?$", re.ASCII)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A collection that a name may have meant."""

    slug: str
    name: str
    score: float
    reason: Reason


def is_text(text: str) -> bool:
    """Whether every engine can keep a text: without NUL, and without halves of characters, which have no UTF-8."""
    return "\0" not in text and not HALF.search(text)


def words(text: str) -> list[str]:
    """The runs of letters and digits of any script, with the marks that belong to them."""
    if text.isalnum():
        return [text]
    runs = "".join(sign if sign.isalnum() or _is_mark(sign) else " " for sign in text).split()
    return ["".join(dropwhile(_is_mark, run)) for run in runs if any(map(str.isalnum, run))]


def _is_mark(sign: str) -> bool:
    return category(sign).startswith("M")


def without_diacritics(text: str) -> str:
    """Lower-case text with plain letters: é is e, ø is o."""
    if text.isascii():
        return text
    return normalize("NFC", MARKS.sub("", normalize("NFKD", text))).translate(STROKES)


def shorten(text: str, characters_max: int, gap: str = " ") -> str:
    """Cut a text at a word end; only a word that is too long alone is cut inside."""
    if len(text) <= characters_max:
        return text
    end = text.rfind(gap, 0, characters_max + 1)
    return text[:end] if end > 0 else text[:characters_max]


def slug(title: str) -> str:
    """The readable part of an id."""
    return shorten("_".join(_plain_words(title)), SLUG_CHARACTERS_MAX, "_") or "note"


def collection_slug(name: str) -> str:
    """The slug of a collection, like `book-notes`."""
    parts = _plain_words(name)
    if not parts:
        raise Invalid("A name needs at least one letter or digit.", name=name)
    return "-".join(parts)


def dated(stem: str, prefix: str, date: tuple[int, ...]) -> str:
    """A whole id such as `memory_<stem>_2026_05`; a stem that ends in a date gets no second one."""
    if DATED.search(stem):
        return f"{prefix}_{stem}"
    return "_".join((prefix, stem, f"{date[0]:04}", *(f"{part:02}" for part in date[1:])))


def next_version_slug(slug: str) -> str:
    """The slug of the version that follows."""
    version = VERSION.search(slug)
    if not version:
        return f"{slug}_v2"
    return f"{slug[: version.start()]}_v{int(version[1]) + 1}"


def name_key(name: str) -> str:
    """What two names share when they are the same name: `Book Notes` is `book-notes`."""
    key = _key(name)
    if not key:
        raise Invalid("A name needs at least one letter or digit.", name=name)
    return key


def checked_name(name: str) -> str:
    """A name that something may be given."""
    if len(name) > NAME_CHARACTERS_MAX:
        raise TooLarge(f"A name has at most {NAME_CHARACTERS_MAX} characters.", param="name", reason="too_large")
    return name.strip()


def candidates(name: str, existing: Sequence[tuple[str, str]]) -> list[Candidate]:
    """The collections, given as slug and display name, that are nearest to a name, best first."""
    key, tokens = name_key(name), _tokens(name)
    near = []
    for slug, display_name in existing:
        score, reason = _likeness(key, tokens, (slug, display_name))
        if score >= SCORE_MIN:
            near.append(Candidate(slug, display_name, score, reason))
    return sorted(near, key=lambda candidate: (-candidate.score, candidate.slug))[:CANDIDATES_MAX]


def _likeness(key: str, tokens: set[str], others: tuple[str, str]) -> tuple[float, Reason]:
    """The best score against either name; of equal scores the first reason counts."""
    scores: dict[Reason, float] = {
        "substring": max(_containment(key, _key(other)) for other in others),
        "tokens": max(_jaccard(tokens, _tokens(other)) for other in others),
        "edit-distance": max(_closeness(key, _key(other)) for other in others),
    }
    reason = max(scores, key=lambda reason: scores[reason])
    return scores[reason], reason


def _containment(one: str, other: str) -> float:
    shorter, longer = sorted((one, other), key=len)
    if not shorter or shorter not in longer:
        return 0.0
    return 0.9 if len(shorter) >= 4 else 0.7


def _jaccard(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def _closeness(one: str, other: str) -> float:
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_similarity(one, other)


def _tokens(name: str) -> set[str]:
    parts = re.split(r"[\s_-]+", CAMEL.sub(" ", normalize("NFKC", name)))
    return {key for part in parts if (key := _key(part))}


def _key(name: str) -> str:
    return "".join(words(normalize("NFKC", normalize("NFKC", name).casefold())))


def _plain_words(title: str) -> list[str]:
    return words(without_diacritics(normalize("NFKC", title).lower().translate(UMLAUTS)))
