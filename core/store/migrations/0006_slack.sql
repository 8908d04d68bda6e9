-- Slash commands on Slack come from no message: the message that was posted as the thread's root.
-- `thread` is the id that the run knows the thread by; `message` is empty until the root is posted.
CREATE TABLE slack_root (
    thread text PRIMARY KEY,
    channel text NOT NULL,
    line text NOT NULL,
    response_url text NOT NULL,
    state text NOT NULL,
    message text NOT NULL,
    written_at double precision NOT NULL,
    scope text NOT NULL,
    person text NOT NULL
);
CREATE INDEX slack_root_message ON slack_root (message);
