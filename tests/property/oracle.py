"""The specification as a plain list: what was said, when it holds, and when it was known."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

FOREVER = 2**63 - 1

Key = tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """One row: a version, a fact or a stated relation, with both its intervals."""

    table: str
    key: Key
    home: str
    start: int
    end: int
    known: int
    until: int = FOREVER
    closed: int | None = None

    def holds(self, as_of: int, known_at: int) -> bool:
        """Whether both moments lie in the half-open intervals."""
        return self.start <= as_of < self.end and self.known <= known_at < self.until

    def was_valid(self, as_of: int, known_at: int) -> bool:
        """As Kronroe asks it of a fact: it held, and had not been closed by then."""
        return self.holds(as_of, known_at) and (self.closed is None or self.closed > as_of)


@dataclass
class Oracle:
    """Every line ever written, in order; only `until` changes, and only `forget` takes lines out."""

    lines: list[Line] = field(default_factory=list)
    place: dict[str, str] = field(default_factory=dict)
    sensitive: set[str] = field(default_factory=set)
    last: int = 0
    steps: dict[str, list[tuple[str, Line | tuple[str, str]]]] = field(default_factory=dict)

    def begin(self, event: str, clock: int) -> int:
        """A write begins: when it is recorded."""
        self.last = max(clock, self.last + 1)
        self.steps[event] = []
        return self.last

    def now(self, clock: int) -> int:
        """The present of a reader."""
        return max(clock, self.last)

    def add(self, line: Line) -> None:
        """Something new is said."""
        self.lines.append(line)
        self._step("add", line)

    def retire(self, table: str, key: Key) -> Line:
        """What was said is held no longer."""
        return self._end(self.open(table, key))

    def close(self, table: str, key: Key, end: int) -> None:
        """It ends; that it was thought to go on stays known."""
        line = self.retire(table, key)
        closed = self.last if end in {line.start, min(end, self.last)} else None
        self.add(replace(line, end=end, known=self.last, closed=closed))

    def move(self, item: str, slug: str) -> None:
        """Another collection, whose tier governs it from now on; this has no history."""
        self._step("move", (item, self.place[item]))
        self.place[item] = slug

    def undo(self, event: str) -> None:
        """Every step of an event taken back, known from now on."""
        for step, said in reversed(self.steps[event]):
            if isinstance(said, tuple):
                self.move(*said)
            elif step == "add":
                self._end(said)
            else:
                self.add(replace(said, known=self.last))

    def forget(self, gone: set[str]) -> None:
        """The only way out."""
        self.lines = [line for line in self.lines if line.home not in gone and gone.isdisjoint(line.key)]

    def open(self, table: str, key: Key) -> Line:
        """The line of a thing that is held now; of relations that followed one another, the last."""
        return next(
            line for line in reversed(self.lines) if (line.table, line.key, line.until) == (table, key, FOREVER)
        )

    def of(self, table: str, *, human: bool = True) -> Iterator[Line]:
        """The lines of a table whose collection the reader may see."""
        for line in self.lines:
            if line.table == table and (human or self.place.get(line.home, "personal") not in self.sensitive):
                yield line

    def moments(self) -> list[int]:
        """Every instant at which anything changes."""
        return sorted({at for line in self.lines for at in (line.start, line.end, line.known, line.until)} - {FOREVER})

    def _end(self, line: Line) -> Line:
        self.lines[self.lines.index(line)] = replace(line, until=self.last)
        self._step("retire", line)
        return line

    def _step(self, step: str, said: Line | tuple[str, str]) -> None:
        self.steps[next(reversed(self.steps))].append((step, said))
