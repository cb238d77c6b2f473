//! HTTP transport to one server.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;

use anyhow::Chain;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};

use crate::error::{RemoteLoadError, RequestError};

/// Body of a response. Its error is a description of the cause.
pub(crate) type Body = UnsyncBoxBody<Bytes, String>;

type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, RequestError>> + Send>>;

/// Function that sends a request. Dropping the returned future or the response body ends the request. Redirects are not
/// followed.
pub(crate) type Transport = Arc<dyn Fn(Request<Full<Bytes>>) -> Answer + Send + Sync>;

/// Returns a transport over TCP and TLS that trusts the certificates of the machine. Connections are reused.
pub(crate) fn network() -> Result<Transport, RemoteLoadError> {
    let wrong = |error: rustls::Error| RemoteLoadError::Tls(error.to_string());
    let mut roots = RootCertStore::empty();
    // certificates of the machine that this library cannot parse are skipped
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let tls = versions.map_err(wrong)?.with_root_certificates(roots).with_no_client_auth();
    let mut tcp = HttpConnector::new();
    tcp.set_nodelay(true);
    tcp.enforce_http(false);
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(tls)
        .https_or_http()
        .enable_all_versions()
        .wrap_connector(tcp);
    let mut pool = Client::builder(TokioExecutor::new());
    // this crate retries unsent requests itself and counts the retries
    pool.pool_timer(TokioTimer::new()).retry_canceled_requests(false);
    let client = pool.build(connector);
    Ok(Arc::new(move |request| {
        let answer = client.request(request);
        Box::pin(async move {
            let response = answer.await.map_err(|error| RequestError::Connection(causes(&error)))?;
            Ok(response.map(|body| body.map_err(|error| causes(&error)).boxed_unsync()))
        })
    }))
}

/// Formats an error with its causes.
fn causes(error: &(dyn Error + 'static)) -> String {
    let causes: Vec<_> = Chain::new(error).map(ToString::to_string).collect();
    causes.join(": ")
}
