-- What the gate still has to look at: 0 nobody has, 1 the rules have, 2 nothing is left to do.
ALTER TABLE turn ADD COLUMN place text NOT NULL DEFAULT '';
ALTER TABLE turn ADD COLUMN time_zone text NOT NULL DEFAULT '';
ALTER TABLE turn ADD COLUMN looked bigint NOT NULL DEFAULT 0;
UPDATE turn SET looked = 2;
CREATE INDEX turn_looked ON turn (looked, asked_at);

-- Runs of which nothing may be left: their payload in the queue goes once they have ended.
CREATE TABLE memory_purge (
    run text PRIMARY KEY,
    person text NOT NULL,
    scope text NOT NULL,
    wanted_at double precision NOT NULL
);

-- What is said in channels where we listen, by whom and when; never more than is there to be read.
CREATE TABLE channel_log (
    channel text NOT NULL,
    message text NOT NULL,
    scope text NOT NULL,
    thread text NOT NULL,
    person text NOT NULL,
    person_name text NOT NULL,
    text text NOT NULL,
    sent_at double precision NOT NULL,
    edited_at double precision,
    PRIMARY KEY (channel, message)
);
CREATE INDEX channel_log_time ON channel_log (channel, sent_at);
CREATE INDEX channel_log_thread ON channel_log (thread, sent_at);
CREATE INDEX channel_log_person ON channel_log (person);

-- The older turns of a long thread in a few sentences, up to the turn that was asked at `upto`.
CREATE TABLE turn_summary (
    thread text PRIMARY KEY,
    channel text NOT NULL,
    scope text NOT NULL,
    person text NOT NULL,
    upto double precision NOT NULL,
    text text NOT NULL
);
