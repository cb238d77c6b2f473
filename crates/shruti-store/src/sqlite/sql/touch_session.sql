UPDATE sessions SET used_ms = :now_ms WHERE hash = :hash
