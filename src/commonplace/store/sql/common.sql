-- Every query that both engines share, in PostgreSQL's words; queries.py translates. See it for fragments and shelves.

-- Migrations and parts

-- name: make_migration
CREATE TABLE IF NOT EXISTS migration (kind text NOT NULL, number bigint NOT NULL, name text NOT NULL, PRIMARY KEY (kind, number))

-- name: applied_migration
SELECT max(number) AS number FROM migration WHERE kind = :kind

-- name: insert_migration
INSERT INTO migration (kind, number, name) VALUES (:kind, :number, :name)

-- The control part

-- name: insert_workspace
INSERT INTO workspace (id, name, name_key, plan, settings, created_at)
VALUES (:id, :name, :name_key, :plan, :settings, :created_at)

-- name: workspaces
SELECT id, name, plan, settings, created_at FROM workspace ORDER BY created_at, id

-- name: workspace_by_key
SELECT id, name, plan, settings, created_at FROM workspace WHERE name_key = :name_key

-- name: workspace_by_id
SELECT id, name, plan, settings, created_at FROM workspace WHERE id = :id

-- name: patch_workspace
UPDATE workspace SET name = :name, name_key = :name_key, plan = :plan, settings = :settings WHERE id = :id

-- name: remove_workspace
DELETE FROM workspace WHERE id = :id

-- name: insert_token
INSERT INTO token (id, workspace_id, kind, prefix, digest, name, scopes, folders, kb_only, created_at, expires_at, revoked_at)
VALUES (:id, :workspace_id, :kind, :prefix, :digest, :name, :scopes, :folders, :kb_only, :created_at, :expires_at, :revoked_at)

-- name: token_by_digest
SELECT id, workspace_id, kind, prefix, digest, name, scopes, folders, kb_only, created_at, expires_at, revoked_at, last_used_at
FROM token WHERE digest = :digest

-- name: tokens_of
SELECT id, workspace_id, kind, prefix, digest, name, scopes, folders, kb_only, created_at, expires_at, revoked_at, last_used_at
FROM token WHERE workspace_id = :workspace_id ORDER BY created_at, id

-- name: revoke_token
UPDATE token SET revoked_at = :at WHERE workspace_id = :workspace_id AND id = :id AND revoked_at > :at

-- name: remove_tokens
DELETE FROM token WHERE workspace_id = :workspace_id

-- name: touch_token
UPDATE token SET last_used_at = :at WHERE id = :id

-- The chain of events

-- name: insert_chain
INSERT INTO chain (workspace_id, seq, hash, recorded_at, secret) VALUES (:workspace_id, 0, :hash, :recorded_at, :secret)

-- name: head
SELECT seq, hash, recorded_at, secret FROM chain WHERE workspace_id = :workspace_id

-- name: lock_head
SELECT seq, hash, recorded_at, secret FROM chain WHERE workspace_id = :workspace_id FOR UPDATE

-- name: advance_head
UPDATE chain SET seq = :seq, hash = :hash, recorded_at = :recorded_at WHERE workspace_id = :workspace_id

-- name: _event
SELECT e.seq, e.id, e.recorded_at, e.kind, e.actor, e.client, e.surface, e.subjects, e.payload_hash, e.previous_hash, e.hash
FROM event e

-- name: events
{_event} WHERE e.workspace_id = :workspace_id ORDER BY e.seq DESC LIMIT :limit

-- name: events_of
{_event}
JOIN event_subject s ON s.workspace_id = e.workspace_id AND s.seq = e.seq
WHERE e.workspace_id = :workspace_id AND s.subject = :subject ORDER BY e.seq DESC LIMIT :limit

-- name: event_by_id
{_event} WHERE e.workspace_id = :workspace_id AND e.id = :id

-- name: touched_later
SELECT count(*) AS events FROM event_subject later
WHERE later.workspace_id = :workspace_id AND later.seq > :seq AND later.subject IN
    (SELECT subject FROM event_subject WHERE workspace_id = :workspace_id AND seq = :seq)

-- name: payload
SELECT seq, body, redacted FROM event_payload WHERE workspace_id = :workspace_id AND seq = :seq

-- name: payloads_of
SELECT DISTINCT p.seq, p.body, p.redacted FROM event_payload p
JOIN event_subject s ON s.workspace_id = p.workspace_id AND s.seq = p.seq
WHERE p.workspace_id = :workspace_id AND s.subject = ANY(:subjects::uuid[])

-- name: redacted_payloads
SELECT seq, body, redacted FROM event_payload WHERE workspace_id = :workspace_id AND redacted

-- name: redact_payload
UPDATE event_payload SET body = :body, redacted = :redacted WHERE workspace_id = :workspace_id AND seq = :seq

-- Rows of the tables, one insert each

-- name: insert_collection
INSERT INTO collection (
    workspace_id, id, slug, name, name_key, tier, recall_cap, created_at
) VALUES (
    :workspace_id, :id, :slug, :name, :name_key, :tier, :recall_cap, :created_at
)

-- name: insert_folder
INSERT INTO folder (
    workspace_id, id, name, name_key, created_at
) VALUES (
    :workspace_id, :id, :name, :name_key, :created_at
)

-- name: insert_folder_member
INSERT INTO folder_member (
    workspace_id, folder_id, member_id, added_at
) VALUES (
    :workspace_id, :folder_id, :member_id, :added_at
)

-- name: insert_item
INSERT INTO item (
    workspace_id, id, collection_id, kind, platform, created_at, in_kb, archived, read,
    custom_title, source_title, url, content_key, episode, actor, client, media
) VALUES (
    :workspace_id, :id, :collection_id, :kind, :platform, :created_at, :in_kb, :archived, :read,
    :custom_title, :source_title, :url, :content_key, :episode, :actor, :client, :media
)

-- name: insert_version
INSERT INTO version (
    workspace_id, id, item_id, title, title_key, memory_type, tags, classes, provenance, predecessor, reason,
    content_hash, created_at, valid_from, valid_to, recorded_at, retired_at
) VALUES (
    :workspace_id, :id, :item_id, :title, :title_key, :memory_type, :tags, :classes, :provenance, :predecessor,
    :reason, :content_hash, :created_at, :valid_from, :valid_to, :recorded_at, :retired_at
)

-- name: insert_version_tag
INSERT INTO version_tag (
    workspace_id, version_id, tag
) VALUES (
    :workspace_id, :version_id, :tag
)

-- name: insert_content
INSERT INTO content (
    workspace_id, id, body
) VALUES (
    :workspace_id, :id, :body
)

-- name: insert_chunk
INSERT INTO chunk (
    workspace_id, id, version_id, item_id, ordinal, headings, content_id, llm_tokens, recorded_at,
    retired_at
) VALUES (
    :workspace_id, :id, :version_id, :item_id, :ordinal, :headings, :content_id, :llm_tokens,
    :recorded_at, :retired_at
)

-- name: insert_entity
INSERT INTO entity (
    workspace_id, id, name, name_key, created_at
) VALUES (
    :workspace_id, :id, :name, :name_key, :created_at
)

-- name: insert_alias
INSERT INTO alias (
    workspace_id, name_key, fact_id, entity_id
) VALUES (
    :workspace_id, :name_key, :fact_id, :entity_id
)

-- name: insert_fact
INSERT INTO fact (
    workspace_id, id, entity_id, subject, predicate, value, confidence, provenance, episode,
    item_id, collection_id, predecessor, reason, created_at, expired_at, valid_from, valid_to,
    recorded_at, retired_at
) VALUES (
    :workspace_id, :id, :entity_id, :subject, :predicate, :value, :confidence, :provenance,
    :episode, :item_id, :collection_id, :predecessor, :reason, :created_at, :expired_at,
    :valid_from, :valid_to, :recorded_at, :retired_at
)

-- name: insert_relation
INSERT INTO relation (
    workspace_id, id, inverse_id, kind, origin, target, stated, made_by, reason, created_at,
    valid_from, valid_to, recorded_at, retired_at
) VALUES (
    :workspace_id, :id, :inverse_id, :kind, :origin, :target, :stated, :made_by, :reason,
    :created_at, :valid_from, :valid_to, :recorded_at, :retired_at
)

-- name: insert_registry_class
INSERT INTO registry_class (
    workspace_id, name, parent
) VALUES (
    :workspace_id, :name, :parent
)

