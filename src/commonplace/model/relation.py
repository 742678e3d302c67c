"""The registry of relation types: what a relation is called from both its ends, and what it may join.

`registry.toml` is the one list. It is compiled once into a rule for every name, those of inverses included, so that
checking a relation is a handful of set operations; `turtle.py` writes the same rules as SHACL for other programs.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import resources
from typing import Literal

import msgspec

from commonplace.model.errors import Constraint, Invalid

ROOT = "Memory"
NAME = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
NAME_CHARS_MAX = 64

Lineages = Mapping[str, tuple[str, ...]]
"""Each class with itself and all above it, the root last."""


@dataclass(frozen=True, slots=True)
class RelationType:
    """A row of the registry; an empty domain or range is any class."""

    name: str
    inverse: str
    domain: frozenset[str] = frozenset()
    range: frozenset[str] = frozenset()
    symmetric: bool = False
    reserved: bool = False
    origin: Literal["documented", "extension"] = "extension"
    inverse_by_source_class: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.names:
            if len(name) > NAME_CHARS_MAX or not NAME.fullmatch(name):
                raise Invalid(
                    f"{name!r} cannot name a relation; write at most {NAME_CHARS_MAX} capitals, as in PART_OF."
                )
        if self.symmetric != (self.name in self.names[1:]):
            raise Invalid(f"{self.name} must be its own inverse exactly when it is symmetric.")
        if self.symmetric and (self.domain != self.range or self.inverse_by_source_class):
            raise Invalid(f"{self.name} is symmetric; give it one set of classes and one inverse.")

    @property
    def names(self) -> tuple[str, ...]:
        """Its own name, its inverse's, and those its inverse has for some classes."""
        return (self.name, self.inverse, *self.inverse_by_source_class.values())


@dataclass(frozen=True, slots=True)
class End:
    """One end of a relation: the classes it carries and, for want of any, the first word of its slug."""

    classes: frozenset[str] = frozenset()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """A relation under the name of its type, and its inverse; swapped when it was asked for by the inverse's name."""

    name: str
    inverse: str
    swapped: bool


@dataclass(frozen=True, slots=True)
class Side:
    """The classes one end may have: as written, and with all their subclasses; none written is any."""

    written: frozenset[str]
    closed: frozenset[str]

    def admits(self, end: End) -> bool:
        """Whether the end has one of the classes, or none at all."""
        return not self.closed or not end.classes or not self.closed.isdisjoint(end.classes)


@dataclass(frozen=True, slots=True)
class Rule:
    """What one name stands for and asks of its ends, in the direction of that name."""

    type: RelationType
    swapped: bool
    domain: Side
    range: Side
    inverses: tuple[tuple[frozenset[str], str], ...]
    """What the inverse is called for some classes, the most specific first."""
    implied: str
    """The class that this name itself tells of, HAS_WORKSHOP of a Workshop."""

    def inverse(self, classes: frozenset[str]) -> str:
        """What the inverse is called when the end where the type starts has these classes."""
        return next((name for closed, name in self.inverses if not closed.isdisjoint(classes)), self.type.inverse)


@dataclass(frozen=True, slots=True)
class Registry:
    """Classes under their superclasses, and relation types with a rule for every name."""

    classes: Mapping[str, str]
    types: tuple[RelationType, ...]
    rules: Mapping[str, Rule]
    lineages: Lineages
    spellings: Mapping[str, str]

    @classmethod
    def build(cls, types: Iterable[RelationType], classes: Mapping[str, str]) -> "Registry":
        """Compile rows and classes, each class given with its superclass."""
        types = tuple(types)
        lineages = {name: _lineage(name, classes) for name in classes}
        rules: dict[str, Rule] = {}
        for kind in types:
            compiled = _compile(kind, lineages)
            if taken := sorted(rules.keys() & compiled.keys()):
                raise Invalid(f"{taken[0]} already belongs to {rules[taken[0]].type.name}; choose another name.")
            rules |= compiled
        return cls(dict(classes), types, rules, lineages, _spellings(classes))

    def extended(self, types: Iterable[RelationType] = (), classes: Mapping[str, str] = {}) -> "Registry":
        """The same registry with more types and classes; a class without a known superclass is a Memory."""
        for name, above in classes.items():
            if above and self.classes.get(name, above) != above:
                raise Invalid(f"The class {name} already has another superclass; choose another name.")
        parents = {above: ROOT for above in classes.values() if above}
        children = {name: above or ROOT for name, above in classes.items()}
        return Registry.build((*self.types, *types), parents | children | dict(self.classes))

    def class_named(self, word: str) -> str | None:
        """The registered class of this name, however it is capitalised."""
        return self.spellings.get(word.casefold())

    def most_specific(self, classes: Iterable[str]) -> str:
        """The registered class farthest from the root; the first by name among equals."""
        known = (name for name in classes if name in self.lineages)
        return min(known, key=lambda name: (-len(self.lineages[name]), name), default=ROOT)

    def check(self, kind: str, origin: End, target: End, *, same: bool = False, ingest: bool = False) -> Pair:
        """The pair that this name makes of these ends, or Constraint; `same` says that both ends are one thing."""
        rule = self.rules.get(kind)
        if rule is None:
            known = sorted(each.name for each in self.types if not each.reserved)
            raise _violation(kind, "unknown_type", "is not registered; choose a registered type.", known, [kind])
        if rule.type.reserved and not ingest:
            raise _violation(kind, "reserved", "is reserved; only storing a document makes it.")
        if same:
            raise _violation(kind, "self", "cannot join a thing to itself; name two different ones.")
        if not rule.domain.admits(origin):
            raise _misfit(kind, "domain", rule.domain, origin)
        if not rule.range.admits(target):
            raise _misfit(kind, "range", rule.range, target)
        return Pair(rule.type.name, self._inverse(rule, target if rule.swapped else origin), rule.swapped)

    def _inverse(self, rule: Rule, start: End) -> str:
        if not rule.inverses:
            return rule.type.inverse
        hint = rule.implied or self.class_named(start.hint) or ROOT
        return rule.inverse(start.classes or frozenset((hint,)))


