-- What is removed from a KB raises its revision, what is added its next passage. Answers that rest
-- on it go in the same transaction, so that no byte of a document that was removed stays in them.
CREATE TRIGGER answer_cache_stale AFTER UPDATE OF revision, next_passage ON kb
BEGIN
    DELETE FROM answer_cache WHERE key IN
        (SELECT key FROM answer_cache_kb WHERE kb = NEW.id);
    DELETE FROM answer_cache_kb WHERE kb = NEW.id;
END;
