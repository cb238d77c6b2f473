//! HTTP requests to a server, and the errors in its responses.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, header};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::ClientConfig;
use shruti_protocol::ErrorBody;

use crate::Error;
use crate::endpoint::Endpoint;

/// Maximum size of an error body, in bytes.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// Server, with its address, the API key, and the pool of connections to it.
pub(crate) struct Server {
    pub(crate) endpoint: Endpoint,
    pub(crate) authorization: HeaderValue,
    /// TLS configuration for WebSockets. They are opened over HTTP/1.1.
    pub(crate) websocket_tls: Arc<ClientConfig>,
    pub(crate) pool: Pool<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

impl Server {
    /// Sends a request, and returns its response if the status is a success.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Vec<u8>,
    ) -> Result<Response<Incoming>, Error> {
        let Self { endpoint, authorization, pool, .. } = self;
        let request = Request::builder()
            .method(method)
            .uri(endpoint.uri(path)?)
            .header(header::AUTHORIZATION, authorization)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::from(body))
            .map_err(|error| Error::Protocol(error.to_string()))?;
        let response = pool.request(request).await.map_err(|error| {
            if error.is_connect() {
                Error::connect(&endpoint.authority(), &error)
            } else {
                Error::broken(&error)
            }
        })?;
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(refusal(&endpoint.authority(), response).await)
        }
    }
}

/// Reads a body of at most `most_bytes` bytes.
pub(crate) async fn read(response: Response<Incoming>, most_bytes: usize) -> Result<Bytes, Error> {
    let body = Limited::new(response.into_body(), most_bytes).collect().await;
    body.map(http_body_util::Collected::to_bytes).map_err(|error| {
        if error.is::<LengthLimitError>() {
            // a retry would receive the same response
            Error::Protocol(format!("a response is longer than {most_bytes} bytes"))
        } else {
            Error::Broken(error.to_string())
        }
    })
}

/// Returns the error of a response without a success status.
async fn refusal(server: &str, response: Response<Incoming>) -> Error {
    let status = response.status();
    match read(response, MAX_ERROR_BYTES).await {
        Ok(body) => refusal_of(server, status, &body),
        // a body that is too long is not an error of the server, and does not change what the status means
        Err(Error::Protocol(_)) => refusal_of(server, status, &[]),
        Err(error) => error,
    }
}

/// Returns the error for a status and a body.
pub(crate) fn refusal_of(server: &str, status: http::StatusCode, body: &[u8]) -> Error {
    match serde_json::from_slice::<ErrorBody>(body) {
        Ok(body) => Error::Refused { status: Some(status), detail: Box::new(body.error) },
        Err(_) if matches!(status.as_u16(), 502..=504) => Error::Connect {
            server: server.to_owned(),
            cause: format!("a proxy in front of the server responded with status {status}"),
        },
        // most likely an error page of a proxy
        Err(_) => Error::Protocol(format!("status {status} with an unknown error body")),
    }
}
