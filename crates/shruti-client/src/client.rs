//! Client for one server, and its builder.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use shruti_protocol::stream::ConfigPatch;
use shruti_protocol::{Normalization, SynthesisRequest, UsageAnswer};

use crate::endpoint::Endpoint;
use crate::server::{Server, read};
use crate::tls::Trust;
use crate::{Clip, Conversation, Error};

/// Maximum size of a document that [`Client::get`] fetches, in bytes.
const MAX_DOCUMENT_BYTES: usize = 64 * 1024;
/// Maximum size of a usage response, in bytes. It suffices for 400 days with fifteen languages and two voices, with
/// a margin.
const MAX_USAGE_BYTES: usize = 4 * 1024 * 1024;

/// Maximum size of a normalisation response, in bytes. It suffices for 5,000 characters, even if each is a token
/// that is read as several words.
const MAX_NORMALIZATION_BYTES: usize = 16 * 1024 * 1024;

/// Client for one server. It is cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct Client {
    pub(crate) server: Arc<Server>,
}

/// Builder for a [`Client`].
#[must_use]
pub struct ClientBuilder {
    url: String,
    key: String,
    trust: Trust,
    reuses_connections: bool,
}

impl Client {
    /// Creates a client for the server at `url` (`https://host:port`) that authenticates with an API key.
    pub fn new(url: &str, key: &str) -> Result<Self, Error> {
        Self::builder(url, key).build()
    }

    /// Returns a client builder.
    pub fn builder(url: &str, key: &str) -> ClientBuilder {
        ClientBuilder {
            url: url.to_owned(),
            key: key.to_owned(),
            trust: Trust::default(),
            reuses_connections: true,
        }
    }

    /// Requests a clip of a text. Returns when the first samples have been received.
    pub async fn speak(&self, request: &SynthesisRequest) -> Result<Clip, Error> {
        let body = serde_json::to_vec(request).map_err(|error| Error::Protocol(error.to_string()))?;
        let response = self.server.send(Method::POST, "/v1/tts", body).await?;
        Clip::new(response).await
    }

    /// Opens a conversation with the server's default settings.
    pub async fn converse(&self) -> Result<Conversation, Error> {
        self.converse_with(ConfigPatch::default()).await
    }

    /// Opens a conversation whose turns have these settings.
    pub async fn converse_with(&self, config: ConfigPatch) -> Result<Conversation, Error> {
        Conversation::open(Arc::clone(&self.server), config).await
    }

    /// Fetches a document of at most 64 KiB from the server, for example `/v1/voices` or `/healthz`.
    pub async fn get(&self, path: &str) -> Result<Bytes, Error> {
        let response = self.server.send(Method::GET, path, Vec::new()).await?;
        read(response, MAX_DOCUMENT_BYTES).await
    }

    /// Returns the spoken form of a text, token by token, without synthesising it.
    pub async fn normalize(&self, request: &SynthesisRequest) -> Result<Normalization, Error> {
        let body = serde_json::to_vec(request).map_err(|error| Error::Protocol(error.to_string()))?;
        let response = self.server.send(Method::POST, "/v1/normalize", body).await?;
        let body = read(response, MAX_NORMALIZATION_BYTES).await?;
        serde_json::from_slice(&body).map_err(|error| Error::Protocol(error.to_string()))
    }

    /// Returns the usage of the key on the days from `from` to `to` (`2026-01-31`, UTC), both inclusive. If both
    /// are `None`, returns the usage of the current month. The key needs the scope `usage:read`.
    pub async fn usage(&self, from: Option<&str>, to: Option<&str>) -> Result<UsageAnswer, Error> {
        let parameters =
            [("from", from), ("to", to)].into_iter().filter_map(|(name, day)| Some((name, day?)));
        let query: Vec<String> = parameters.map(|(name, day)| format!("{name}={day}")).collect();
        let path = format!("/v1/usage?{}", query.join("&"));
        let response = self.server.send(Method::GET, &path, Vec::new()).await?;
        let body = read(response, MAX_USAGE_BYTES).await?;
        serde_json::from_slice(&body).map_err(|error| Error::Protocol(error.to_string()))
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("server", &self.server.endpoint.authority()).finish_non_exhaustive()
    }
}

impl ClientBuilder {
    /// Trusts these certificates (PEM), in addition to those that the system trusts.
    pub fn trust(mut self, pem: &[u8]) -> Result<Self, Error> {
        self.trust.add(pem)?;
        Ok(self)
    }

    /// Disables TLS session resumption, for measurements.
    pub fn without_resumption(mut self) -> Self {
        self.trust.never_resumes = true;
        self
    }

    /// Opens a new connection for each request, for measurements.
    pub fn without_reuse(mut self) -> Self {
        self.reuses_connections = false;
        self
    }

    /// Creates the client, without connecting.
    pub fn build(self) -> Result<Client, Error> {
        let endpoint = Endpoint::parse(&self.url)?;
        let tls = self.trust.into_config()?;
        // the clone shares its session cache with the original, so that either can resume the other's sessions
        let mut websocket_tls = tls.clone();
        websocket_tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let mut authorization =
            HeaderValue::try_from(format!("Bearer {}", self.key)).map_err(|_| Error::Key)?;
        authorization.set_sensitive(true);
        let mut tcp = HttpConnector::new();
        tcp.set_nodelay(true);
        tcp.enforce_http(false);
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .enable_http2()
            .wrap_connector(tcp);
        let mut pool = Pool::builder(TokioExecutor::new());
        pool.pool_timer(TokioTimer::new());
        if !self.reuses_connections {
            pool.pool_max_idle_per_host(0);
        }
        let pool = pool.build(connector);
        Ok(Client {
            server: Arc::new(Server {
                endpoint,
                authorization,
                websocket_tls: Arc::new(websocket_tls),
                pool,
            }),
        })
    }
}
