-- What people set in the chat: of a channel (by its admins) or of themselves. `value` is JSON, empty
-- once it was taken back; every change takes the next revision, so that each process sees it.
CREATE TABLE setting (
    kind text NOT NULL,
    target text NOT NULL,
    name text NOT NULL,
    value text NOT NULL,
    person text NOT NULL,
    scope text NOT NULL,
    revision bigint NOT NULL,
    written_at double precision NOT NULL,
    PRIMARY KEY (kind, target, name)
);
CREATE INDEX setting_revision ON setting (revision);

-- What was used on a day of somebody's own time zone. `target` is a person, channel or workspace.
CREATE TABLE quota_use (
    kind text NOT NULL,
    target text NOT NULL,
    day text NOT NULL,
    requests bigint NOT NULL,
    tokens bigint NOT NULL,
    usd double precision NOT NULL,
    PRIMARY KEY (kind, target, day)
);

-- Limits that an admin gave in the chat, over those of the configuration.
CREATE TABLE quota_limit (
    kind text NOT NULL,
    target text NOT NULL,
    requests bigint NOT NULL,
    person text NOT NULL,
    written_at double precision NOT NULL,
    PRIMARY KEY (kind, target)
);

-- What a run reserved, until it is settled; `days` says for whom and which day, as JSON.
CREATE TABLE quota_grant (
    run text PRIMARY KEY,
    level text NOT NULL,
    body text NOT NULL,
    tokens bigint NOT NULL,
    usd double precision NOT NULL,
    person text NOT NULL,
    scope text NOT NULL,
    written_at double precision NOT NULL
);

-- Steps of the ladder that were said in a thread.
CREATE TABLE quota_told (
    thread text NOT NULL,
    kind text NOT NULL,
    target text NOT NULL,
    day text NOT NULL,
    level text NOT NULL,
    scope text NOT NULL,
    PRIMARY KEY (thread, kind, target, day, level)
);

-- Answers that can be given again. `key` holds all that they depend on.
CREATE TABLE answer_cache (
    key text PRIMARY KEY,
    answer text NOT NULL,
    run text NOT NULL,
    scope text NOT NULL,
    person text NOT NULL,
    written_at double precision NOT NULL
);
CREATE INDEX answer_cache_run ON answer_cache (run);
CREATE TABLE answer_cache_kb (
    key text NOT NULL,
    kb bigint NOT NULL,
    PRIMARY KEY (key, kb)
);
CREATE INDEX answer_cache_kb_kb ON answer_cache_kb (kb);

-- What people said of answers.
CREATE TABLE feedback (
    run text NOT NULL,
    person text NOT NULL,
    verdict text NOT NULL,
    question text NOT NULL,
    answer text NOT NULL,
    sources text NOT NULL,
    teammate text NOT NULL,
    channel text NOT NULL,
    scope text NOT NULL,
    written_at double precision NOT NULL,
    PRIMARY KEY (run, person)
);
CREATE INDEX feedback_scope ON feedback (scope, written_at);
