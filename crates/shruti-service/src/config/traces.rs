//! Settings of tracing.

use shruti_traces::Exporter;

/// Settings of tracing.
#[derive(Clone, Debug)]
pub struct TracesConfig {
    /// Exporter of spans.
    pub exporter: Exporter,
    /// Fraction of requests and turns that are traced, in the range 0.0–1.0. It does not apply to requests whose
    /// `traceparent` determines whether they are traced.
    pub sample: f64,
}
