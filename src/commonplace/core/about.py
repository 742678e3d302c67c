"""What is known about an entity, from every side at once."""

from commonplace.core.access import require
from commonplace.core.app import App
from commonplace.core.facts import changes, facts_about, health_of
from commonplace.core.relations import edges_of_titled
from commonplace.core.requests import About, ChangesOf, FactsAbout, HealthOf
from commonplace.model.access import Caller, Scope
from commonplace.model.answer import Known
from commonplace.model.interval import Instant


def about(app: App, caller: Caller, request: About) -> Known:
    """The facts of a moment, the changes since another, the relations of what bears this name, and its health."""
    require(caller, Scope.READ)
    entity, as_of, known_at = request.entity, request.as_of, request.known_at
    since = Instant(0) if request.since is None else request.since
    return Known(
        entity,
        tuple(facts_about(app, caller, FactsAbout(entity=entity, as_of=as_of, known_at=known_at))),
        changes(app, caller, ChangesOf(entity=entity, since=since)),
        tuple(edges_of_titled(app, caller, entity, as_of, known_at)),
        health_of(app, caller, HealthOf(entity=entity)),
    )
