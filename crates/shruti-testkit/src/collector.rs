//! An OpenTelemetry collector that receives spans over OTLP/HTTP, or fails as a test requires.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use prost::Message;
use rustls::{ClientConfig, RootCertStore};
use shruti_service::TracesConfig;
use shruti_traces::{CollectorUrl, Exporter};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::server::PATIENCE;

/// Reaction of the collector to spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectorMode {
    /// Accepts the spans.
    Accept,
    /// Reads the spans but never responds.
    Hang,
    /// Rejects the spans permanently: `400`.
    Refuse,
    /// Responds with `200` and a body that is not valid protobuf.
    Garble,
}

/// A span as the collector received it.
#[derive(Clone, Debug)]
pub struct ReceivedSpan {
    /// Name of the span.
    pub name: String,
    /// Trace ID, 32 hexadecimal digits.
    pub trace_id: String,
    /// Span ID, 16 hexadecimal digits.
    pub span_id: String,
    /// Parent span ID, 16 hexadecimal digits, or empty.
    pub parent_id: String,
    /// Start time, in nanoseconds since 1970.
    pub begins: u64,
    /// End time, in nanoseconds since 1970.
    pub ends: u64,
    /// Attributes, as text.
    pub attributes: BTreeMap<String, String>,
    /// Events: name, and time in nanoseconds since 1970.
    pub events: Vec<(String, u64)>,
    /// Linked spans: trace ID and span ID.
    pub links: Vec<(String, String)>,
    /// Whether the status is an error.
    pub is_error: bool,
    /// Resource attributes of the service.
    pub resource: BTreeMap<String, String>,
}

/// A running collector. It stops when this value is dropped.
#[derive(Debug)]
pub struct Collector {
    /// Listen address.
    pub address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    mode: CollectorMode,
    spans: Vec<ReceivedSpan>,
    bytes: Vec<u8>,
    requests: usize,
}

impl Collector {
    /// Starts a collector that accepts all spans until [`Collector::set_mode`] changes that.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = State { mode: CollectorMode::Accept, spans: Vec::new(), bytes: Vec::new(), requests: 0 };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Notify::new() });
        let of_task = Arc::clone(&shared);
        let accepting = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let shared = Arc::clone(&of_task);
                let service = service_fn(move |request| answer(Arc::clone(&shared), request));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { address, shared, accepting }
    }

    /// Returns the configuration for a server that sends the share `sample` of its traces (0 to 1) to this
    /// collector. The task that sends them runs on the current runtime.
    pub fn config(&self, sample: f64) -> TracesConfig {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let tls = versions.unwrap().with_root_certificates(RootCertStore::empty()).with_no_client_auth();
        let url = CollectorUrl::of_base(&self.url()).unwrap();
        let exporter = Exporter::start(&url, tls, "shruti".to_owned(), "test").unwrap();
        TracesConfig { exporter, sample }
    }

    /// Returns the URL of the collector, as a value for `--traces-endpoint`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sets the reaction to spans that arrive from now on.
    pub fn set_mode(&self, mode: CollectorMode) {
        self.shared.state().mode = mode;
    }

    /// Returns all spans that were accepted so far.
    pub fn spans(&self) -> Vec<ReceivedSpan> {
        self.shared.state().spans.clone()
    }

    /// Returns all received bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.shared.state().bytes.clone()
    }

    /// Waits until `look` finds a result in the accepted spans, and returns it.
    pub async fn find<T>(&self, look: impl Fn(&[ReceivedSpan]) -> Option<T>) -> T {
        self.wait_for(|state| look(&state.spans)).await
    }

    /// Waits for the first span with the given name and returns it.
    pub async fn span(&self, name: &str) -> ReceivedSpan {
        self.find(|spans| spans.iter().find(|span| span.name == name).cloned()).await
    }

    /// Waits until `count` requests have been received in total.
    pub async fn requests(&self, count: usize) {
        self.wait_for(|state| (state.requests >= count).then_some(())).await;
    }

    async fn wait_for<T>(&self, look: impl Fn(&State) -> Option<T>) -> T {
        let found = async {
            loop {
                let changed = self.shared.changed.notified();
                if let Some(found) = look(&self.shared.state()) {
                    return found;
                }
                changed.await;
            }
        };
        timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("only {:#?}", self.spans()))
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Shared {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn answer(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    assert_eq!(request.uri().path(), "/v1/traces");
    assert_eq!(request.headers()["content-type"], "application/x-protobuf");
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let mode = {
        let mut state = shared.state();
        state.requests += 1;
        state.bytes.extend_from_slice(&body);
        if state.mode == CollectorMode::Accept {
            state.spans.extend(read(&body));
        }
        state.mode
    };
    shared.changed.notify_waiters();
    let (status, body) = match mode {
        CollectorMode::Accept => (StatusCode::OK, Bytes::new()),
        CollectorMode::Hang => std::future::pending().await,
        CollectorMode::Refuse => (StatusCode::BAD_REQUEST, Bytes::from_static(b"no")),
        CollectorMode::Garble => (StatusCode::OK, Bytes::from_static(b"\xff\xff<html>")),
    };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    Ok(response)
}

fn read(body: &Bytes) -> Vec<ReceivedSpan> {
    let request = ExportTraceServiceRequest::decode(body.clone()).unwrap();
    let mut spans = Vec::new();
    for of_resource in request.resource_spans {
        let resource = attributes(of_resource.resource.unwrap_or_default().attributes);
        for span in of_resource.scope_spans.into_iter().flat_map(|scope| scope.spans) {
            spans.push(ReceivedSpan {
                name: span.name,
                trace_id: hex(&span.trace_id),
                span_id: hex(&span.span_id),
                parent_id: hex(&span.parent_span_id),
                begins: span.start_time_unix_nano,
                ends: span.end_time_unix_nano,
                attributes: attributes(span.attributes),
                events: span.events.into_iter().map(|event| (event.name, event.time_unix_nano)).collect(),
                links: span.links.iter().map(|link| (hex(&link.trace_id), hex(&link.span_id))).collect(),
                is_error: span.status.is_some_and(|status| status.code == 2),
                resource: resource.clone(),
            });
        }
    }
    spans
}

fn attributes(key_values: Vec<KeyValue>) -> BTreeMap<String, String> {
    key_values.into_iter().map(|pair| (pair.key, text(pair.value.unwrap_or_default()))).collect()
}

fn text(value: AnyValue) -> String {
    match value.value {
        Some(any_value::Value::StringValue(text)) => text,
        Some(any_value::Value::IntValue(number)) => number.to_string(),
        Some(any_value::Value::DoubleValue(number)) => number.to_string(),
        other => format!("{other:?}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}
