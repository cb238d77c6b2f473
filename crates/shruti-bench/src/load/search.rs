//! Search for the largest number of conversations without faults.

use serde::Serialize;

use super::report::Report;

/// Number of conversations at which the search starts.
const FIRST: usize = 50;
/// Maximum number of confirming runs before the search gives up.
const CONFIRMATIONS: usize = 8;

/// Result of a search.
#[derive(Debug, Serialize)]
pub(super) struct Found {
    /// Largest number of conversations without faults in a run of full length; 0 if there is none.
    pub(super) largest: usize,
    /// Short runs of the search, followed by the long runs that confirm its result.
    pub(super) runs: Vec<Report>,
}

/// Length of a run of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Short,
    Full,
}

/// Searches for the largest number of conversations without faults, from 1 to `most`. Doubles the number until a run
/// fails, bisects between success and failure, and confirms the result with a run of full length. If that run fails,
/// repeats it with a twentieth fewer conversations, up to [`CONFIRMATIONS`] runs.
pub(super) fn search<E>(
    most: usize,
    mut run: impl FnMut(usize, Length) -> Result<Report, E>,
) -> Result<Found, E> {
    let mut runs = Vec::new();
    let mut goes_well = |number, length| -> Result<bool, E> {
        let report = run(number, length)?;
        let is_clean = report.is_clean();
        runs.push(report);
        Ok(is_clean)
    };
    let (mut well, mut badly) = (0, most + 1);
    let mut next = FIRST.min(most);
    while well < most && next < badly {
        if goes_well(next, Length::Short)? {
            well = next;
            next = (2 * next).min(most);
        } else {
            badly = next;
        }
    }
    while badly - well > (well / 20).max(1) {
        let middle = well.midpoint(badly);
        if goes_well(middle, Length::Short)? {
            well = middle;
        } else {
            badly = middle;
        }
    }
    let mut largest = 0;
    for _ in 0..CONFIRMATIONS {
        if well == 0 {
            break;
        }
        if goes_well(well, Length::Full)? {
            largest = well;
            break;
        }
        well -= (well / 20).max(1);
    }
    Ok(Found { largest, runs })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the result and the number of runs if short runs succeed up to `short` and full runs up to `full`.
    fn found(most: usize, short: usize, full: usize) -> (usize, usize) {
        let found = search(most, |number, length| {
            let limit = if length == Length::Full { full } else { short };
            Ok::<_, ()>(Report::of_test(number, number <= limit))
        });
        let found = found.unwrap();
        (found.largest, found.runs.len())
    }

    #[test]
    fn the_largest_number_is_found_within_five_percent() {
        for limit in [1, 7, 49, 50, 51, 99, 640, 1_000, 1_999] {
            let (largest, runs) = found(2_000, limit, limit);
            assert!(largest <= limit && largest + largest / 20 + 1 >= limit, "{largest} for {limit}");
            assert!(runs < 25, "{runs} runs for {limit}");
        }
        assert_eq!(found(2_000, 5_000, 5_000).0, 2_000, "no more than the limit");
        assert_eq!(found(3, 5, 5), (3, 2));
        assert_eq!(found(2_000, 0, 0).0, 0, "every run has faults");
    }

    #[test]
    fn a_result_must_be_confirmed_by_a_longer_run() {
        let (largest, _) = found(2_000, 1_000, 900);
        assert!((800..=900).contains(&largest), "{largest}");
    }
}
