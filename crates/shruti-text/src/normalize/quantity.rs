//! Check whether a number is a quantity and not a code or an address.

use super::currency;
use super::scan::Scan;
use super::{measure, money, multiplier};

/// Returns whether the number at `at` is a quantity: money, or with a unit or a multiplier.
pub(super) fn counts(scan: &Scan<'_>, at: usize) -> bool {
    multiplier::multiplier(scan, at + 1).is_some()
        || money::read(scan, at).is_some()
        || currency::is_named(scan, at + 1)
        || measure::read(scan, at).is_some()
}
