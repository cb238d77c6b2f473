//! A test server on port 0 in this process.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use shruti_clock::{Clock, SystemClock};
use shruti_engine::{Engine, EngineBuilder};
use shruti_http::{Tls, TlsFiles, self_signed};
use shruti_server::{RunError, run};
use shruti_service::Config;
use shruti_store::{
    Account, AccountChange, Actor, CreatedKey, EmailAddress, KeyCreation, KeySpec, SqliteStore, Store,
};
use shruti_voice::ParametricBackend;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::Client;

/// Timeout for expected events. A passing test never waits this long.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// A running server with its own store and a key.
#[derive(Debug)]
pub struct TestServer {
    /// Listen address.
    pub address: SocketAddr,
    /// Engine of the server, for inspection.
    pub engine: Arc<Engine>,
    /// Store of the server, for creating and revoking keys.
    pub store: Arc<dyn Store>,
    /// API key without limits.
    pub key: String,
    /// Certificate and private key, if the server uses HTTPS.
    pub tls: Option<TlsFiles>,
    /// Configuration, for a restart.
    config: Config,
    data: tempfile::TempDir,
    shutdown: Option<oneshot::Sender<()>>,
    running: JoinHandle<Result<(), RunError>>,
}

/// Builder for a [`TestServer`].
#[must_use]
pub struct TestServerBuilder {
    config: Config,
    max_speeches: Option<usize>,
    clock: Arc<dyn Clock>,
    tls: Option<Certificate>,
    store: Option<Arc<dyn Store>>,
}

/// Certificate of an HTTPS server.
enum Certificate {
    SelfSigned,
    OfFiles(TlsFiles),
}

impl TestServer {
    /// Starts a server with the embedded voices and the default settings of [`TestServer::builder`].
    pub async fn start() -> Self {
        Self::builder().start().await
    }

    /// Returns a builder for a server.
    pub fn builder() -> TestServerBuilder {
        let mut config = Config::default();
        // the default timeout is too short for slow machines, where a server would then speak without a
        // confirmed allowance; tests of this case set their own timeout
        config.timeouts.draw = PATIENCE;
        TestServerBuilder {
            config,
            max_speeches: None,
            clock: Arc::new(SystemClock::new()),
            tls: None,
            store: None,
        }
    }

    /// Returns the certificate in PEM. Panics if the server does not use HTTPS.
    pub fn certificate(&self) -> Vec<u8> {
        let files = self.tls.as_ref().expect("the server uses plain HTTP");
        std::fs::read(&files.certificate).unwrap()
    }

    /// Returns a client with the server's key.
    pub fn client(&self) -> Client {
        Client::new(self.address, &self.key)
    }

    /// Creates another key.
    pub async fn create_key(&self, spec: KeySpec) -> CreatedKey {
        let now_ms = SystemClock::new().now().wall_ms;
        self.store.create_key(Actor::Operator, spec, now_ms).await.unwrap().created().unwrap()
    }

    /// Creates an account with a monthly allowance of `chars` characters.
    pub async fn create_account(&self, email: &str, chars: u64) -> Account {
        let now_ms = SystemClock::new().now().wall_ms;
        let email: EmailAddress = email.parse().unwrap();
        self.store.invite_account(Actor::Operator, email.clone(), now_ms).await.unwrap();
        match self.store.unlock_account(Actor::Operator, email, Some(chars), now_ms).await.unwrap() {
            AccountChange::Changed(account) => account,
            other => panic!("{other:?}"),
        }
    }

    /// Creates a key for an account.
    pub async fn create_key_of(&self, account: &Account, spec: KeySpec) -> CreatedKey {
        let now_ms = SystemClock::new().now().wall_ms;
        match self.store.create_key(Actor::Account(account.id.clone()), spec, now_ms).await.unwrap() {
            KeyCreation::Created(key) => *key,
            other => panic!("{other:?}"),
        }
    }

    /// Returns the folder of the store.
    pub fn data_dir(&self) -> &std::path::Path {
        self.data.path()
    }

    /// Waits until no stream is active.
    pub async fn idle(&self) {
        tokio::time::timeout(PATIENCE, self.engine.idle()).await.expect("speeches did not end");
    }

    /// Sends the shutdown signal.
    pub fn begin_shutdown(&mut self) {
        if let Some(shutdown) = self.shutdown.take() {
            let _ = shutdown.send(());
        }
    }