-- name: insert_slug
INSERT INTO slug (
    workspace_id, slug_hash, slug, target_id
) VALUES (
    :workspace_id, :slug_hash, :slug, :target_id
)

-- name: insert_pending_link
INSERT INTO pending_link (
    workspace_id, version_id, target_key
) VALUES (
    :workspace_id, :version_id, :target_key
)

-- name: insert_idempotency
INSERT INTO idempotency (
    workspace_id, key_hash, ids, created_at
) VALUES (
    :workspace_id, :key_hash, :ids, :created_at
)

-- name: insert_proposal
INSERT INTO proposal (
    workspace_id, id, chunk_id, item_id, content_id, wording, proposed, method, model, actor,
    created_at, expires_at, state, event_id
) VALUES (
    :workspace_id, :id, :chunk_id, :item_id, :content_id, :wording, :proposed, :method, :model,
    :actor, :created_at, :expires_at, :state, :event_id
)

-- name: insert_review
INSERT INTO review (
    workspace_id, id, kind, suggested, label, body, preview, request, candidates, actor, client,
    same_hash, created_at, expires_at, state, decided_at, decided_by, item_id
) VALUES (
    :workspace_id, :id, :kind, :suggested, :label, :body, :preview, :request, :candidates, :actor,
    :client, :same_hash, :created_at, :expires_at, :state, :decided_at, :decided_by, :item_id
)

-- name: insert_job
INSERT INTO job (
    workspace_id, id, kind, state, payload, done, total, attempts, run_at, lease_until, worker,
    error, cancelled, item_id, created_at, updated_at
) VALUES (
    :workspace_id, :id, :kind, :state, :payload, :done, :total, :attempts, :run_at, :lease_until,
    :worker, :error, :cancelled, :item_id, :created_at, :updated_at
)

-- name: insert_space
INSERT INTO space (
    workspace_id, id, name, dimensions
) VALUES (
    :workspace_id, :id, :name, :dimensions
)

-- name: insert_vector
INSERT INTO vector (
    workspace_id, space_id, owner, shelf, data
) VALUES (
    :workspace_id, :space_id, :owner, :shelf, :data
)

-- name: insert_event
INSERT INTO event (
    workspace_id, seq, id, recorded_at, kind, actor, client, surface, subjects, payload_hash,
    previous_hash, hash
) VALUES (
    :workspace_id, :seq, :id, :recorded_at, :kind, :actor, :client, :surface, :subjects,
    :payload_hash, :previous_hash, :hash
)

-- name: insert_event_payload
INSERT INTO event_payload (
    workspace_id, seq, body, redacted
) VALUES (
    :workspace_id, :seq, :body, :redacted
)

-- name: insert_event_subject
INSERT INTO event_subject (
    workspace_id, subject, seq
) VALUES (
    :workspace_id, :subject, :seq
)

-- name: open_version
SELECT id, item_id, title, title_key, memory_type, tags, classes, provenance, predecessor, reason, content_hash, created_at, valid_from, valid_to, recorded_at, retired_at FROM version
WHERE workspace_id = :workspace_id AND id = :id AND retired_at = 9223372036854775807

-- name: retire_version
UPDATE version SET retired_at = :retired_at
WHERE workspace_id = :workspace_id AND id = :id AND recorded_at = :recorded_at AND retired_at = 9223372036854775807

-- name: open_chunk
SELECT id, version_id, item_id, ordinal, headings, content_id, llm_tokens, recorded_at, retired_at FROM chunk
WHERE workspace_id = :workspace_id AND id = :id AND retired_at = 9223372036854775807

-- name: retire_chunk
UPDATE chunk SET retired_at = :retired_at
WHERE workspace_id = :workspace_id AND id = :id AND recorded_at = :recorded_at AND retired_at = 9223372036854775807

-- name: open_fact
SELECT id, entity_id, subject, predicate, value, confidence, provenance, episode, item_id, collection_id, predecessor, reason, created_at, expired_at, valid_from, valid_to, recorded_at, retired_at FROM fact
WHERE workspace_id = :workspace_id AND id = :id AND retired_at = 9223372036854775807

-- name: retire_fact
UPDATE fact SET retired_at = :retired_at
WHERE workspace_id = :workspace_id AND id = :id AND recorded_at = :recorded_at AND retired_at = 9223372036854775807

-- name: open_relation
SELECT id, inverse_id, kind, origin, target, stated, made_by, reason, created_at, valid_from, valid_to, recorded_at, retired_at FROM relation
WHERE workspace_id = :workspace_id AND id = :id AND retired_at = 9223372036854775807

-- name: retire_relation
UPDATE relation SET retired_at = :retired_at
WHERE workspace_id = :workspace_id AND id = :id AND recorded_at = :recorded_at AND retired_at = 9223372036854775807

-- name: kept_item
SELECT id, collection_id, kind, platform, created_at, in_kb, archived, read, custom_title, source_title, url, content_key, episode, actor, client, media FROM item WHERE workspace_id = :workspace_id AND id = :id

-- name: patch_item
UPDATE item SET collection_id = :collection_id, in_kb = :in_kb, archived = :archived, read = :read, custom_title = :custom_title, source_title = :source_title, url = :url, content_key = :content_key, media = :media
WHERE workspace_id = :workspace_id AND id = :id

-- name: kept_collection
SELECT id, slug, name, name_key, tier, recall_cap, created_at FROM collection WHERE workspace_id = :workspace_id AND id = :id

-- name: patch_collection
UPDATE collection SET slug = :slug, name = :name, name_key = :name_key, tier = :tier, recall_cap = :recall_cap
WHERE workspace_id = :workspace_id AND id = :id

-- name: remove_folder_member
DELETE FROM folder_member WHERE workspace_id = :workspace_id AND folder_id = :folder_id AND member_id = :member_id

-- name: remove_folder
DELETE FROM folder WHERE workspace_id = :workspace_id AND id = :id

-- name: remove_collection
DELETE FROM collection WHERE workspace_id = :workspace_id AND id = :id

-- name: remove_item
DELETE FROM item WHERE workspace_id = :workspace_id AND id = :id

-- name: remove_entity
DELETE FROM entity WHERE workspace_id = :workspace_id AND id = :id

-- name: remove_alias
DELETE FROM alias WHERE workspace_id = :workspace_id AND fact_id = :fact_id

-- name: remove_pending_link
DELETE FROM pending_link WHERE workspace_id = :workspace_id AND version_id = :version_id AND target_key = :target_key

-- name: remove_version_tag
DELETE FROM version_tag WHERE workspace_id = :workspace_id AND version_id = :version_id

-- name: remove_registry_class
DELETE FROM registry_class WHERE workspace_id = :workspace_id AND name = :name

-- name: remove_proposal
DELETE FROM proposal WHERE workspace_id = :workspace_id AND id = :id

-- What a caller may see

-- name: _item_visible
(:sensitive OR o.tier <> 'sensitive')
AND (NOT :kb_only OR i.in_kb)
AND (NOT :scoped OR EXISTS (
    SELECT 1 FROM folder_member m
    WHERE m.workspace_id = i.workspace_id AND m.member_id = i.id AND m.folder_id = ANY(:folders::uuid[])))

-- name: _fact_visible
(:sensitive OR o.tier <> 'sensitive')
AND (NOT :kb_only OR i.id IS NULL OR i.in_kb)
AND (NOT :scoped OR EXISTS (
    SELECT 1 FROM folder_member m
    WHERE m.workspace_id = f.workspace_id AND (m.member_id = f.id OR m.member_id = f.item_id)
        AND m.folder_id = ANY(:folders::uuid[])))

-- name: _version_known
v.recorded_at <= :known_at AND v.retired_at > :known_at

-- name: _version_now
{_version_known} AND v.valid_from <= :as_of AND v.valid_to > :as_of

-- name: _version
SELECT v.id, v.item_id, v.title, v.memory_type, v.tags, v.classes, v.provenance, v.predecessor, v.reason,
    v.content_hash, v.created_at, v.valid_from, v.valid_to, v.recorded_at, v.retired_at,
    i.collection_id AS item_collection_id, i.kind AS item_kind, i.platform AS item_platform,
    i.created_at AS item_created_at, i.in_kb AS item_in_kb, i.archived AS item_archived, i.read AS
    item_read, i.custom_title AS item_custom_title, i.source_title AS item_source_title, i.url AS
    item_url, i.content_key AS item_content_key, i.episode AS item_episode, i.actor AS item_actor,
    i.client AS item_client, i.media AS item_media,
    o.slug AS collection, s.slug AS slug
