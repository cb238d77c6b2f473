//! API keys in SQLite.
