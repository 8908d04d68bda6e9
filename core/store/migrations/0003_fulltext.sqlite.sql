-- Words: no text is kept here, only which passage holds which token. Tokens come ready-made,
-- so this tokeniser must neither split nor fold: all but ASCII signs are token characters.
CREATE VIRTUAL TABLE passage_words USING fts5 (
    words,
    content = '',
    contentless_delete = 1,
    tokenize = "ascii tokenchars '_'"
);
-- The same tokens as numbers of four bytes each, in the order of the text: what ranks a passage.
-- FTS5 can only rank by walking every passage of the store.
CREATE TABLE passage_tokens (
    passage INTEGER PRIMARY KEY,
    tokens blob NOT NULL
);
CREATE VIRTUAL TABLE passage_vocabulary USING fts5vocab (passage_words, row);

-- Vectors as half floats: three rows a page instead of one, and far finer than the ranking needs.
CREATE TABLE vector (
    passage INTEGER PRIMARY KEY,
    model text NOT NULL,
    dimension bigint NOT NULL,
    cjk bigint NOT NULL,
    scope text NOT NULL,
    owner text NOT NULL,
    data blob NOT NULL
);
