"""Who asks, what they may see, and where things are kept."""

from dataclasses import dataclass, field
from enum import StrEnum

from commonplace.model.interval import Instant


class Scope(StrEnum):
    """What a caller may do; a wider scope includes the narrower ones."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


INCLUDED = {
    Scope.READ: frozenset({Scope.READ}),
    Scope.WRITE: frozenset({Scope.READ, Scope.WRITE}),
    Scope.ADMIN: frozenset(Scope),
}


class Tier(StrEnum):
    """How sensitive a collection is; a sensitive one is for people only."""

    PUBLIC = "public"
    PERSONAL = "personal"
    SENSITIVE = "sensitive"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a workspace may hold and how often a token may call."""

    name: str
    memories_max: int | None
    requests_per_minute: int | None


PLANS = {
    plan.name: plan
    for plan in (
        Plan("private", 100, 60),
        Plan("pro", None, 60),
        Plan("business", None, 60),
        Plan("business_api", None, 60),
        Plan("enterprise", None, 600),
        Plan("unlimited", None, None),
    )
}


@dataclass(frozen=True, slots=True)
class Workspace:
    """The isolation boundary: nothing in one is seen from another."""

    id: str
    name: str
    created_at: Instant
    plan: str = "unlimited"
    settings: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Collection:
    """A named home of items with a tier."""

    id: str
    slug: str
    name: str
    tier: Tier
    recall_cap: int
    created_at: Instant


@dataclass(frozen=True, slots=True)
class Folder:
    """A group of items and facts; it decides what a scoped token sees."""

    id: str
    name: str
    created_at: Instant
    last_added_at: Instant | None
    item_count: int


@dataclass(frozen=True, slots=True)
class Token:
    """A bearer credential as it is kept: never the secret itself."""

    id: str
    workspace_id: str
    kind: str
    prefix: str
    name: str
    scopes: frozenset[Scope]
    folders: tuple[str, ...] | None
    kb_only: bool
    created_at: Instant
    expires_at: Instant
    revoked_at: Instant
    last_used_at: Instant | None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is asking. `folders` is None for the whole library; `human` is a person, not a model's client."""

    workspace_id: str
    actor: str
    scopes: frozenset[Scope] = INCLUDED[Scope.WRITE]
    folders: tuple[str, ...] | None = None
    kb_only: bool = False
    human: bool = False
    surface: str = "native"
    client: str | None = None
    token_id: str | None = None

    def may(self, scope: Scope) -> bool:
        """Whether the caller's scopes include this one."""
        return any(scope in INCLUDED[held] for held in self.scopes)


NOBODY = Caller(workspace_id="", actor="nobody", scopes=frozenset())
"""Whoever calls what needs no token."""
