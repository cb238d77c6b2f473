//! Purity of gold in carats: `22K`, `24k`.

use super::currency;
use crate::data::keywords::Kinds;
use crate::normalize::scan::Scan;

/// Returns whether a number before a K is a purity of gold: 22K. `after` is the index of the item after the K.
pub(crate) fn is_purity(scan: &Scan<'_>, digits: &str, after: usize) -> bool {
    let next = scan.names(after);
    // a word for gold or a price must follow 20K, which is more often an amount: బంగారం కొనడానికి 20K ఇచ్చాడు
    let named = digits != "20" || next.has(Kinds::GOLD) || currency::is_sign(scan, after);
    CARATS.contains(&digits) && named && !next.has(Kinds::THOUSAND) && speaks_of_gold(scan, after)
}

/// Returns whether the segment contains a word for gold, or a price follows at `after`.
fn speaks_of_gold(scan: &Scan<'_>, after: usize) -> bool {
    currency::is_sign(scan, after) || (0..scan.items.len()).any(|place| scan.names(place).has(Kinds::GOLD))
}

/// Purities of gold, in carats.
const CARATS: [&str; 7] = ["9", "14", "18", "20", "22", "23", "24"];
