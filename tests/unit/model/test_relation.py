from collections.abc import Callable

import pytest

from commonplace.model.errors import Constraint, Invalid
from commonplace.model.relation import End, Pair, Registry, RelationType, parse, registry

NOTHING = End()


def end(*classes: str) -> End:
    return End(frozenset(classes))


def refusal(check: Callable[[], object]) -> dict[str, object]:
    with pytest.raises(Constraint) as caught:
        check()
    assert caught.value.message.startswith(f"Constraint violated: {caught.value.facts['rel_type']} ")
    return dict(caught.value.facts)


def test_the_shipped_registry_holds_every_class_and_type() -> None:
    shipped = registry()
    assert len(shipped.classes) == 26
    assert len(shipped.types) == 38
    assert shipped.lineages["Workshop"] == ("Workshop", "Meeting", "Event", "Memory")
    assert [each.name for each in shipped.types if each.reserved] == ["HAS_CHUNK"]
    assert {each.name for each in shipped.types if each.symmetric} == {"CONTRADICTS", "RELATED_TO", "SAME_AS", "KNOWS"}
    documented = {each.name for each in shipped.types if each.origin == "documented"}
    assert documented == {"HAS_CHUNK", "SUPERSEDES", "REFERENCES_ENTITY", "REFERENCES", "OWNS", "FOR_CLIENT"}


def test_every_name_belongs_to_exactly_one_type() -> None:
    shipped = registry()
    names = [name for each in shipped.types for name in set(each.names)]
    assert sorted(names) == sorted(shipped.rules)


def test_a_relation_is_allowed_under_its_own_name() -> None:
    assert registry().check("OWNS", end("Agent"), end("Product")) == Pair("OWNS", "OWNED_BY", swapped=False)


def test_a_subclass_satisfies_its_superclasses() -> None:
    assert registry().check("WORKS_FOR", end("PseudonymizedPerson"), end("Team")).inverse == "EMPLOYS"


def test_one_fitting_class_of_several_is_enough() -> None:
    assert registry().check("WORKS_FOR", end("Task", "Person"), end("Team")).name == "WORKS_FOR"


def test_the_name_of_an_inverse_is_the_same_pair_the_other_way_round() -> None:
    assert registry().check("OWNED_BY", end("Product"), end("Agent")) == Pair("OWNS", "OWNED_BY", swapped=True)


def test_a_symmetric_type_is_its_own_inverse_and_never_swapped() -> None:
    assert registry().check("KNOWS", end("Person"), NOTHING) == Pair("KNOWS", "KNOWS", swapped=False)


def test_ends_without_class_accept_every_type() -> None:
    shipped = registry()
    assert all(shipped.check(name, NOTHING, NOTHING, ingest=True) for name in shipped.rules)


def test_a_start_outside_the_domain_is_refused() -> None:
    assert refusal(lambda: registry().check("OWNS", end("Task"), NOTHING)) == {
        "reason": "domain",
        "rel_type": "OWNS",
        "expected": ["Agent", "Role"],
        "actual": ["Task"],
    }


def test_an_end_outside_the_range_is_refused() -> None:
    with pytest.raises(Constraint, match="LOCATED_IN must end at Location, not at Risk and Task"):
        registry().check("LOCATED_IN", NOTHING, end("Task", "Risk"))


def test_a_refused_inverse_is_described_in_the_direction_that_was_asked_for() -> None:
    facts = refusal(lambda: registry().check("OWNED_BY", NOTHING, end("Task")))
    assert (facts["reason"], facts["rel_type"], facts["expected"]) == ("range", "OWNED_BY", ["Agent", "Role"])


@pytest.mark.parametrize("name", ["Memory", "Unheard"])
def test_a_class_nobody_registered_is_a_memory_and_no_more(name: str) -> None:
    assert registry().check("ABOUT", end(name), end(name)).name == "ABOUT"
    assert refusal(lambda: registry().check("OWNS", end(name), NOTHING))["reason"] == "domain"


def test_an_unknown_type_is_refused_with_the_types_to_choose_from() -> None:
    facts = refusal(lambda: registry().check("LIKES", NOTHING, NOTHING))
    assert (facts["reason"], facts["actual"]) == ("unknown_type", ["LIKES"])
    assert facts["expected"] == sorted(each.name for each in registry().types if not each.reserved)


def test_nothing_is_related_to_itself() -> None:
    assert refusal(lambda: registry().check("SAME_AS", NOTHING, NOTHING, same=True))["reason"] == "self"


@pytest.mark.parametrize("name", ["HAS_CHUNK", "CHUNK_OF"])
def test_only_ingest_makes_reserved_relations(name: str) -> None:
    assert refusal(lambda: registry().check(name, NOTHING, NOTHING))["reason"] == "reserved"
    assert registry().check(name, NOTHING, NOTHING, ingest=True).name == "HAS_CHUNK"


@pytest.mark.parametrize(
    ("start", "inverse"),
    [
        (end("Workshop"), "HAS_WORKSHOP"),
        (end("Meeting"), "HAS_MEETING"),
        (end("Event", "Meeting", "Project"), "HAS_MEETING"),
        (end("Project", "Task"), "HAS_PROJECT"),
        (end("Contract"), "HAS_CONTRACT"),
        (end("Document"), "HAS_ENGAGEMENT"),
        (NOTHING, "HAS_ENGAGEMENT"),
        (End(hint="workshop"), "HAS_WORKSHOP"),
        (End(hint="risk"), "HAS_ENGAGEMENT"),
        (End(hint="mueller"), "HAS_ENGAGEMENT"),
        (End(frozenset({"Document"}), hint="workshop"), "HAS_ENGAGEMENT"),
    ],
)
def test_the_most_specific_class_where_a_relation_starts_names_its_inverse(start: End, inverse: str) -> None:
    assert registry().check("FOR_CLIENT", start, end("Client")) == Pair("FOR_CLIENT", inverse, swapped=False)
    assert registry().check("HAS_ENGAGEMENT", end("Client"), start) == Pair("FOR_CLIENT", inverse, swapped=True)


