//! Lock for the deletion of expired rows.

use super::Sql;

/// Tries to take the lock, so that only one of several servers deletes rows. The lock number is `prune` in ASCII.
pub(crate) const TRY_LOCK: Sql =
    Sql::each("SELECT TRUE AS is_ours", "SELECT pg_try_advisory_xact_lock(482956635749) AS is_ours");
