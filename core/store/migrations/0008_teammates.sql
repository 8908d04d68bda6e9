-- The teammate that is present in a thread (in a conversation with one person: in the channel).
CREATE TABLE thread_teammate (
    thread text PRIMARY KEY,
    channel text NOT NULL,
    scope text NOT NULL,
    teammate text NOT NULL,
    person text NOT NULL,
    since double precision NOT NULL
);
