-- Needs: what suspended runs wait for. `body` is the exact call or question and how it was asked;
-- `message` asked for the run, and by it the run is worked again; `decided_in` is the run of the
-- click or message that brought the decision.
CREATE TABLE need (
    id text PRIMARY KEY,
    run text NOT NULL,
    body text NOT NULL,
    message text NOT NULL,
    thread text NOT NULL,
    channel text NOT NULL,
    scope text NOT NULL,
    person text NOT NULL,
    what text NOT NULL,
    state text NOT NULL,
    decided_in text NOT NULL,
    decision text NOT NULL,
    asked_at double precision NOT NULL,
    expires_at double precision NOT NULL
);
CREATE INDEX need_run ON need (run);
CREATE INDEX need_thread ON need (thread, state);
CREATE INDEX need_channel ON need (channel, person, state);
CREATE INDEX need_decided ON need (decided_in);

-- The message that asked first, and whether another one asked again.
ALTER TABLE stop_request ADD COLUMN message text NOT NULL DEFAULT '';
ALTER TABLE stop_request ADD COLUMN again bigint NOT NULL DEFAULT 0;
