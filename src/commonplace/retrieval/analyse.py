"""Text -> terms: the one analyser in front of both engines.

A term holds no white space and no control character, so that terms may be joined by spaces. What a word gives:
its folded surface forms (`mueller`, `muller`), its German and its English stem (`d:mull`, `e:muller`), and, for what
is written like a name in a program, the whole as it stands (`=get_item`) beside its parts.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from unicodedata import normalize

from commonplace.model.names import CAMEL, UMLAUTS, without_diacritics, words

Vocabulary = Callable[[str], bool]

TERM_CHARACTERS_MAX = 100
CACHED_CHARACTERS_MAX = 40
CACHED_MAX = 1 << 15
QUERY_GROUPS_MAX = 64
QUERY_PHRASES_MAX = 8
NAME_TERMS_MAX = 8

PART_CHARACTERS_MIN = 4
COMPOUND_CHARACTERS_MAX = 40
LINKING = ("", "s", "es", "n", "en", "er", "e")

# Signs that stand inside a word and are not part of it: soft hyphen, joiners, byte order mark.
INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
CJK = "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
CJK_RUN = re.compile(f"[{CJK}]+")
SCRIPT_RUN = re.compile(f"[{CJK}]+|[^{CJK}]+")
NAME = re.compile(
    r"(?:--?|[~.]{0,2}[/\\]{1,2}\.?|[@#$~.+])?"
    rf"[^\W{CJK}]+(?:(?:[._\-/\\:@+#%&=?~$>]{{1,3}}|(?<=\d),(?=\d))[^\W{CJK}]+)*"
    r"(?:\+\+|\#)?"
)
NAME_GAP = re.compile(r"[/\\@?&=:#]+")
THOUSANDS = re.compile(r"(?<![\w.,+-])[1-9]\d{0,2}(?:[.,'’]\d{3})+(?![\w-]|[.,]\d)")
PHONE = re.compile(r"\+\d[\d ()/.-]{5,20}\d")
PHRASE = re.compile(r'["“”„«»]([^"“”„«»]+)["“”«»]')

# Short on purpose, and without words that carry meaning in the other language, such as "war" or "man".
GERMAN_STOP_WORDS = """
    aber als am an auch auf aus bei bin bis da das dass dem den denn der des die dies diese diesem diesen dieser
    dieses doch du ein eine einem einen einer eines er es für fuer habe haben hat hatte hatten ich ihm ihn ihr ihre im
    in ist ja kann mein meine mich mir mit nach nicht noch nur ob oder sein seine sich sie sind so um und uns unser
    unsere vom von vor was wann warum welche welcher welches wenn wer werden wie wir wird wo wurde wurden zu zum zur
    über ueber
"""
ENGLISH_STOP_WORDS = """
    a about an and are as at be been but by can could d did do does for from had has have he her his how i if in into
    is it its just ll m me my no not of on or our out re s she should so some t than that the their them then there
    these they this those to us ve was we were what when where which who whom whose why with would you your
