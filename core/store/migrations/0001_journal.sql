-- Runs: who owns one now. Every claim raises the epoch; a journal row of an older epoch is refused.
CREATE TABLE run_claim (
    run text PRIMARY KEY,
    owner text NOT NULL,
    epoch bigint NOT NULL,
    thread text NOT NULL,
    scope text NOT NULL,
    person text NOT NULL,
    state text NOT NULL,
    claimed_at double precision NOT NULL
);
CREATE INDEX run_claim_thread ON run_claim (thread, state);

-- Journal: finished steps by key; the key carries the path, e.g. loop:3:model.
CREATE TABLE journal (
    run text NOT NULL,
    key text NOT NULL,
    epoch bigint NOT NULL,
    state text NOT NULL,
    result text NOT NULL,
    written_at double precision NOT NULL,
    scope text NOT NULL,
    person text NOT NULL,
    PRIMARY KEY (run, key)
);

-- Outbox: what was or will be said, one row per run and key.
CREATE TABLE outbox (
    run text NOT NULL,
    key text NOT NULL,
    state text NOT NULL,
    platform text NOT NULL,
    channel text NOT NULL,
    thread text NOT NULL,
    message text NOT NULL,
    reason text NOT NULL,
    written_at double precision NOT NULL,
    scope text NOT NULL,
    person text NOT NULL,
    PRIMARY KEY (run, key)
);
CREATE INDEX outbox_thread ON outbox (thread, written_at);
CREATE INDEX outbox_message ON outbox (message);

-- Stop requests: read by whichever process works the run.
CREATE TABLE stop_request (
    run text PRIMARY KEY,
    person text NOT NULL,
    scope text NOT NULL,
    asked_at double precision NOT NULL
);
