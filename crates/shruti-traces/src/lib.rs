//! Spans to an OpenTelemetry collector, without making anybody wait.
//!
//! [`Exporter::send`] puts the spans of a trace into a bounded queue, or drops and counts them where it is full. One task
//! of the runtime sends them over OTLP (HTTP, protobuf), some at once. A collector that is away, slow or talks nonsense
//! costs spans and nothing else. The SDK's own `BatchSpanProcessor` has a thread of its own and tells nobody how many spans
//! it dropped.

mod address;
mod exporter;
mod transport;

pub use address::{CollectorUrl, InvalidCollectorUrl};
pub use exporter::{Counts, Exporter, ExporterError};
