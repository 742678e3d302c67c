import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.auth.phrase import from_phrase, read_key, to_phrase
from commonplace.model.errors import Invalid

KEYS = st.binary(min_size=32, max_size=32)
SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def spots(phrase: str) -> list[int]:
    return [at for at, symbol in enumerate(phrase) if symbol != "-"]


@given(KEYS)
@settings(deadline=None)
def test_a_phrase_gives_its_key_back(key: bytes) -> None:
    assert from_phrase(to_phrase(key)) == key


def test_a_phrase_is_thirteen_groups_of_five() -> None:
    assert [len(group) for group in to_phrase(b"\x07" * 32).split("-")] == [5] * 13


@given(KEYS)
@settings(deadline=None)
def test_case_blanks_and_letters_that_look_like_digits_do_not_matter(key: bytes) -> None:
    written = to_phrase(key).replace("0", "o").replace("1", "l").replace("-", " \n").lower()
    assert from_phrase(written) == key


@given(KEYS, st.data())
@settings(deadline=None)
def test_every_mistyped_character_is_noticed_and_its_group_named(key: bytes, data: st.DataObject) -> None:
    phrase = to_phrase(key)
    at = data.draw(st.sampled_from(spots(phrase)))
    other = data.draw(st.sampled_from([symbol for symbol in SYMBOLS if symbol != phrase[at]]))
    with pytest.raises(Invalid, match=f"Group {at // 6 + 1} of the recovery phrase is mistyped"):
        from_phrase(phrase[:at] + other + phrase[at + 1 :])


@given(KEYS, st.data())
@settings(deadline=None)
def test_swapped_neighbours_are_noticed(key: bytes, data: st.DataObject) -> None:
    symbols = to_phrase(key).replace("-", "")
    at = data.draw(st.integers(0, len(symbols) - 2))
    swapped = symbols[:at] + symbols[at + 1] + symbols[at] + symbols[at + 2 :]
    if swapped == symbols:
        assert from_phrase(swapped) == key
    else:
        with pytest.raises(Invalid):
            from_phrase(swapped)


@given(KEYS, st.sets(st.integers(0, 12), min_size=2, max_size=2))
@settings(deadline=None)
def test_swapped_groups_are_noticed(key: bytes, places: set[int]) -> None:
    groups = to_phrase(key).split("-")
    first, second = places
    groups[first], groups[second] = groups[second], groups[first]
    with pytest.raises(Invalid, match="is mistyped"):
        from_phrase("-".join(groups))


def test_a_phrase_of_a_number_beyond_a_key_is_refused() -> None:
    with pytest.raises(Invalid, match="Group 1 of"):
        from_phrase(to_phrase(b"\x01" + b"\x00" * 32))


@pytest.mark.parametrize("text", ["", "AAAAA", "my secret", "00" * 31, "é" * 66])
def test_what_has_not_the_length_of_a_key_is_told_what_a_key_is(text: str) -> None:
    with pytest.raises(Invalid, match="13 groups of 5 characters"):
        read_key(text)


@given(KEYS)
@settings(deadline=None)
def test_a_key_is_read_in_every_form(key: bytes) -> None:
    forms = [key.hex(), key.hex().upper(), to_phrase(key)]
    forms += [encode(key).decode() for encode in (base64.b64encode, base64.urlsafe_b64encode)]
    forms += [base64.urlsafe_b64encode(key).decode().rstrip("=")]
    assert {read_key(f" {form}\n") for form in forms} == {key}
