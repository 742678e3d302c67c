"""The registry and a workspace in Turtle, for programs that speak RDF.

The shapes say in SHACL what `Registry.check` decides, in both directions of every type, and the tests hold the two
against each other. Every IRI stands below the base of the document; the terms are the same in all workspaces.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

from commonplace.model.relation import Registry, Rule, Side

RDFS = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
RDF = "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> ."
SHACL = "@prefix sh: <http://www.w3.org/ns/shacl#> ."
CLASSLESS = "<shapes#classless> a sh:PropertyShape ; sh:path rdf:type ; sh:maxCount 0 ."

SEGMENTS = {"Document": "doc"}
"""Where the path of a class is not its name in small letters."""


@dataclass(frozen=True, slots=True)
class Node:
    """A thing that relations join, under its slug."""

    slug: str
    title: str
    classes: frozenset[str] = frozenset()


def shapes_turtle(registry: Registry, base: str) -> str:
    """The classes of the registry, and a SHACL node shape for every name of its relation types."""
    classes = (_class(name, above) for name, above in sorted(registry.classes.items()))
    shapes = (_shape(name, rule) for name, rule in sorted(registry.rules.items()))
    return "\n".join((_base(base), RDF, RDFS, SHACL, "", *classes, "", CLASSLESS, *shapes, ""))


def graph_turtle(
    registry: Registry, base: str, workspace_id: str, nodes: Iterable[Node], relations: Iterable[tuple[str, str, str]]
) -> str:
    """The nodes and the relations (slug, name, slug) between them; one that leads to no node here is left out."""
    known = {node.slug: node for node in nodes}
    paths = {slug: _path(registry, workspace_id, node) for slug, node in known.items()}
    described = (_described(paths[slug], node) for slug, node in known.items())
    related = {
        f"{paths[origin]} {_term(name)} {paths[target]} ."
        for origin, name, target in relations
        if origin in paths and target in paths
    }
    return "\n".join((_base(base), RDFS, "", *sorted(described), "", *sorted(related), ""))


def _base(base: str) -> str:
    return f"@base <{base.rstrip('/')}/> ."


def _term(name: str) -> str:
    return f"<terms#{quote(name, safe='')}>"


def _class(name: str, above: str) -> str:
    superclass = f" ; rdfs:subClassOf {_term(above)}" if above else ""
    return f"{_term(name)} a rdfs:Class{superclass} ."


def _shape(name: str, rule: Rule) -> str:
    # sh:disjoint on a node shape compares the node itself with what it points to: nothing is related to itself.
    lines = [f"sh:targetSubjectsOf {_term(name)}", f"sh:disjoint {_term(name)}"]
    if rule.domain.written:
        lines.append(_either(rule.domain))
    if rule.range.written:
        lines.append(f"sh:property [ sh:path {_term(name)} ; {_either(rule.range)} ]")
    return f"\n<shapes#{name}> a sh:NodeShape ;\n    " + " ;\n    ".join(lines) + " ."


def _either(side: Side) -> str:
    classes = " ".join(f"[ sh:class {_term(name)} ]" for name in sorted(side.written))
    return f"sh:or ( <shapes#classless> {classes} )"


def _path(registry: Registry, workspace_id: str, node: Node) -> str:
    name = registry.most_specific(node.classes)
    segment = SEGMENTS.get(name, name.lower())
    return f"<t/{workspace_id}/{quote(segment, safe='')}/{quote(node.slug)}>"


def _described(path: str, node: Node) -> str:
    types = "".join(f" a {_term(name)} ;" for name in sorted(node.classes))
    # JSON escapes exactly what a Turtle string must, as long as it leaves other letters as they are.
    return f"{path}{types} rdfs:label {json.dumps(node.title, ensure_ascii=False)} ."
