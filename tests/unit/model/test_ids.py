from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.model.ids import PREFIXES, parse, render


@given(st.uuids(), st.sampled_from(PREFIXES))
def test_a_rendered_id_reads_back_in_either_case(thing: UUID, prefix: str) -> None:
    rendered = render(prefix, str(thing))
    assert len(rendered) == len(prefix) + 27
    assert parse(rendered) == parse(rendered.lower()) == str(thing)


@given(st.uuids(), st.uuids())
def test_rendered_ids_sort_as_the_ids_do(one: UUID, other: UUID) -> None:
    assert (render("kf", str(one)) < render("kf", str(other))) == (str(one) < str(other))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kf_",
        "nope",
        "kf_8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "kf_01JHN2Z0G8R4V6T1B3C5D7E9FU",
        "xx_01JHN2Z0G8R4V6T1B3C5D7E9FA",
    ],
)
def test_what_is_no_id_is_none(text: str) -> None:
    assert parse(text) is None
