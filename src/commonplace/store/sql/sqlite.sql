-- What only SQLite does this way: full text through FTS5.

-- name: search_chunk_<shelf>
SELECT l.owner, -bm25(chunk_<shelf>) AS score, {_candidate}
FROM chunk_<shelf>
JOIN lexical l ON l.entry = chunk_<shelf>.rowid
{_chunk_of_entry}
WHERE chunk_<shelf> MATCH :match AND {_chunk_wanted}
ORDER BY bm25(chunk_<shelf>), c.id
LIMIT :limit

-- name: search_fact_<shelf>
SELECT l.owner, -bm25(fact_<shelf>) AS score
FROM fact_<shelf>
JOIN lexical l ON l.entry = fact_<shelf>.rowid
{_fact_of_entry}
WHERE fact_<shelf> MATCH :match AND {_fact_wanted}
ORDER BY bm25(fact_<shelf>), f.id
LIMIT :limit

-- name: rarity_chunk_<shelf>
SELECT term, doc AS entries FROM chunk_<shelf>_vocabulary WHERE term = ANY(:terms::text[])

-- name: rarity_fact_<shelf>
SELECT term, doc AS entries FROM fact_<shelf>_vocabulary WHERE term = ANY(:terms::text[])

-- name: near_fact_<shelf>
SELECT term FROM fact_<shelf>_vocabulary WHERE term >= :low AND term < :high LIMIT :limit

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