def test_a_special_inverse_asked_for_by_name_is_kept_unless_a_class_says_otherwise() -> None:
    shipped = registry()
    assert shipped.check("HAS_WORKSHOP", end("Client"), End(hint="meeting")).inverse == "HAS_WORKSHOP"
    assert shipped.check("HAS_WORKSHOP", end("Client"), end("Project")).inverse == "HAS_PROJECT"


def test_classes_are_found_however_they_are_capitalised() -> None:
    assert registry().class_named("WORKshop") == "Workshop"
    assert registry().class_named("mueller") is None


def test_the_most_specific_class_is_the_farthest_from_the_root() -> None:
    assert registry().most_specific({"Event", "Workshop", "Unheard"}) == "Workshop"
    assert registry().most_specific({"Task", "Project"}) == "Project"
    assert registry().most_specific(()) == "Memory"


def test_made_classes_stand_below_memory_or_the_parent_they_name() -> None:
    made = registry().extended(classes={"Retreat": "Workshop", "Recipe": "", "Stew": "Dish", "Client": ""})
    assert made.lineages["Retreat"][:2] == ("Retreat", "Workshop")
    assert (made.classes["Recipe"], made.classes["Stew"], made.classes["Dish"]) == ("Memory", "Dish", "Memory")
    assert made.classes["Client"] == "Organization"
    assert made.check("FOR_CLIENT", end("Retreat"), end("Client")).inverse == "HAS_WORKSHOP"
    assert registry().class_named("Retreat") is None


@pytest.mark.parametrize(
    "classes",
    [{"Workshop": "Risk"}, {"Memory": "Event"}, {"Egg": "Hen", "Hen": "Egg"}, {"Egg": "Egg"}, {"workshop": ""}],
)
def test_classes_that_contradict_the_registry_are_refused(classes: dict[str, str]) -> None:
    with pytest.raises(Invalid, match=r"class|capitals"):
        registry().extended(classes=classes)


def test_a_class_needs_a_registered_superclass() -> None:
    with pytest.raises(Invalid, match="does not descend from Memory"):
        Registry.build((), {"Memory": "", "Stew": "Dish"})


def test_the_operator_adds_types_between_made_classes() -> None:
    cooks = RelationType("COOKS", "COOKED_BY", domain=frozenset({"Person"}), range=frozenset({"Dish"}))
    made = registry().extended([cooks], {"Dish": "Product"})
    assert made.check("COOKED_BY", end("Dish"), end("Person")) == Pair("COOKS", "COOKED_BY", swapped=True)
    assert len(made.types) == len(registry().types) + 1


@pytest.mark.parametrize(("name", "inverse"), [("OWNS", "HELD_BY"), ("HOLDS", "OWNED_BY"), ("HAS_TASK", "TASK_OF")])
def test_a_name_that_is_taken_is_refused(name: str, inverse: str) -> None:
    with pytest.raises(Invalid, match="already belongs to"):
        registry().extended([RelationType(name, inverse)])


def test_a_type_speaks_only_of_registered_classes() -> None:
    with pytest.raises(Invalid, match="COOKS speaks of the class Dish"):
        registry().extended([RelationType("COOKS", "COOKED_BY", range=frozenset({"Dish"}))])


def test_the_root_in_a_domain_is_any_class() -> None:
    made = registry().extended([RelationType("TOUCHES", "TOUCHED_BY", domain=frozenset({"Memory"}))])
    assert made.check("TOUCHES", end("Unheard"), NOTHING).name == "TOUCHES"


@pytest.mark.parametrize("name", ["owns", "OWNS_", "OWNS__ALL", "1ST", "", "A" * 65, "OWNS\n"])
def test_a_relation_is_named_in_capitals_digits_and_single_underscores(name: str) -> None:
    with pytest.raises(Invalid, match="cannot name a relation"):
        RelationType(name, "OWNED_BY")


def test_symmetric_types_have_one_name_and_one_set_of_classes() -> None:
    with pytest.raises(Invalid, match="its own inverse"):
        RelationType("KNOWS", "KNOWS")
    with pytest.raises(Invalid, match="its own inverse"):
        RelationType("KNOWS", "KNOWN_BY", symmetric=True)
    with pytest.raises(Invalid, match="one set of classes"):
        RelationType("KNOWS", "KNOWS", domain=frozenset({"Person"}), symmetric=True)


def test_a_registry_file_is_read_with_its_defaults() -> None:
    types, classes = parse('[classes]\nDish = "Product"\n[relation_types.PAIRS_WITH]\nsymmetric = true\n')
    assert classes == {"Dish": "Product"}
    assert types == (RelationType("PAIRS_WITH", "PAIRS_WITH", symmetric=True),)


@pytest.mark.parametrize(
    "text",
    [
        "[relation_types",
        "relation_types = 1",
        "[relation_types.COOKS]\ninverse = 1",
        '[relation_types.COOKS]\ninverse = "COOKED_BY"\ndomain = "Person"',
        '[relation_types.COOKS]\ninverse = "COOKED_BY"\ndomian = ["Person"]',
        '[relation_types.COOKS]\ninverse = "COOKED_BY"\norigin = "seed"',
    ],
)
def test_a_registry_file_with_a_slip_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="registry file"):
        parse(text)
