//! Quantities: amounts of money, measures and numbers with multipliers.

pub(crate) mod currency;
pub(crate) mod equation;
pub(crate) mod lakh;
pub(crate) mod measure;
pub(crate) mod money;
pub(crate) mod multiplier;
pub(crate) mod power;
pub(crate) mod primes;
pub(crate) mod purity;
pub(crate) mod units;

use crate::normalize::scan::Scan;

/// Returns whether the number at `at` is a quantity: an amount of money, or a number with a unit or a multiplier.
pub(crate) fn counts(scan: &Scan<'_>, at: usize) -> bool {
    multiplier::multiplier(scan, at + 1).is_some()
        || money::read(scan, at).is_some()
        || currency::is_named(scan, at + 1)
        || measure::read(scan, at).is_some()
}
