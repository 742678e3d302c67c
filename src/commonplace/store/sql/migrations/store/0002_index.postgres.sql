-- Postings of our own: under row-level security the text search operators are not leakproof, so their index is never used.

CREATE TABLE lexical (
    workspace_id uuid NOT NULL,
    owner uuid NOT NULL,
    shelf text NOT NULL,
    terms text NOT NULL,
    length bigint NOT NULL,
    PRIMARY KEY (workspace_id, owner)
);

CREATE TABLE posting (
    workspace_id uuid NOT NULL,
    shelf text NOT NULL,
    term text NOT NULL,
    owner uuid NOT NULL,
    frequency bigint NOT NULL,
    length bigint NOT NULL,
    PRIMARY KEY (workspace_id, shelf, term, owner)
);
CREATE INDEX posting_of_owner ON posting (workspace_id, owner);

-- A hash, for a row of a B-tree has room for a third of a page, and a provenance may be longer.
CREATE INDEX version_by_provenance ON version USING hash (provenance);

CREATE TABLE shelf (
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    entries bigint NOT NULL,
    length bigint NOT NULL,
    PRIMARY KEY (workspace_id, name)
);

-- Row-level security on every table of a workspace; and text in the order of its code points, as SQLite has it.
DO $$
DECLARE
    held text;
    words text;
BEGIN
    FOREACH held IN ARRAY ARRAY[
        'chain', 'event', 'event_payload', 'event_subject', 'collection', 'folder', 'folder_member', 'item', 'version',
        'version_tag', 'content', 'chunk', 'segment', 'output', 'entity', 'alias', 'fact', 'relation', 'registry_class',
        'registry_type', 'slug', 'pending_link', 'idempotency', 'proposal', 'review', 'job', 'upload', 'artifact',
        'quota', 'rate', 'space', 'vector', 'vector_block', 'lexical', 'posting', 'shelf']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', held);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', held);
        EXECUTE format(
            'CREATE POLICY tenant ON %I USING (workspace_id = nullif(current_setting(''commonplace.workspace'', true), '''')::uuid)
             WITH CHECK (workspace_id = nullif(current_setting(''commonplace.workspace'', true), '''')::uuid)', held);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO commonplace_tenant', held);
        SELECT string_agg(format('ALTER COLUMN %I TYPE text COLLATE "C"', column_name), ', ') INTO words
        FROM information_schema.columns
        WHERE table_schema = current_schema AND table_name = held AND data_type = 'text';
        IF words IS NOT NULL THEN
            EXECUTE format('ALTER TABLE %I %s', held, words);
        END IF;
    END LOOP;
END $$;
