SELECT EXISTS (
    SELECT 1 FROM key_origins JOIN keys ON keys.prefix = key_origins.prefix
    WHERE origin = :origin AND revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > :now_ms)
)