FROM version v
JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
LEFT JOIN slug s ON s.workspace_id = v.workspace_id AND s.target_id = v.id AND s.slug IS NOT NULL

-- Items and versions

-- name: version_by_id
{_version} WHERE v.workspace_id = :workspace_id AND v.id = :id AND {_version_known} AND {_item_visible}

-- name: version_of_item
{_version}
WHERE v.workspace_id = :workspace_id AND v.item_id = :id AND {_version_known} AND {_item_visible}
ORDER BY CASE WHEN v.valid_from <= :as_of AND v.valid_to > :as_of THEN 0 ELSE 1 END, v.valid_from DESC
LIMIT 1

-- name: versions_of_item
{_version}
WHERE v.workspace_id = :workspace_id AND v.item_id = :id AND {_version_known} AND {_item_visible}
ORDER BY v.valid_from, v.id

-- name: open_versions_of_item
SELECT id, title FROM version
WHERE workspace_id = :workspace_id AND item_id = :item_id AND retired_at = 9223372036854775807 ORDER BY created_at, id

-- name: versions_by_id
{_version} WHERE v.workspace_id = :workspace_id AND v.id = ANY(:ids::uuid[]) AND {_version_known} AND {_item_visible}

-- name: _listed
v.workspace_id = :workspace_id AND {_version_now} AND {_item_visible}
    AND (NOT :only_collections OR o.slug = ANY(:collections::text[]))
    AND (NOT :only_folder OR EXISTS (
        SELECT 1 FROM folder_member n
        WHERE n.workspace_id = i.workspace_id AND n.member_id = i.id AND n.folder_id = ANY(:folder::uuid[])))
    AND (NOT :only_archived OR i.archived = :archived)
    AND (NOT :only_in_kb OR i.in_kb = :in_kb)
    AND (NOT :only_type OR v.memory_type = :memory_type)
    AND {_tagged}

-- name: newest_versions
{_version}
WHERE {_listed}
ORDER BY i.created_at DESC, i.id DESC
LIMIT :limit OFFSET :offset

-- name: count_listed
SELECT count(*) AS items FROM version v
JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE {_listed}

-- name: count_versions
SELECT count(*) AS memories FROM version v
JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE v.workspace_id = :workspace_id AND {_version_now} AND {_item_visible}

-- name: item_of
SELECT i.id, i.collection_id, o.tier, o.slug AS collection FROM item i
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE i.workspace_id = :workspace_id AND {_item_visible} AND (
    i.id = :id
    OR i.id IN (SELECT item_id FROM version WHERE workspace_id = :workspace_id AND id = :id)
    OR i.id IN (SELECT item_id FROM chunk WHERE workspace_id = :workspace_id AND id = :id))

-- name: items_by_provenance
SELECT DISTINCT v.item_id AS id FROM version v
JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE v.workspace_id = :workspace_id AND v.provenance = :provenance AND {_item_visible}

-- name: facts_by_provenance
SELECT DISTINCT f.id FROM fact f
LEFT JOIN item i ON i.workspace_id = f.workspace_id AND i.id = f.item_id
JOIN collection o ON o.workspace_id = f.workspace_id AND o.id = coalesce(i.collection_id, f.collection_id)
WHERE f.workspace_id = :workspace_id AND f.provenance = :provenance AND {_fact_visible}

-- name: items_of_collection
SELECT id FROM item WHERE workspace_id = :workspace_id AND collection_id = :collection_id

-- name: folders_of_item
SELECT d.id, d.name FROM folder_member m
JOIN folder d ON d.workspace_id = m.workspace_id AND d.id = m.folder_id
WHERE m.workspace_id = :workspace_id AND m.member_id = :id ORDER BY d.name_key

-- Chunks

-- name: chunks_of_version
SELECT c.id, c.version_id, c.item_id, c.ordinal, c.headings, c.content_id, c.llm_tokens, c.recorded_at, x.body
FROM chunk c
JOIN content x ON x.workspace_id = c.workspace_id AND x.id = c.content_id
WHERE c.workspace_id = :workspace_id AND c.version_id = :version_id
    AND c.recorded_at <= :known_at AND c.retired_at > :known_at
ORDER BY c.ordinal

-- name: chunk_by_id
SELECT c.id, c.version_id, c.item_id, c.ordinal, c.headings, c.content_id, c.llm_tokens, c.recorded_at, x.body,
    o.tier, o.slug AS collection, v.valid_to, v.title
FROM chunk c
JOIN content x ON x.workspace_id = c.workspace_id AND x.id = c.content_id
JOIN version v ON v.workspace_id = c.workspace_id AND v.id = c.version_id
JOIN item i ON i.workspace_id = c.workspace_id AND i.id = c.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE c.workspace_id = :workspace_id AND c.id = :id AND c.recorded_at <= :known_at AND c.retired_at > :known_at
    AND {_version_known} AND {_item_visible}

-- name: hits
SELECT c.id AS chunk_id, c.version_id, c.item_id, c.ordinal, c.llm_tokens, c.recorded_at AS updated_at, x.body,
    v.title, v.provenance, v.valid_from, v.valid_to, v.created_at, i.kind, i.platform,
    i.custom_title AS label, i.url, i.content_key AS content_id, i.created_at AS added_at, o.slug AS collection, s.slug,
    (SELECT count(*) FROM chunk n WHERE n.workspace_id = c.workspace_id AND n.version_id = c.version_id
        AND n.recorded_at <= :known_at AND n.retired_at > :known_at) AS chunks
FROM chunk c
JOIN content x ON x.workspace_id = c.workspace_id AND x.id = c.content_id
JOIN version v ON v.workspace_id = c.workspace_id AND v.id = c.version_id
JOIN item i ON i.workspace_id = c.workspace_id AND i.id = c.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
LEFT JOIN slug s ON s.workspace_id = v.workspace_id AND s.target_id = v.id AND s.slug IS NOT NULL
WHERE c.workspace_id = :workspace_id AND c.id = ANY(:chunks::uuid[])
    AND c.recorded_at <= :known_at AND c.retired_at > :known_at AND {_version_known}

-- The index

-- name: _candidate
c.id AS chunk_id, c.version_id, c.item_id, c.ordinal

-- name: _tagged
(NOT :only_tags OR (
    SELECT count(*) FROM version_tag g
    WHERE g.workspace_id = v.workspace_id AND g.version_id = v.id AND g.tag = ANY(:tags::text[])) = :tag_count)

-- name: _chunk_wanted
c.recorded_at <= :known_at AND c.retired_at > :known_at
AND {_version_now} AND i.in_kb AND {_item_visible}
AND (NOT :only_collections OR o.slug = ANY(:collections::text[]))
AND (NOT :only_type OR v.memory_type = :memory_type)
AND {_tagged}

-- name: _fact_wanted
f.recorded_at <= :known_at AND f.retired_at > :known_at
AND f.valid_from <= :starts_by AND f.valid_to > :ends_after AND (:closed OR f.expired_at IS NULL)
AND f.confidence >= :min_confidence
AND {_fact_visible}
AND (NOT :only_collections OR o.slug = ANY(:collections::text[]))
AND (NOT :only_facts OR f.id = ANY(:facts::uuid[]))

-- name: vectors_chunk
SELECT l.owner, l.data, {_candidate}
FROM vector l
{_chunk_of_entry}
WHERE l.workspace_id = :workspace_id AND l.space_id = :space_id AND l.shelf = ANY(:shelves::text[]) AND {_chunk_wanted}
ORDER BY c.id

-- name: vectors_fact
SELECT l.owner, l.data
FROM vector l
{_fact_of_entry}
WHERE l.workspace_id = :workspace_id AND l.space_id = :space_id AND l.shelf = ANY(:shelves::text[]) AND {_fact_wanted}
ORDER BY f.id

-- name: vectors_of
SELECT owner, data FROM vector WHERE workspace_id = :workspace_id AND space_id = :space_id AND owner = ANY(:owners::uuid[])

-- name: space_by_name
SELECT id, name, dimensions FROM space WHERE workspace_id = :workspace_id AND name = :name

-- name: shelf_of
SELECT shelf FROM lexical WHERE workspace_id = :workspace_id AND owner = :owner

