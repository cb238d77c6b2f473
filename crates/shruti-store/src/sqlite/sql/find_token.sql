SELECT prefix FROM tokens WHERE hash = :hash AND expires_ms > :now_ms