    /// Sends the shutdown signal and waits until the server has stopped.
    pub async fn stop(mut self) {
        self.end().await;
    }

    /// Stops the server and starts it again at the same address, with its keys, its configuration and the embedded
    /// voices.
    pub async fn restart(&mut self) {
        self.end().await;
        let engine = Engine::builder().backend(ParametricBackend::new());
        self.engine = Arc::new(engine.build().unwrap());
        let listener = TcpListener::bind(self.address).await.unwrap();
        let (engine, store, clock) =
            (Arc::clone(&self.engine), Arc::clone(&self.store), Arc::new(SystemClock::new()));
        let (shutdown, running) = serve(listener, engine, store, clock, self.config.clone());
        (self.shutdown, self.running) = (Some(shutdown), running);
    }

    /// Sends the shutdown signal and waits until the server has stopped. Its store stays available until the value is
    /// dropped.
    pub async fn end(&mut self) {
        self.begin_shutdown();
        let ended = tokio::time::timeout(PATIENCE, &mut self.running).await;
        ended.expect("the server did not stop").unwrap().unwrap();
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl TestServerBuilder {
    /// Changes the configuration.
    pub fn config(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.config);
        self
    }

    /// Sets the maximum number of concurrent streams.
    pub fn max_speeches(mut self, max_speeches: usize) -> Self {
        self.max_speeches = Some(max_speeches);
        self
    }

    /// Sets the clock for connection timeouts. The default is the system clock.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the store, possibly one that other servers also use. The default is a new store in a temporary folder.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Enables HTTPS with a self-signed certificate for `localhost`.
    pub fn tls(mut self) -> Self {
        self.tls = Some(Certificate::SelfSigned);
        self
    }

    /// Enables HTTPS with a certificate that the test provides.
    pub fn tls_of(mut self, files: TlsFiles) -> Self {
        self.tls = Some(Certificate::OfFiles(files));
        self
    }

    /// Starts the server with the embedded voices.
    pub async fn start(self) -> TestServer {
        self.start_with(Engine::builder().backend(ParametricBackend::new())).await
    }

    /// Starts the server with the back ends of an engine builder instead of the embedded voices.
    pub async fn start_with(self, engine: EngineBuilder) -> TestServer {
        let engine = match self.max_speeches {
            Some(max_speeches) => engine.max_speeches(max_speeches),
            None => engine,
        };
        let engine = Arc::new(engine.build().unwrap());
        let data = tempfile::tempdir().unwrap();
        let in_its_folder =
            || SqliteStore::open(data.path()).unwrap().with_lock_wait(SqliteStore::SERVER_LOCK_WAIT).shared();
        let store = self.store.unwrap_or_else(in_its_folder);
        let clock = self.clock;
        let tls = self.tls.map(|certificate| match certificate {
            Certificate::SelfSigned => {
                let names = ["localhost", "127.0.0.1"].map(str::to_owned);
                self_signed(data.path(), &names, SystemTime::now()).unwrap().files
            }
            Certificate::OfFiles(files) => files,
        });
        let mut config = self.config;
        config.tls = tls.clone().map(|files| Tls::load(files).unwrap());
        // if the store already has keys, another one is created
        let first = if let Some(first) = store.ensure_first_key(clock.now().wall_ms).await.unwrap() {
            first
        } else {
            let spec = KeySpec::named("another server");
            let created = store.create_key(Actor::Operator, spec, clock.now().wall_ms).await.unwrap();
            created.created().unwrap()
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (shutdown, running) =
            serve(listener, Arc::clone(&engine), Arc::clone(&store), clock, config.clone());
        let key = first.secret.reveal().to_owned();
        TestServer { address, engine, store, key, tls, config, data, shutdown: Some(shutdown), running }
    }
}

/// Runs a server until the shutdown signal.
fn serve(
    listener: TcpListener,
    engine: Arc<Engine>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    config: Config,
) -> (oneshot::Sender<()>, JoinHandle<Result<(), RunError>>) {
    let (shutdown, shut_down) = oneshot::channel();
    let signal = async move {
        // dropping the server is not a shutdown signal
        if shut_down.await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let signal = Box::pin(signal);
    (shutdown, tokio::spawn(run(listener, engine, store, clock, config, signal)))
}
