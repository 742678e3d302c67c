from itertools import product
from random import Random

import pyshacl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, RDFS, SH, Graph, Literal, URIRef

from commonplace.model.errors import Constraint
from commonplace.model.relation import End, Registry, RelationType, registry
from commonplace.model.turtle import Node, graph_turtle, shapes_turtle

BASE = "https://memory.example"
WORKSPACE = "018f3f6e-0000-7000-8000-000000000001"

Relation = tuple[str, str, str]


@pytest.fixture(scope="module")
def extended() -> Registry:
    cooks = RelationType("COOKS", "COOKED_BY", domain=frozenset({"Person"}), range=frozenset({"Süße Speise"}))
    return registry().extended([cooks], {"Süße Speise": "Product", "Retreat": "Workshop"})


def nodes_of(registry: Registry) -> dict[str, Node]:
    """Two nodes for each class, one with none, one with a class nobody registered, one with two."""
    kinds = [(), ("Unheard",), ("Task", "Client"), *((name,) for name in registry.classes)]
    slugs = product("ab", enumerate(kinds))
    return {f"{side}_{n}": Node(f"{side}_{n}", "", frozenset(kind)) for side, (n, kind) in slugs}


def ours(registry: Registry, nodes: dict[str, Node], relation: Relation) -> str:
    start, name, target = relation
    try:
        ends = End(nodes[start].classes), End(nodes[target].classes)
        registry.check(name, *ends, same=start == target, ingest=True)
    except Constraint as refused:
        return str(refused.facts["reason"])
    return "allowed"


def judged_by_pyshacl(registry: Registry, nodes: dict[str, Node], relations: list[Relation]) -> dict[Relation, str]:
    """What the shapes say of each relation, read from the report over one graph that holds them all."""
    shapes = Graph().parse(data=shapes_turtle(registry, BASE), format="turtle")
    data = Graph().parse(data=graph_turtle(registry, BASE, WORKSPACE, nodes.values(), relations), format="turtle")
    _, report, _ = pyshacl.validate(data, shacl_graph=shapes, ont_graph=shapes)
    found: dict[str, set[tuple[str, ...]]] = {"self": set(), "domain": set(), "range": set()}
    for result in report.subjects(RDF.type, SH.ValidationResult):
        told = [report.value(result, part) for part in (SH.focusNode, SH.sourceShape, SH.resultPath, SH.value)]
        focus, shape, path, value = (str(part).rpartition("/")[2].rpartition("#")[2] for part in told)
        if told[2] is not None:
            found["range"].add((focus, path, value))
        elif report.value(result, SH.sourceConstraintComponent) == SH.DisjointConstraintComponent:
            found["self"].add((focus, shape, focus))
        else:
            found["domain"].add((focus, shape))

    def verdict(relation: Relation) -> str:
        if relation in found["self"]:
            return "self"
        if relation[:2] in found["domain"]:
            return "domain"
        return "range" if relation in found["range"] else "allowed"

    return {relation: verdict(relation) for relation in relations}


@pytest.mark.parametrize("share", [0.03, pytest.param(0.3, marks=pytest.mark.slow)])
def test_our_check_decides_as_pyshacl_does_by_the_shapes(extended: Registry, share: float) -> None:
    nodes = nodes_of(extended)
    starts, targets = ([slug for slug in nodes if slug.startswith(side)] for side in "ab")
    every = [
        *product(starts, extended.rules, targets),
        *((slug, name, slug) for slug in starts for name in extended.rules),
    ]
    relations = Random(4).sample(every, int(share * len(every)))
    expected = judged_by_pyshacl(extended, nodes, relations)
    assert {relation: ours(extended, nodes, relation) for relation in relations} == expected
    assert set(expected.values()) == {"allowed", "self", "domain", "range"}


def test_a_symmetric_relation_reads_the_same_from_both_ends() -> None:
    nodes = [Node("anna", "Anna", frozenset({"Person"})), Node("ben", "Ben", frozenset({"Person"}))]
    pair = registry().check("KNOWS", End(nodes[0].classes), End(nodes[1].classes))
    relations = [("anna", pair.name, "ben"), ("ben", pair.inverse, "anna")]
    read = Graph().parse(data=graph_turtle(registry(), BASE, WORKSPACE, nodes, relations), format="turtle")
    anna, ben = (URIRef(f"{BASE}/t/{WORKSPACE}/person/{slug}") for slug in ("anna", "ben"))
    knows = URIRef(f"{BASE}/terms#KNOWS")
    assert set(read.subject_objects(knows)) == {(anna, ben), (ben, anna)}


@pytest.mark.parametrize(
    ("slug", "classes", "path"),
    [
        ("onboarding_2026_05", (), "memory/onboarding_2026_05"),
        ("handbook", ("Document",), "doc/handbook"),
        ("handbook/0001", ("Chunk",), "chunk/handbook/0001"),
        ("anna", ("Agent", "Person"), "person/anna"),
        ("privacy", ("Policy",), "policy/privacy"),
        ("москва", ("Unheard",), "memory/%D0%BC%D0%BE%D1%81%D0%BA%D0%B2%D0%B0"),
        ("pie", ("Süße Speise",), "s%C3%BC%C3%9Fe%20speise/pie"),
    ],
)
def test_the_path_of_a_node_tells_its_class(extended: Registry, slug: str, classes: tuple[str, ...], path: str) -> None:
    text = graph_turtle(extended, f"{BASE}/", WORKSPACE, [Node(slug, "x", frozenset(classes))], ())
    read = Graph().parse(data=text, format="turtle")
    assert set(read.subjects()) == {URIRef(f"{BASE}/t/{WORKSPACE}/{path}")}
    assert len(set(read.objects(predicate=RDF.type))) == len(classes)


@given(st.text())
@settings(deadline=None)
def test_titles_come_back_as_they_were(title: str) -> None:
    read = Graph().parse(data=graph_turtle(registry(), BASE, WORKSPACE, [Node("a", title)], ()), format="turtle")
    assert list(read.objects(predicate=RDFS.label)) == [Literal(title)]


def test_a_relation_to_a_node_that_is_not_given_is_left_out() -> None:
    text = graph_turtle(registry(), BASE, WORKSPACE, [Node("a", "A")], [("a", "ABOUT", "b"), ("b", "ABOUT", "a")])
    assert "ABOUT" not in text


def test_the_text_does_not_depend_on_the_order_of_what_it_tells() -> None:
    nodes = [Node(slug, slug, frozenset({"Task", "Risk"})) for slug in "abc"]
    relations = list(product("abc", ["ABOUT", "RELATED_TO"], "abc"))
    straight = graph_turtle(registry(), BASE, WORKSPACE, nodes, relations)
    assert straight == graph_turtle(registry(), BASE, WORKSPACE, nodes[::-1], relations[::-1])


def test_every_class_stands_below_its_superclass_in_the_shapes() -> None:
    read = Graph().parse(data=shapes_turtle(registry(), BASE), format="turtle")
    term = f"{BASE}/terms#"
    assert set(read.subject_objects(RDFS.subClassOf)) == {
        (URIRef(term + name), URIRef(term + above)) for name, above in registry().classes.items() if above
    }
