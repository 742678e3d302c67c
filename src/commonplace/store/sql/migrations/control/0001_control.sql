-- What belongs to the whole install: workspaces, tokens, sign-ins, settings.

CREATE TABLE workspace (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    name_key text NOT NULL UNIQUE,
    plan text NOT NULL,
    settings text NOT NULL,
    created_at bigint NOT NULL
);

CREATE TABLE token (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    prefix text NOT NULL,
    digest bytea NOT NULL UNIQUE,
    name text NOT NULL,
    scopes text NOT NULL,
    folders text,
    kb_only boolean NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    revoked_at bigint NOT NULL,
    last_used_at bigint
);
CREATE INDEX token_of_workspace ON token (workspace_id, created_at);

-- A one-time link, and the web session it becomes.
CREATE TABLE session (
    digest bytea PRIMARY KEY,
    kind text NOT NULL,
    person text NOT NULL,
    workspace_id uuid,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);

CREATE TABLE setting (
    name text PRIMARY KEY,
    value text NOT NULL
);

-- Who called what: ids and outcomes, no content.
CREATE TABLE activity (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    token_id uuid,
    at bigint NOT NULL,
    surface text NOT NULL,
    tool text NOT NULL,
    outcome text NOT NULL
);
CREATE INDEX activity_of_workspace ON activity (workspace_id, at);
