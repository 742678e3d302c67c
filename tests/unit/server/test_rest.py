from typing import Any

import pytest
from starlette.requests import Request

from commonplace.model.access import Scope
from commonplace.model.errors import Invalid
from commonplace.server.rest import arguments
from commonplace.surfaces.contract import Param, record
from commonplace.surfaces.routes import Method, Route


def row(method: Method = "GET") -> Route:
    return Route(
        name="find",
        summary="Find.",
        scope=Scope.READ,
        method=method,
        path="/things/{id}",
        params=(
            Param("id", str, "Id.", required=True),
            Param("k", int, "Number."),
            Param("deep", bool, "Depth."),
            Param("tags", str, "Tags.", many=True, aliases=("tag",)),
        ),
        request=lambda _: None,
        reply=lambda _, __: {},
        output=record(),
    )


def given(query: str = "", body: bytes = b"", **path: str) -> dict[str, Any]:
    scope = {"type": "http", "query_string": query.encode(), "path_params": path, "headers": []}
    return arguments(row(), Request(scope), body)


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("k=5", {"k": 5}),
        ("k=-5", {"k": -5}),
        ("k=5.0", {"k": "5.0"}),
        ("k=%D9%A5", {"k": "٥"}),
        ("k=", {"k": ""}),
        ("k=" + "9" * 16, {"k": "9" * 16}),
        ("deep=true", {"deep": True}),
        ("deep=false", {"deep": False}),
        ("deep=1", {"deep": "1"}),
        ("tags=5", {"tags": ["5"]}),
        ("tags=a&tags=b", {"tags": ["a", "b"]}),
        ("tag=a", {"tag": ["a"]}),
        ("k=1&k=2", {"k": [1, 2]}),
        ("other=5", {"other": "5"}),
    ],
)
def test_a_query_says_values_of_the_type_of_the_row(query: str, read: dict[str, Any]) -> None:
    assert given(query) == read


def test_path_query_and_body_make_one_set_of_arguments() -> None:
    assert given("k=5", b' {"deep": true} ', id="7") == {"id": "7", "k": 5, "deep": True}


@pytest.mark.parametrize(("query", "body"), [("id=8", b""), ("", b'{"id": "7"}'), ("k=1&id=8", b'{"k": 1}')])
def test_what_is_given_twice_is_refused(query: str, body: bytes) -> None:
    with pytest.raises(Invalid, match="id is given twice"):
        given(query, body, id="7")


@pytest.mark.parametrize("body", [b"{", b"[]", b"5", b"null", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    with pytest.raises(Invalid, match="body"):
        given(body=body)
