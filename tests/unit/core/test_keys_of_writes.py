from core_support import collection, folder, store, token

from commonplace.core.app import App
from commonplace.core.keys import Made, keep_key, made_by
from commonplace.model.access import Caller, Tier
from commonplace.model.event import EventKind
from support import rows


def test_a_key_is_remembered_by_its_hash_alone(app: App, agent: Caller) -> None:
    """engine 6"""
    store(app, agent, "Said.", key="a very secret key")
    [kept] = rows(app, agent, "idempotency")
    assert "secret" not in str(kept)
    assert len(kept["key_hash"]) == 32


def test_what_a_key_made_comes_back(app: App, agent: Caller) -> None:
    """KR-REM-3"""
    made = Made("i", "v", ("f", "g"))
    with app.db.write(agent) as write:
        keep_key(write, agent, "k", made)
        keep_key(write, agent, None, made)
        write.record(EventKind.INGEST)
        at = write.now
    with app.db.read(agent.workspace_id) as read:
        assert made_by(read, agent, "k") == Made("i", "v", ("f", "g"), at)
        assert made_by(read, agent, "other") is made_by(read, agent, None) is None
    assert (made.fact_id, Made("i", "v").fact_id) == ("f", "v")


def test_a_key_of_what_is_hidden_neither_answers_nor_keeps_a_write_out(app: App, agent: Caller, owner: Caller) -> None:
    """K-SEC-1 KR-REM-3"""
    collection(app, "Vault", Tier.SENSITIVE)
    hidden = store(app, owner, "A secret.", collection="vault", key="k")
    mine = store(app, agent, "Not a secret.", key="k")
    assert not mine.known
    assert store(app, agent, "Again.", key="k").version_id == mine.version_id
    assert hidden.version_id != mine.version_id


def test_a_token_for_some_folders_has_keys_of_its_own(app: App, agent: Caller) -> None:
    """GR-AUT-5"""
    theirs = store(app, agent, "Of the whole library.", key="k")
    scoped = token(app, folder(app, "One"))
    mine = store(app, scoped, "In the folder.", key="k")
    assert not mine.known
    assert mine.version_id != theirs.version_id
    assert store(app, scoped, "Again.", key="k").version_id == mine.version_id
