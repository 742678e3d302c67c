"""Whatever the description allows, and much that it does not, is answered: with what it says, or with a refusal."""

from typing import Any

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_calls import Web, serving

from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import AssertFact, CreateFolder, Store
from commonplace.model.access import Scope
from commonplace.surfaces import RESTS
from commonplace.surfaces.openapi import describe

EXAMPLES = 25
DESCRIPTION = describe(RESTS, "http://127.0.0.1", "1")
ALL = [found.ok() for found in schemathesis.openapi.from_dict(DESCRIPTION).get_all_operations()]
OPERATIONS = [operation for operation in ALL if operation.path != "/api/health"]
"""All but the one that can be asked in one way only."""


def known_ids(app: App) -> list[str]:
    """Ids of each kind of thing there is, in several forms."""
    owner = local_caller(app, human=True)
    stored = perform(app, owner, Store(text="Anna owns onboarding.", title="Anna"))
    fact = perform(app, owner, AssertFact(subject="Anna", predicate="works_at", value="Acme"))
    folder = perform(app, owner, CreateFolder(name="A"))
    assert stored.slug is not None
    return [stored.item_id, stored.version_id, stored.slug, stored.chunk_ids[0], fact.id, folder.id]


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=str)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_no_request_ends_in_a_fault(operation: Any, mode: schemathesis.GenerationMode, sqlite_app: App) -> None:
    web = Web(serving(sqlite_app), sqlite_app, scopes=(Scope.ADMIN,))
    known = known_ids(sqlite_app)

    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy(generation_mode=mode), st.data())
    def ask(case: Any, data: st.DataObject) -> None:
        for name in case.path_parameters or ():
            case.path_parameters[name] = data.draw(st.sampled_from([case.path_parameters[name], *known]))
        asked = case.as_transport_kwargs(base_url="http://127.0.0.1")
        sent = {"content": asked["data"]} if "data" in asked else {"json": asked.get("json")}
        response = web.http.request(case.method, asked["url"], params=asked["params"], headers=web.headers, **sent)
        assert response.status_code != 500, response.text
        told = operation.definition.raw["responses"].get(str(response.status_code))
        if told and response.headers["content-type"] == "application/json":
            jsonschema.validate(response.json(), told["content"]["application/json"]["schema"])

    ask()
