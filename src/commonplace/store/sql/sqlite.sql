-- What only SQLite does this way: full text through FTS5.

-- CROSS JOIN keeps SQLite's planner to this order: from what the index found to the rest, never from all chunks.

-- name: _chunk_of_entry
CROSS JOIN chunk c ON c.workspace_id = :workspace_id AND c.content_id = l.owner
CROSS JOIN version v ON v.workspace_id = c.workspace_id AND v.id = c.version_id
CROSS JOIN item i ON i.workspace_id = c.workspace_id AND i.id = c.item_id
CROSS JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id

-- name: _fact_of_entry
CROSS JOIN fact f ON f.workspace_id = :workspace_id AND f.id = l.owner
LEFT JOIN item i ON i.workspace_id = f.workspace_id AND i.id = f.item_id
CROSS JOIN collection o ON o.workspace_id = f.workspace_id AND o.id = coalesce(i.collection_id, f.collection_id)

-- name: search_chunk_<shelf>
SELECT l.owner, -bm25(chunk_<shelf>) AS score, {_candidate}
FROM chunk_<shelf>
CROSS JOIN lexical l ON l.entry = chunk_<shelf>.rowid
{_chunk_of_entry}
WHERE chunk_<shelf> MATCH :match AND {_chunk_wanted}
ORDER BY bm25(chunk_<shelf>), c.id
LIMIT :limit

-- name: search_fact_<shelf>
SELECT l.owner, -bm25(fact_<shelf>) AS score
FROM fact_<shelf>
CROSS JOIN lexical l ON l.entry = fact_<shelf>.rowid
{_fact_of_entry}
WHERE fact_<shelf> MATCH :match AND {_fact_wanted}
ORDER BY bm25(fact_<shelf>), f.id
LIMIT :limit

-- name: rarity_chunk_<shelf>
SELECT v.term, v.doc AS entries FROM json_each(:terms) t CROSS JOIN chunk_<shelf>_vocabulary v WHERE v.term = t.value

-- name: rarity_fact_<shelf>
SELECT v.term, v.doc AS entries FROM json_each(:terms) t CROSS JOIN fact_<shelf>_vocabulary v WHERE v.term = t.value

-- name: near_fact_<shelf>
SELECT term FROM fact_<shelf>_vocabulary WHERE length(term) BETWEEN :shortest AND :longest ORDER BY term LIMIT :limit

-- name: insert_lexical
INSERT INTO lexical (workspace_id, owner, shelf, terms) VALUES (:workspace_id, :owner, :shelf, :terms)

-- name: fill_chunk_<shelf>
INSERT INTO chunk_<shelf> (rowid, terms)
SELECT entry, terms FROM lexical WHERE workspace_id = :workspace_id AND owner = :owner

-- name: fill_fact_<shelf>
INSERT INTO fact_<shelf> (rowid, terms)
SELECT entry, terms FROM lexical WHERE workspace_id = :workspace_id AND owner = :owner

-- name: empty_chunk_<shelf>
INSERT INTO chunk_<shelf> (chunk_<shelf>, rowid, terms)
SELECT 'delete', entry, terms FROM lexical WHERE workspace_id = :workspace_id AND owner = :owner

-- name: empty_fact_<shelf>
INSERT INTO fact_<shelf> (fact_<shelf>, rowid, terms)
SELECT 'delete', entry, terms FROM lexical WHERE workspace_id = :workspace_id AND owner = :owner

-- name: check_chunk_<shelf>
INSERT INTO chunk_<shelf> (chunk_<shelf>, rank) VALUES ('integrity-check', 1)

-- name: check_fact_<shelf>
INSERT INTO fact_<shelf> (fact_<shelf>, rank) VALUES ('integrity-check', 1)

-- Set with an erasure and unset when the file holds no trace of it any more.

-- name: mark_erased
PRAGMA user_version = 1

-- name: erased
PRAGMA user_version