-- name: move_lexical
UPDATE lexical SET shelf = :shelf WHERE workspace_id = :workspace_id AND owner = :owner

-- name: move_vector
UPDATE vector SET shelf = :shelf WHERE workspace_id = :workspace_id AND owner = :owner

-- name: remove_lexical
DELETE FROM lexical WHERE workspace_id = :workspace_id AND owner = :owner

-- name: remove_vector
DELETE FROM vector WHERE workspace_id = :workspace_id AND owner = :owner

-- name: entries
SELECT owner, shelf, terms FROM lexical WHERE workspace_id = :workspace_id ORDER BY owner

-- name: places_of_items
SELECT c.content_id AS owner, l.shelf,
    CASE WHEN NOT i.in_kb THEN ''
        WHEN o.tier = 'sensitive' THEN 'chunk_sensitive'
        WHEN max(CASE WHEN c.retired_at = 9223372036854775807 AND v.retired_at = 9223372036854775807
            AND v.valid_from <= :now AND v.valid_to > :now THEN 1 ELSE 0 END) = 1 THEN 'chunk_current'
        ELSE 'chunk_history' END AS place
FROM chunk c
JOIN version v ON v.workspace_id = c.workspace_id AND v.id = c.version_id
JOIN item i ON i.workspace_id = c.workspace_id AND i.id = c.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
LEFT JOIN lexical l ON l.workspace_id = c.workspace_id AND l.owner = c.content_id
WHERE c.workspace_id = :workspace_id AND c.item_id = ANY(:items::uuid[])
GROUP BY c.content_id, l.shelf, i.in_kb, o.tier
ORDER BY c.content_id

-- name: places_of_facts
SELECT f.id AS owner, l.shelf,
    CASE WHEN o.tier = 'sensitive' THEN 'fact_sensitive'
        WHEN max(CASE WHEN f.retired_at = 9223372036854775807 AND f.expired_at IS NULL
            AND f.valid_to > :now THEN 1 ELSE 0 END) = 1 THEN 'fact_current'
        ELSE 'fact_history' END AS place
FROM fact f
LEFT JOIN item i ON i.workspace_id = f.workspace_id AND i.id = f.item_id
JOIN collection o ON o.workspace_id = f.workspace_id AND o.id = coalesce(i.collection_id, f.collection_id)
LEFT JOIN lexical l ON l.workspace_id = f.workspace_id AND l.owner = f.id
WHERE f.workspace_id = :workspace_id AND (f.id = ANY(:facts::uuid[]) OR f.item_id = ANY(:items::uuid[]))
GROUP BY f.id, l.shelf, o.tier
ORDER BY f.id

-- name: items_due
SELECT item_id AS id FROM version
WHERE workspace_id = :workspace_id AND valid_from > :since AND valid_from <= :now
    AND recorded_at <= :since AND retired_at = 9223372036854775807
UNION
SELECT item_id FROM version
WHERE workspace_id = :workspace_id AND valid_to > :since AND valid_to <= :now
    AND recorded_at <= :since AND retired_at = 9223372036854775807

-- name: facts_due
SELECT id FROM fact
WHERE workspace_id = :workspace_id AND valid_to > :since AND valid_to <= :now
    AND recorded_at <= :since AND retired_at = 9223372036854775807

-- name: version_begun
SELECT id FROM version
WHERE workspace_id = :workspace_id AND valid_from > :since AND valid_from <= :now
    AND retired_at = 9223372036854775807 LIMIT 1

-- Collections and folders

-- name: collections
SELECT id, slug, name, tier, recall_cap, created_at FROM collection WHERE workspace_id = :workspace_id ORDER BY slug

-- name: folders
SELECT d.id, d.name, d.created_at, max(m.added_at) AS last_added_at, count(m.member_id) AS item_count
FROM folder d
LEFT JOIN (
    SELECT m.folder_id, m.member_id, m.added_at FROM folder_member m
    JOIN item i ON i.workspace_id = m.workspace_id AND i.id = m.member_id
    JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
    WHERE m.workspace_id = :workspace_id AND (:sensitive OR o.tier <> 'sensitive') AND (NOT :kb_only OR i.in_kb)
) m ON m.folder_id = d.id
WHERE d.workspace_id = :workspace_id
GROUP BY d.id, d.name, d.name_key, d.created_at ORDER BY d.name_key

-- name: folder_by_key
SELECT id FROM folder WHERE workspace_id = :workspace_id AND name_key = :name_key

-- name: folder_ids
SELECT id FROM folder WHERE workspace_id = :workspace_id

-- name: members_of_folder
SELECT m.member_id, m.added_at FROM folder_member m
WHERE m.workspace_id = :workspace_id AND m.folder_id = :folder_id ORDER BY m.member_id

-- Readable ids and idempotency

-- name: slug_by_hash
SELECT slug, target_id FROM slug WHERE workspace_id = :workspace_id AND slug_hash = :slug_hash

-- name: slug_of
SELECT slug FROM slug WHERE workspace_id = :workspace_id AND target_id = :target_id AND slug IS NOT NULL

-- name: nameless_versions
SELECT v.id, v.title, v.predecessor, v.created_at, i.kind FROM version v
JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE v.workspace_id = :workspace_id AND v.item_id = ANY(:items::uuid[]) AND o.tier <> 'sensitive'
    AND v.retired_at = 9223372036854775807
    AND NOT EXISTS (SELECT 1 FROM slug s
        WHERE s.workspace_id = v.workspace_id AND s.target_id = v.id AND s.slug IS NOT NULL)
ORDER BY v.created_at, v.id

-- name: nameless_relations
SELECT r.id, r.kind, r.created_at FROM relation r
WHERE r.workspace_id = :workspace_id AND r.retired_at = 9223372036854775807
    AND EXISTS (SELECT 1 FROM version v
        WHERE v.workspace_id = r.workspace_id AND v.id IN (r.origin, r.target) AND v.item_id = ANY(:items::uuid[]))
    AND NOT EXISTS (SELECT 1 FROM slug s
        WHERE s.workspace_id = r.workspace_id AND s.target_id = r.id AND s.slug IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM version v
        JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
        JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
        WHERE v.workspace_id = r.workspace_id AND v.id IN (r.origin, r.target) AND o.tier = 'sensitive')
ORDER BY r.created_at, r.id

-- name: sensitive_end
SELECT v.id FROM version v
JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE v.workspace_id = :workspace_id AND v.id = ANY(:ends::uuid[]) AND o.tier = 'sensitive' LIMIT 1

-- name: idempotency_by_hash
SELECT ids, created_at FROM idempotency WHERE workspace_id = :workspace_id AND key_hash = :key_hash

-- name: facts_of_collection
SELECT DISTINCT id FROM fact WHERE workspace_id = :workspace_id AND collection_id = :collection_id AND item_id IS NULL

-- name: held_in_collection
SELECT i.id FROM item i
JOIN version v ON v.workspace_id = i.workspace_id AND v.item_id = i.id AND v.retired_at = 9223372036854775807
WHERE i.workspace_id = :workspace_id AND i.collection_id = :collection_id
UNION
SELECT id FROM fact
WHERE workspace_id = :workspace_id AND collection_id = :collection_id AND item_id IS NULL
    AND retired_at = 9223372036854775807
LIMIT 1

-- name: void_proposals
UPDATE proposal SET state = 'void' WHERE workspace_id = :workspace_id AND state = 'open' AND item_id = ANY(:items::uuid[])

-- name: successor_of
SELECT id FROM version
WHERE workspace_id = :workspace_id AND predecessor = :id AND retired_at = 9223372036854775807 LIMIT 1

-- name: versions_titled
SELECT v.id FROM version v
JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE v.workspace_id = :workspace_id AND v.title_key = :title_key AND {_version_now} AND {_item_visible}
ORDER BY v.created_at, v.id LIMIT 1

-- name: registry_classes
SELECT name, parent FROM registry_class WHERE workspace_id = :workspace_id ORDER BY name

-- name: classes_in_sight
SELECT DISTINCT v.classes FROM version v
JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE v.workspace_id = :workspace_id AND {_version_known} AND {_item_visible}

-- name: pending_links_of
SELECT version_id, target_key FROM pending_link WHERE workspace_id = :workspace_id AND version_id = :version_id

-- name: pending_links_to
SELECT version_id, target_key FROM pending_link
WHERE workspace_id = :workspace_id AND target_key = ANY(:keys::text[]) ORDER BY version_id

