"""Random histories, told to both engines and to the oracle at once: the ten invariants of bi-temporal memory."""

import tempfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from commonplace.core import perform
from commonplace.core import requests as ask
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.ingest.rewrite import DeterministicRewriter
from commonplace.model.access import Caller, Tier
from commonplace.model.answer import Asserted, Recalled, Stored
from commonplace.model.errors import CommonplaceError
from commonplace.model.event import Event
from commonplace.model.interval import DAY, FOREVER, SECOND, Instant
from commonplace.operations.verify import verify
from property.checks import as_line, check_chains, check_equal_rows, check_inverses, check_nothing_changes
from property.oracle import Line, Oracle
from support import FakeClock, Postgres, app_on, sqlite_engine, tables

QUICK = settings(
    max_examples=15,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    print_blob=True,
    report_multiple_bugs=False,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
LONG = settings(QUICK, max_examples=100, stateful_step_count=50)

WORDS = (
    *("Müller", "GmbH", "moved", "Rechnung", "rechnungen", "the"),
    *("2026-05", "get_item()", "naïve", "東京", "1.234,50"),
)

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
offsets = st.none() | st.sampled_from([-DAY, -SECOND, -1, 0, 1, SECOND, DAY])
names = st.sampled_from(["Alice", "alice", "Bob"])
keys = st.none() | st.sampled_from(["one", "two"])
numbers = st.integers(0, 10**6)


Pair = tuple[str, str]
"""An item and one of its versions."""


class Histories(RuleBasedStateMachine):
    """The same requests on SQLite and PostgreSQL, beside the oracle."""

    versions: Bundle[Pair] = Bundle("versions")
    facts: Bundle[str] = Bundle("facts")
    links: Bundle[tuple[str, str, str]] = Bundle("links")

    postgres: ClassVar[Postgres]

    def __init__(self) -> None:
        super().__init__()
        self.open = ExitStack()
        folder = Path(self.open.enter_context(tempfile.TemporaryDirectory()))
        sqlite = sqlite_engine(folder)
        self.open.callback(sqlite.close)
        self.clock = FakeClock()
        apps = [app_on(engine, self.clock) for engine in (sqlite, self.postgres.emptied())]
        self.apps = [replace(app, rewriters=(DeterministicRewriter(),)) for app in apps]
        self.owner, self.agent = (local_caller(self.apps[0], human=human) for human in (True, False))
        self.replies: dict[str, Any] = {}
        self.subjects: dict[str, str] = {}
        self.undone: set[str] = set()
        self.asked: dict[tuple[int, int], tuple[set[str], set[str]]] = {}
        self.seen: list[dict[tuple[str, str, int], dict[str, Any]]] = [{}, {}]
        self.event, recorded_at = self.newest_event()
        self.oracle = Oracle(last=recorded_at)
        for name in ("Work", "Secret"):
            self.write(ask.CreateCollection(name=name))

    def teardown(self) -> None:
        try:
            self.check_stability()
            for app in self.apps:
                assert verify(app, self.owner.workspace_id).problems == ()
            check_equal_rows(self.apps, self.owner)
        finally:
            self.open.close()

    # Telling

    @initialize(target=versions, text=texts)
    def begin(self, text: str) -> Any:
        return multiple(*(self.store(f"{text} {number}", None, None, None) for number in range(2)))

    @rule(target=versions, text=texts, start=offsets, length=st.sampled_from([None, 1, DAY]), key=keys)
    def store(self, text: str, start: int | None, length: int | None, key: str | None) -> Any:
        begin = self.moment(start)
        end = None if length is None or begin is None else Instant(begin + length)
        request = ask.Store(text=text, valid_from=begin, valid_to=end, key=key, tags=(text.split(maxsplit=1)[0],))
        made, now = self.write(request)
        if now is None:
            return multiple()
        self.oracle.place[made.item_id] = "personal"
        line = Line("version", (made.version_id,), made.item_id, now if begin is None else begin, end or FOREVER, now)
        self.oracle.add(line)
        self.oracle.add(Line("text", (made.version_id, text), made.item_id, now, FOREVER, now))
        return made.item_id, made.version_id

    @rule(target=versions, pair=versions, text=texts, start=offsets)
    def supersede(self, pair: Pair, text: str, start: int | None) -> Any:
        made, now = self.write(ask.Supersede(id=pair[0], text=text, valid_from=self.moment(start)))
        if now is None:
            return multiple()
        old = self.oracle.open("version", (made.old_id,))
        self.oracle.close("version", old.key, made.changed_at)
        self.oracle.add(replace(old, key=(made.new_id,), start=made.changed_at, known=now))
        self.oracle.add(Line("text", (made.new_id, text), made.item_id, now, FOREVER, now))
        self.relate("SUPERSEDES", made.new_id, made.old_id, now)
        for kind, *ends in {line.key: None for line in self.oracle.of("relation") if made.old_id in line.key}:
            origin, target = (made.new_id if each == made.old_id else each for each in ends)
            if kind != "SUPERSEDES" and self.is_open((kind, *ends)):
                self.relate(kind, origin, target, now)
        return made.item_id, made.new_id

    @rule(pair=versions, end=offsets)
    def retract(self, pair: Pair, end: int | None) -> None:
        made, now = self.write(ask.Retract(id=pair[0], valid_to=self.moment(end)))
        if now is not None:
            self.oracle.close("version", (made.id,), made.valid_to)

    @rule(pair=versions, text=texts)
    def correct_text(self, pair: Pair, text: str) -> None:
        whole = self.both(ask.Get(id=pair[1]))
        proposal = whole and f'replace "{whole.text}" with "{text}"'
        made = whole and self.both(ask.Propose(chunk_id=whole.chunk_ids[0], proposal=proposal))
        if made is None:
            return
        _, now = self.write(ask.Apply(id=made.id))
        if now is not None:
            self.oracle.add(replace(self.oracle.retire("version", (pair[1],)), known=now))
            self.oracle.retire("text", (pair[1], whole.text))
            self.oracle.add(Line("text", (pair[1], text), pair[0], now, FOREVER, now))

    @rule(target=facts, subject=names, value=texts, start=offsets, key=keys)
    def assert_fact(self, subject: str, value: str, start: int | None, key: str | None) -> Any:
        begin = self.moment(start)
        request = ask.AssertFact(subject=subject, predicate="lives_in", value=value, valid_from=begin, key=key)
        made, now = self.write(request)
        if now is None:
            return multiple()
        self.subjects[made.id] = subject
        self.oracle.add(Line("fact", (made.id,), "", now if begin is None else begin, FOREVER, now))
        return made.id

    @rule(target=facts, fact=facts, value=texts, start=offsets)
    def correct_fact(self, fact: str, value: str, start: int | None) -> Any:
        begin = self.moment(start)
        made, now = self.write(ask.CorrectFact(id=fact, value=value, valid_from=begin))
        if now is None:
            return multiple()
        start_of_new = now if begin is None else begin
        old = self.oracle.open("fact", (fact,))
        if old.closed is None and old.end > start_of_new:
            self.oracle.close("fact", old.key, max(start_of_new, old.start))
        self.subjects[made.new_id] = self.subjects[fact]
        self.oracle.add(Line("fact", (made.new_id,), "", start_of_new, FOREVER, now))
        return made.new_id

    @rule(fact=facts, end=offsets)
    def invalidate_fact(self, fact: str, end: int | None) -> None:
        made, now = self.write(ask.InvalidateFact(id=fact, valid_to=self.moment(end)))
        if now is not None:
            self.oracle.close("fact", (fact,), made.valid.end)

    @rule(target=links, kind=st.sampled_from(["REFERENCES", "CITED_BY", "RELATED_TO"]), origin=versions, to=versions)
    def link(self, kind: str, origin: Pair, to: Pair) -> Any:
        link = (kind, origin[1], to[1])
        _, now = self.write(ask.Link(kind=link[0], origin=link[1], target=link[2]))
        if now is None:
            return multiple()
        self.relate(*link, now)
        return link

    @rule(link=links, backwards=st.booleans())
    def unlink(self, link: tuple[str, str, str], backwards: bool) -> None:  # noqa: FBT001 - hypothesis names it
        kind, origin, target = link
        if backwards:
            inverse = {"REFERENCES": "CITED_BY", "CITED_BY": "REFERENCES", "RELATED_TO": "RELATED_TO"}[kind]
            request = ask.Unlink(origin=target, target=origin, kind=inverse)
        else:
            request = ask.Unlink(origin=origin, target=target, kind=kind)
        _, now = self.write(request)
        if now is not None:
            self.oracle.close("relation", self.stated(link), now)

    @rule(pair=versions, slug=st.sampled_from(["personal", "work", "secret"]))
    def move(self, pair: Pair, slug: str) -> None:
        _, now = self.write(ask.Move(ids=(pair[0],), collection=slug))
        if now is not None:
            self.oracle.move(pair[0], slug)

    @rule(slug=st.sampled_from(["personal", "secret"]), tier=st.sampled_from(Tier))
    def set_tier(self, slug: str, tier: Tier) -> None:
        self.write(ask.SetCollection(slug=slug, tier=tier))
        (self.oracle.sensitive.add if tier == Tier.SENSITIVE else self.oracle.sensitive.discard)(slug)

    @rule(thing=consumes(facts) | consumes(versions).map(lambda pair: pair[0]))
    def forget(self, thing: str) -> None:
        made, now = self.write(ask.Forget(ids=(thing,)))
        if now is not None:
            gone = {thing, *made.item_ids}
            gone |= {line.key[0] for line in self.oracle.of("version") if line.home in gone}
            self.oracle.forget(gone)
            for told in self.asked.values():
                for ids in told:
                    ids.difference_update(gone)

    @precondition(lambda self: self.event not in self.undone)
    @rule()
    def undo(self) -> None:
        undone = self.event
        _, now = self.write(ask.Undo(event_id=undone))
        if now is not None:
            self.oracle.undo(undone)
        self.undone.add(self.event)

    @rule(microseconds=st.sampled_from([1, SECOND, 2 * DAY, -DAY]))
    def let_time_pass(self, microseconds: int) -> None:
        self.clock.advance(microseconds)

    # Asking

    @rule(at=numbers, known=numbers, beside=st.sampled_from([-1, 0, 1]), human=st.booleans())
    def ask_about_a_moment(self, at: int, known: int, beside: int, human: bool) -> None:  # noqa: FBT001 - as above
        as_of = Instant(self.some_moment(at) + beside)
        known_at = Instant(self.some_moment(known) + beside)
        shown = self.shown(as_of, known_at, human=human)
        now = self.oracle.now(self.clock.at)
        assert shown == self.expected(as_of, known_at, now, human=human)
        if human and as_of < now and known_at < now:
            self.asked[as_of, known_at] = shown

    @rule(entity=names, at=numbers)
    def ask_about_an_entity(self, entity: str, at: int) -> None:
        as_of = self.some_moment(at)
        told = self.both(ask.FactsAbout(entity=entity, as_of=as_of))
        held = [line for line in self.oracle.of("fact") if line.until == FOREVER]
        spelt = [line for line in held if self.subjects[line.key[0]] == entity]
        alike = [line for line in held if self.subjects[line.key[0]].casefold() == entity.casefold()]
        valid = {line.key[0] for line in spelt or alike if line.was_valid(as_of, FOREVER - 1)}
        assert {fact.id for fact in told} == valid

    @rule(pair=versions, at=numbers)
    def ask_for_a_text(self, pair: Pair, at: int) -> None:
        known_at = self.some_moment(at)
        told = self.both(ask.Get(id=pair[1], known_at=known_at))
        if told is not None and known_at < self.oracle.now(self.clock.at):
            held = [line for line in self.oracle.of("text") if line.holds(known_at, known_at)]
            texts_then = [line.key[1] for line in held if line.key[0] == pair[1]]
            assert texts_then == [told.text]

    @rule(pair=versions, at=numbers)
    def ask_for_relations(self, pair: Pair, at: int) -> None:
        as_of = self.some_moment(at)
        told = self.both(ask.RelationsOf(id=pair[1], as_of=as_of, known_at=as_of))
        if told is not None:
            held = {line.key for line in self.oracle.of("relation") if line.holds(as_of, as_of)}
            assert {(each.kind, each.origin, each.target) for each in told} == {key for key in held if pair[1] in key}

    @rule(text=texts, human=st.booleans(), at=numbers, mode=st.sampled_from(["hybrid", "keyword", "semantic"]))
    def recall(self, text: str, human: bool, at: int, mode: Any) -> None:  # noqa: FBT001 - as above
        request = ask.Recall(text=text, limit=50, targets=("memory", "fact"), mode=mode, explain=True)
        told = self.both(request, human=human)
        now = Instant(self.oracle.now(self.clock.at))
        assert self.both(replace(request, as_of=now, known_at=now), human=human) == told
        self.both(replace(request, as_of=self.some_moment(at)), human=human)

    # Checking

    @invariant()
    def lines_are_rows(self) -> None:
        for app, seen in zip(self.apps, self.seen, strict=True):
            found = tables(app, self.owner, "version", "fact", "relation")
            stated = [row for row in found["relation"] if row["stated"]]
            assert sorted(map(as_line, found["version"] + found["fact"] + stated)) == sorted(
                (*line.key, line.start, line.end, line.known, line.until)
                for line in self.oracle.lines
                if line.table != "text"
            )
            check_chains(found["version"])
            check_inverses(found["relation"])
            check_nothing_changes(found, seen)

    def check_stability(self) -> None:
        for (as_of, known_at), told in self.asked.items():
            if as_of < self.clock.at and known_at < self.clock.at:
                assert self.shown(Instant(as_of), Instant(known_at), human=True) == told

    # Doing

    def both(self, request: object, *, human: bool = True) -> Any:
        """The answer of both engines, which must be one; None where both refuse."""
        answers = [attempt(app, self.owner if human else self.agent, request) for app in self.apps]
        assert answers[0] == answers[1]
        return None if isinstance(answers[0], Refused) else answers[0]

    def write(self, request: Any) -> tuple[Any, int | None]:
        """The answer, and when it was recorded; None where nothing was."""
        made = self.both(request)
        key = getattr(request, "key", None)
        event, _ = self.newest_event()
        if event == self.event:
            if key is not None and made is not None:
                assert same_reply(made, self.replies[key])
            return made, None
        self.event = event
        if key is not None:
            assert key not in self.replies, "the same key twice: one event"
            self.replies[key] = made
        return made, self.oracle.begin(event, self.clock.at)

    def newest_event(self) -> tuple[str, int]:
        events = [unsealed(perform(app, self.owner, ask.History(limit=1))[0]) for app in self.apps]
        assert events[0] == events[1]
        return events[0].id, events[0].recorded_at

    def moment(self, offset: int | None) -> Instant | None:
        return None if offset is None else Instant(self.clock.at + offset)

    def some_moment(self, number: int) -> Instant:
        """One of the instants at which something changes; after a forget there may be none."""
        moments = self.oracle.moments() or [self.clock.at]
        return Instant(moments[number % len(moments)])

    def relate(self, kind: str, origin: str, target: str, now: int) -> None:
        self.oracle.add(Line("relation", (kind, origin, target), "", now, FOREVER, now))

    def is_open(self, key: tuple[str, ...]) -> bool:
        return any(
            (line.table, line.key, line.end, line.until) == ("relation", key, FOREVER, FOREVER)
            for line in self.oracle.lines
        )

    def stated(self, link: tuple[str, str, str]) -> tuple[str, ...]:
        """A symmetric relation may be ended from its other side; it is kept as it was stated."""
        kind, origin, target = link
        return link if self.is_open(link) else (kind, target, origin)

    def shown(self, as_of: Instant, known_at: Instant, *, human: bool) -> tuple[set[str], set[str]]:
        request = ask.Recall(targets=("memory", "fact"), as_of=as_of, known_at=known_at, limit=500)
        told: Recalled = self.both(request, human=human)
        return (
            {hit.id for hit in told.hits if hit.kind == "memory"},
            {hit.id for hit in told.hits if hit.kind == "fact"},
        )

    def expected(self, as_of: int, known_at: int, now: int, *, human: bool) -> tuple[set[str], set[str]]:
        known_at = FOREVER - 1 if known_at >= now else known_at
        versions = [line for line in self.oracle.of("version", human=human) if line.holds(as_of, known_at)]
        facts = [line for line in self.oracle.of("fact", human=human) if line.holds(as_of, known_at)]
        return {line.key[0] for line in versions}, {line.key[0] for line in facts}


class Refused(tuple[str, str]):
    """An error as it can be compared."""

    __slots__ = ()


def attempt(app: App, caller: Caller, request: object) -> Any:
    try:
        answer = perform(app, caller, request)
    except CommonplaceError as error:
        return Refused((type(error).__name__, error.message))
    return unsealed(answer) if isinstance(answer, Event) else answer


def unsealed(event: Event) -> Event:
    """An event without its hashes: a payload writes true as the engine does, true or 1."""
    return replace(event, payload_hash=b"", previous_hash=b"", hash=b"")


def same_reply(again: Any, first: Any) -> bool:
    """The same ids; keys are one namespace, so another verb with this key tells the ids in its own form."""
    match again, first:
        case Asserted(), Asserted():
            return again.id == first.id
        case Stored(), Stored():
            if not again.collection:  # forgotten or undone since: nothing but the ids is left
                return (again.item_id, again.version_id) == (first.item_id, first.version_id)
            return again == replace(first, known=True, collection=again.collection)
    return bool(again.known)


def test_short_histories_keep_the_invariants(postgres: Postgres) -> None:
    Histories.postgres = postgres
    run_state_machine_as_test(Histories, settings=QUICK)


@pytest.mark.slow
@pytest.mark.long
def test_long_histories_keep_the_invariants(postgres: Postgres) -> None:
    Histories.postgres = postgres
    run_state_machine_as_test(Histories, settings=LONG)
