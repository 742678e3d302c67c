from jsonschema import Draft202012Validator

from commonplace.model.access import Scope
from commonplace.surfaces.contract import Param, Surface, Tool, envelope, record
from commonplace.surfaces.native import NATIVE, wire_error
from commonplace.surfaces.schema import input_schema, listing

ROW = Tool(
    name="look",
    summary="Look.",
    scope=Scope.READ,
    request=dict,
    reply=lambda answer, _: answer,
    output=record(),
    params=(
        Param("query", str, "Query.", required=True, max_bytes=64, aliases=("q",)),
        Param("k", int, "How many.", default=8, minimum=1, maximum=50),
        Param("mode", str, "Mode.", enum=("hybrid", "keyword")),
        Param("tags", str, "Tags.", many=True, default=(), pattern="[a-z]+", max_chars=9, max_items=3),
        Param("value", (str, float), "Value.", nullable=True, min_chars=0),
    ),
)


def test_a_row_is_its_own_schema() -> None:
    assert input_schema(ROW, closed=True) == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": 64, "description": "Query."},
            "k": {"type": "integer", "minimum": 1, "maximum": 50, "default": 8, "description": "How many."},
            "mode": {"type": "string", "enum": ["hybrid", "keyword"], "description": "Mode."},
            "tags": {
                "type": "array",
                "items": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^(?:[a-z]+)$"},
                "maxItems": 3,
                "default": [],
                "description": "Tags.",
            },
            "value": {"type": ["string", "number", "null"], "description": "Value."},
        },
        "required": ["query"],
        "additionalProperties": False,
    }


def test_a_surface_that_ignores_unknown_arguments_does_not_forbid_them() -> None:
    surface = Surface(
        name="test",
        title="Test",
        paths=(),
        instructions="",
        tools=(ROW,),
        error=wire_error,
        envelope=envelope,
        unknown_arguments="ignore",
    )
    assert "additionalProperties" not in listing(surface)[0]["inputSchema"]


def test_tools_that_only_read_say_so() -> None:
    reading = {tool["name"] for tool in listing(NATIVE) if tool["annotations"]["readOnlyHint"]}
    assert reading == {"recall", "about", "status"}


def test_only_what_erases_is_called_destructive() -> None:
    assert [tool["name"] for tool in listing(NATIVE) if tool["annotations"]["destructiveHint"]] == ["forget"]


def test_every_schema_of_ours_is_valid_and_portable() -> None:
    for tool in listing(NATIVE):
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert not schema.keys() & {"anyOf", "oneOf", "allOf", "not", "if"}
