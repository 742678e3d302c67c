"""Text -> pieces that partition it, and what the index sees of each.

A heading begins a piece. What is longer than a piece may be ends, in this order of preference, at a paragraph, a
sentence, a line or a space; only a word that is too long alone is cut inside.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from commonplace.model.names import shorten

LLM_TOKEN_CHARACTERS = 4
PIECE_LLM_TOKENS_MAX = 500
PIECE_CHARACTERS_MAX = PIECE_LLM_TOKENS_MAX * LLM_TOKEN_CHARACTERS
# What ends nearer to its start than this says too little alone.
PIECE_CHARACTERS_MIN = PIECE_CHARACTERS_MAX // 4
TITLE_CHARACTERS_MAX = 80
# No title needs more of its line, and cleaning stays cheap whatever the line is.
LINE_CHARACTERS_MAX = 1_000

PARAGRAPH = re.compile(r"\n[^\S\n]*\n")
# Two letters stand before the full stop, for `z. B.` and `3. Mai` end nothing; CJK needs no space after it.
SENTENCE = re.compile(r"(?<=[^\W\d_]{2}[.!?…])[\"'”’»)\]]*\s|(?<=[。！？])(?=[\s\S])")
LINE = re.compile(r"\n")
SPACE = re.compile(r"\s")
INK = re.compile(r"\S")

STRUCTURE = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})"
    r"|^ {0,3}(?P<marks>\#{1,6})(?!\S)(?P<title>[^\n]*)"
    r"|^(?P<underlined>[^\s#>|*+-][^\n]*)\n(?P<line>=+|-+)[ \t\r]*$",
    re.MULTILINE,
)
RULE = re.compile(r"\s*(?:(?:[-=*_]\s*){3,}$|```|~~~)")
BLOCK_MARKS = re.compile(r"^(?:\s|>|#{1,6}(?!\S)|[*+-](?=\s)|\d{1,3}[.)](?=\s)|\[[ xX]\](?=\s))*")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
WIKI_LINK = re.compile(r"\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]")
INLINE_MARKS = re.compile(r"(?<!\w)[*_~`]+(?=\S)|(?<=\S)[*_~`]+(?!\w)|\s#+\s*$")


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk of a text before it is stored."""

    ordinal: int
    start: int
    headings: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A Markdown heading and where it stands."""

    start: int
    end: int
    level: int
    title: str


def chunks(text: str, *, markdown: bool = True) -> list[Piece]:
    """Cut a text into pieces; joined, they are the text again."""
    sections = _sections(text) if markdown else [(0, ())]
    ends = [*(start for start, _ in sections[1:]), len(text)]
    cuts = [
        (start, end, headings)
        for (section, headings), section_end in zip(sections, ends, strict=True)
        for start, end in _cuts(text, section, section_end)
    ]
    return [Piece(ordinal, start, headings, text[start:end]) for ordinal, (start, end, headings) in enumerate(cuts)]


def llm_tokens(text: str) -> int:
    """About how many tokens a language model reads in a text."""
    return -(-len(text) // LLM_TOKEN_CHARACTERS)


def overlap(previous_text: str, tokens: int = 50) -> str:
    """The last whole words of a chunk; they go into the index entry of the next one."""
    text = previous_text.rstrip()
    start = len(text) - tokens * LLM_TOKEN_CHARACTERS
    if start <= 0:
        return text.lstrip()
    space = SPACE.search(text, start - 1)
    return text[space.end() :].lstrip() if space else ""


def indexed_text(title: str, headings: tuple[str, ...], before: str, text: str) -> str:
    """What the index and the vector see of a chunk: title, heading path, overlap, text."""
    path = " > ".join(headings)
    return "\n".join(part for part in (title, path if path != title else "", before, text) if part)


def title_of(text: str) -> str:
    """A title for a text that has none: its first line that says something."""
    lines = (line[0][:LINE_CHARACTERS_MAX] for line in re.finditer(r".+", text))
    titles = (_plain(line) for line in lines if not RULE.match(line))
    return shorten(next(filter(None, titles), text.strip()), TITLE_CHARACTERS_MAX)


def _plain(line: str) -> str:
    """A line without its Markdown marks."""
    named = WIKI_LINK.sub(r"\1", LINK.sub(r"\1", BLOCK_MARKS.sub("", line)))
    return " ".join(INLINE_MARKS.sub("", named).split())


def _sections(text: str) -> list[tuple[int, tuple[str, ...]]]:
    """Where each section starts, and its heading path; a heading without a body leads the next section."""
    sections: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    path: list[Heading] = []
    body = 0
    for heading in _headings(text):
        path = [*(above for above in path if above.level < heading.level), heading]
        start = heading.start
        if _next_ink(text, body, start) == start:
            start, _ = sections.pop()
        sections.append((start, tuple(above.title for above in path if above.title)))
        body = heading.end
    return sections


def _headings(text: str) -> Iterator[Heading]:
    fence = ""
    for mark in STRUCTURE.finditer(text):
        if mark["fence"] and not fence:
            fence = mark["fence"]
        elif mark["fence"] and mark["fence"].startswith(fence):
            fence = ""
        elif fence or mark["fence"]:
            continue
        elif mark["marks"]:
            title = _plain(mark["title"][:LINE_CHARACTERS_MAX])
            yield Heading(mark.start(), mark.end(), len(mark["marks"]), shorten(title, TITLE_CHARACTERS_MAX))
        elif _after_blank_line(text, mark.start()):
            title = _plain(mark["underlined"][:LINE_CHARACTERS_MAX])
            level = 1 if mark["line"].startswith("=") else 2
            yield Heading(mark.start(), mark.end(), level, shorten(title, TITLE_CHARACTERS_MAX))


def _after_blank_line(text: str, at: int) -> bool:
    return at == 0 or not text[text.rfind("\n", 0, at - 1) + 1 : at].strip()


def _cuts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        stop = _stop(text, start, end)
        yield start, stop
        start = stop


def _stop(text: str, start: int, end: int) -> int:
    """Where the piece that begins at `start` ends; white space stays with the piece it follows."""
    first = _next_ink(text, start, end)
    last = first + PIECE_CHARACTERS_MAX
    if _next_ink(text, last, end) >= end:
        return end
    nearest = first + PIECE_CHARACTERS_MIN
    for gap, lowest in ((PARAGRAPH, nearest), (SENTENCE, nearest), (LINE, nearest), (SPACE, first)):
        stops = [found.end() for found in gap.finditer(text, lowest, last + 1)]
        if stops:
            return _next_ink(text, stops[-1], end)
    return last


def _next_ink(text: str, at: int, end: int) -> int:
    ink = INK.search(text, at, end)
    return ink.start() if ink else end
