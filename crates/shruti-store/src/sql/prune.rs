//! Statement of the deletion of expired rows.

use super::Sql;

/// Of several servers one deletes. The number is `prune` in ASCII.
pub(crate) const TRY_LOCK: Sql =
    Sql::each("SELECT TRUE AS is_ours", "SELECT pg_try_advisory_xact_lock(482956635749) AS is_ours");
