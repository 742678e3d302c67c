"""After a forget no byte of what was forgotten is left: in no page, free ones too, no journal and no key file."""

import random
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread

import apsw
import pytest
from children import PROCESSES, Fuse, opened, watch
from plain import contents, pages

from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import (
    Amend,
    Apply,
    AssertFact,
    CorrectFact,
    CreateCollection,
    CreateFolder,
    DecideReview,
    Enqueue,
    FileItem,
    Forget,
    Get,
    InvalidateFact,
    Link,
    ListReviews,
    Propose,
    Retract,
    Store,
    Supersede,
)
from commonplace.model.access import Caller
from commonplace.model.errors import Ambiguous, NotFound
from commonplace.operations.verify import verify

SEED = 20261119
NEEDLE_CHARACTERS = 7
"""So much of a word tells it, whatever ending a stem has lost."""


class Words:
    """Words that nobody uses, and the memory of which were taken; with other vowels none is part of another."""

    def __init__(self, vowels: str = "aou", seed: int = SEED) -> None:
        self.chance = random.Random(seed)
        self.vowels = vowels
        self.taken: list[str] = []

    def __call__(self, number: int = 1) -> str:
        """So many new words."""
        new = [self._word() for _ in range(number)]
        self.taken += new
        return " ".join(new)

    def found_in(self, folder: Path) -> set[tuple[str, str]]:
        """Where any of them can still be read."""
        needles = {word[:NEEDLE_CHARACTERS].encode() for word in self.taken}
        return {
            (name, piece.decode())
            for name, held in contents(folder)
            for run in re.findall(rb"[a-z]+", held.lower())
            for piece in needles.intersection(run[at : at + NEEDLE_CHARACTERS] for at in range(len(run)))
        }

    def _word(self) -> str:
        return "".join(self.chance.choice("bcdfghjkmnpqrstvwxz") + self.chance.choice(self.vowels) for _ in range(5))


