-- Everything that must agree with content. workspace_id leads every key.
-- Rows with recorded_at and retired_at never change but for retired_at; times are microseconds, FOREVER is 2^63 - 1.

-- The chain's head is the lock of every write; plan limits are counted while it is held.
CREATE TABLE chain (
    workspace_id uuid PRIMARY KEY,
    seq bigint NOT NULL,
    hash bytea NOT NULL,
    recorded_at bigint NOT NULL,
    secret bytea NOT NULL
);

CREATE TABLE event (
    workspace_id uuid NOT NULL,
    seq bigint NOT NULL,
    id uuid NOT NULL,
    recorded_at bigint NOT NULL,
    kind text NOT NULL,
    actor text NOT NULL,
    client text,
    surface text NOT NULL,
    subjects text NOT NULL,
    payload_hash bytea NOT NULL,
    previous_hash bytea NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (workspace_id, seq),
    UNIQUE (workspace_id, id)
);

CREATE TABLE event_payload (
    workspace_id uuid NOT NULL,
    seq bigint NOT NULL,
    body bytea NOT NULL,
    redacted boolean NOT NULL,
    PRIMARY KEY (workspace_id, seq)
);

CREATE TABLE event_subject (
    workspace_id uuid NOT NULL,
    subject uuid NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (workspace_id, subject, seq)
);

CREATE TABLE collection (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    tier text NOT NULL,
    recall_cap bigint NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, slug)
);

CREATE TABLE folder (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, name_key)
);

CREATE TABLE folder_member (
    workspace_id uuid NOT NULL,
    folder_id uuid NOT NULL,
    member_id uuid NOT NULL,
    added_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, folder_id, member_id)
);
CREATE INDEX folder_of_member ON folder_member (workspace_id, member_id);

CREATE TABLE item (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    collection_id uuid NOT NULL,
    kind text NOT NULL,
    platform text NOT NULL,
    created_at bigint NOT NULL,
    in_kb boolean NOT NULL,
    archived boolean NOT NULL,
    read boolean NOT NULL,
    custom_title text,
    source_title text,
    url text,
    content_key uuid,
    episode text,
    actor text NOT NULL,
    client text,
    media text NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX item_by_age ON item (workspace_id, created_at, id);
CREATE INDEX item_of_collection ON item (workspace_id, collection_id);
CREATE INDEX item_of_content ON item (workspace_id, content_key);

CREATE TABLE version (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    item_id uuid NOT NULL,
    title text NOT NULL,
    title_key text NOT NULL,
    memory_type text NOT NULL,
    tags text NOT NULL,
    classes text NOT NULL,
    provenance text,
    predecessor uuid,
    reason text,
    content_hash text NOT NULL,
    created_at bigint NOT NULL,
    valid_from bigint NOT NULL,
    valid_to bigint NOT NULL,
    recorded_at bigint NOT NULL,
    retired_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id, recorded_at)
);
CREATE INDEX version_of_item ON version (workspace_id, item_id, valid_from);
CREATE INDEX version_by_start ON version (workspace_id, valid_from);
CREATE INDEX version_by_end ON version (workspace_id, valid_to);
CREATE INDEX version_after ON version (workspace_id, predecessor);
CREATE INDEX version_by_title ON version (workspace_id, title_key);
CREATE INDEX version_by_content ON version (workspace_id, content_hash);

CREATE TABLE version_tag (
    workspace_id uuid NOT NULL,
    version_id uuid NOT NULL,
    tag text NOT NULL,
    PRIMARY KEY (workspace_id, version_id, tag)
);

-- The one erasable home of texts; chunks and payloads name it.
CREATE TABLE content (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

CREATE TABLE chunk (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    version_id uuid NOT NULL,
    item_id uuid NOT NULL,
    ordinal bigint NOT NULL,
    headings text NOT NULL,
    content_id uuid NOT NULL,
    llm_tokens bigint NOT NULL,
    recorded_at bigint NOT NULL,
    retired_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id, recorded_at)
);
CREATE INDEX chunk_of_version ON chunk (workspace_id, version_id, ordinal);
CREATE INDEX chunk_of_item ON chunk (workspace_id, item_id);
CREATE INDEX chunk_of_content ON chunk (workspace_id, content_id);

-- Timed passages of a recording.
CREATE TABLE segment (
    workspace_id uuid NOT NULL,
    version_id uuid NOT NULL,
    ordinal bigint NOT NULL,
    starts_ms bigint NOT NULL,
    ends_ms bigint NOT NULL,
    speaker text,
    body text NOT NULL,
    PRIMARY KEY (workspace_id, version_id, ordinal)
);

-- What a model made of an item.
CREATE TABLE output (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    item_id uuid NOT NULL,
    format text NOT NULL,
    title text,
    tldr text,
    body text NOT NULL,
    prompt text,
    model text,
    created_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX output_of_item ON output (workspace_id, item_id);

CREATE TABLE entity (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, name_key)
);

CREATE TABLE alias (
    workspace_id uuid NOT NULL,
    name_key text NOT NULL,
    fact_id uuid NOT NULL,
    entity_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, name_key, fact_id)
);

