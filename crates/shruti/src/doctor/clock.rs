//! Check of the system clock, on which tokens, sessions, months and certificates depend.

use super::Setup;
use super::finding::Finding;
use crate::calendar;

/// Earliest plausible time (2026-01-01), in milliseconds since 1970. This version did not exist before that time.
const EARLIEST_MS: i64 = 1_767_225_600_000;
/// Latest plausible time (2100-01-01), in milliseconds since 1970.
const LATEST_MS: i64 = 4_102_444_800_000;
/// Tolerated difference between the clocks of two servers that write to one database, in milliseconds.
const TOLERATED_MS: i64 = 60_000;

const SET: &str = "set the clock and synchronise it with NTP (chrony, systemd-timesyncd)";

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    vec![judge(setup.now_ms, setup.newest_entry_ms())]
}

fn judge(now_ms: i64, newest_entry_ms: Option<i64>) -> Finding {
    let now = calendar::show(now_ms);
    if !(EARLIEST_MS..LATEST_MS).contains(&now_ms) {
        return Finding::fail(format!("the clock says {now} UTC, which is impossible"), SET);
    }
    match newest_entry_ms {
        Some(newest) if newest > now_ms + TOLERATED_MS => Finding::warn(
            format!(
                "the clock says {now} UTC, but the database has an entry from {}: one of the two times is wrong",
                calendar::show(newest)
            ),
            SET,
        ),
        _ => Finding::ok(format!("the clock says {now} UTC")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn an_implausible_clock_is_reported() {
        let now = EARLIEST_MS + 1_000_000_000;
        for (now_ms, newest, verdict) in [
            (0, None, Verdict::Fail),
            (LATEST_MS, None, Verdict::Fail),
            (now, None, Verdict::Ok),
            (now, Some(now + TOLERATED_MS), Verdict::Ok),
            (now, Some(now + TOLERATED_MS + 1), Verdict::Warn),
        ] {
            assert_eq!(judge(now_ms, newest).verdict, verdict, "{now_ms} {newest:?}");
        }
    }
}
