"""What the tests name of the history that the fixture `lived` makes."""

from dataclasses import dataclass

from commonplace.model.answer import Stored


@dataclass(frozen=True, slots=True)
class Lived:
    """Two notes, a secret one, and the id of a fact that was corrected."""

    plan: Stored
    joined: Stored
    secret: Stored
    job: str