CREATE TABLE fact (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    entity_id uuid NOT NULL,
    subject text NOT NULL,
    predicate text NOT NULL,
    value text NOT NULL,
    confidence double precision NOT NULL,
    provenance text,
    episode text,
    item_id uuid,
    collection_id uuid NOT NULL,
    predecessor uuid,
    reason text,
    created_at bigint NOT NULL,
    expired_at bigint,
    valid_from bigint NOT NULL,
    valid_to bigint NOT NULL,
    recorded_at bigint NOT NULL,
    retired_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id, recorded_at)
);
CREATE INDEX fact_of_entity ON fact (workspace_id, entity_id, predicate);
CREATE INDEX fact_of_subject ON fact (workspace_id, subject);
CREATE INDEX fact_of_item ON fact (workspace_id, item_id);
CREATE INDEX fact_by_end ON fact (workspace_id, valid_to);
CREATE INDEX fact_after ON fact (workspace_id, predecessor);

-- Each relation is two rows, one the inverse of the other; `stated` marks the one that was asked for.
CREATE TABLE relation (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    inverse_id uuid NOT NULL,
    kind text NOT NULL,
    origin uuid NOT NULL,
    target uuid NOT NULL,
    stated boolean NOT NULL,
    made_by text NOT NULL,
    reason text,
    created_at bigint NOT NULL,
    valid_from bigint NOT NULL,
    valid_to bigint NOT NULL,
    recorded_at bigint NOT NULL,
    retired_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id, recorded_at)
);
CREATE INDEX relation_from ON relation (workspace_id, origin, kind);
CREATE INDEX relation_to ON relation (workspace_id, target);

-- Classes and relation types that were added to the registry's own.
CREATE TABLE registry_class (
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    parent text NOT NULL,
    PRIMARY KEY (workspace_id, name)
);

CREATE TABLE registry_type (
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    definition text NOT NULL,
    PRIMARY KEY (workspace_id, name)
);

-- Readable ids. After a forget only the keyed hash stays, so that none is used twice.
CREATE TABLE slug (
    workspace_id uuid NOT NULL,
    slug_hash bytea NOT NULL,
    slug text,
    target_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, slug_hash)
);
CREATE INDEX slug_of_target ON slug (workspace_id, target_id);

-- Wiki links whose target does not exist yet.
CREATE TABLE pending_link (
    workspace_id uuid NOT NULL,
    version_id uuid NOT NULL,
    target_key text NOT NULL,
    PRIMARY KEY (workspace_id, version_id, target_key)
);
CREATE INDEX pending_link_to ON pending_link (workspace_id, target_key);

CREATE TABLE idempotency (
    workspace_id uuid NOT NULL,
    key_hash bytea NOT NULL,
    ids text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, key_hash)
);

CREATE TABLE proposal (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    chunk_id uuid NOT NULL,
    item_id uuid NOT NULL,
    content_id uuid NOT NULL,
    wording text NOT NULL,
    proposed text NOT NULL,
    method text NOT NULL,
    model text,
    actor text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    state text NOT NULL,
    event_id uuid,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX proposal_of_item ON proposal (workspace_id, item_id);

CREATE TABLE review (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    suggested text NOT NULL,
    label text,
    body text NOT NULL,
    preview text NOT NULL,
    request text NOT NULL,
    candidates text NOT NULL,
    actor text NOT NULL,
    client text,
    same_hash bytea NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    state text NOT NULL,
    decided_at bigint,
    decided_by text,
    item_id uuid,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX review_by_state ON review (workspace_id, state, created_at);

CREATE TABLE job (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    payload text NOT NULL,
    done bigint NOT NULL,
    total bigint NOT NULL,
    attempts bigint NOT NULL,
    run_at bigint NOT NULL,
    lease_until bigint NOT NULL,
    worker text,
    error text,
    cancelled boolean NOT NULL,
    item_id uuid,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX job_to_run ON job (workspace_id, state, run_at);
CREATE INDEX job_of_item ON job (workspace_id, item_id);

CREATE TABLE upload (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    path text NOT NULL,
    digest bytea NOT NULL,
    mime text NOT NULL,
    size_bytes bigint NOT NULL,
    filename text,
    actor text NOT NULL,
    state text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, path)
);

-- Bytes fetched or transcribed once and used by several items.
CREATE TABLE artifact (
    workspace_id uuid NOT NULL,
    content_key uuid NOT NULL,
    kind text NOT NULL,
    mime text NOT NULL,
    body bytea NOT NULL,
    fetched_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, content_key, kind)
);

CREATE TABLE quota (
    workspace_id uuid NOT NULL,
    resource text NOT NULL,
    period text NOT NULL,
    used bigint NOT NULL,
    PRIMARY KEY (workspace_id, resource, period)
);

CREATE TABLE rate (
    workspace_id uuid NOT NULL,
    bucket text NOT NULL,
    at bigint NOT NULL,
    id uuid NOT NULL,
    PRIMARY KEY (workspace_id, bucket, at, id)
);

-- A vector space: an embedder with its dimension, or vectors that clients gave.
CREATE TABLE space (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    dimensions bigint NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, name)
);

CREATE TABLE vector (
    workspace_id uuid NOT NULL,
    space_id uuid NOT NULL,
    owner uuid NOT NULL,
    shelf text NOT NULL,
    slot bigint,
    data halfvec NOT NULL,
    PRIMARY KEY (workspace_id, space_id, owner)
);
CREATE INDEX vector_of_owner ON vector (workspace_id, owner);
CREATE INDEX vector_slot ON vector (workspace_id, space_id, slot);

-- Sign bits of many vectors in a row, with a generation, so that a process loads only what changed.
CREATE TABLE vector_block (
    workspace_id uuid NOT NULL,
    space_id uuid NOT NULL,
    kind text NOT NULL,
    block bigint NOT NULL,
    generation bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (workspace_id, space_id, kind, block)
);
