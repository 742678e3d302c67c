-- What only PostgreSQL does this way: postings of our own, scored as FTS5 scores.

-- name: _chunk_of_entry
JOIN chunk c ON c.workspace_id = :workspace_id AND c.content_id = l.owner
JOIN version v ON v.workspace_id = c.workspace_id AND v.id = c.version_id
JOIN item i ON i.workspace_id = c.workspace_id AND i.id = c.item_id
JOIN collection o ON o.workspace_id = i.workspace_id AND o.id = i.collection_id

-- name: _fact_of_entry
JOIN fact f ON f.workspace_id = :workspace_id AND f.id = l.owner
LEFT JOIN item i ON i.workspace_id = f.workspace_id AND i.id = f.item_id
JOIN collection o ON o.workspace_id = f.workspace_id AND o.id = coalesce(i.collection_id, f.collection_id)

-- name: _scored
SELECT p.owner, sum(
    (CASE WHEN 2 * t.entries < s.entries THEN ln((s.entries - t.entries + 0.5) / (t.entries + 0.5)) ELSE 0.000001 END)
    * (p.frequency * 2.2) / (p.frequency + 1.2 * (0.25 + 0.75 * p.length::double precision * s.entries / s.length))) AS score
FROM posting p

-- name: search_chunk_<shelf>
WITH term AS MATERIALIZED (
    SELECT term, count(*)::double precision AS entries FROM posting
    WHERE workspace_id = :workspace_id AND shelf = 'chunk_<shelf>' AND term = ANY(:terms::text[]) GROUP BY term
), scored AS MATERIALIZED (
    {_scored}
    JOIN term t ON t.term = p.term
    JOIN shelf s ON s.workspace_id = p.workspace_id AND s.name = p.shelf
    WHERE p.workspace_id = :workspace_id AND p.shelf = 'chunk_<shelf>' AND p.term = ANY(:terms::text[])
    GROUP BY p.owner
)
SELECT l.owner, l.score::double precision AS score, {_candidate}
FROM scored l
{_chunk_of_entry}
WHERE {_chunk_wanted}
ORDER BY l.score DESC, c.id
LIMIT :limit

-- name: search_fact_<shelf>
WITH term AS MATERIALIZED (
    SELECT term, count(*)::double precision AS entries FROM posting
    WHERE workspace_id = :workspace_id AND shelf = 'fact_<shelf>' AND term = ANY(:terms::text[]) GROUP BY term
), scored AS MATERIALIZED (
    {_scored}
    JOIN term t ON t.term = p.term
    JOIN shelf s ON s.workspace_id = p.workspace_id AND s.name = p.shelf
    WHERE p.workspace_id = :workspace_id AND p.shelf = 'fact_<shelf>' AND p.term = ANY(:terms::text[])
    GROUP BY p.owner
)
SELECT l.owner, l.score::double precision AS score
FROM scored l
{_fact_of_entry}
WHERE {_fact_wanted}
ORDER BY l.score DESC, f.id
LIMIT :limit

-- name: rarity_chunk_<shelf>
SELECT term, count(*) AS entries FROM posting
WHERE workspace_id = :workspace_id AND shelf = 'chunk_<shelf>' AND term = ANY(:terms::text[]) GROUP BY term

-- name: rarity_fact_<shelf>
SELECT term, count(*) AS entries FROM posting
WHERE workspace_id = :workspace_id AND shelf = 'fact_<shelf>' AND term = ANY(:terms::text[]) GROUP BY term

-- name: near_fact_<shelf>
SELECT DISTINCT term FROM posting
WHERE workspace_id = :workspace_id AND shelf = 'fact_<shelf>' AND length(term) BETWEEN :shortest AND :longest
ORDER BY term LIMIT :limit

-- name: insert_lexical
INSERT INTO lexical (workspace_id, owner, shelf, terms, length)
VALUES (:workspace_id, :owner, :shelf, :terms, cardinality(string_to_array(:terms, ' ')))

-- name: _fill
WITH entry AS (
    SELECT owner, length, string_to_array(terms, ' ') AS terms FROM lexical
    WHERE workspace_id = :workspace_id AND owner = :owner
), counted AS (
    INSERT INTO posting (workspace_id, shelf, term, owner, frequency, length)
    SELECT :workspace_id, :shelf, term, owner, count(*), length
    FROM entry, unnest(terms) AS term WHERE term <> '' GROUP BY term, owner, length
)
INSERT INTO shelf (workspace_id, name, entries, length)
SELECT :workspace_id, :shelf, 1, length FROM entry
ON CONFLICT (workspace_id, name) DO UPDATE
SET entries = shelf.entries + 1, length = shelf.length + excluded.length

-- name: _empty
WITH gone AS (
    DELETE FROM posting WHERE workspace_id = :workspace_id AND owner = :owner
)
UPDATE shelf SET entries = entries - 1,
    length = length - (SELECT length FROM lexical WHERE workspace_id = :workspace_id AND owner = :owner)
WHERE workspace_id = :workspace_id AND name = :shelf

-- name: fill_chunk_<shelf>
{_fill}

-- name: fill_fact_<shelf>
{_fill}

-- name: empty_chunk_<shelf>
{_empty}

-- name: empty_fact_<shelf>
{_empty}

-- name: check_chunk_<shelf>
{_check}

-- name: check_fact_<shelf>
{_check}

-- name: _check
SELECT coalesce(p.owner, t.owner) AS owner
FROM (
    SELECT l.owner, word.term, count(*) AS frequency, l.length
    FROM lexical l, unnest(string_to_array(l.terms, ' ')) AS word(term)
    WHERE l.workspace_id = :workspace_id AND l.shelf = :shelf AND word.term <> '' GROUP BY l.owner, word.term, l.length
) t
FULL JOIN (
    SELECT owner, term, frequency, length FROM posting WHERE workspace_id = :workspace_id AND shelf = :shelf
) p ON p.owner = t.owner AND p.term = t.term
WHERE p.frequency IS DISTINCT FROM t.frequency OR p.length IS DISTINCT FROM t.length
UNION ALL
SELECT NULL FROM shelf s
LEFT JOIN lexical l ON l.workspace_id = s.workspace_id AND l.shelf = s.name
WHERE s.workspace_id = :workspace_id AND s.name = :shelf
GROUP BY s.entries, s.length
HAVING count(l.owner) <> s.entries OR coalesce(sum(l.length), 0) <> s.length
LIMIT 1

-- name: tenant_tables
SELECT table_name::text AS name FROM information_schema.role_table_grants
WHERE grantee = :role AND privilege_type = 'DELETE' ORDER BY 1

-- name: server_versions
SELECT current_setting('server_version') AS "PostgreSQL",
    (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS pgvector

-- name: database_size
SELECT pg_database_size(current_database()) AS bytes

-- Nothing to mark: autovacuum does what a killed process left.

-- name: mark_erased
SELECT 1