-- Relations

-- name: _relation_held
r.recorded_at <= :known_at AND r.retired_at > :known_at AND r.valid_from <= :as_of AND r.valid_to > :as_of

-- name: open_relation_between
SELECT r.id, r.inverse_id FROM relation r
WHERE r.workspace_id = :workspace_id AND r.origin = :origin AND r.target = :target AND r.kind = :kind
    AND r.retired_at = 9223372036854775807 AND r.valid_to = 9223372036854775807

-- name: relations_made
SELECT r.kind, n.kind AS inverse, r.origin, r.target, r.reason FROM relation r
JOIN relation n ON n.workspace_id = r.workspace_id AND n.id = r.inverse_id AND n.retired_at = r.retired_at
WHERE r.workspace_id = :workspace_id AND r.made_by = :made_by AND r.stated
    AND (r.origin = :id OR r.target = :id)
    AND r.retired_at = 9223372036854775807 AND r.valid_to = 9223372036854775807
ORDER BY r.created_at, r.id

-- name: relations_told
SELECT DISTINCT r.id, r.inverse_id, v.id AS version_id, v.item_id, v.title_key, s.slug FROM relation r
JOIN version v ON v.workspace_id = r.workspace_id AND v.id = r.target
LEFT JOIN slug s ON s.workspace_id = v.workspace_id AND s.target_id = v.id AND s.slug IS NOT NULL
WHERE r.workspace_id = :workspace_id AND r.origin = :id AND r.made_by = :made_by AND r.stated ORDER BY r.id

-- name: relations_of
SELECT r.id, r.inverse_id, r.kind, r.origin, r.target, r.stated, r.created_at, r.valid_from, r.reason,
    a.slug AS origin_slug, b.slug AS target_slug, s.slug AS slug, n.slug AS inverse_slug
FROM relation r
LEFT JOIN slug s ON s.workspace_id = r.workspace_id AND s.target_id = r.id AND s.slug IS NOT NULL
LEFT JOIN slug n ON n.workspace_id = r.workspace_id AND n.target_id = r.inverse_id AND n.slug IS NOT NULL
LEFT JOIN slug a ON a.workspace_id = r.workspace_id AND a.target_id = r.origin AND a.slug IS NOT NULL
LEFT JOIN slug b ON b.workspace_id = r.workspace_id AND b.target_id = r.target AND b.slug IS NOT NULL
JOIN version v ON v.workspace_id = r.workspace_id
    AND v.id = CASE WHEN r.origin = :id THEN r.target ELSE r.origin END AND {_version_known}
JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE r.workspace_id = :workspace_id AND r.stated AND (r.origin = :id OR r.target = :id)
    AND {_relation_held} AND {_item_visible}
ORDER BY r.created_at, r.id

-- name: count_relations
SELECT count(*) AS relations FROM relation r
JOIN version v ON v.workspace_id = r.workspace_id AND v.id = r.origin AND {_version_known}
JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE r.workspace_id = :workspace_id AND r.stated AND {_relation_held} AND {_item_visible}
    AND EXISTS (SELECT 1 FROM relation t
        JOIN version v ON v.workspace_id = t.workspace_id AND v.id = t.origin AND {_version_known}
        JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
        JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
        WHERE t.workspace_id = r.workspace_id AND t.id = r.inverse_id AND {_item_visible})

-- name: neighbours
SELECT DISTINCT r.origin, r.target FROM relation r
JOIN version v ON v.workspace_id = r.workspace_id AND v.id = r.target AND {_version_now}
JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id AND i.in_kb
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE r.workspace_id = :workspace_id AND r.origin = ANY(:ids::uuid[]) AND {_relation_held} AND {_item_visible}
    AND (NOT :only_collections OR o.slug = ANY(:collections::text[]))
    AND (NOT :only_type OR v.memory_type = :memory_type)
    AND {_tagged}
ORDER BY r.origin, r.target LIMIT :limit

-- name: count_sections
SELECT count(*) AS sections FROM chunk c
JOIN version v ON v.workspace_id = c.workspace_id AND v.id = c.version_id AND {_version_known}
JOIN item i ON i.workspace_id = c.workspace_id AND i.id = c.item_id AND i.kind = 'document'
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE c.workspace_id = :workspace_id AND c.recorded_at <= :known_at AND c.retired_at > :known_at AND {_item_visible}

-- name: graph_nodes
SELECT s.slug, v.title, v.classes FROM version v
JOIN slug s ON s.workspace_id = v.workspace_id AND s.target_id = v.id AND s.slug IS NOT NULL
JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE v.workspace_id = :workspace_id AND {_version_now} AND {_item_visible} ORDER BY s.slug

-- name: graph_relations
SELECT a.slug AS origin, r.kind, b.slug AS target FROM relation r
JOIN slug a ON a.workspace_id = r.workspace_id AND a.target_id = r.origin AND a.slug IS NOT NULL
JOIN slug b ON b.workspace_id = r.workspace_id AND b.target_id = r.target AND b.slug IS NOT NULL
WHERE r.workspace_id = :workspace_id AND {_relation_held} ORDER BY a.slug, r.kind, b.slug

-- name: relations_touching
SELECT DISTINCT id FROM relation
WHERE workspace_id = :workspace_id AND (origin = ANY(:ends::uuid[]) OR target = ANY(:ends::uuid[])) ORDER BY id

-- Facts

-- name: _fact
SELECT f.id, f.entity_id, f.subject, f.predicate, f.value, f.confidence, f.provenance, f.episode, f.item_id,
    coalesce(i.collection_id, f.collection_id) AS collection_id, f.predecessor, f.created_at, f.expired_at,
    f.valid_from, f.valid_to, f.recorded_at, f.retired_at, o.slug AS collection, o.tier,
    EXISTS (SELECT 1 FROM fact n WHERE n.workspace_id = f.workspace_id AND n.predecessor = f.id
        AND n.retired_at = 9223372036854775807) AS corrected
FROM fact f
LEFT JOIN item i ON i.workspace_id = f.workspace_id AND i.id = f.item_id
JOIN collection o ON o.workspace_id = f.workspace_id AND o.id = coalesce(i.collection_id, f.collection_id)

-- name: _fact_held
f.recorded_at <= :known_at AND f.retired_at > :known_at

-- name: fact_by_id
{_fact} WHERE f.workspace_id = :workspace_id AND f.id = :id AND {_fact_held} AND {_fact_visible}

-- name: fact_ever
{_fact} WHERE f.workspace_id = :workspace_id AND f.id = :id AND {_fact_visible} LIMIT 1

-- name: facts_by_id
{_fact} WHERE f.workspace_id = :workspace_id AND f.id = ANY(:ids::uuid[]) AND {_fact_held} AND {_fact_visible}

-- name: facts_of_subject
{_fact} WHERE f.workspace_id = :workspace_id AND f.subject = :subject AND {_fact_held} AND {_fact_visible}
ORDER BY f.predicate, f.id

-- name: facts_of_name
{_fact}
JOIN entity e ON e.workspace_id = f.workspace_id AND e.id = f.entity_id
WHERE f.workspace_id = :workspace_id AND e.name_key = :name_key AND {_fact_held} AND {_fact_visible}
ORDER BY f.predicate, f.id

-- name: facts_of_alias
{_fact}
WHERE f.workspace_id = :workspace_id AND {_fact_held} AND {_fact_visible} AND f.entity_id IN (
    SELECT a.entity_id FROM alias a
    JOIN fact f ON f.workspace_id = a.workspace_id AND f.id = a.fact_id
    LEFT JOIN item i ON i.workspace_id = f.workspace_id AND i.id = f.item_id
    JOIN collection o ON o.workspace_id = f.workspace_id AND o.id = coalesce(i.collection_id, f.collection_id)
    WHERE a.workspace_id = :workspace_id AND a.name_key = :name_key AND {_fact_held} AND {_fact_visible})
ORDER BY f.predicate, f.id

-- name: newest_facts
{_fact} WHERE f.workspace_id = :workspace_id AND {_fact_wanted}
ORDER BY f.created_at DESC, f.id DESC LIMIT :limit

-- name: fact_after
SELECT id FROM fact WHERE workspace_id = :workspace_id AND predecessor = :id AND retired_at = 9223372036854775807 LIMIT 1

