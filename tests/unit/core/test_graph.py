import pyshacl
from core_support import folder, token
from rdflib import Graph, URIRef
from rdflib.namespace import RDFS

from commonplace.core import perform
from commonplace.core.access import local_caller
from commonplace.core.app import App
from commonplace.core.requests import CreateCollection, ExportGraph, ExportShapes, Link, ListRelationTypes, Store
from commonplace.model.access import Tier


def test_the_exported_graph_says_what_is_related_and_fits_the_exported_shapes(sqlite_app: App) -> None:
    agent = local_caller(sqlite_app, human=False)
    client = perform(sqlite_app, agent, Store(text="They sell bicycles.", title="Acme", tags=("client",)))
    workshop = perform(sqlite_app, agent, Store(text="A day in May.", title="Kickoff", tags=("workshop",)))
    perform(sqlite_app, agent, Link(origin=workshop.version_id, target=client.version_id, kind="FOR_CLIENT"))

    graph = Graph().parse(data=perform(sqlite_app, agent, ExportGraph(base="https://example.org")), format="turtle")
    shapes = Graph().parse(data=perform(sqlite_app, agent, ExportShapes(base="https://example.org")), format="turtle")

    term = URIRef("https://example.org/terms#FOR_CLIENT")
    ((origin, target),) = graph.subject_objects(term)
    assert (str(graph.value(origin, RDFS.label)), str(graph.value(target, RDFS.label))) == ("Kickoff", "Acme")
    assert pyshacl.validate(graph, shacl_graph=shapes, ont_graph=shapes)[0]


def test_what_is_sensitive_is_in_no_graph(sqlite_app: App) -> None:
    owner = local_caller(sqlite_app, human=True)
    perform(sqlite_app, owner, CreateCollection(name="Health", tier=Tier.SENSITIVE))
    perform(sqlite_app, owner, Store(text="A secret.", title="Diagnosis", collection="health"))
    agent = local_caller(sqlite_app, human=False)
    assert "Diagnosis" not in perform(sqlite_app, agent, ExportGraph())


def test_classes_that_texts_brought_stand_beside_the_registered_ones(sqlite_app: App) -> None:
    """K-EDG-1 K-STO-5"""
    agent = local_caller(sqlite_app, human=False)
    perform(sqlite_app, agent, Store(text="They pay.", title="Acme", tags=("type:Sponsor<<Client",)))
    known = perform(sqlite_app, agent, ListRelationTypes())
    assert (known.classes["Sponsor"], known.classes["Client"]) == ("Client", "Organization")


def test_a_class_is_shown_to_those_who_see_what_carries_it(sqlite_app: App) -> None:
    """GN-TIE-1 GR-AUT-5"""
    owner, agent = (local_caller(sqlite_app, human=human) for human in (True, False))
    scoped = token(sqlite_app, folder(sqlite_app, "One"))
    perform(sqlite_app, owner, CreateCollection(name="Health", tier=Tier.SENSITIVE))
    perform(sqlite_app, owner, Store(text="A secret.", tags=("type:Illness<Memory",), collection="health"))
    perform(sqlite_app, agent, Store(text="They pay.", tags=("type:Sponsor<Memory",)))
    for caller, seen in ((owner, {"Illness", "Sponsor"}), (agent, {"Sponsor"}), (scoped, set())):
        classes = perform(sqlite_app, caller, ListRelationTypes()).classes
        shapes = perform(sqlite_app, caller, ExportShapes())
        assert {"Illness", "Sponsor"} & set(classes) == seen
        assert {name for name in ("Illness", "Sponsor") if name in shapes} == seen