"""
STOP_WORDS = frozenset((GERMAN_STOP_WORDS + ENGLISH_STOP_WORDS).split())


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """What a query asks for.

    A group holds the alternatives of one query word. A phrase is to be found in the `fact_terms` of a text, joined by
    spaces. An identifier is the exact term of something written like a name in a program.
    """

    groups: tuple[tuple[str, ...], ...]
    phrases: tuple[str, ...]
    identifiers: tuple[str, ...]


def fold(text: str) -> str:
    """Text without the difference of case, width and diacritics."""
    return without_diacritics(normalize("NFKC", normalize("NFKC", text).casefold()))


def fact_terms(text: str) -> list[str]:
    """The unstemmed terms of a fact: letter and digit runs."""
    return [word[:TERM_CHARACTERS_MAX] for word in words(fold(text))]


def terms(text: str, known: Vocabulary | None = None) -> list[str]:
    """Every term under which a text is found; `known` tells which words the corpus has, and so divides compounds."""
    found: list[str] = list(_phones(text))
    for run in text.split():
        found += _cached_run_terms(run) if len(run) <= CACHED_CHARACTERS_MAX else _run_terms(run)
        if known and len(run) >= 2 * PART_CHARACTERS_MIN:
            found += [stem for word in _words(_plain(run)) for stem in _compound_stems(word, known)]
    return found


def query_terms(text: str, known: Vocabulary | None = None) -> QueryTerms:
    """The terms to look for, word by word; stop words only where there is nothing else."""
    groups: list[tuple[str, ...]] = []
    stop_groups: list[tuple[str, ...]] = []
    identifiers: list[tuple[str, ...]] = [(phone,) for phone in _phones(text)]
    for run in map(_plain, text.split()):
        identifiers += _names(run)
        for word in _words(run):
            group = (*_forms(word), *(_compound_stems(word, known) if known else ()))
            (stop_groups if word.casefold() in STOP_WORDS else groups).append(tuple(dict.fromkeys(group)))
    asked = dict.fromkeys((*identifiers, *groups)) or dict.fromkeys(stop_groups)
    phrases = dict.fromkeys(" ".join(fact_terms(phrase)) for phrase in PHRASE.findall(text))
    return QueryTerms(
        groups=tuple(asked)[:QUERY_GROUPS_MAX],
        phrases=tuple(filter(None, phrases))[:QUERY_PHRASES_MAX],
        identifiers=tuple(dict.fromkeys(name[0] for name in identifiers))[:QUERY_GROUPS_MAX],
    )


def split_compound(word: str, known: Vocabulary) -> list[str]:
    """The known parts of a German compound, fewest parts and linking letters first; none where it is no compound."""
    if not 2 * PART_CHARACTERS_MIN <= len(word) <= COMPOUND_CHARACTERS_MAX:
        return []
    known = cache(known)

    @cache
    def divide(start: int) -> tuple[str, ...]:
        """The best parts from `start` to the end of the word."""
        rest = word[start:]
        ways: list[tuple[str, ...]] = [(rest,)] if start and len(rest) >= PART_CHARACTERS_MIN and known(rest) else []
        for end in range(start + PART_CHARACTERS_MIN, len(word) - PART_CHARACTERS_MIN + 1):
            part = word[start:end]
            if not known(part):
                continue
            ways += [
                (part, *following)
                for link in LINKING
                if word.startswith(link, end) and (following := divide(end + len(link)))
            ]
        return min(ways, key=lambda parts: (len(parts), -sum(map(len, parts)), -len(parts[0])), default=())

    return list(divide(0))


def within_one_edit(one: str, other: str) -> bool:
    """Whether at most one letter is added, missing or different."""
    shorter, longer = sorted((one, other), key=len)
    if len(longer) - len(shorter) > 1:
        return False
    same = next((at for at, letter in enumerate(shorter) if letter != longer[at]), len(shorter))
    return shorter[same + (len(shorter) == len(longer)) :] == longer[same + 1 :]


def _run_terms(run: str) -> tuple[str, ...]:
    """The terms of what stands between two spaces."""
    plain = _plain(run)
    whole = [term for name in _names(plain) for term in name]
    forms = [form for word in _words(plain) for form in _forms(word)]
    signs = [sign for part in CJK_RUN.findall(plain) for word in words(part) if len(word) > 1 for sign in word]
    return (*whole, *forms, *signs)


_cached_run_terms = lru_cache(CACHED_MAX)(_run_terms)


def _plain(run: str) -> str:
    """One way of writing what can be written in several: widths, invisible signs, thousands."""
    return THOUSANDS.sub(lambda number: re.sub(r"\D", "", number[0]), normalize("NFKC", run.translate(INVISIBLE)))


def _names(run: str) -> Iterator[tuple[str, ...]]:
    """The exact terms of each identifier: the whole, then the parts of it that are identifiers themselves."""
    for name in NAME.findall(run):
        whole = name.replace(",", ".")
        if _is_identifier(whole):
            parts = filter(_is_identifier, NAME_GAP.split(whole))
            exact = dict.fromkeys("=" + fold(part[:TERM_CHARACTERS_MAX]) for part in (whole, *parts))
            yield tuple(exact)[:NAME_TERMS_MAX]


def _is_identifier(name: str) -> bool:
    return not (name.isalpha() or name.isdigit()) and any(map(str.isalnum, name))


def _phones(text: str) -> Iterator[str]:
    """Exact terms of telephone numbers, the only identifiers written with spaces."""
    return ("=+" + re.sub(r"\D", "", number) for number in PHONE.findall(text))


def _words(run: str) -> Iterator[str]:
    """The words of a run: as written, then the parts of camelCase; CJK, which has no spaces, in pairs of signs."""
    for word in (word for part in SCRIPT_RUN.findall(run) for word in words(part)):
        if CJK_RUN.match(word):
            yield from map("".join, pairwise(word)) if len(word) > 1 else word
            continue
        yield word
        humps = CAMEL.split(word[:TERM_CHARACTERS_MAX])
        yield from humps if len(humps) > 1 else ()


@lru_cache(CACHED_MAX)
def _forms(word: str) -> tuple[str, ...]:
    """The terms of one word, all for the same position."""
    lower = normalize("NFKC", word[:TERM_CHARACTERS_MAX].casefold())
    surface = (without_diacritics(lower.translate(UMLAUTS)), without_diacritics(lower))
    return tuple(dict.fromkeys((*surface, *_stems(lower))))


def _stems(lower: str) -> tuple[str, ...]:
    plain = without_diacritics(lower)
    if len(plain) < 3 or lower in STOP_WORDS or not (plain.isascii() and plain.isalpha()):
        return ()
    german, english = _stemmers()
    return "d:" + without_diacritics(german(lower)), "e:" + english(plain)


def _compound_stems(word: str, known: Vocabulary) -> list[str]:
    return [stem for part in split_compound(fold(word), known) for stem in _stems(part)]


@cache
def _stemmers() -> tuple[Callable[[str], str], Callable[[str], str]]:
    from Stemmer import Stemmer

    return Stemmer("german", 0).stemWord, Stemmer("english", 0).stemWord
