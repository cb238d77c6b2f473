//! Check that the trace collector, if one is set, accepts spans. An empty export is sent.

use std::time::Duration;

use anyhow::{Context, anyhow};
use shruti_traces::{CollectorUrl, Exporter};

use super::Setup;
use super::finding::Finding;
use crate::runtime::block_on;
use crate::traces;

/// Timeout of the whole exchange with the collector, including retries.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let found = match traces::collector(&setup.settings) {
        Ok(None) => return Vec::new(),
        Ok(Some(collector)) => match ask(&collector) {
            Ok(()) => Finding::ok(format!("{collector} accepts spans")),
            Err(error) => Finding::warn(
                format!("{collector} does not accept spans: {error:#}"),
                "check its name and port (4318 for OTLP over HTTP; 4317 is gRPC, which is not supported), the \
                 headers that it requires (OTEL_EXPORTER_OTLP_HEADERS), and its own log; the server works without it",
            ),
        },
        Err(error) => Finding::fail(
            format!("{error:#}"),
            "correct the settings; docs/operating.md describes those for traces",
        ),
    };
    vec![found]
}

fn ask(collector: &CollectorUrl) -> anyhow::Result<()> {
    let tls = shruti_client::machine_trust()?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("the check cannot run")?;
    let outcome = block_on(&runtime, Exporter::check(collector, tls, PATIENCE));
    outcome.map_err(|error| anyhow!("{error}"))
}
