"""Our own REST routes: facts and relations, and what those who keep the memory look at."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from commonplace.core.requests import (
    ChoosePlan,
    CorrectFact,
    FactsAbout,
    History,
    InvalidateFact,
    IssueToken,
    Link,
    ListCollections,
    ListReviews,
    ListTokens,
    RelationsOf,
    RevokeToken,
    ShowWorkspace,
    Unlink,
)
from commonplace.model.access import PLANS, Collection, Scope
from commonplace.model.answer import Relation, Review
from commonplace.model.errors import CommonplaceError
from commonplace.model.event import Event
from commonplace.model.fact import Fact
from commonplace.model.interval import format_end, parse_instant
from commonplace.surfaces import native_shapes as shapes
from commonplace.surfaces.contract import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    TEXT,
    TEXT_OR_NULL,
    Arguments,
    Fields,
    Param,
    RpcError,
    Schema,
    Tool,
    json_safe,
    kind_of,
    record,
    rows,
)
from commonplace.surfaces.native import AS_OF, ID, KNOWN_AT, NATIVE, REASON, VALID_FROM, VALID_TO
from commonplace.surfaces.native_fields import (
    collection_fields,
    event_fields,
    review_fields,
    token_fields,
    workspace_fields,
)
from commonplace.surfaces.routes import Rest, Route, refusal, route

BASE = "/api/v1"
TOOLS = {tool.name: tool for tool in NATIVE.tools}
VALUE = next(param for param in TOOLS["revise"].params if param.name == "value")
ENDS = tuple(param for param in TOOLS["relate"].params if param.name != "remove")
SCOPES = tuple(scope.value for scope in Scope)

STATUSES: Mapping[str, int] = {
    "invalid": 400,
    "constraint": 400,
    "unauthenticated": 401,
    "quota": 402,
    "forbidden": 403,
    "not_found": 404,
    "conflict": 409,
    "ambiguous": 409,
    "expired": 410,
    "too_large": 413,
    "rate_limited": 429,
    "internal": 500,
    "upstream": 502,
    "unavailable": 503,
    "damaged": 503,
}


def wire_error(error: CommonplaceError, _: Tool | None) -> RpcError:
    """The kind, the sentence and the facts, under the status that is nearest to the kind."""
    kind, facts = kind_of(error), json_safe(error.facts)
    headers = {"Retry-After": str(facts["retry_after_s"])} if "retry_after_s" in facts else {}
    return refusal(STATUSES[kind], kind, error.message, facts, headers)


def facts_request(given: Arguments) -> FactsAbout:
    """The facts that hold, that held at a moment, or that ever did."""
    return FactsAbout(
        entity=given["entity"],
        include_history=given["history"],
        as_of=given["as_of"],
        known_at=given["known_at"],
    )


def facts_reply(answer: Sequence[Fact], given: Arguments) -> Fields:
    """The facts."""
    return {"entity": given["entity"], "facts": [shapes.fact_fields(each) for each in answer]}


def correct_request(given: Arguments) -> CorrectFact:
    """The value that stands for the old one."""
    return CorrectFact(id=given["id"], value=given["value"], valid_from=given["valid_from"], reason=given["reason"])


def close_request(given: Arguments) -> InvalidateFact:
    """The fact that is no longer true."""
    return InvalidateFact(id=given["id"], valid_to=given["valid_to"], reason=given["reason"])


def close_reply(answer: Fact, _: Arguments) -> Fields:
    """Until when it was."""
    return {"id": answer.id, "valid_to": format_end(answer.valid.end)}


def relations_reply(answer: Sequence[Relation], _: Arguments) -> Fields:
    """The relations, each under the name it was made with."""
    return {"relations": [shapes.relation_fields(each) for each in answer]}


def link_request(given: Arguments) -> Link:
    """The relation to make."""
    return Link(origin=given["from_id"], target=given["to_id"], kind=given["rel_type"])


def unlink_request(given: Arguments) -> Unlink:
    """The relation to end."""
    return Unlink(origin=given["from_id"], target=given["to_id"], kind=given["rel_type"])


def history_reply(answer: Sequence[Event], _: Arguments) -> Fields:
    """The events, newest first."""
    return {"events": [event_fields(each) for each in answer]}


def reviews_reply(answer: Sequence[Review], _: Arguments) -> Fields:
    """The reviews, oldest first."""
    return {"reviews": [review_fields(each) for each in answer]}


def collections_reply(answer: Sequence[Collection], _: Arguments) -> Fields:
    """The collections by slug."""
    return {"collections": [collection_fields(each) for each in answer]}


def token_request(given: Arguments) -> IssueToken:
    """The token to make."""
    return IssueToken(
        kind=given["kind"],
        name=given["name"],
        scopes=tuple(Scope(scope) for scope in given["scopes"]),
        folders=given["folders"],
        kb_only=given["kb_only"],
        expires_at=given["expires_at"],
    )


def token_reply(answer: Any, _: Arguments) -> Fields:
    """The token with its secret, which is told this once."""
    return {**token_fields(answer.token), "token": answer.secret}


TEXTS: Schema = {"type": "array", "items": TEXT}
TEXTS_OR_NULL: Schema = {"type": ["array", "null"], "items": TEXT}
FACT = {
    "id": TEXT,
    "subject": TEXT,
    "predicate": TEXT,
    "object": {"type": ["string", "number", "boolean"]},
    "valid_from": TEXT,
    "valid_to": TEXT_OR_NULL,
    "recorded_at": TEXT,
    "confidence": NUMBER,
    "source": TEXT_OR_NULL,
}
RELATION = {"edge_id": TEXT, "rel_type": TEXT, "from_id": TEXT, "to_id": TEXT, "created_at": TEXT}
EVENT = {
    "seq": INTEGER,
    "id": TEXT,
    "recorded_at": TEXT,
    "kind": TEXT,
    "actor": TEXT,
    "client": TEXT_OR_NULL,
    "surface": TEXT,
    "subjects": TEXTS,
    "hash": TEXT,
    "previous_hash": TEXT,
}
REVIEW = {
    "id": TEXT,
    "kind": TEXT,
    "suggested": TEXT,
    "label": TEXT_OR_NULL,
    "preview": TEXT,
    "client": TEXT_OR_NULL,
    "candidates": rows(slug=TEXT, name=TEXT, score=NUMBER, reason=TEXT),
    "state": TEXT,
    "created_at": TEXT,
    "expires_at": TEXT,
}
COLLECTION = {"id": TEXT, "slug": TEXT, "name": TEXT, "tier": TEXT, "recall_cap": INTEGER, "created_at": TEXT}
TOKEN = {
    "id": TEXT,
    "prefix": TEXT,
    "kind": TEXT,
    "name": TEXT,
    "scopes": TEXTS,
    "folders": TEXTS_OR_NULL,
    "kb_only": BOOLEAN,
    "created_at": TEXT,
    "expires_at": TEXT_OR_NULL,
    "revoked_at": TEXT_OR_NULL,
    "last_used_at": TEXT_OR_NULL,
}
WORKSPACE = record(id=TEXT, name=TEXT, plan=TEXT, settings={"type": "object"}, created_at=TEXT)

FACTS = (
    Route(
        name="list_facts",
        summary="List the facts about one person, company, project or thing.",
        scope=Scope.READ,
        method="GET",
        path=f"{BASE}/facts",
        params=(
            Param("entity", str, "Its name.", required=True, max_bytes=512),
            Param("history", bool, "Those that have ended too.", default=False),
            AS_OF,
            KNOWN_AT,
        ),
        request=facts_request,
        reply=facts_reply,
        output=record(entity=TEXT, facts=rows(**FACT)),
    ),
    route(TOOLS["assert_fact"], "POST", f"{BASE}/facts", 201),
    Route(
        name="correct_fact",
        summary="Close a fact and state another value in its place.",
        scope=Scope.WRITE,
        method="PUT",
        path=f"{BASE}/facts/{{id}}",
        params=(ID, replace(VALUE, required=True), VALID_FROM, REASON),
        request=correct_request,
        reply=shapes.revise_reply,
        output=shapes.REVISED,
    ),
    Route(
        name="close_fact",
        summary="Mark a fact as no longer true. Its history stays.",
        scope=Scope.WRITE,
        method="DELETE",
        path=f"{BASE}/facts/{{id}}",
        params=(ID, VALID_TO, REASON),
        request=close_request,
        reply=close_reply,
        output=shapes.RETRACTED,
    ),
)
RELATIONS = (
    Route(
        name="list_relations",
        summary="List the relations of a memory.",
        scope=Scope.READ,
        method="GET",
        path=f"{BASE}/relations",
        params=(replace(ID, summary="Id of the memory."), AS_OF, KNOWN_AT),
        request=lambda given: RelationsOf(id=given["id"], as_of=given["as_of"], known_at=given["known_at"]),
        reply=relations_reply,
        output=record(relations=rows(**RELATION)),
    ),
    Route(
        name="relate",
        summary="Connect two memories; an equal relation is not made twice.",
        scope=Scope.WRITE,
        method="POST",
        path=f"{BASE}/relations",
        params=ENDS,
        request=link_request,
        reply=shapes.relate_reply,
        output=shapes.RELATED,
    ),
    Route(
        name="end_relation",
        summary="End a relation and its inverse.",
        scope=Scope.WRITE,
        method="DELETE",
        path=f"{BASE}/relations",
        params=ENDS,
        request=unlink_request,
        reply=shapes.relate_reply,
        output=shapes.RELATED,
    ),
)
KEEPING = (
    Route(
        name="list_history",
        summary="List what was written, the newest first; for people, not for tokens.",
        scope=Scope.READ,
        method="GET",
        path=f"{BASE}/history",
        params=(
            replace(ID, required=False, summary="Only what was done to this."),
            Param("limit", int, "At most so many.", default=50, minimum=1, maximum=1_000),
        ),
        request=lambda given: History(id=given["id"], limit=given["limit"]),
        reply=history_reply,
        output=record(events=rows(**EVENT)),
    ),
    Route(
        name="list_reviews",
        summary="List what waits for a person's decision, or was decided.",
        scope=Scope.READ,
        method="GET",
        path=f"{BASE}/reviews",
        params=(Param("state", str, "Of this state.", default="pending", max_chars=40),),
        request=lambda given: ListReviews(state=given["state"]),
        reply=reviews_reply,
        output=record(reviews=rows(**REVIEW)),
    ),
    Route(
        name="list_collections",
        summary="List the collections.",
        scope=Scope.READ,
        method="GET",
        path=f"{BASE}/collections",
        request=lambda _: ListCollections(),
        reply=collections_reply,
        output=record(collections=rows(**COLLECTION)),
    ),
    route(TOOLS["status"], "GET", f"{BASE}/stats"),
    Route(
        name="show_workspace",
        summary="Tell the workspace's name, plan and settings.",
        scope=Scope.ADMIN,
        method="GET",
        path=f"{BASE}/workspace",
        request=lambda _: ShowWorkspace(),
        reply=lambda answer, _: workspace_fields(answer),
        output=WORKSPACE,
    ),
    Route(
        name="choose_plan",
        summary="Put the workspace on a plan.",
        scope=Scope.ADMIN,
        method="PUT",
        path=f"{BASE}/workspace",
        params=(Param("plan", str, "What it may hold, and how often it may be asked.", required=True, enum=(*PLANS,)),),
        request=lambda given: ChoosePlan(plan=given["plan"]),
        reply=lambda answer, _: workspace_fields(answer),
        output=WORKSPACE,
    ),
    Route(
        name="list_tokens",
        summary="List the tokens, without their secrets.",
        scope=Scope.ADMIN,
        method="GET",
        path=f"{BASE}/tokens",
        request=lambda _: ListTokens(),
        reply=lambda answer, _: {"tokens": [token_fields(each) for each in answer]},
        output=record(tokens=rows(**TOKEN)),
    ),
    Route(
        name="issue_token",
        summary="Make a token; its secret is told this once.",
        scope=Scope.ADMIN,
        method="POST",
        path=f"{BASE}/tokens",
        status=201,
        params=(
            Param("kind", str, "The token's form.", default="kmt", enum=("kmt", "lev")),
            Param("name", str, "What it is for.", default="", min_chars=0, max_chars=200),
            Param("scopes", str, "What it may do.", many=True, default=("read", "write"), min_items=1, enum=SCOPES),
            Param("folders", str, "Only what is in these.", many=True, min_items=1, max_items=100, max_chars=200),
            Param("kb_only", bool, "Only the knowledge base.", default=False),
            Param("expires_at", str, "Good until then; default for ever.", read=parse_instant),
        ),
        request=token_request,
        reply=token_reply,
        output=record(**TOKEN, token=TEXT),
    ),
    Route(
        name="revoke_token",
        summary="End a token at once.",
        scope=Scope.ADMIN,
        method="DELETE",
        path=f"{BASE}/tokens/{{id}}",
        params=(replace(ID, summary="Id of the token."),),
        request=lambda given: RevokeToken(id=given["id"]),
        reply=lambda _, given: {"id": given["id"], "revoked": True},
        output=record(id=TEXT, revoked=BOOLEAN),
    ),
)

NATIVE_REST = Rest(name=NATIVE.name, title=NATIVE.title, error=wire_error, tools=(*FACTS, *RELATIONS, *KEEPING))
