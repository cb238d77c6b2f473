//! Conversion of counts to and from the signed integers of the database.

/// Returns a count as the database stores it. Counts above `i64::MAX` become `i64::MAX`.
pub(crate) fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Returns a stored count. Negative values become 0.
pub(crate) fn unsigned(stored: i64) -> u64 {
    stored.max(0).unsigned_abs()
}
