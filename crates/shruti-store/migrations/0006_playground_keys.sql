-- Keys of the Studio's playground. They are never shown, and only create tokens.
ALTER TABLE keys ADD COLUMN purpose TEXT NOT NULL DEFAULT 'api' CHECK (purpose IN ('api', 'playground'));

-- One key per account, and one for all visitors, which belongs to no account.
CREATE UNIQUE INDEX playground_keys ON keys (coalesce(account, '')) WHERE purpose = 'playground';
