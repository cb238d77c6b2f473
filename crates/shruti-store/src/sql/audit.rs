//! SQL statements for the audit log.

use super::{Sql, delete_unlocked};

pub(crate) const INSERT: Sql = Sql::same(
    "INSERT INTO audit (at_ms, actor, event, account, subject, outcome, times)
    VALUES ($1, $2, $3, $4, $5, $6, 1)",
);
/// Serialises refusals of one kind, so that a concurrent refusal finds the row of the first one.
pub(crate) const LOCK_KIND: Sql = Sql::postgres_only(
    "SELECT pg_advisory_xact_lock(hashtextextended(concat_ws(' ', $1::TEXT, $2::TEXT, $3::TEXT), 0))",
);
pub(crate) const REPEAT: Sql = Sql::same(
    "UPDATE audit SET times = times + 1 WHERE id = (
        SELECT id FROM audit
        WHERE account IS NOT DISTINCT FROM $1 AND event = $2 AND at_ms >= $3 AND actor = $4 AND outcome = $5
        ORDER BY at_ms DESC LIMIT 1
    )",
);
/// Deletes old entries, and the oldest ones if there are too many. Both conditions use an index to find the few rows
/// that match.
pub(crate) const DELETE_OLD: Sql =
    delete_unlocked!("audit", "id", "at_ms <= $1 OR id <= (SELECT max(id) FROM audit) - $2");
pub(crate) const LIST: Sql = Sql::same(
    "SELECT id, at_ms, actor, event, account, subject, outcome, times FROM audit
    WHERE id < $1 AND (CAST ($2 AS TEXT) IS NULL OR account = $2) ORDER BY id DESC LIMIT $3",
);
