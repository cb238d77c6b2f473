//! An HTTP client for tests.

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client as PooledClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use crate::{Audio, contract};

/// A client for one server. It reuses connections and speaks HTTP/1.1 or HTTP/2.
#[derive(Clone, Debug)]
pub struct Client {
    pool: PooledClient<HttpConnector, Full<Bytes>>,
    base: String,
    key: Option<String>,
}

/// A complete response.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Status code.
    pub status: StatusCode,
    /// Response headers.
    pub headers: HeaderMap,
    /// Response body.
    pub body: Bytes,
}

impl Client {
    /// Creates a client for `http://address` that sends an API key.
    pub fn new(address: std::net::SocketAddr, key: &str) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let pool = PooledClient::builder(TokioExecutor::new()).build(connector);
        Self { pool, base: format!("http://{address}"), key: Some(key.to_owned()) }
    }

    /// Switches the client to HTTP/2 with prior knowledge.
    #[must_use]
    pub fn over_http2(mut self) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        self.pool = PooledClient::builder(TokioExecutor::new()).http2_only(true).build(connector);
        self
    }

    /// Returns a copy of the client with another key, or without a key.
    #[must_use]
    pub fn with_key(&self, key: Option<&str>) -> Self {
        Self { key: key.map(str::to_owned), ..self.clone() }
    }

    /// Builds a request to a path, with the key and with JSON as its content type. The caller may change the request.
    pub fn request(&self, method: Method, path: &str, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        request.body(Full::new(body.into())).unwrap()
    }

    /// Sends a request and returns the response as soon as its headers have arrived. The body may still be
    /// incomplete.
    pub async fn open(&self, request: Request<Full<Bytes>>) -> Response<Incoming> {
        self.pool.request(request).await.unwrap()
    }

    /// Sends a request and reads the whole response. Panics if either does not match the OpenAPI document.
    pub async fn send(&self, request: Request<Full<Bytes>>) -> Reply {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let sent = request.body().clone().collect().await.expect("bytes at hand").to_bytes();
        let (parts, body) = self.open(request).await.into_parts();
        let body = body.collect().await.expect("the body is incomplete").to_bytes();
        let reply = Reply { status: parts.status, headers: parts.headers, body };
        contract::check(&method, &path, &sent, &reply);
        reply
    }

    /// Sends a `GET` request.
    pub async fn get(&self, path: &str) -> Reply {
        self.send(self.request(Method::GET, path, Bytes::new())).await
    }

    /// Sends `POST /v1/tts` with the given body, unmodified.
    pub async fn post(&self, body: impl Into<Bytes>) -> Reply {
        self.send(self.request(Method::POST, "/v1/tts", body)).await
    }

    /// Sends `POST /v1/tts` as a browser does for a page of the given origin.
    pub async fn post_from(&self, origin: &str, body: impl Into<Bytes>) -> Reply {
        let mut request = self.request(Method::POST, "/v1/tts", body);
        request.headers_mut().insert(header::ORIGIN, origin.parse().unwrap());
        self.send(request).await
    }

    /// Sends the preflight request that a browser sends before a page of `origin` sends `POST` with JSON and
    /// a token to `path`.
    pub async fn preflight(&self, origin: &str, path: &str) -> Reply {
        let mut request = self.with_key(None).request(Method::OPTIONS, path, Bytes::new());
        let headers = request.headers_mut();
        headers.remove(header::CONTENT_TYPE);
        headers.insert(header::ORIGIN, origin.parse().unwrap());
        headers.insert(header::ACCESS_CONTROL_REQUEST_METHOD, "POST".parse().unwrap());
        let wanted = "authorization,content-type".parse().unwrap();
        headers.insert(header::ACCESS_CONTROL_REQUEST_HEADERS, wanted);
        self.send(request).await
    }

    /// Creates a single-use token. Panics if that fails.
    pub async fn token(&self) -> String {
        let reply = self.send(self.request(Method::POST, "/v1/tokens", Bytes::new())).await;
        assert_eq!(reply.status, StatusCode::OK, "{}", String::from_utf8_lossy(&reply.body));
        reply.json()["token"].as_str().unwrap().to_owned()
    }

    /// Sends `POST /v1/tts` with a JSON value. Panics if the response is not audio.
    pub async fn speak(&self, body: &Value) -> Audio {
        self.post(body.to_string()).await.audio()
    }
}

impl Reply {
    /// Returns the value of a header; empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    /// Returns the body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    /// Returns the body as raw samples. Panics if the request failed.
    pub fn audio(&self) -> Audio {
        assert_eq!(self.status, StatusCode::OK, "{}", String::from_utf8_lossy(&self.body));
        Audio::from_bytes(&self.body)
    }

    /// Panics if the response is not the complete error `code`: status, type, headers and every field of the body.
    /// Returns the error.
    pub fn assert_error(&self, code: shruti_protocol::ErrorCode) -> Value {
        let body = self.json();
        contract::error_body(&body);
        let error = &body["error"];
        assert_eq!(error["code"], code.as_str(), "{body}");
        assert_eq!(self.status.as_u16(), code.status(), "{body}");
        assert_eq!(error["type"], code.error_type().as_str());
        assert_eq!(error["retryable"], code.retryable());
        let doc_url = error["doc_url"].as_str().unwrap_or_default();
        let server = doc_url.strip_suffix(&format!("/docs/errors#{code}")).expect(doc_url);
        // if the request contains no usable host, the URL is only a path
        assert!(server.is_empty() || server.starts_with("http"), "{doc_url}");
        assert_eq!(error["request_id"], self.header("x-request-id"));
        assert!(self.header("x-request-id").starts_with("req_"));
        assert_eq!(self.header("content-type"), "application/json");
        assert!(error["message"].as_str().is_some_and(|message| message.len() > 10), "{body}");
        let fields: Vec<_> = error.as_object().unwrap().keys().map(String::as_str).collect();
        let expected =
            ["type", "code", "message", "param", "retryable", "retry_after_ms", "request_id", "doc_url"];
        assert_eq!(fields.len(), expected.len(), "{body}");
        assert!(expected.iter().all(|field| fields.contains(field)), "{body}");
        let authenticate = self.header("www-authenticate");
        assert_eq!(authenticate == "Bearer", self.status == StatusCode::UNAUTHORIZED, "{authenticate}");
        let seconds = error["retry_after_ms"].as_u64().map(|ms| ms.div_ceil(1_000).max(1).to_string());
        assert_eq!(self.header("retry-after"), seconds.unwrap_or_default());
        error.clone()
    }
}
