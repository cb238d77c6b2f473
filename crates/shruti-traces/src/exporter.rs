//! Queue of spans, and the task that sends them.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry_otlp::{Protocol, SpanExporter as OtlpExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use rustls::ClientConfig;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::address::CollectorUrl;
use crate::transport::{LastRequestError, Transport};

/// Maximum number of queued traces; the spans of further traces are dropped. A full queue of traces with the maximum
/// number of spans uses a few megabytes.
const QUEUE_CAPACITY: usize = 512;
/// Maximum time to wait for more spans before a batch is sent.
const BATCH_DELAY: Duration = Duration::from_secs(1);
/// Number of spans at which a batch is sent immediately.
const BATCH_SIZE: usize = 512;
/// Timeout for one export, including retries after temporary failures.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(10);

/// Numbers of spans since the start of the exporter, by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Spans that the collector accepted.
    pub sent: u64,
    /// Spans that were lost because the collector was unavailable, rejected them or timed out.
    pub failed: u64,
    /// Spans that were dropped because the queue was full, or at shutdown.
    pub dropped: u64,
}

/// Error of an export or of the exporter's setup.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ExporterError(String);

/// Exporter of spans. Clones share the queue.
#[derive(Clone)]
pub struct Exporter(Arc<Shared>);

struct Shared {
    queue: Sender<Vec<SpanData>>,
    counters: Arc<Counters>,
    stop: CancellationToken,
    sending: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Counters {
    /// Spans that have been queued and are not yet counted as sent, failed or dropped.
    waiting: AtomicU64,
    sent: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
}

impl Exporter {
    /// Starts the export task on the current runtime. The task does not connect before the first span. `tls` determines
    /// the trusted certificates. The OTLP environment variables for headers and for the export timeout apply.
    pub fn start(
        collector: &CollectorUrl,
        tls: ClientConfig,
        service: String,
        version: &'static str,
    ) -> Result<Self, ExporterError> {
        let mut connection = Connection::to(collector, tls)?;
        // the builder also adds the attributes in `OTEL_RESOURCE_ATTRIBUTES`
        let resource = Resource::builder().with_service_name(service);
        connection
            .exporter
            .set_resource(&resource.with_attribute(KeyValue::new("service.version", version)).build());
        let (queue, waiting) = channel(QUEUE_CAPACITY);
        let (counters, stop) = (Arc::<Counters>::default(), CancellationToken::new());
        let task = Task { connection, waiting, counters: Arc::clone(&counters), is_failing: false };
        let sending = Mutex::new(Some(tokio::spawn(task.run(stop.clone()))));
        Ok(Self(Arc::new(Shared { queue, counters, stop, sending })))
    }

    /// Checks that the collector accepts an export request without spans within `patience`.
    pub async fn check(
        collector: &CollectorUrl,
        tls: ClientConfig,
        patience: Duration,
    ) -> Result<(), ExporterError> {
        Connection::to(collector, tls)?.send(Vec::new(), patience).await
    }

    /// Queues the spans of a trace, or drops them if the queue is full. Never blocks.
    pub fn send(&self, spans: Vec<SpanData>) {
        let Shared { queue, counters, .. } = &*self.0;
        let count = spans.len() as u64;
        counters.waiting.fetch_add(count, Ordering::Relaxed);
        if queue.try_send(spans).is_err() {
            counters.settle(&counters.dropped, count);
        }
    }

    /// Returns the current counters.
    pub fn counts(&self) -> Counts {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counters { sent, failed, dropped, .. } = &*self.0.counters;
        Counts { sent: get(sent), failed: get(failed), dropped: get(dropped) }
    }

    /// Stops accepting spans and sends the queued ones. Spans that have not been sent within `patience` are dropped.
    pub async fn finish(&self, patience: Duration) {
        let Shared { counters, stop, sending, .. } = &*self.0;
        stop.cancel();
        let sending = sending.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut sending) = sending else { return };
        if timeout(patience, &mut sending).await.is_err() {
            sending.abort();
            let spans = counters.waiting.load(Ordering::Relaxed);
            counters.settle(&counters.dropped, spans);
            tracing::warn!(spans, "the collector did not accept the last spans in time");
        }
    }
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").field("counts", &self.counts()).finish_non_exhaustive()
    }
}

impl Counters {
    /// Moves spans from the waiting counter to the counter of their outcome.
    fn settle(&self, counter: &AtomicU64, spans: u64) {
        self.waiting.fetch_sub(spans, Ordering::Relaxed);
        counter.fetch_add(spans, Ordering::Relaxed);
    }
}

/// OTLP client of the collector.
struct Connection {
    exporter: OtlpExporter,
    last_error: LastRequestError,
}

impl Connection {
    fn to(collector: &CollectorUrl, tls: ClientConfig) -> Result<Self, ExporterError> {
        let last_error = LastRequestError::default();
        let exporter = OtlpExporter::builder()
            .with_http()
            .with_http_client(Transport::new(tls, last_error.clone()))
            .with_endpoint(collector.as_str())
            .with_protocol(Protocol::HttpBinary)
            .build();
        let exporter = exporter.map_err(|error| ExporterError(error.to_string()))?;
        Ok(Self { exporter, last_error })
    }

    async fn send(&self, spans: Vec<SpanData>, patience: Duration) -> Result<(), ExporterError> {
        match timeout(patience, self.exporter.export(spans)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(ExporterError(self.last_error.why().unwrap_or_else(|| error.to_string()))),
            Err(_) => Err(ExporterError(format!("no response within {patience:?}"))),
        }
    }
}

/// State of the export task.
struct Task {
    connection: Connection,
    waiting: Receiver<Vec<SpanData>>,
    counters: Arc<Counters>,
    /// `true` if the last export failed. Only changes of this state are logged.
    is_failing: bool,
}

impl Task {
    /// Sends spans in batches until `stop` is cancelled, and then sends the spans that are still queued.
    async fn run(mut self, stop: CancellationToken) {
        loop {
            let first = tokio::select! {
                first = self.waiting.recv() => first,
                () = stop.cancelled(), if !self.waiting.is_closed() => {
                    self.waiting.close();
                    continue;
                }
            };
            let Some(mut spans) = first else { return };
            // on shutdown, the gathered spans are sent without waiting for more
            let gathering = tokio::select! {
                gathered = timeout(BATCH_DELAY, gather(&mut self.waiting, &mut spans)) => gathered.is_ok(),
                () = stop.cancelled() => false,
            };
            if !gathering {
                while spans.len() < BATCH_SIZE
                    && let Ok(more) = self.waiting.try_recv()
                {
                    spans.extend(more);
                }
            }
            self.send(spans).await;
        }
    }

    async fn send(&mut self, spans: Vec<SpanData>) {
        let count = spans.len() as u64;
        let Err(error) = self.connection.send(spans, EXPORT_TIMEOUT).await else {
            self.counters.settle(&self.counters.sent, count);
            if std::mem::take(&mut self.is_failing) {
                tracing::info!("the collector accepts spans again");
            }
            return;
        };
        self.counters.settle(&self.counters.failed, count);
        if !std::mem::replace(&mut self.is_failing, true) {
            tracing::warn!(%error, "the collector does not accept spans; they are dropped until it does");
        }
    }
}

/// Receives spans until the batch is large enough or the queue is closed.
async fn gather(waiting: &mut Receiver<Vec<SpanData>>, spans: &mut Vec<SpanData>) {
    while spans.len() < BATCH_SIZE
        && let Some(more) = waiting.recv().await
    {
        spans.extend(more);
    }
}
