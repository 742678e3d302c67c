"""Graniite's REST routes: items, and the folders they are filed in."""

from collections.abc import Mapping, Sequence
from typing import Any

from commonplace.core.requests import (
    CreateFolder,
    DeleteFolder,
    FileItem,
    Forget,
    Get,
    List,
    ListFolders,
    ListPage,
    UnfileItem,
)
from commonplace.model.access import Folder, Scope
from commonplace.model.errors import CommonplaceError, Invalid
from commonplace.model.ids import parse
from commonplace.model.interval import format_second
from commonplace.surfaces import graniite_shapes as shapes
from commonplace.surfaces.contract import (
    BOOLEAN,
    INTEGER,
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
from commonplace.surfaces.graniite import GRANIITE, ITEM, READS_AN_HOUR, ROW, WRITES_AN_HOUR
from commonplace.surfaces.routes import Rest, Route, refusal, route

BASE = "/api/v1"
REMOVALS_AN_HOUR = 30
PAGE_MAX = 1_000_000_000
TOOLS = {tool.name: tool for tool in GRANIITE.tools}

REFUSALS: Mapping[str, tuple[int, str]] = {
    "invalid": (400, "invalid_body"),
    "too_large": (400, "invalid_body"),
    "unauthenticated": (401, "invalid_token"),
    "quota": (402, "quota_exceeded"),
    "forbidden": (403, "capability_denied"),
    "not_found": (404, "not_found"),
    "conflict": (409, "conflict"),
    "rate_limited": (429, "rate_limited"),
    "upstream": (502, "ingest_failed"),
    "unavailable": (503, "unavailable"),
    "damaged": (503, "unavailable"),
}
INTERNAL = (500, "internal")
PRECISE = frozenset({"missing_bearer_token", "sensitive_collection", "forbidden_scope", "name_taken", "plan_limit"})
"""Reasons that are words of the contract themselves."""

RENAMED = {"retry_after_s": "retry_after_sec"}


def wire_error(error: CommonplaceError, tool: Tool | None) -> RpcError:
    """A status and a word of the contract; of what the token may not see only that it is not there."""
    status, word = REFUSALS.get(kind_of(error), INTERNAL)
    facts = {RENAMED.get(name, name): value for name, value in json_safe(error.facts).items()}
    reason = facts.pop("reason", None)
    if reason in PRECISE:
        word = reason
    if isinstance(tool, Route) and tool.has_in_path(facts.get("param")):
        word = "invalid_id"
    if word == "quota_exceeded" and facts.get("resource") == "memories":
        word = "plan_limit"
    headers = {"Retry-After": str(facts["retry_after_sec"])} if "retry_after_sec" in facts else {}
    return refusal(status, word, error.message, facts, headers)


def uuid(text: str) -> str:
    """A UUID in its one spelling."""
    read = parse(text)
    if read is None:
        raise Invalid("it must be a UUID")
    return read


def folder_fields(folder: Folder) -> Fields:
    """A folder, and how many items of it the caller may see."""
    added = folder.last_added_at
    return {
        "id": folder.id,
        "name": folder.name,
        "created_at": format_second(folder.created_at),
        "last_added_at": None if added is None else format_second(added),
        "item_count": folder.item_count,
    }


def folders_reply(answer: Sequence[Folder], _: Arguments) -> Fields:
    """The folders by name."""
    return {"folders": [folder_fields(each) for each in answer]}


def page_request(given: Arguments) -> ListPage:
    """A page of the items, counted from one."""
    return ListPage(
        List(
            limit=given["per_page"],
            offset=(given["page"] - 1) * given["per_page"],
            folder=given["folder_id"],
            archived={"true": True, "any": None}.get(given["archived"], False),
            in_kb={"true": True, "false": False}.get(given["in_kb"]),
        )
    )


def page_reply(answer: Any, given: Arguments) -> Fields:
    """The rows of the page, and how many items there are on all pages."""
    return {
        "items": [shapes.row_fields(each.item, each.version) for each in answer.items],
        "total": answer.total,
        "page": given["page"],
        "per_page": given["per_page"],
    }


def done(_: object, __: Arguments) -> Fields:
    """It is done, or there was an error."""
    return {"ok": True}


ITEM_ID = Param("id", str, "The user_item_id of the item.", required=True, max_chars=200, read=shapes.item_id)
FOLDER_ID = Param("id", str, "Id of the folder.", required=True, max_chars=200, read=uuid)
FOLDER: Schema = record(id=TEXT, name=TEXT, created_at=TEXT, last_added_at=TEXT_OR_NULL, item_count=INTEGER)
DONE = record(ok=BOOLEAN)

GRANIITE_REST = Rest(
    name=GRANIITE.name,
    title=GRANIITE.title,
    error=wire_error,
    unknown_arguments="ignore",
    per_minute=False,
    tools=(
        route(TOOLS["add_to_knowledge"], "POST", f"{BASE}/ingest"),
        Route(
            name="list_folders",
            summary="List the folders that the token sees.",
            scope=Scope.READ,
            per_hour=READS_AN_HOUR,
            method="GET",
            path=f"{BASE}/folders",
            request=lambda _: ListFolders(),
            reply=folders_reply,
            output=record(folders={"type": "array", "items": FOLDER}),
        ),
        Route(
            name="create_folder",
            summary="Make a folder; for tokens of the whole library.",
            scope=Scope.WRITE,
            per_hour=WRITES_AN_HOUR,
            method="POST",
            path=f"{BASE}/folders",
            status=201,
            params=(Param("name", str, "What it is called.", required=True, max_chars=200),),
            request=lambda given: CreateFolder(name=given["name"]),
            reply=lambda answer, _: {"folder": folder_fields(answer)},
            output=record(folder=FOLDER),
        ),
        Route(
            name="delete_folder",
            summary="Delete a folder and keep its items; for tokens of the whole library.",
            scope=Scope.WRITE,
            per_hour=REMOVALS_AN_HOUR,
            method="DELETE",
            path=f"{BASE}/folders/{{id}}",
            params=(FOLDER_ID, Param("cascade_items", bool, "Erase what is in no other folder.", default=False)),
            request=lambda given: DeleteFolder(id=given["id"], cascade=given["cascade_items"]),
            reply=lambda answer, _: {"ok": True, "cascaded_item_count": answer},
            output=record(ok=BOOLEAN, cascaded_item_count=INTEGER),
            destructive=True,
        ),
        Route(
            name="list_items",
            summary="List items, the newest first, in pages.",
            scope=Scope.READ,
            per_hour=READS_AN_HOUR,
            method="GET",
            path=f"{BASE}/items",
            params=(
                Param("folder_id", str, "Only those in this folder.", max_chars=200, read=uuid),
                Param(
                    "archived",
                    str,
                    "Only the archived, or all; without it, those that are not.",
                    enum=("true", "any"),
                    hidden_enum=("false",),
                ),
                Param("in_kb", str, "In the knowledge base or not.", default="any", enum=("true", "false", "any")),
                Param("page", int, "Which page.", default=1, minimum=1, maximum=PAGE_MAX),
                Param("per_page", int, "At most so many.", default=20, minimum=1, maximum=100),
            ),
            request=page_request,
            reply=page_reply,
            output=record(items=rows(**ROW), total=INTEGER, page=INTEGER, per_page=INTEGER),
        ),
        Route(
            name="read_item",
            summary="Read an item, whole.",
            scope=Scope.READ,
            per_hour=READS_AN_HOUR,
            method="GET",
            path=f"{BASE}/items/{{id}}",
            params=(ITEM_ID,),
            request=lambda given: Get(id=given["id"]),
            reply=shapes.get_reply,
            output=ITEM,
        ),
        Route(
            name="delete_item",
            summary="Erase an item for good, with its history and all that was drawn from it.",
            scope=Scope.WRITE,
            per_hour=REMOVALS_AN_HOUR,
            method="DELETE",
            path=f"{BASE}/items/{{id}}",
            params=(ITEM_ID,),
            request=lambda given: Forget(items=(given["id"],)),
            reply=done,
            output=DONE,
            destructive=True,
        ),
        Route(
            name="file_item",
            summary="File an item in folders; what is there already stays.",
            scope=Scope.WRITE,
            per_hour=WRITES_AN_HOUR,
            method="POST",
            path=f"{BASE}/items/{{id}}/folders",
            params=(
                ITEM_ID,
                Param(
                    "folder_ids",
                    str,
                    "Ids of the folders.",
                    required=True,
                    many=True,
                    min_items=1,
                    max_items=100,
                    max_chars=200,
                    read=uuid,
                ),
            ),
            request=lambda given: FileItem(id=given["id"], folders=given["folder_ids"]),
            reply=lambda answer, _: {"ok": True, "added_folder_ids": list(answer)},
            output=record(ok=BOOLEAN, added_folder_ids={"type": "array", "items": TEXT}),
        ),
        Route(
            name="unfile_item",
            summary="Take an item out of a folder.",
            scope=Scope.WRITE,
            per_hour=WRITES_AN_HOUR,
            method="DELETE",
            path=f"{BASE}/items/{{id}}/folders/{{folder_id}}",
            params=(ITEM_ID, Param("folder_id", str, "Id of the folder.", required=True, max_chars=200, read=uuid)),
            request=lambda given: UnfileItem(id=given["id"], folder=given["folder_id"]),
            reply=done,
            output=DONE,
        ),
    ),
)
