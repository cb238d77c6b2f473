//! SQL statements for usage.

use super::Sql;

/// Builds a query of usage by day from its condition on the key.
macro_rules! usage_by_day {
    ($condition:literal) => {
        Sql::same(concat!(
            "SELECT day, voice, language, api, CAST (sum(chars) AS BIGINT) AS chars,
                CAST (sum(requests) AS BIGINT) AS requests, CAST (sum(audio_ms) AS BIGINT) AS audio_ms
            FROM usage
            WHERE day BETWEEN $1 AND $2 ",
            $condition,
            " GROUP BY day, voice, language, api ORDER BY day, voice, language, api"
        ))
    };
}

pub(crate) const ADD: Sql = Sql::same(
    "INSERT INTO usage (prefix, day, voice, language, api, chars, requests, audio_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (prefix, day, voice, language, api) DO UPDATE
    SET chars = usage.chars + $6, requests = usage.requests + $7, audio_ms = usage.audio_ms + $8",
);
pub(crate) const HOLD_KEYS: Sql = Sql::each(
    "SELECT prefix FROM keys WHERE prefix IN (SELECT value FROM json_each($1))",
    "SELECT prefix FROM keys WHERE prefix = ANY ($1) FOR KEY SHARE",
);
pub(crate) const NOTE_KEY_USE: Sql = Sql::each(
    "UPDATE keys SET last_used_ms = $2 WHERE prefix = $1 AND (last_used_ms IS NULL OR last_used_ms < $2)",
    "INSERT INTO key_uses (prefix, last_used_ms) VALUES ($1, $2)
    ON CONFLICT (prefix) DO UPDATE SET last_used_ms = greatest(key_uses.last_used_ms, $2)",
);
pub(crate) const OF_KEY: Sql = usage_by_day!("AND prefix = $3");
pub(crate) const OF_ACCOUNT: Sql =
    usage_by_day!("AND prefix IN (SELECT prefix FROM keys WHERE account = $3)");
pub(crate) const OF_ALL: Sql = usage_by_day!("");
pub(crate) const BY_DAY_AND_KEY: Sql = Sql::same(
    "SELECT day, prefix, CAST (sum(chars) AS BIGINT) AS chars, CAST (sum(requests) AS BIGINT) AS requests,
        CAST (sum(audio_ms) AS BIGINT) AS audio_ms
    FROM usage
    WHERE prefix IN (SELECT prefix FROM keys WHERE account = $3) AND day BETWEEN $1 AND $2
    GROUP BY day, prefix ORDER BY day, prefix",
);
/// Records a report as the last one of its server. Changes no row if this report or a later one has already been added.
pub(crate) const NOTE_REPORT: Sql = Sql::same(
    "INSERT INTO usage_reports (server, number, reported_ms) VALUES ($1, $2, $3)
    ON CONFLICT (server) DO UPDATE SET number = $2, reported_ms = $3 WHERE usage_reports.number < $2",
);
pub(crate) const DELETE_REPORTS_BEFORE: Sql = Sql::same("DELETE FROM usage_reports WHERE reported_ms < $1");
pub(crate) const DELETE_BEFORE: Sql = Sql::same("DELETE FROM usage WHERE day < $1");
