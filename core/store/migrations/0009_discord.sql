-- Slash commands and context menus on Discord come from no message. `thread` is the id that the run
-- knows its thread by; `token` answers the interaction for a quarter of an hour.
CREATE TABLE discord_interaction (
    id text PRIMARY KEY,
    kind text NOT NULL,
    thread text NOT NULL,
    channel text NOT NULL,
    line text NOT NULL,
    token text NOT NULL,
    message text NOT NULL,
    mark text NOT NULL,
    written_at double precision NOT NULL,
    scope text NOT NULL,
    person text NOT NULL
);

-- Messages that stand in a channel and belong to a thread that a run knows by another id.
CREATE TABLE discord_alias (
    message text PRIMARY KEY,
    thread text NOT NULL,
    written_at double precision NOT NULL,
    scope text NOT NULL
);

-- What is being posted: Discord keeps no mark of ours, so a post is found again by its words.
CREATE TABLE discord_post (
    mark text PRIMARY KEY,
    place text NOT NULL,
    digest text NOT NULL,
    message text NOT NULL,
    written_at double precision NOT NULL,
    scope text NOT NULL
);
CREATE INDEX discord_post_place ON discord_post (place, written_at);

-- How far each channel was read: after a stop, what came meanwhile is asked for.
CREATE TABLE discord_cursor (
    channel text PRIMARY KEY,
    guild text NOT NULL,
    message text NOT NULL,
    written_at double precision NOT NULL
);

-- The commands as they were last registered.
CREATE TABLE discord_commands (
    application text PRIMARY KEY,
    digest text NOT NULL,
    written_at double precision NOT NULL
);
