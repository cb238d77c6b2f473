//! Latency report: a Markdown table with one row per call style and, for comparison, published figures of another
//! service.

use std::fmt;

use serde::Serialize;

use crate::times::{Percentiles, Times};

/// Source of the published figures.
const PUBLISHED: &str = "published: medians of another service, over a network near its region, TLS included";

/// Measurement of all call styles.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) server: String,
    /// Number of measured calls of each kind.
    pub(super) runs: u32,
    pub(super) rows: Vec<Row>,
    /// Time from a cancel to the response, for the turns of the first row.
    pub(super) cancel: Percentiles,
}

/// Measurement of one call style.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    call_style: &'static str,
    /// Time from the call to the first audible sample.
    first_audio: Percentiles,
    floor_call: &'static str,
    /// Time of the smallest exchange on the same kind of connection.
    floor: Percentiles,
    /// Published figure for this call style, over a network.
    published_ms: u32,
}

impl Row {
    pub(super) fn new(
        call_style: &'static str,
        floor_call: &'static str,
        published_ms: u32,
        first_audio: &Times,
        floor: &Times,
    ) -> Self {
        Self {
            call_style,
            first_audio: first_audio.percentiles(),
            floor_call,
            floor: floor.percentiles(),
            published_ms,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "First audible sample at the client, in milliseconds; {} calls of each kind, {}\n",
            self.runs, self.server
        )?;
        writeln!(
            f,
            "| call style | first audio p50 | p90 | p99 | floor p50 | p99 | floor call | published |"
        )?;
        writeln!(f, "| :-- | --: | --: | --: | --: | --: | :-- | --: |")?;
        for Row { call_style, first_audio, floor_call, floor, published_ms } in &self.rows {
            let Percentiles { p50_ms, p90_ms, p99_ms, .. } = first_audio;
            writeln!(
                f,
                "| {call_style} | {p50_ms:.2} | {p90_ms:.2} | {p99_ms:.2} | {:.2} | {:.2} | `{floor_call}` | \
                 {published_ms} |",
                floor.p50_ms, floor.p99_ms
            )?;
        }
        let Percentiles { p50_ms, p90_ms, p99_ms, .. } = self.cancel;
        writeln!(f, "\nAnswer to a cancel: p50 {p50_ms:.2}, p90 {p90_ms:.2}, p99 {p99_ms:.2}")?;
        writeln!(f, "({PUBLISHED})")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_table_has_a_line_per_style_and_names_the_source_of_published_figures() {
        let mut times = Times::new();
        times.record(Duration::from_micros(1_500));
        let rows = vec![
            Row::new("WebSocket, per turn", "ping", 83, &times, &Times::new()),
            Row::new("HTTP, connection reused", "GET /healthz", 88, &times, &times),
        ];
        let report = Report { server: "http://a".to_owned(), runs: 1, rows, cancel: times.percentiles() };
        let text = report.to_string();
        assert!(
            text.contains("| WebSocket, per turn | 1.50 | 1.50 | 1.50 | 0.00 | 0.00 | `ping` | 83 |"),
            "{text}"
        );
        assert!(text.contains(
            "| HTTP, connection reused | 1.50 | 1.50 | 1.50 | 1.50 | 1.50 | `GET /healthz` | 88 |"
        ));
        assert!(text.contains("another service, over a network"));
        let json = serde_json::to_value(&report).unwrap();
        assert_eq!(json["rows"][0]["published_ms"], 83);
        assert_eq!(json["rows"][1]["floor"]["count"], 1);
    }
}
