-- Turns of our own threads: a question and the answer that was given to it.
CREATE TABLE turn (
    run text PRIMARY KEY,
    thread text NOT NULL,
    channel text NOT NULL,
    scope text NOT NULL,
    person text NOT NULL,
    person_name text NOT NULL,
    message text NOT NULL,
    question text NOT NULL,
    answer text NOT NULL,
    asked_at double precision NOT NULL
);
CREATE INDEX turn_thread ON turn (thread, asked_at);
CREATE INDEX turn_person ON turn (person);
CREATE INDEX turn_message ON turn (message);
