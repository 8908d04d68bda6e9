-- A knowledge base: the documents of one scope under one name ('' is the scope's own).
CREATE TABLE kb (
    id bigint PRIMARY KEY,
    scope text NOT NULL,
    owner text NOT NULL,
    name text NOT NULL,
    -- Passage ids are id * 2^32 + n; n only grows, so no id is ever given twice.
    next_passage bigint NOT NULL,
    -- Raised when passages go away or change; caches of other processes compare it.
    revision bigint NOT NULL,
    created_at double precision NOT NULL,
    UNIQUE (scope, name)
);

-- Same name by the same person in the same KB is one document with versions.
CREATE TABLE document (
    id text PRIMARY KEY,
    kb bigint NOT NULL REFERENCES kb (id),
    scope text NOT NULL,
    owner text NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    version bigint NOT NULL,
    added_at double precision NOT NULL,
    UNIQUE (kb, owner, name_key)
);
CREATE INDEX document_name ON document (kb, name_key);

CREATE TABLE version (
    document text NOT NULL REFERENCES document (id),
    number bigint NOT NULL,
    kb bigint NOT NULL,
    scope text NOT NULL,
    owner text NOT NULL,
    name text NOT NULL,
    sha256 text NOT NULL,
    -- 1 while the version counts among its blob's refs: not once it was replaced, nor if it
    -- held nothing to read.
    held bigint NOT NULL,
    size bigint NOT NULL,
    status text NOT NULL,
    reason text NOT NULL,
    reason_values text NOT NULL,
    title text NOT NULL,
    pages bigint NOT NULL,
    passages bigint NOT NULL,
    characters bigint NOT NULL,
    opening text NOT NULL,
    skipped text NOT NULL,
    parser text NOT NULL,
    tokens_version bigint NOT NULL,
    link text NOT NULL,
    added_at double precision NOT NULL,
    PRIMARY KEY (document, number)
);
CREATE INDEX version_kb ON version (kb, added_at);

CREATE TABLE passage (
    id bigint PRIMARY KEY,
    kb bigint NOT NULL,
    document text NOT NULL REFERENCES document (id),
    version bigint NOT NULL,
    place bigint NOT NULL,
    page bigint,
    heading text NOT NULL,
    kind text NOT NULL,
    text text NOT NULL,
    scope text NOT NULL,
    owner text NOT NULL
);
CREATE INDEX passage_document ON passage (document, version, place);

-- Passages whose vector is still to be made.
CREATE TABLE unembedded (
    passage bigint PRIMARY KEY,
    scope text NOT NULL,
    owner text NOT NULL
);

-- Bytes, once by content. `owner` and `scope` are those of who brought them first; the file's
-- name is random, so that a late removal never hits bytes that came again.
CREATE TABLE blob (
    sha256 text PRIMARY KEY,
    file text NOT NULL,
    size bigint NOT NULL,
    refs bigint NOT NULL,
    scope text NOT NULL,
    owner text NOT NULL,
    added_at double precision NOT NULL
);

-- What a run was told about its file: the same run and file are told the same again.
CREATE TABLE receipt (
    kb bigint NOT NULL,
    key text NOT NULL,
    scope text NOT NULL,
    owner text NOT NULL,
    document text NOT NULL,
    receipt text NOT NULL,
    written_at double precision NOT NULL,
    PRIMARY KEY (kb, key)
);
CREATE INDEX receipt_document ON receipt (document);
