//! Whether a number is a quantity, and no code or address.

use super::scan::Scan;
use super::{measure, money, multiplier};

/// Whether the number at `at` counts something: money, a unit, a multiplier.
pub(super) fn counts(scan: &Scan<'_>, at: usize) -> bool {
    multiplier::multiplier(scan, at + 1).is_some()
        || money::read(scan, at).is_some()
        || money::is_named(scan, at + 1)
        || measure::read(scan, at).is_some()
}
