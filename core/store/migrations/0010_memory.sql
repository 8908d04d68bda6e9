-- What is remembered of people and channels. `owner` said it; `scope` may see it: the owner alone
-- (person:...), a channel or the workspace. `channel` and `message` are where it was said.
CREATE TABLE memory (
    id text PRIMARY KEY,
    owner text NOT NULL,
    scope text NOT NULL,
    layer text NOT NULL,
    subject text NOT NULL,
    attribute text NOT NULL,
    value text NOT NULL,
    text text NOT NULL,
    language text NOT NULL,
    form bigint NOT NULL,
    status text NOT NULL,
    state text NOT NULL,
    origin text NOT NULL,
    channel text NOT NULL,
    direct bigint NOT NULL,
    message text NOT NULL,
    link text NOT NULL,
    run text NOT NULL,
    observed_at double precision NOT NULL,
    expires_at double precision,
    ended_at double precision,
    replaced_by text NOT NULL,
    uses bigint NOT NULL,
    used_at double precision,
    tokens bytea NOT NULL,
    vector bytea NOT NULL
);
CREATE INDEX memory_owner ON memory (owner, status);
CREATE INDEX memory_scope ON memory (scope, status);
CREATE INDEX memory_message ON memory (message);

-- Who wants nothing remembered: a person, everywhere; or a channel, for all in it.
CREATE TABLE memory_off (
    target text PRIMARY KEY,
    person text NOT NULL,
    since double precision NOT NULL
);
