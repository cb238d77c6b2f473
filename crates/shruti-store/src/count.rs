//! Counts, which the database stores with a sign.

/// A count as it is stored.
pub(crate) fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A stored count; none is below 0.
pub(crate) fn unsigned(stored: i64) -> u64 {
    stored.max(0).unsigned_abs()
}
