//! The queue of spans, and the task that sends them.

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
use crate::transport::{Transport, Unanswered};

/// Traces that wait; the spans of one more are dropped. With the most spans a trace can have these are some megabytes.
const WAITING: usize = 512;
/// How long is waited for more before some are sent.
const GATHER: Duration = Duration::from_secs(1);
/// With so many spans is sent at once.
const ENOUGH: usize = 512;
/// How long one sending may take, with the tries after a refusal for now.
const SENDING: Duration = Duration::from_secs(10);

/// What became of spans since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Taken by the collector.
    pub sent: u64,
    /// Given up: the collector was away, refused them, or took too long.
    pub failed: u64,
    /// Dropped, because too many waited.
    pub dropped: u64,
}

/// Why spans were not, or cannot be, sent.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ExporterError(String);

/// Sends spans. Clones are one.
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
    /// Taken into the queue and not counted otherwise yet.
    waiting: AtomicU64,
    sent: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
}

impl Exporter {
    /// Starts the task on the runtime in which it is called. Nothing is connected before the first span. `tls`: whom to
    /// trust. Of the environment OTLP's own variables count: headers, and how long a sending may take.
    pub fn start(
        collector: &CollectorUrl,
        tls: ClientConfig,
        service: String,
        version: &'static str,
    ) -> Result<Self, ExporterError> {
        let mut connection = Connection::to(collector, tls)?;
        // with the attributes of OTEL_RESOURCE_ATTRIBUTES
        let resource = Resource::builder().with_service_name(service);
        connection
            .exporter
            .set_resource(&resource.with_attribute(KeyValue::new("service.version", version)).build());
        let (queue, waiting) = channel(WAITING);
        let (counters, stop) = (Arc::<Counters>::default(), CancellationToken::new());
        let task = Task { connection, waiting, counters: Arc::clone(&counters), is_failing: false };
        let sending = Mutex::new(Some(tokio::spawn(task.run(stop.clone()))));
        Ok(Self(Arc::new(Shared { queue, counters, stop, sending })))
    }

    /// Whether the collector takes spans, within so long: it is sent a message without any.
    pub async fn check(
        collector: &CollectorUrl,
        tls: ClientConfig,
        patience: Duration,
    ) -> Result<(), ExporterError> {
        Connection::to(collector, tls)?.send(Vec::new(), patience).await
    }

    /// Has the spans of a trace sent; never waits.
    pub fn send(&self, spans: Vec<SpanData>) {
        let Shared { queue, counters, .. } = &*self.0;
        let count = spans.len() as u64;
        counters.waiting.fetch_add(count, Ordering::Relaxed);
        if queue.try_send(spans).is_err() {
            counters.settle(&counters.dropped, count);
        }
    }

    /// What became of spans so far.
    pub fn counts(&self) -> Counts {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counters { sent, failed, dropped, .. } = &*self.0.counters;
        Counts { sent: get(sent), failed: get(failed), dropped: get(dropped) }
    }

    /// Sends what waits, for so long at most, and takes nothing more.
    pub async fn finish(&self, patience: Duration) {
        let Shared { counters, stop, sending, .. } = &*self.0;
        stop.cancel();
        let sending = sending.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut sending) = sending else { return };
        if timeout(patience, &mut sending).await.is_err() {
            sending.abort();
            let spans = counters.waiting.load(Ordering::Relaxed);
            counters.settle(&counters.dropped, spans);
            tracing::warn!(spans, "the collector did not take the last spans in time");
        }
    }
}

impl fmt::Debug for Exporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").field("counts", &self.counts()).finish_non_exhaustive()
    }
}

impl Counters {
    /// Spans that have waited are counted for good.
    fn settle(&self, counter: &AtomicU64, spans: u64) {
        self.waiting.fetch_sub(spans, Ordering::Relaxed);
        counter.fetch_add(spans, Ordering::Relaxed);
    }
}

/// The way to the collector.
struct Connection {
    exporter: OtlpExporter,
    unanswered: Unanswered,
}

impl Connection {
    fn to(collector: &CollectorUrl, tls: ClientConfig) -> Result<Self, ExporterError> {
        let unanswered = Unanswered::default();
        let exporter = OtlpExporter::builder()
            .with_http()
            .with_http_client(Transport::new(tls, unanswered.clone()))
            .with_endpoint(collector.as_str())
            .with_protocol(Protocol::HttpBinary)
            .build();
        let exporter = exporter.map_err(|error| ExporterError(error.to_string()))?;
        Ok(Self { exporter, unanswered })
    }

    async fn send(&self, spans: Vec<SpanData>, patience: Duration) -> Result<(), ExporterError> {
        match timeout(patience, self.exporter.export(spans)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(ExporterError(self.unanswered.why().unwrap_or_else(|| error.to_string()))),
            Err(_) => Err(ExporterError(format!("no answer within {patience:?}"))),
        }
    }
}

/// What sends.
struct Task {
    connection: Connection,
    waiting: Receiver<Vec<SpanData>>,
    counters: Arc<Counters>,
    /// Whether the last sending failed: only changes are logged.
    is_failing: bool,
}

impl Task {
    /// Sends until it is told to stop, and then what waits.
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
            // ends early with what there is
            let gathering = tokio::select! {
                gathered = timeout(GATHER, gather(&mut self.waiting, &mut spans)) => gathered.is_ok(),
                () = stop.cancelled() => false,
            };
            if !gathering {
                while spans.len() < ENOUGH
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
        let Err(error) = self.connection.send(spans, SENDING).await else {
            self.counters.settle(&self.counters.sent, count);
            if std::mem::take(&mut self.is_failing) {
                tracing::info!("the collector takes spans again");
            }
            return;
        };
        self.counters.settle(&self.counters.failed, count);
        if !std::mem::replace(&mut self.is_failing, true) {
            tracing::warn!(%error, "the collector does not take spans; they are dropped until it does");
        }
    }
}

/// Takes in what comes, until it is enough or nothing more comes.
async fn gather(waiting: &mut Receiver<Vec<SpanData>>, spans: &mut Vec<SpanData>) {
    while spans.len() < ENOUGH
        && let Some(more) = waiting.recv().await
    {
        spans.extend(more);
    }
}
