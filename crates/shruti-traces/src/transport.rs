//! HTTP transport to the collector.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Chain;
use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use opentelemetry_http::{HttpClient, HttpError};
use rustls::ClientConfig;

/// Maximum size of a response body, in bytes; a longer response is an error.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Pool of connections to one collector. Redirects are not followed.
#[derive(Debug)]
pub(crate) struct Transport {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    last_error: LastRequestError,
}

/// Reason why the last request got no response. The OTLP exporter does not report this reason.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastRequestError(Arc<Mutex<Option<String>>>);

impl LastRequestError {
    fn set(&self, why: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// Returns the reason, or `None` if the last request got a response.
    pub(crate) fn why(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Transport {
    pub(crate) fn new(tls: ClientConfig, last_error: LastRequestError) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        tcp.enforce_http(false);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(connector);
        Self { client, last_error }
    }
}

#[async_trait]
impl HttpClient for Transport {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let answer = async {
            let (head, body) = self.client.request(request.map(Full::new)).await?.into_parts();
            let body = Limited::new(body, MAX_ANSWER_BYTES).collect().await?.to_bytes();
            Ok::<_, HttpError>(Response::from_parts(head, body))
        };
        let answer = answer.await;
        self.last_error.set(answer.as_ref().err().map(|error| {
            let causes: Vec<_> = Chain::new(&**error).map(ToString::to_string).collect();
            causes.join(": ")
        }));
        answer
    }
}
