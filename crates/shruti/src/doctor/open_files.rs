//! Check of the limit on open files. Each connection counts as an open file.

use shruti_service::Config;

use super::Setup;
use super::finding::Finding;
use crate::files;

/// Number of open files to reserve for the database, the listener, the log and everything else that is not a
/// connection.
const OTHERS: u64 = 64;

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let streams = setup.settings.max_streams.unwrap_or(Config::default().max_streams);
    vec![judge(files::hard_limit(), streams as u64)]
}

/// Compares the hard limit with the number of streams. The server raises its soft limit to the hard limit. If `limit`
/// is `None`, the system sets no limit.
fn judge(limit: Option<u64>, streams: u64) -> Finding {
    let Some(limit) = limit else { return Finding::ok("there is no limit") };
    let found = format!("{limit} at most, for {streams} streams (--max-streams)");
    let advice = "raise the limit (`ulimit -Hn`, LimitNOFILE= in systemd, --ulimit nofile= for a container), or \
                  lower --max-streams";
    if limit < streams.saturating_add(OTHERS) {
        return Finding::fail(
            format!("{found}: connections will be refused before that number is reached"),
            advice,
        );
    }
    if limit < streams.saturating_mul(2).saturating_add(OTHERS) {
        return Finding::warn(format!("{found}: few are left for idle connections"), advice);
    }
    Finding::ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn streams_and_idle_connections_need_file_descriptors() {
        for (limit, verdict) in [
            (Some(1_024), Verdict::Fail),
            (Some(1_064), Verdict::Warn),
            (Some(2_063), Verdict::Warn),
            (Some(2_064), Verdict::Ok),
            (None, Verdict::Ok),
        ] {
            assert_eq!(judge(limit, 1_000).verdict, verdict, "{limit:?}");
        }
        assert_eq!(judge(Some(u64::MAX), u64::MAX).verdict, Verdict::Ok);
    }
}
