"""Every error a caller can meet.

CommonplaceError
├── Invalid            the request itself is wrong
│   └── TooLarge       … because it is more than a limit allows
├── NotFound           nothing of that id is visible to the caller
├── Unauthenticated    no token, or one that is not valid
├── Forbidden          the caller may not do this
├── Constraint         a relation breaks a rule of the registry
├── Conflict           the thing changed or is already so
├── Ambiguous          a name fits no collection exactly
├── Expired            it was valid once
├── Quota              a plan's limit is reached
├── RateLimited        too many calls
├── Upstream           a model or a remote service failed
├── Unavailable        the store cannot be used now
└── Damaged            stored data is not what was written

A class's docstring is its default message. Facts travel as keyword attributes in ``facts``, never inside the prose
alone, so that a surface can shape them without reading sentences.
"""

from collections.abc import Mapping


class CommonplaceError(Exception):
    """Something went wrong."""

    def __init__(self, message: str | None = None, **facts: object) -> None:
        super().__init__(message or type(self).__doc__)
        self.facts: Mapping[str, object] = facts

    @property
    def message(self) -> str:
        """The sentence for the caller."""
        return str(self.args[0])


class Invalid(CommonplaceError):
    """The request is not valid."""


class TooLarge(Invalid):
    """The content is larger than the limit allows."""


class NotFound(CommonplaceError):
    """Nothing with this id is here."""


class Unauthenticated(CommonplaceError):
    """The bearer token is missing or not valid."""


class Forbidden(CommonplaceError):
    """The caller may not do this."""


class Constraint(CommonplaceError):
    """The relation breaks a rule of the registry."""


class Conflict(CommonplaceError):
    """The thing has changed in the meantime."""


class Ambiguous(CommonplaceError):
    """No collection has exactly this name; ask the person which one is meant."""


class Expired(CommonplaceError):
    """The time to do this has passed."""


class Quota(CommonplaceError):
    """The plan's limit is reached."""


class RateLimited(CommonplaceError):
    """Too many calls; try again later."""


class Upstream(CommonplaceError):
    """A model or a remote service failed."""


class Unavailable(CommonplaceError):
    """The store cannot be used at the moment."""


class Damaged(CommonplaceError):
    """Stored data is damaged; restore a backup."""
