//! HTTP to the collector.

use std::time::Duration;

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

/// The largest answer that is read, in bytes; a collector says little.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Connections to one collector, kept for the next request. Redirects are not followed.
#[derive(Debug)]
pub(crate) struct Transport(Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

impl Transport {
    pub(crate) fn new(tls: ClientConfig) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        tcp.enforce_http(false);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        Self(Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(connector))
    }
}

#[async_trait]
impl HttpClient for Transport {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let answer = async {
            let (head, body) = self.0.request(request.map(Full::new)).await?.into_parts();
            let body = Limited::new(body, MAX_ANSWER_BYTES).collect().await?.to_bytes();
            Ok::<_, HttpError>(Response::from_parts(head, body))
        };
        // the exporter tells no cause of what fails without an answer
        answer.await.inspect_err(|error| tracing::debug!(?error, "the collector cannot be reached"))
    }
}
