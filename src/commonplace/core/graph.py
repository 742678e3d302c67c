"""The registry, and the memories with their relations, in Turtle too for programs that speak RDF."""

import json

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.relations import registry_in_sight
from commonplace.core.requests import ExportGraph, ExportShapes, ListRelationTypes
from commonplace.model.access import Caller, Scope
from commonplace.model.relation import Registry
from commonplace.model.turtle import Node, graph_turtle, shapes_turtle
from commonplace.store.view import view_of


def list_relation_types(app: App, caller: Caller, _request: ListRelationTypes) -> Registry:
    """The workspace's classes and relation types, those that its texts brought with them too."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        return registry_in_sight(read, caller)


def export_shapes(app: App, caller: Caller, request: ExportShapes) -> str:
    """The workspace's classes and relation types as SHACL shapes."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        return shapes_turtle(registry_in_sight(read, caller), request.base)


def export_graph(app: App, caller: Caller, request: ExportGraph) -> str:
    """The memories that hold now and the relations between them; what has no readable id is left out."""
    require(caller, Scope.READ)
    with app.db.read(caller.workspace_id) as read:
        view = view_of(read, caller)
        known = registry_in_sight(read, caller)
        nodes = [
            Node(row["slug"], row["title"], frozenset(json.loads(row["classes"])))
            for row in read.all("graph_nodes", **view.parameters)
        ]
        rows = read.all("graph_relations", **view.parameters)
    relations = [(row["origin"], row["kind"], row["target"]) for row in rows]
    return graph_turtle(known, request.base, caller.workspace_id, nodes, relations)