@pytest.fixture(params=["on", "off"])
def encryption(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@contextmanager
def store(folder: Path, encryption: str) -> Iterator[tuple[App, Caller, Caller]]:
    """A store with something in it that stays, an agent and a person; whole again when they leave."""
    with opened(folder, encryption=encryption) as app:
        agent, person = local_caller(app, human=False), local_caller(app, human=True)
        kept = perform(app, agent, Store(text="The kettle stands in the kitchen.", note_fact=True))
        yield app, agent, person
        assert perform(app, agent, Get(id=kept.version_id)).text == "The kettle stands in the kitchen."
        assert verify(app, agent.workspace_id).problems == ()


def sections(words: Words, number: int) -> str:
    return "\n\n".join(f"# {words().title()} *{words()}*\n\n{words(90)}." for _ in range(number))


def a_whole_life(app: App, agent: Caller, person: Caller, words: Words) -> str:
    """An item about which everything was said and done that can be; its id."""
    first = perform(
        app,
        agent,
        Store(
            text=f"{sections(words, 3)}\n\nSee [[{words(2)}]] and @{words()}.",
            title=words(2),
            tags=(words(), words(), f"type:{words()}<Memory"),
            provenance=words(),
            url=f"https://{words()}.example/{words()}",
            key=words(),
            episode=words(),
            note_fact=True,
            media={"name": words()},
        ),
    )
    text = f"The endpoint of {words()} is {words()}.\n\n{sections(words, 2)}"
    new = perform(app, agent, Supersede(id=first.version_id, text=text, title=words(2), reason=words()))
    perform(app, agent, Apply(id=proposed(app, agent, new.new_id, words)))
    proposed(app, agent, new.new_id, words)
    stated = perform(app, agent, AssertFact(subject=words(), predicate=words(), value=words(), item=first.item_id))
    changed = perform(app, agent, CorrectFact(id=stated.id, value=words(), reason=words()))
    perform(app, agent, InvalidateFact(id=changed.new_id, reason=words()))
    perform(app, agent, Enqueue(kind="test", payload={"text": words()}, item_id=first.item_id))
    perform(app, agent, Amend(id=new.new_id, custom_title=words()))
    other = perform(app, agent, Store(text="The lamp is in the hall."))
    perform(app, agent, Link(origin=new.new_id, target=other.version_id, kind="ABOUT"))
    folder = perform(app, person, CreateFolder(name="Things"))
    perform(app, agent, FileItem(id=new.new_id, folders=(folder.id,)))
    perform(app, agent, Retract(id=new.new_id, reason=words()))
    return str(first.item_id)


def proposed(app: App, agent: Caller, version_id: str, words: Words) -> str:
    """A correction of the first chunk's last word that waits to be applied."""
    whole = perform(app, agent, Get(id=version_id))
    last = whole.text.partition(".")[0].split()[-1]
    asked = Propose(chunk_id=whole.chunk_ids[0], proposal=f'The endpoint changed from "{last}" to "{words()}".')
    return str(perform(app, agent, asked).id)


def test_nothing_is_left_of_a_forgotten_item(tmp_path: Path, encryption: str) -> None:
    words = Words()
    with store(tmp_path, encryption) as (app, agent, person):
        doomed = a_whole_life(app, agent, person, words)
        assert len(words.found_in(tmp_path)) > 0.9 * len(words.taken)
        forgotten = perform(app, agent, Forget(ids=(doomed,)))
        assert forgotten.journal_clear
        assert words.found_in(tmp_path) == set()


def test_nothing_is_left_of_an_item_that_a_person_had_to_place(tmp_path: Path, encryption: str) -> None:
    words = Words()
    with store(tmp_path, encryption) as (app, agent, person):
        with pytest.raises(Ambiguous):
            perform(app, agent, Store(text=words(20), title=words(2), collection="Somewhere new"))
        review = perform(app, person, ListReviews())[0]
        decided = perform(app, person, DecideReview(id=review.id, approve=True))
        perform(app, person, Forget(ids=(decided.stored.item_id,)))
        assert words.found_in(tmp_path) == set()


def test_nothing_is_left_of_a_text_that_waits_for_a_person(tmp_path: Path, encryption: str) -> None:
    words = Words()
    with store(tmp_path, encryption) as (app, agent, _):
        source = words()
        with pytest.raises(Ambiguous):
            perform(app, agent, Store(text=words(20), title=words(2), provenance=source, collection=words()))
        perform(app, agent, Forget(source=source))
        assert words.found_in(tmp_path) == set()


def test_nothing_is_left_of_a_forgotten_chunk(tmp_path: Path, encryption: str) -> None:
    doomed, kept = Words(), Words("ei")
    with store(tmp_path, encryption) as (app, agent, _):
        text = f"{sections(doomed, 1)} See [[{doomed(2)}]].\n\n# {kept()}\n\n"
        text += f"The endpoint is first. {kept(90)}.\n\n{sections(kept, 1)}"
        made = perform(app, agent, Store(text=text, note_fact=True))
        asked = Propose(chunk_id=made.chunk_ids[1], proposal='The endpoint changed from "first" to "second".')
        perform(app, agent, Apply(id=perform(app, agent, asked).id))
        perform(app, agent, Forget(chunks=(made.chunk_ids[0],)))
        assert doomed.found_in(tmp_path) == set()
        left = perform(app, agent, Get(id=made.version_id))
        assert left.version.title == kept.taken[0]
        assert left.text.split()[-90:] == [*kept.taken[-90:-1], f"{kept.taken[-1]}."]


def test_nothing_is_left_of_a_forgotten_collection(tmp_path: Path, encryption: str) -> None:
    words = Words()
    with store(tmp_path, encryption) as (app, agent, person):
        perform(app, person, CreateCollection(name="Garden"))
        for _ in range(5):
            perform(app, agent, Store(text=words(40), collection="garden", note_fact=True))
        perform(app, person, Forget(collection="garden"))
        assert words.found_in(tmp_path) == set()


def test_nothing_is_left_of_forgotten_facts_and_of_whom_they_were_about(tmp_path: Path, encryption: str) -> None:
    words = Words()
    with store(tmp_path, encryption) as (app, agent, _):
        who = words()
        ids = [
            perform(
                app,
                agent,
                AssertFact(subject=who, predicate=predicate, value=words(3), provenance=words(), episode=words()),
            ).id
            for predicate in ("likes", "also_known_as", words())
        ]
        ids.append(perform(app, agent, CorrectFact(id=ids[0], value=words(3), reason=words())).new_id)
        for each in ids:
            perform(app, agent, Forget(ids=(each,)))
        assert words.found_in(tmp_path) == set()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_nothing_is_left_of_a_link_and_of_what_it_waited_for(tmp_path: Path, order: tuple[int, int]) -> None:
    words = Words()
    with store(tmp_path, "off") as (app, agent, _):
        title = words(2)
        waits = perform(app, agent, Store(text=f"Ask [[{title}]] about {words()}."))
        comes = perform(app, agent, Store(text=words(5), title=title))
        for each in order:
            perform(app, agent, Forget(ids=((waits, comes)[each].version_id,)))
        assert words.found_in(tmp_path) == set()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_is_left_between_the_rows_of_a_full_store(tmp_path: Path, seed: int) -> None:
    """A page whose rows moved keeps their bytes, and SQLite never writes over them: about one store in five."""
    doomed, kept, chance = Words(seed=seed), Words("ei", seed), random.Random(seed)
    with store(tmp_path, "off") as (app, agent, _):
        ids = []
        for _ in range(100):
            for words in (doomed, doomed, kept):
                text = words(chance.choice((3, 10, 40, 200)))
                made = perform(app, agent, Store(text=text, title=words(), note_fact=True))
                ids += [made.version_id] * (words is doomed)
        chance.shuffle(ids)
        for start in range(0, len(ids), 8):
            perform(app, agent, Forget(ids=tuple(ids[start : start + 8])))
        assert doomed.found_in(tmp_path) == set()


def read_until_told(folder: Path, pipe: Connection) -> None:
    """What another process does meanwhile: look at the store as it was."""
    with opened(folder) as app, app.db.read(local_caller(app, human=False).workspace_id) as read:
        pipe.send(read.head["seq"])
        pipe.recv()


@contextmanager
def reader(folder: Path) -> Iterator[Connection]:
    """Another process in the middle of reading."""
    here, there = PROCESSES.Pipe()
    process = PROCESSES.Process(target=read_until_told, args=(folder, there))
    process.start()
    assert here.recv() > 0
    yield here
    process.join()


def test_nothing_is_left_once_a_reader_has_gone(tmp_path: Path, encryption: str) -> None:
    words = Words()
    with store(tmp_path, encryption) as (app, agent, person):
        doomed = a_whole_life(app, agent, person, words)
        answers = []
        with reader(tmp_path) as pipe:
            forgetting = Thread(target=lambda: answers.append(perform(app, agent, Forget(ids=(doomed,)))))
            forgetting.start()
            with suppress(NotFound):
                while True:
                    perform(app, agent, Get(id=doomed))
            pipe.send("enough")
            forgetting.join()
        assert answers[0].journal_clear
        assert words.found_in(tmp_path) == set()


@pytest.mark.slow
def test_what_a_reader_held_up_is_done_when_the_store_is_opened_next(tmp_path: Path, encryption: str) -> None:
    words = Words()
    with store(tmp_path, encryption) as (app, agent, person):
        doomed = a_whole_life(app, agent, person, words)
        with reader(tmp_path) as pipe:
            assert not perform(app, agent, Forget(ids=(doomed,))).journal_clear
            assert words.found_in(tmp_path) != set()
            pipe.send("enough")
        with store(tmp_path, encryption):
            assert words.found_in(tmp_path) == set()


def forget(folder: Path, doomed: str, at: int) -> None:
    """What a child does that dies of it."""
    watch(Fuse(at))
    with opened(folder) as app:
        perform(app, local_caller(app, human=False), Forget(ids=(doomed,)))


@pytest.mark.slow
def test_nothing_is_left_when_the_process_that_forgot_was_killed(tmp_path: Path, encryption: str) -> None:
    words = Words()
    for at in range(20, 1200, 170):
        folder = tmp_path / str(at)
        with store(folder, encryption) as (app, agent, person):
            doomed = a_whole_life(app, agent, person, words)
        process = PROCESSES.Process(target=forget, args=(folder, doomed, at))
        process.start()
        process.join()
        assert process.exitcode in {0, -signal.SIGKILL}
        with store(folder, encryption) as (app, agent, _):
            with suppress(NotFound):
                perform(app, agent, Forget(ids=(doomed,)))
            assert words.found_in(folder) == set()


def test_the_plain_bytes_show_free_pages_and_the_journal(tmp_path: Path) -> None:
    key, path = bytes(range(32)), tmp_path / "some.db"
    raw = apsw.Connection(str(path))
    for statement in (f"PRAGMA key = 'raw:{key.hex()}'", "PRAGMA journal_mode = WAL", "PRAGMA secure_delete = OFF"):
        raw.execute(statement).fetchall()
    raw.execute("CREATE TABLE word (word)").fetchall()
    raw.executemany("INSERT INTO word VALUES (?)", [("hippogriff" * 300,)] * 50).fetchall()
    journal = path.with_name("some.db-wal")
    assert b"hippogriff" in b"".join(pages(journal.read_bytes(), key, journal=True))
    for statement in ("DELETE FROM word", "PRAGMA wal_checkpoint(TRUNCATE)"):
        raw.execute(statement).fetchall()
    assert raw.pragma("freelist_count") > 30
    assert b"hippogriff" not in path.read_bytes()
    assert b"".join(pages(path.read_bytes(), key)).count(b"hippogriff") > 1000
    raw.close()