-- name: facts_of_item
SELECT DISTINCT id FROM fact WHERE workspace_id = :workspace_id AND item_id = ANY(:items::uuid[]) ORDER BY id

-- name: count_facts
SELECT count(*) AS facts FROM fact f
LEFT JOIN item i ON i.workspace_id = f.workspace_id AND i.id = f.item_id
JOIN collection o ON o.workspace_id = f.workspace_id AND o.id = coalesce(i.collection_id, f.collection_id)
WHERE f.workspace_id = :workspace_id AND {_fact_wanted}

-- name: entity_by_key
SELECT id, name FROM entity WHERE workspace_id = :workspace_id AND name_key = :name_key

-- name: names_behind
SELECT DISTINCT e.name FROM alias a
JOIN entity e ON e.workspace_id = a.workspace_id AND e.id = a.entity_id
JOIN fact f ON f.workspace_id = a.workspace_id AND f.id = a.fact_id
LEFT JOIN item i ON i.workspace_id = f.workspace_id AND i.id = f.item_id
JOIN collection o ON o.workspace_id = f.workspace_id AND o.id = coalesce(i.collection_id, f.collection_id)
WHERE a.workspace_id = :workspace_id AND a.name_key = ANY(:keys::text[]) AND {_fact_held} AND {_fact_visible}
ORDER BY e.name

-- Reviews and proposals

-- name: _review
SELECT id, kind, suggested, label, body, preview, request, candidates, actor, client, state, created_at, expires_at,
    item_id
FROM review

-- name: reviews
{_review} WHERE workspace_id = :workspace_id AND state = :state AND (state <> 'pending' OR expires_at > :now)
ORDER BY created_at, id

-- name: review_by_id
{_review} WHERE workspace_id = :workspace_id AND id = :id

-- name: undecided_reviews
SELECT id, actor, request FROM review WHERE workspace_id = :workspace_id AND state = 'pending' ORDER BY id

-- name: same_review
SELECT id FROM review
WHERE workspace_id = :workspace_id AND same_hash = :same_hash AND state = 'pending' AND created_at > :since

-- name: close_review
UPDATE review SET state = :state, decided_at = :decided_at, decided_by = :decided_by, item_id = :item_id,
    suggested = '', label = NULL, body = '', preview = '', request = '{}', candidates = '[]'
WHERE workspace_id = :workspace_id AND id = :id AND state = 'pending'

-- name: expire_reviews
UPDATE review SET state = 'expired',
    suggested = '', label = NULL, body = '', preview = '', request = '{}', candidates = '[]'
WHERE workspace_id = :workspace_id AND state = 'pending' AND expires_at <= :now

-- name: proposal_by_id
SELECT id, chunk_id, item_id, content_id, wording, proposed, method, model, actor, created_at, expires_at, state, event_id
FROM proposal WHERE workspace_id = :workspace_id AND id = :id

-- name: open_proposals
SELECT id, chunk_id, item_id, content_id, wording, proposed, method, model, actor, created_at, expires_at, state, event_id
FROM proposal WHERE workspace_id = :workspace_id AND state = 'open' AND expires_at > :now ORDER BY created_at, id

-- name: close_proposal
UPDATE proposal SET state = :state, event_id = :event_id
WHERE workspace_id = :workspace_id AND id = :id AND state = 'open'

-- Forgetting

-- name: versions_of_items
SELECT DISTINCT id FROM version WHERE workspace_id = :workspace_id AND item_id = ANY(:items::uuid[]) ORDER BY id

-- name: chunks_of_items
SELECT DISTINCT id, content_id FROM chunk WHERE workspace_id = :workspace_id AND item_id = ANY(:items::uuid[]) ORDER BY id

-- name: content_by_id
SELECT body FROM content WHERE workspace_id = :workspace_id AND id = :id

-- name: contents_of_chunks
SELECT DISTINCT content_id FROM chunk WHERE workspace_id = :workspace_id AND id = ANY(:chunks::uuid[]) ORDER BY content_id

-- name: erase_items
DELETE FROM item WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[])

-- name: erase_versions
DELETE FROM version WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[])

-- name: erase_version_tags
DELETE FROM version_tag WHERE workspace_id = :workspace_id AND version_id = ANY(:ids::uuid[])

-- name: erase_pending_links
DELETE FROM pending_link WHERE workspace_id = :workspace_id AND version_id = ANY(:ids::uuid[])

-- name: erase_segments
DELETE FROM segment WHERE workspace_id = :workspace_id AND version_id = ANY(:ids::uuid[])

-- name: erase_outputs
DELETE FROM output WHERE workspace_id = :workspace_id AND item_id = ANY(:ids::uuid[])

-- name: erase_chunks
DELETE FROM chunk WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[])

-- name: erase_contents
DELETE FROM content WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[])

-- name: erase_facts
DELETE FROM fact WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[])

-- name: erase_aliases
DELETE FROM alias WHERE workspace_id = :workspace_id AND fact_id = ANY(:ids::uuid[])

-- name: entities_of_facts
SELECT DISTINCT entity_id AS id FROM fact WHERE workspace_id = :workspace_id AND id = ANY(:facts::uuid[]) ORDER BY entity_id

-- name: lonely_entities
SELECT e.id FROM entity e WHERE e.workspace_id = :workspace_id AND e.id = ANY(:ids::uuid[])
    AND NOT EXISTS (SELECT 1 FROM fact f WHERE f.workspace_id = e.workspace_id AND f.entity_id = e.id)
    AND NOT EXISTS (SELECT 1 FROM alias a WHERE a.workspace_id = e.workspace_id AND a.entity_id = e.id)
ORDER BY e.id

-- name: erase_entities
DELETE FROM entity WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[])

-- name: erase_relations
DELETE FROM relation WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[])

-- name: erase_memberships
DELETE FROM folder_member WHERE workspace_id = :workspace_id AND member_id = ANY(:ids::uuid[])

-- name: erase_proposals
DELETE FROM proposal WHERE workspace_id = :workspace_id AND (item_id = ANY(:ids::uuid[]) OR chunk_id = ANY(:ids::uuid[]))

-- name: erase_reviews
DELETE FROM review WHERE workspace_id = :workspace_id AND item_id = ANY(:ids::uuid[])

-- name: erase_undecided_reviews
DELETE FROM review WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[])

-- name: erase_jobs
DELETE FROM job WHERE workspace_id = :workspace_id AND item_id = ANY(:ids::uuid[])

-- name: hide_slugs
UPDATE slug SET slug = NULL WHERE workspace_id = :workspace_id AND target_id = ANY(:ids::uuid[])

-- name: erase_artifacts
DELETE FROM artifact WHERE workspace_id = :workspace_id AND content_key = ANY(:keys::uuid[])
    AND NOT EXISTS (SELECT 1 FROM item i
        WHERE i.workspace_id = artifact.workspace_id AND i.content_key = artifact.content_key)

-- name: content_keys_of
SELECT DISTINCT content_key FROM item
WHERE workspace_id = :workspace_id AND id = ANY(:items::uuid[]) AND content_key IS NOT NULL

-- name: reword_version
UPDATE version SET title = :title, title_key = :title_key, content_hash = :content_hash
WHERE workspace_id = :workspace_id AND id = :id

-- name: classes_of_versions
SELECT DISTINCT classes FROM version WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[])

-- name: classes_carried
SELECT DISTINCT classes FROM version WHERE workspace_id = :workspace_id

-- name: rehead_chunk
UPDATE chunk SET headings = :headings WHERE workspace_id = :workspace_id AND id = :id

-- Counting

-- name: collection_counts
SELECT o.slug, o.name, o.tier, count(DISTINCT v.item_id) AS items, count(c.id) AS chunks,
    coalesce(sum(c.llm_tokens), 0)::bigint AS llm_tokens
FROM collection o
LEFT JOIN item i ON i.workspace_id = o.workspace_id AND i.collection_id = o.id AND {_item_visible}
LEFT JOIN version v ON v.workspace_id = i.workspace_id AND v.item_id = i.id AND {_version_now}
LEFT JOIN chunk c ON c.workspace_id = v.workspace_id AND c.version_id = v.id
    AND c.recorded_at <= :known_at AND c.retired_at > :known_at AND i.in_kb
WHERE o.workspace_id = :workspace_id AND (:sensitive OR o.tier <> 'sensitive')
GROUP BY o.slug, o.name, o.tier ORDER BY o.slug

