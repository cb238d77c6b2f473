//! Findings of the checks, and their output.

use std::io::{self, Write};

use crossterm::style::Stylize;
use serde::Serialize;

use crate::printable::printable;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    Ok,
    /// The server works, but needs attention.
    Warn,
    /// The server does not start, or cannot do its work.
    Fail,
}

impl Verdict {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// Single result of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) verdict: Verdict,
    /// Description of the finding.
    pub(super) found: String,
    /// Recommended action; `None` if the finding is not a problem.
    pub(super) advice: Option<String>,
}

impl Finding {
    pub(super) fn ok(found: impl Into<String>) -> Self {
        Self { verdict: Verdict::Ok, found: found.into(), advice: None }
    }

    pub(super) fn warn(found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { verdict: Verdict::Warn, found: found.into(), advice: Some(advice.into()) }
    }

    pub(super) fn fail(found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { verdict: Verdict::Fail, found: found.into(), advice: Some(advice.into()) }
    }
}

/// Findings of all checks.
#[derive(Debug, Default)]
pub(super) struct Report {
    lines: Vec<Line>,
}

#[derive(Debug, Serialize)]
struct Line {
    check: &'static str,
    #[serde(flatten)]
    finding: Finding,
}

impl Report {
    pub(super) fn add(&mut self, check: &'static str, findings: Vec<Finding>) {
        self.lines.extend(findings.into_iter().map(|finding| Line { check, finding }));
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn failed(&self) -> usize {
        self.count(Verdict::Fail)
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.lines.iter().filter(|line| line.finding.verdict == verdict).count()
    }

    /// Writes a line for each finding, followed by a line with the recommended action, if any. The last line contains
    /// the number of findings with each verdict.
    pub(super) fn write_text(&self, mut out: impl Write, is_coloured: bool) -> io::Result<()> {
        for Line { check, finding: Finding { verdict, found, advice } } in &self.lines {
            let word = format!("{:4}", verdict.as_str());
            let word = match verdict {
                _ if !is_coloured => word,
                Verdict::Ok => word.green().to_string(),
                Verdict::Warn => word.yellow().to_string(),
                Verdict::Fail => word.red().bold().to_string(),
            };
            writeln!(out, "{word}  {check:11}  {}", printable(found))?;
            if let Some(advice) = advice {
                writeln!(out, "                   do: {}", printable(advice))?;
            }
        }
        let [ok, warn, fail] = [Verdict::Ok, Verdict::Warn, Verdict::Fail].map(|verdict| self.count(verdict));
        writeln!(out, "{ok} ok, {warn} warn, {fail} fail")
    }

    /// Writes `{"verdict": …, "checks": [{"check": …, "verdict": …, "found": …, "advice": …}, …]}`.
    pub(super) fn write_json(&self, mut out: impl Write) -> anyhow::Result<()> {
        #[derive(Serialize)]
        struct Whole<'a> {
            verdict: Verdict,
            checks: &'a [Line],
        }
        let verdict = match (self.count(Verdict::Fail), self.count(Verdict::Warn)) {
            (0, 0) => Verdict::Ok,
            (0, _) => Verdict::Warn,
            _ => Verdict::Fail,
        };
        serde_json::to_writer_pretty(&mut out, &Whole { verdict, checks: &self.lines })?;
        writeln!(out)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let mut report = Report::default();
        report.add("settings", vec![Finding::ok("they can be read")]);
        let findings =
            vec![Finding::warn("little room", "make some"), Finding::fail("it is gone", "bring it back")];
        report.add("data folder", findings);
        report
    }

    #[test]
    fn each_problem_has_advice() {
        let shown = |is_coloured| {
            let mut out = Vec::new();
            report().write_text(&mut out, is_coloured).unwrap();
            String::from_utf8(out).unwrap()
        };
        let expected = "ok    settings     they can be read\nwarn  data folder  little room\n                   do: \
                        make some\nfail  data folder  it is gone\n                   do: bring it back\n1 ok, 1 \
                        warn, 1 fail\n";
        assert_eq!(shown(false), expected);
        assert!(shown(true).contains("\u{1b}["));
    }

    #[test]
    fn json_output_has_the_same_findings() {
        let mut out = Vec::new();
        report().write_json(&mut out).unwrap();
        let read: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(read["verdict"], "fail");
        let last = serde_json::json!(
            {"check": "data folder", "verdict": "fail", "found": "it is gone", "advice": "bring it back"}
        );
        assert_eq!(read["checks"][2], last);
        assert!(read["checks"][0]["advice"].is_null());
    }
}
