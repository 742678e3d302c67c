"""knowmind's REST routes: its tools under paths, and what it serves besides them."""

from dataclasses import replace

from commonplace.core.requests import ExportShapes, Get, ListRelationTypes, Recall, RelationsOf, Supersede
from commonplace.model.access import Scope
from commonplace.model.errors import CommonplaceError
from commonplace.model.interval import FOREVER, format_second
from commonplace.model.item import Whole
from commonplace.model.relation import Registry, RelationType
from commonplace.surfaces import knowmind_shapes as shapes
from commonplace.surfaces.contract import (
    BOOLEAN,
    TEXT,
    TEXT_OR_NULL,
    Arguments,
    Fields,
    Param,
    RpcError,
    Schema,
    Tool,
    record,
    rows,
)
from commonplace.surfaces.knowmind import KNOWMIND
from commonplace.surfaces.routes import Rest, Route, refusal, route

BASE = "/api/v1/memory"
ENTRY = f"{BASE}/entries/{{id}}"
TOOLS = {tool.name: tool for tool in KNOWMIND.tools}
RECALL, UPDATE = TOOLS["knowmind.recall"], TOOLS["knowmind.update_fact"]
STATUSES = {-32602: 400, -32000: 502, -32603: 500}

ID = Param("id", str, "Id of the memory, in any form.", required=True)
TEXTS: Schema = {"type": "array", "items": TEXT}

ENTRY_FIELDS = record(
    memory_id=TEXT,
    title=TEXT,
    content=TEXT,
    memory_type=TEXT,
    tags=TEXTS,
    source=TEXT_OR_NULL,
    valid_from=TEXT,
    valid_to=TEXT_OR_NULL,
    created_at=TEXT,
)
EDGE_TYPES = record(
    classes=rows(name=TEXT, parent=TEXT_OR_NULL),
    edge_types=rows(
        name=TEXT,
        inverse=TEXT,
        domain=TEXTS,
        range=TEXTS,
        symmetric=BOOLEAN,
        reserved=BOOLEAN,
        origin=TEXT,
        inverse_by_source_class={"type": "object"},
    ),
)


def wire_error(error: CommonplaceError, tool: Tool | None) -> RpcError:
    """The error of the tools with its code as the status, where HTTP has such a one."""
    told = shapes.wire_error(error, tool)
    facts = {name: value for name, value in told.data.items() if name not in {"status", "reason"}}
    return refusal(STATUSES.get(told.code, told.code), told.data["reason"], told.message, facts, told.headers)


def recall_request(given: Arguments) -> Recall:
    """Without the graph no relation is followed."""
    return shapes.recall_request(given if given["use_graph"] else {**given, "hops": 0})


def entry_reply(answer: Whole, _: Arguments) -> Fields:
    """A memory, whole."""
    version = answer.version
    return {
        "memory_id": version.slug or version.id,
        "title": version.title,
        "content": answer.text,
        "memory_type": version.memory_type,
        "tags": list(version.tags),
        "source": version.provenance,
        "valid_from": format_second(version.valid.start),
        "valid_to": None if version.valid.end == FOREVER else format_second(version.valid.end),
        "created_at": format_second(version.created_at),
    }


def update_request(given: Arguments) -> Supersede:
    """The next version of the memory in the path."""
    return shapes.update_fact_request({**given, "target_id": given["id"]})


def edge_types_reply(answer: Registry, _: Arguments) -> Fields:
    """The registry: its classes, each under its superclass, and its types."""
    return {
        "classes": [{"name": name, "parent": above or None} for name, above in sorted(answer.classes.items())],
        "edge_types": [_edge_type(each) for each in answer.types],
    }


def _edge_type(kind: RelationType) -> Fields:
    return {
        "name": kind.name,
        "inverse": kind.inverse,
        "domain": sorted(kind.domain),
        "range": sorted(kind.range),
        "symmetric": kind.symmetric,
        "reserved": kind.reserved,
        "origin": kind.origin,
        "inverse_by_source_class": dict(kind.inverse_by_source_class),
    }


KNOWMIND_REST = Rest(
    name=KNOWMIND.name,
    title=KNOWMIND.title,
    error=wire_error,
    unknown_arguments="ignore",
    tools=(
        replace(route(TOOLS["knowmind.health"], "GET", "/api/health"), open=True),
        replace(
            route(RECALL, "POST", f"{BASE}/recall"),
            params=(*RECALL.params, Param("use_graph", bool, "Whether relations are followed.", default=True)),
            request=recall_request,
        ),
        route(TOOLS["knowmind.recall_at_time"], "POST", f"{BASE}/recall-at-time"),
        route(TOOLS["knowmind.stats"], "GET", f"{BASE}/stats"),
        route(TOOLS["knowmind.store_memory"], "POST", f"{BASE}/entries", 201),
        Route(
            name="get_entry",
            summary="Read a memory, whole; a superseded one too.",
            scope=Scope.READ,
            method="GET",
            path=ENTRY,
            params=(ID,),
            request=lambda given: Get(id=given["id"]),
            reply=entry_reply,
            output=ENTRY_FIELDS,
        ),
        replace(route(UPDATE, "PUT", ENTRY), params=(ID, *UPDATE.params[1:]), request=update_request),
        replace(
            route(TOOLS["knowmind.list_relations"], "GET", f"{ENTRY}/relations"),
            params=(ID,),
            request=lambda given: RelationsOf(id=given["id"]),
        ),
        route(TOOLS["knowmind.upload_document"], "POST", f"{BASE}/documents", 201),
        route(TOOLS["knowmind.link"], "POST", f"{BASE}/relations"),
        replace(route(TOOLS["knowmind.unlink"], "DELETE", f"{BASE}/relations"), has_body=True),
        Route(
            name="list_edge_types",
            summary="List the classes and the types of relations.",
            scope=Scope.READ,
            method="GET",
            path=f"{BASE}/edge-types",
            request=lambda _: ListRelationTypes(),
            reply=edge_types_reply,
            output=EDGE_TYPES,
        ),
        Route(
            name="export_shapes",
            summary="Read the types of relations as SHACL shapes in Turtle.",
            scope=Scope.READ,
            method="GET",
            path=f"{BASE}/shapes",
            media="text/turtle",
            request=lambda _: ExportShapes(),
            reply=lambda answer, _: {"text": answer},
            output=TEXT,
        ),
    ),
)
