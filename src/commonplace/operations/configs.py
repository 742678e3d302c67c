"""Changing one entry in the text of a settings file, so that every other byte stays as its owner wrote it."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

SPACE = re.compile(r"\s*")
STRING = re.compile(r'"(?:\\.|[^"\\])*"')
NO_CONTENT = re.compile(r"\s*(#.*)?\s*")

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of settings file; `put` sets the entry of a name in a section, or takes it out when it is None."""

    name: str
    parse: Callable[[str], dict[str, Any]]
    put: Callable[[str, str, str, Entry | None], str]


@dataclass(frozen=True, slots=True)
class _Member:
    """Where a member of an object stands in a text."""

    name: str
    start: int
    value: int
    end: int


def has_comments(text: str) -> bool:
    """Whether a text that is no JSON is JSON with comments."""
    bare = STRING.sub("", text)
    return "//" in bare or "/*" in bare


def _parse_json(text: str) -> dict[str, Any]:
    found = json.loads(text) if text.strip() else {}
    if not isinstance(found, dict):
        raise TypeError("it holds no object")
    return found


def _put_json(text: str, section: str, name: str, entry: Entry | None) -> str:
    text = text if text.strip() else "{}\n"
    root = text.index("{")
    servers = {member.name: member.value for member in _members(text, root)}.get(section)
    if entry is None:
        return text if servers is None else _without(text, servers, name)
    if servers is None:
        return _with(text, root, 1, section, {name: entry})
    return _with(text, servers, 2, name, entry)


def _members(text: str, start: int) -> Iterator[_Member]:
    """The members of the object that begins at `start`, in a text that is known to be JSON."""
    decoder = json.JSONDecoder()
    at = _past_space(text, start + 1)
    while text[at] != "}":
        name, end = decoder.raw_decode(text, at)
        value = _past_space(text, _past_space(text, end) + 1)
        _, end = decoder.raw_decode(text, value)
        yield _Member(name, at, value, end)
        at = _past_space(text, end)
        if text[at] == ",":
            at = _past_space(text, at + 1)


def _past_space(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    assert found is not None, "no space is space too"
    return found.end()


def _with(text: str, start: int, depth: int, name: str, value: Entry) -> str:
    """The text with a member set in the object at `start`, in the indentation of the file."""
    found = re.search(r"\n([ \t]+)\S", text)
    step = found[1] if found else "  "
    line = ("\r\n" if "\r\n" in text else "\n") + step * depth
    written = json.dumps(value, ensure_ascii=False, indent=step).replace("\n", line)
    members = list(_members(text, start))
    for member in members:
        if member.name == name:
            return text[: member.value] + written + text[member.end :]
    written = f"{line}{json.dumps(name)}: {written}"
    if members:
        return f"{text[: members[-1].end]},{written}{text[members[-1].end :]}"
    end = text.index("}", start)
    return f"{text[:start]}{{{written}{line.removesuffix(step)}{text[end:]}"


def _without(text: str, start: int, name: str) -> str:
    """The text without a member of the object at `start`, and without the comma that stood beside it."""
    members = list(_members(text, start))
    for index, member in enumerate(members):
        if member.name != name:
            continue
        if index:
            return text[: members[index - 1].end] + text[member.end :]
        if members[1:]:
            return text[: member.start] + text[members[1].start :]
        return text[: start + 1] + text[_past_space(text, member.end) :]
    return text


def _put_toml(text: str, section: str, name: str, entry: Entry | None) -> str:
    line = "\r\n" if "\r\n" in text else "\n"
    written = [] if entry is None else [_toml_table(section, name, entry, line)]
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    blocks = list(_blocks(lines, section, name))
    if not blocks and written:
        parting = line if text.strip() else ""
        ended = text if not text or text.endswith("\n") else text + line
        return f"{ended}{parting}{written[0]}"
    for start, end in reversed(blocks):
        stays = written if start == blocks[0][0] else []
        gap = 1 if not stays and start and not lines[start - 1].strip() else 0
        lines[start - gap : end] = stays
    return "".join(lines)


def _blocks(lines: Sequence[str], section: str, name: str) -> Iterator[tuple[int, int]]:
    """Where the table of a name stands, and the tables below it; a comment before the next table belongs to that."""
    heads = [(number, head) for number, line in enumerate(lines) if (head := _head(line)) is not None]
    for (start, head), (after, _) in pairwise([*heads, (len(lines), {})]):
        servers = head.get(section)
        if isinstance(servers, dict) and name in servers:
            end = after
            while NO_CONTENT.fullmatch(lines[end - 1]):
                end -= 1
            yield start, end


def _head(line: str) -> dict[str, Any] | None:
    """What a line opens when it is the head of a table: such a line alone is TOML already."""
    try:
        return tomllib.loads(line) if line.lstrip().startswith("[") else None
    except tomllib.TOMLDecodeError:
        return None


def _toml_table(section: str, name: str, entry: Entry, line: str) -> str:
    fields = (f"{key} = {_toml(value)}" for key, value in entry.items())
    return line.join((f"[{section}.{name}]", *fields, ""))


def _toml(value: str | list[str] | dict[str, str]) -> str:
    """A value; the strings and lists of JSON are those of TOML."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(each)}' for key, each in value.items())} }}"
    return json.dumps(value, ensure_ascii=False)


JSON = Format("JSON", _parse_json, _put_json)
TOML = Format("TOML", tomllib.loads, _put_toml)
