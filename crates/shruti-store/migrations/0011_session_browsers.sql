-- Browser and operating system of a session, from a fixed list of names, so that users can distinguish their sessions.
ALTER TABLE sessions ADD COLUMN browser TEXT;

-- Value of key_revision at the last deletion of the keys of an account; a server that sees a newer value clears its key
-- cache.
ALTER TABLE key_revision ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