-- name: size_of_texts
SELECT coalesce(sum(octet_length(x.body)), 0)::bigint AS bytes FROM chunk c
JOIN content x ON x.workspace_id = c.workspace_id AND x.id = c.content_id
JOIN version v ON v.workspace_id = c.workspace_id AND v.id = c.version_id AND {_version_now}
JOIN item i ON i.workspace_id = c.workspace_id AND i.id = c.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE c.workspace_id = :workspace_id AND c.recorded_at <= :known_at AND c.retired_at > :known_at AND {_item_visible}

-- Rates

-- name: forget_calls
DELETE FROM rate WHERE workspace_id = :workspace_id AND bucket = :bucket AND at <= :until

-- name: count_calls
SELECT count(*) AS calls, min(at) AS oldest FROM rate WHERE workspace_id = :workspace_id AND bucket = :bucket

-- name: count_call
INSERT INTO rate (workspace_id, bucket, at, id) VALUES (:workspace_id, :bucket, :at, :id)

-- Jobs

-- name: _job
SELECT id, kind, state, payload, done, total, attempts, run_at, lease_until, worker, error, cancelled, item_id,
    created_at, updated_at
FROM job

-- name: jobs
{_job} WHERE workspace_id = :workspace_id ORDER BY created_at DESC, id DESC LIMIT :limit

-- name: job_item
SELECT item_id FROM job WHERE workspace_id = :workspace_id AND id = :id

-- name: next_job
{_job}
WHERE workspace_id = :workspace_id AND NOT cancelled AND run_at <= :now
    AND (state = 'waiting' OR (state = 'running' AND lease_until <= :now))
ORDER BY run_at, id LIMIT 1

-- name: claim_job
UPDATE job SET state = 'running', worker = :worker, attempts = attempts + 1, lease_until = :lease_until, updated_at = :now
WHERE workspace_id = :workspace_id AND id = :id

-- name: advance_job
UPDATE job SET done = :done, total = :total, lease_until = :lease_until, updated_at = :now
WHERE workspace_id = :workspace_id AND id = :id AND state = 'running' AND worker = :worker AND NOT cancelled

-- name: end_job
UPDATE job SET state = CASE WHEN cancelled THEN 'cancelled' ELSE :state END, error = :error, run_at = :run_at,
    lease_until = 0, updated_at = :now,
    payload = CASE WHEN :state = 'waiting' AND NOT cancelled THEN payload ELSE '{}' END
WHERE workspace_id = :workspace_id AND id = :id AND state = 'running' AND worker = :worker

-- name: cancel_job
UPDATE job SET cancelled = true, state = CASE WHEN state = 'waiting' THEN 'cancelled' ELSE state END, updated_at = :now
WHERE workspace_id = :workspace_id AND id = :id AND state IN ('waiting', 'running')

-- name: facts_kept
SELECT DISTINCT id, subject, predicate, value FROM fact
WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[]) ORDER BY id

-- Operations

-- name: log_after
SELECT e.seq, e.id, e.recorded_at, e.kind, e.actor, e.client, e.surface, e.subjects, e.payload_hash, e.previous_hash,
    e.hash, p.body, p.redacted,
    (SELECT count(*) FROM event_subject s WHERE s.workspace_id = e.workspace_id AND s.seq = e.seq) AS subject_count
FROM event e
LEFT JOIN event_payload p ON p.workspace_id = e.workspace_id AND p.seq = e.seq
WHERE e.workspace_id = :workspace_id AND e.seq > :seq ORDER BY e.seq LIMIT :limit

-- name: rows_collection
SELECT * FROM collection WHERE workspace_id = :workspace_id

-- name: rows_folder
SELECT * FROM folder WHERE workspace_id = :workspace_id

-- name: rows_folder_member
SELECT * FROM folder_member WHERE workspace_id = :workspace_id

-- name: rows_item
SELECT * FROM item WHERE workspace_id = :workspace_id

-- name: rows_version
SELECT * FROM version WHERE workspace_id = :workspace_id

-- name: rows_version_tag
SELECT * FROM version_tag WHERE workspace_id = :workspace_id

-- name: rows_chunk
SELECT * FROM chunk WHERE workspace_id = :workspace_id

-- name: rows_entity
SELECT * FROM entity WHERE workspace_id = :workspace_id

-- name: rows_alias
SELECT * FROM alias WHERE workspace_id = :workspace_id

-- name: rows_fact
SELECT * FROM fact WHERE workspace_id = :workspace_id

-- name: rows_relation
SELECT * FROM relation WHERE workspace_id = :workspace_id

-- name: rows_registry_class
SELECT * FROM registry_class WHERE workspace_id = :workspace_id

-- name: rows_slug
SELECT * FROM slug WHERE workspace_id = :workspace_id

-- name: rows_pending_link
SELECT * FROM pending_link WHERE workspace_id = :workspace_id

-- name: rows_idempotency
SELECT * FROM idempotency WHERE workspace_id = :workspace_id

-- name: item_ids
SELECT id FROM item WHERE workspace_id = :workspace_id ORDER BY id

-- name: fact_ids
SELECT DISTINCT id FROM fact WHERE workspace_id = :workspace_id ORDER BY id

-- name: version_ids
SELECT id FROM version WHERE workspace_id = :workspace_id AND retired_at = 9223372036854775807 ORDER BY id

-- name: texts_of_versions
SELECT v.id, v.content_hash, x.body FROM version v
LEFT JOIN chunk c ON c.workspace_id = v.workspace_id AND c.version_id = v.id AND c.retired_at = 9223372036854775807
LEFT JOIN content x ON x.workspace_id = c.workspace_id AND x.id = c.content_id
WHERE v.workspace_id = :workspace_id AND v.id = ANY(:ids::uuid[]) AND v.retired_at = 9223372036854775807
ORDER BY v.id, c.ordinal

-- name: wrong_intervals
SELECT 'version' AS thing, id FROM version
WHERE workspace_id = :workspace_id AND (valid_from > valid_to OR recorded_at > retired_at)
UNION
SELECT 'fact', id FROM fact
WHERE workspace_id = :workspace_id AND (valid_from > valid_to OR recorded_at > retired_at)
UNION
SELECT 'relation', id FROM relation
WHERE workspace_id = :workspace_id AND (valid_from > valid_to OR recorded_at > retired_at)
UNION
SELECT 'chunk', id FROM chunk WHERE workspace_id = :workspace_id AND recorded_at > retired_at
ORDER BY 1, 2

-- name: wrong_holding
SELECT DISTINCT h.thing, h.id FROM (
    SELECT k.thing, k.id, k.retired_at,
        lead(k.recorded_at) OVER (PARTITION BY k.thing, k.id ORDER BY k.recorded_at) AS following
    FROM (
        SELECT 'version' AS thing, id, recorded_at, retired_at FROM version WHERE workspace_id = :workspace_id
        UNION ALL
        SELECT 'chunk', id, recorded_at, retired_at FROM chunk WHERE workspace_id = :workspace_id
        UNION ALL
        SELECT 'fact', id, recorded_at, retired_at FROM fact WHERE workspace_id = :workspace_id
        UNION ALL
        SELECT 'relation', id, recorded_at, retired_at FROM relation WHERE workspace_id = :workspace_id
    ) k
) h
WHERE h.following < h.retired_at
ORDER BY 1, 2

-- name: wrong_succession
SELECT DISTINCT s.item_id AS id FROM (
    SELECT item_id, valid_to,
        lead(valid_from) OVER (PARTITION BY item_id ORDER BY valid_from, valid_to) AS following
    FROM version
    WHERE workspace_id = :workspace_id AND retired_at = 9223372036854775807 AND valid_from < valid_to
) s
WHERE s.following <> s.valid_to
ORDER BY 1

-- name: wrong_predecessor
SELECT v.id FROM version v
LEFT JOIN version p ON p.workspace_id = v.workspace_id AND p.id = v.predecessor AND p.retired_at = 9223372036854775807
WHERE v.workspace_id = :workspace_id AND v.retired_at = 9223372036854775807 AND v.predecessor IS NOT NULL
    AND (p.id IS NULL OR p.item_id <> v.item_id OR p.valid_from >= v.valid_from)
ORDER BY 1

