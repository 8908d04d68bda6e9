-- For whom a run wrote a version: of what teammates write, this person may remove it too.
ALTER TABLE version ADD COLUMN asked_by text NOT NULL DEFAULT '';
