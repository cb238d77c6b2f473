-- Browser and operating system of a session, from a fixed list of names, so that users can distinguish their sessions.
ALTER TABLE sessions ADD COLUMN browser TEXT COLLATE "C";

-- Value of key_revision at the last deletion of keys with their account; servers then clear their key caches.
ALTER TABLE key_revision ADD COLUMN removed BIGINT NOT NULL DEFAULT 0;
