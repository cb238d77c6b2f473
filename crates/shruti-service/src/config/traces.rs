//! Settings of tracing.

use shruti_traces::Exporter;

/// Settings of tracing.
#[derive(Clone, Debug)]
pub struct TracesConfig {
    /// Exporter of spans.
    pub exporter: Exporter,
    /// Fraction of requests and turns that are traced, 0.0 to 1.0, if the caller has not decided.
    pub sample: f64,
}
