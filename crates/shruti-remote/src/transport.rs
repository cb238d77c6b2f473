//! HTTP to one server.

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

/// The sound of an answer; an error is what is said of it.
pub(crate) type Body = UnsyncBoxBody<Bytes, String>;

type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, RequestError>> + Send>>;

/// Sends a request. Dropping what it gives, or the body that comes of that, ends it. Redirects are not followed.
pub(crate) type Transport = Arc<dyn Fn(Request<Full<Bytes>>) -> Answer + Send + Sync>;

/// Over TCP and TLS, with the certificates that the machine trusts. Connections are kept for the next request.
pub(crate) fn network() -> Result<Transport, RemoteLoadError> {
    let wrong = |error: rustls::Error| RemoteLoadError::Tls(error.to_string());
    let mut roots = RootCertStore::empty();
    // what the machine has and this library cannot read is not trusted, and no reason to fail
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
    // the retry of what could not be sent is ours, and counted
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

/// An error with what caused it.
fn causes(error: &(dyn Error + 'static)) -> String {
    let causes: Vec<_> = Chain::new(error).map(ToString::to_string).collect();
    causes.join(": ")
}
