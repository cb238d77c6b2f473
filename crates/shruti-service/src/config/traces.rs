//! Where traces go.

use shruti_traces::Exporter;

/// By what spans are sent, and of how many requests and turns.
#[derive(Clone, Debug)]
pub struct TracesConfig {
    /// What sends them.
    pub exporter: Exporter,
    /// The share of requests and turns that are traced, 0.0 to 1.0, where no caller has decided.
    pub sample: f64,
}
