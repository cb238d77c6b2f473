-- Keys that the Studio's playground speaks with. Nobody holds one: they answer for tokens alone.
ALTER TABLE keys ADD COLUMN purpose TEXT NOT NULL DEFAULT 'api' CHECK (purpose IN ('api', 'playground'));

-- One an account, and one for everyone, which is of no account.
CREATE UNIQUE INDEX playground_keys ON keys (coalesce(account, '')) WHERE purpose = 'playground';