-- name: wrong_branch
SELECT 'version' AS thing, predecessor AS id FROM version
WHERE workspace_id = :workspace_id AND retired_at = 9223372036854775807 AND predecessor IS NOT NULL
GROUP BY predecessor HAVING count(*) > 1
UNION
SELECT 'fact', predecessor FROM fact
WHERE workspace_id = :workspace_id AND retired_at = 9223372036854775807 AND predecessor IS NOT NULL
GROUP BY predecessor HAVING count(*) > 1
ORDER BY 1, 2

-- name: wrong_inverse
SELECT DISTINCT r.id FROM relation r
LEFT JOIN relation n ON n.workspace_id = r.workspace_id AND n.id = r.inverse_id AND n.inverse_id = r.id
    AND n.origin = r.target AND n.target = r.origin AND n.stated <> r.stated
    AND n.recorded_at = r.recorded_at AND n.retired_at = r.retired_at
    AND n.valid_from = r.valid_from AND n.valid_to = r.valid_to
WHERE r.workspace_id = :workspace_id AND n.id IS NULL
ORDER BY 1

-- name: orphans
SELECT 'item' AS thing, 'collection' AS lacks, i.id FROM item i
JOIN version v ON v.workspace_id = i.workspace_id AND v.item_id = i.id AND v.retired_at = 9223372036854775807
WHERE i.workspace_id = :workspace_id AND NOT EXISTS (
    SELECT 1 FROM collection o WHERE o.workspace_id = i.workspace_id AND o.id = i.collection_id)
UNION
SELECT 'version', 'item', v.id FROM version v
WHERE v.workspace_id = :workspace_id AND NOT EXISTS (
    SELECT 1 FROM item i WHERE i.workspace_id = v.workspace_id AND i.id = v.item_id)
UNION
SELECT 'chunk', 'version', c.id FROM chunk c
WHERE c.workspace_id = :workspace_id AND NOT EXISTS (
    SELECT 1 FROM version v WHERE v.workspace_id = c.workspace_id AND v.id = c.version_id AND v.item_id = c.item_id)
UNION
SELECT 'chunk', 'text', c.id FROM chunk c
WHERE c.workspace_id = :workspace_id AND NOT EXISTS (
    SELECT 1 FROM content x WHERE x.workspace_id = c.workspace_id AND x.id = c.content_id)
UNION
SELECT 'text', 'chunk', x.id FROM content x
WHERE x.workspace_id = :workspace_id AND NOT EXISTS (
    SELECT 1 FROM chunk c WHERE c.workspace_id = x.workspace_id AND c.content_id = x.id)
UNION
SELECT 'fact', 'entity', f.id FROM fact f
WHERE f.workspace_id = :workspace_id AND NOT EXISTS (
    SELECT 1 FROM entity e WHERE e.workspace_id = f.workspace_id AND e.id = f.entity_id)
UNION
SELECT 'fact', 'collection', f.id FROM fact f
WHERE f.workspace_id = :workspace_id AND f.item_id IS NULL AND f.retired_at = 9223372036854775807 AND NOT EXISTS (
    SELECT 1 FROM collection o WHERE o.workspace_id = f.workspace_id AND o.id = f.collection_id)
UNION
SELECT 'fact', 'item', f.id FROM fact f
WHERE f.workspace_id = :workspace_id AND f.item_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM item i WHERE i.workspace_id = f.workspace_id AND i.id = f.item_id)
UNION
SELECT 'relation', 'origin', r.id FROM relation r
WHERE r.workspace_id = :workspace_id AND NOT EXISTS (
    SELECT 1 FROM version v WHERE v.workspace_id = r.workspace_id AND v.id = r.origin)
UNION
SELECT 'relation', 'target', r.id FROM relation r
WHERE r.workspace_id = :workspace_id AND NOT EXISTS (
    SELECT 1 FROM version v WHERE v.workspace_id = r.workspace_id AND v.id = r.target)
UNION
SELECT 'folder entry', 'folder', m.member_id FROM folder_member m
WHERE m.workspace_id = :workspace_id AND NOT EXISTS (
    SELECT 1 FROM folder d WHERE d.workspace_id = m.workspace_id AND d.id = m.folder_id)
UNION
SELECT 'folder entry', 'item or fact', m.member_id FROM folder_member m
WHERE m.workspace_id = :workspace_id
    AND NOT EXISTS (SELECT 1 FROM item i WHERE i.workspace_id = m.workspace_id AND i.id = m.member_id)
    AND NOT EXISTS (SELECT 1 FROM fact f WHERE f.workspace_id = m.workspace_id AND f.id = m.member_id)
UNION
SELECT 'tag', 'version', g.version_id FROM version_tag g
WHERE g.workspace_id = :workspace_id AND NOT EXISTS (
    SELECT 1 FROM version v WHERE v.workspace_id = g.workspace_id AND v.id = g.version_id)
UNION
SELECT 'pending link', 'version', p.version_id FROM pending_link p
WHERE p.workspace_id = :workspace_id AND NOT EXISTS (
    SELECT 1 FROM version v WHERE v.workspace_id = p.workspace_id AND v.id = p.version_id)
UNION
SELECT 'alias', 'fact', a.fact_id FROM alias a
WHERE a.workspace_id = :workspace_id AND NOT EXISTS (
    SELECT 1 FROM fact f WHERE f.workspace_id = a.workspace_id AND f.id = a.fact_id AND f.entity_id = a.entity_id)
UNION
SELECT 'readable id', 'target', s.target_id FROM slug s
WHERE s.workspace_id = :workspace_id AND s.slug IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM version v WHERE v.workspace_id = s.workspace_id AND v.id = s.target_id)
    AND NOT EXISTS (SELECT 1 FROM relation r WHERE r.workspace_id = s.workspace_id AND r.id = s.target_id)
    AND NOT EXISTS (SELECT 1 FROM item i WHERE i.workspace_id = s.workspace_id AND i.id = s.target_id)
    AND NOT EXISTS (SELECT 1 FROM fact f WHERE f.workspace_id = s.workspace_id AND f.id = s.target_id)
UNION
SELECT 'index entry', 'chunk or fact', l.owner FROM lexical l
WHERE l.workspace_id = :workspace_id
    AND NOT EXISTS (SELECT 1 FROM chunk c WHERE c.workspace_id = l.workspace_id AND c.content_id = l.owner)
    AND NOT EXISTS (SELECT 1 FROM fact f WHERE f.workspace_id = l.workspace_id AND f.id = l.owner)
UNION
SELECT 'vector', 'index entry', n.owner FROM vector n
WHERE n.workspace_id = :workspace_id AND NOT EXISTS (
    SELECT 1 FROM lexical l WHERE l.workspace_id = n.workspace_id AND l.owner = n.owner AND l.shelf = n.shelf)
UNION
SELECT 'vector', 'space', n.owner FROM vector n
WHERE n.workspace_id = :workspace_id AND NOT EXISTS (
    SELECT 1 FROM space p WHERE p.workspace_id = n.workspace_id AND p.id = n.space_id)
ORDER BY 1, 2, 3

-- name: item_ids_after
SELECT i.id FROM item i
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE i.workspace_id = :workspace_id AND i.id > :after AND {_item_visible}
ORDER BY i.id LIMIT :limit

-- name: fact_ids_after
SELECT f.id FROM fact f
LEFT JOIN item i ON i.workspace_id = f.workspace_id AND i.id = f.item_id
JOIN collection o ON o.workspace_id = f.workspace_id AND o.id = coalesce(i.collection_id, f.collection_id)
WHERE f.workspace_id = :workspace_id AND f.id > :after AND {_fact_held} AND {_fact_visible}
ORDER BY f.id LIMIT :limit

-- name: relations_after
SELECT r.id, r.kind, r.origin, r.target, r.made_by, r.created_at, r.valid_from, r.valid_to FROM relation r
JOIN version v ON v.workspace_id = r.workspace_id AND v.id = r.origin AND {_version_known}
JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
WHERE r.workspace_id = :workspace_id AND r.stated AND r.recorded_at <= :known_at AND r.retired_at > :known_at
    AND (r.origin, r.target, r.kind, r.id) > (:origin, :target, :kind, :id) AND {_item_visible}
    AND EXISTS (SELECT 1 FROM version v
        JOIN item i ON i.workspace_id = v.workspace_id AND i.id = v.item_id
        JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id
        WHERE v.workspace_id = r.workspace_id AND v.id = r.target AND {_version_known} AND {_item_visible})
ORDER BY r.origin, r.target, r.kind, r.id LIMIT :limit
