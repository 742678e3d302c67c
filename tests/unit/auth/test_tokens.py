import hashlib
import re

import pytest

from commonplace.auth.tokens import TokenKind, digest, looks_like_token, make_token, matches


@pytest.mark.parametrize(("kind", "form"), [("kmt", r"kmt_[\w-]{43}"), ("lev", r"lev_[\w-]{32}")])
def test_a_token_has_the_form_of_its_contract(kind: TokenKind, form: str) -> None:
    token = make_token(kind)
    assert re.fullmatch(form, token.secret, re.ASCII)
    assert looks_like_token(token.secret)


def test_no_two_tokens_are_the_same() -> None:
    assert len({make_token("lev").secret for _ in range(50)}) == 50


def test_the_prefix_shows_the_beginning_and_the_digest_is_sha256() -> None:
    token = make_token("kmt")
    assert token.prefix == token.secret[:12]
    assert token.digest == hashlib.sha256(token.secret.encode()).digest()


def test_a_token_does_not_show_its_secret_when_it_is_printed() -> None:
    token = make_token("kmt")
    assert token.secret not in repr(token)


def test_a_secret_matches_its_own_digest_only() -> None:
    mine, other = make_token("lev"), make_token("lev")
    assert matches(mine.secret, mine.digest)
    assert not matches(other.secret, mine.digest)


@pytest.mark.parametrize("text", ["", "kmt_", "kmt_" + "a" * 32, "lev_" + "a" * 43, "lev_" + "é" * 32, "\ud800"])
def test_what_is_no_token_matches_nothing(text: str) -> None:
    assert not looks_like_token(text)
    assert not matches(text, digest("lev_" + "a" * 32))


def test_a_token_with_a_line_end_is_no_token() -> None:
    assert not looks_like_token(make_token("lev").secret + "\n")
