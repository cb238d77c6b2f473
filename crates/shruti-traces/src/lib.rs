//! Non-blocking export of spans to an OpenTelemetry collector.
//!
//! [`Exporter::send`] puts the spans of a trace into a bounded queue, or drops and counts them if the queue is full.
//! One task of the runtime sends them in batches over OTLP (HTTP, protobuf). A collector that is unavailable, slow or
//! faulty causes a loss of spans and nothing else. The SDK's `BatchSpanProcessor` needs a separate thread and does not
//! report the number of dropped spans.

mod address;
mod exporter;
mod transport;

pub use address::{CollectorUrl, InvalidCollectorUrl};
pub use exporter::{Counts, Exporter, ExporterError};