@cache
def registry() -> Registry:
    """The registry that ships with the product."""
    return Registry.build(*parse(resources.files(__package__).joinpath("registry.toml").read_text("utf-8")))


def parse(text: str) -> tuple[tuple[RelationType, ...], dict[str, str]]:
    """The relation types and the classes written in a registry file."""
    try:
        file = tomllib.loads(text)
        rows = msgspec.convert(file.get("relation_types", {}), dict[str, dict[str, object]])
        classes = msgspec.convert(file.get("classes", {}), dict[str, str])
        return tuple(_row(name, row) for name, row in rows.items()), classes
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise Invalid(f"The registry file cannot be read; correct it: {error}.") from error


def _row(name: str, row: Mapping[str, object]) -> RelationType:
    if unknown := sorted(row.keys() - {each.name for each in fields(RelationType)}):
        raise Invalid(f"{name} has the unknown key {unknown[0]!r}; take it out of the registry file.")
    try:
        return msgspec.convert({"inverse": name, **row, "name": name}, RelationType)
    except msgspec.ValidationError as error:
        raise Invalid(f"{name} cannot be read; correct it in the registry file: {error}.") from error


def _lineage(name: str, classes: Mapping[str, str]) -> tuple[str, ...]:
    """The class and all above it, the root last."""
    line = [name]
    while (above := classes.get(line[-1])) and above not in line:
        line.append(above)
    if line[-1] != ROOT:
        raise Invalid(f"The class {name} does not descend from {ROOT}; give it a registered superclass.")
    return tuple(line)


def _spellings(classes: Iterable[str]) -> dict[str, str]:
    spellings: dict[str, str] = {}
    for name in classes:
        if spellings.setdefault(name.casefold(), name) != name:
            raise Invalid(f"{name} and {spellings[name.casefold()]} differ in capitals alone; choose another name.")
    return spellings


def _compile(kind: RelationType, lineages: Lineages) -> dict[str, Rule]:
    """A rule for each name of the type."""
    if unknown := sorted((kind.domain | kind.range | kind.inverse_by_source_class.keys()) - lineages.keys()):
        raise Invalid(f"{kind.name} speaks of the class {unknown[0]}, which is not registered; register it first.")
    domain, range_ = _side(kind.domain, lineages), _side(kind.range, lineages)
    special = sorted(kind.inverse_by_source_class.items(), key=lambda row: (-len(lineages[row[0]]), row[0]))
    inverses = tuple((_closed(frozenset((name,)), lineages), inverse) for name, inverse in special)
    implied = {inverse: name for name, inverse in special}
    # The last word is the type's own name: a symmetric type, whose inverse it names too, is never swapped.
    backward = {name: Rule(kind, True, range_, domain, inverses, implied.get(name, "")) for name in kind.names[1:]}
    return backward | {kind.name: Rule(kind, False, domain, range_, inverses, "")}


def _side(written: frozenset[str], lineages: Lineages) -> Side:
    # Everything is a Memory, even what carries a class that nobody registered: the root restricts nothing.
    return Side(frozenset(), frozenset()) if ROOT in written else Side(written, _closed(written, lineages))


def _closed(classes: frozenset[str], lineages: Lineages) -> frozenset[str]:
    return frozenset(name for name, line in lineages.items() if not classes.isdisjoint(line))


def _misfit(kind: str, reason: str, side: Side, end: End) -> Constraint:
    expected, actual = sorted(side.written), sorted(end.classes)
    verb = "start" if reason == "domain" else "end"
    problem = f"must {verb} at {' or '.join(expected)}, not at {' and '.join(actual)}."
    return _violation(kind, reason, problem, expected, actual)


def _violation(
    kind: str, reason: str, problem: str, expected: Sequence[str] = (), actual: Sequence[str] = ()
) -> Constraint:
    return Constraint(
        f"Constraint violated: {kind} {problem}",
        reason=reason,
        rel_type=kind,
        expected=list(expected),
        actual=list(actual),
    )
