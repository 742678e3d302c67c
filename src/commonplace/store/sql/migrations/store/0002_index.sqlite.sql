-- Three shelves each for chunks and facts, with statistics of their own: rows on one never move scores on another.
-- The analyser has already split and folded the terms; FTS5 only cuts at spaces.

CREATE TABLE lexical (
    entry INTEGER PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    shelf TEXT NOT NULL,
    terms TEXT NOT NULL,
    UNIQUE (workspace_id, owner)
);
CREATE VIEW chunk_current_terms AS SELECT entry, terms FROM lexical WHERE shelf = 'chunk_current';
CREATE VIEW chunk_history_terms AS SELECT entry, terms FROM lexical WHERE shelf = 'chunk_history';
CREATE VIEW chunk_sensitive_terms AS SELECT entry, terms FROM lexical WHERE shelf = 'chunk_sensitive';
CREATE VIEW fact_current_terms AS SELECT entry, terms FROM lexical WHERE shelf = 'fact_current';
CREATE VIEW fact_history_terms AS SELECT entry, terms FROM lexical WHERE shelf = 'fact_history';
CREATE VIEW fact_sensitive_terms AS SELECT entry, terms FROM lexical WHERE shelf = 'fact_sensitive';

CREATE VIRTUAL TABLE chunk_current USING fts5(terms, content='chunk_current_terms', content_rowid='entry',
    tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'");
CREATE VIRTUAL TABLE chunk_history USING fts5(terms, content='chunk_history_terms', content_rowid='entry',
    tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'");
CREATE VIRTUAL TABLE chunk_sensitive USING fts5(terms, content='chunk_sensitive_terms', content_rowid='entry',
    tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'");
CREATE VIRTUAL TABLE fact_current USING fts5(terms, content='fact_current_terms', content_rowid='entry',
    tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'");
CREATE VIRTUAL TABLE fact_history USING fts5(terms, content='fact_history_terms', content_rowid='entry',
    tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'");
CREATE VIRTUAL TABLE fact_sensitive USING fts5(terms, content='fact_sensitive_terms', content_rowid='entry',
    tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Co'");

CREATE VIRTUAL TABLE chunk_current_vocabulary USING fts5vocab(chunk_current, row);
CREATE VIRTUAL TABLE chunk_history_vocabulary USING fts5vocab(chunk_history, row);
CREATE VIRTUAL TABLE chunk_sensitive_vocabulary USING fts5vocab(chunk_sensitive, row);
CREATE VIRTUAL TABLE fact_current_vocabulary USING fts5vocab(fact_current, row);
CREATE VIRTUAL TABLE fact_history_vocabulary USING fts5vocab(fact_history, row);
CREATE VIRTUAL TABLE fact_sensitive_vocabulary USING fts5vocab(fact_sensitive, row);

CREATE INDEX version_by_provenance ON version (workspace_id, provenance);
