-- So that the holder of an account can tell its sessions apart: the browser and its system, in a few known words.
ALTER TABLE sessions ADD COLUMN browser TEXT COLLATE "C";

-- The value when keys were last removed with their account: servers then forget what they remember of keys.
ALTER TABLE key_revision ADD COLUMN removed BIGINT NOT NULL DEFAULT 0;
