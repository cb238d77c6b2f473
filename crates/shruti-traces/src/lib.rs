//! Non-blocking export of spans to an OpenTelemetry collector.
//!
//! [`Exporter::send`] puts the spans of a trace into a bounded queue, or drops and counts them if the queue is full.
//! One task of the runtime sends them in batches over OTLP (HTTP, protobuf). If the collector is unavailable, slow or
//! faulty, spans are lost, but callers are not affected. The SDK's `BatchSpanProcessor` is not used, because it needs a
//! separate thread and does not report the number of dropped spans.

mod address;
mod exporter;
mod transport;

pub use address::{CollectorUrl, InvalidCollectorUrl};
pub use exporter::{Counts, Exporter, ExporterError};
