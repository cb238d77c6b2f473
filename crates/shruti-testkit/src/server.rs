//! A server on port 0, in this process.

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

/// How long a test waits for what must come; no test that passes waits so long.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// A running server with a store of its own and a key.
#[derive(Debug)]
pub struct TestServer {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its engine, for looking at what is being done.
    pub engine: Arc<Engine>,
    /// Its store, for making and revoking keys.
    pub store: Arc<dyn Store>,
    /// A key without limits.
    pub key: String,
    /// Its certificate and key, where it speaks HTTPS.
    pub tls: Option<TlsFiles>,
    /// What it was started with, for a restart.
    config: Config,
    data: tempfile::TempDir,
    shutdown: Option<oneshot::Sender<()>>,
    running: JoinHandle<Result<(), RunError>>,
}

/// Puts a [`TestServer`] together.
#[must_use]
pub struct TestServerBuilder {
    config: Config,
    max_speeches: Option<usize>,
    clock: Arc<dyn Clock>,
    tls: Option<Certificate>,
    store: Option<Arc<dyn Store>>,
}

/// What an HTTPS server shows.
enum Certificate {
    SelfSigned,
    OfFiles(TlsFiles),
}

impl TestServer {
    /// A server with the embedded voices and the defaults of the documentation.
    pub async fn start() -> Self {
        Self::builder().start().await
    }

    /// Begins to put a server together.
    pub fn builder() -> TestServerBuilder {
        let mut config = Config::default();
        // on a busy machine nothing shall be spoken on credit but where a test is about it
        config.timeouts.draw = PATIENCE;
        TestServerBuilder {
            config,
            max_speeches: None,
            clock: Arc::new(SystemClock::new()),
            tls: None,
            store: None,
        }
    }

    /// Its certificate in PEM; panics where it speaks no HTTPS.
    pub fn certificate(&self) -> Vec<u8> {
        let files = self.tls.as_ref().expect("it speaks plain HTTP");
        std::fs::read(&files.certificate).unwrap()
    }

    /// A client with the server's key.
    pub fn client(&self) -> Client {
        Client::new(self.address, &self.key)
    }

    /// Makes another key.
    pub async fn create_key(&self, spec: KeySpec) -> CreatedKey {
        let now_ms = SystemClock::new().now().wall_ms;
        self.store.create_key(Actor::Operator, spec, now_ms).await.unwrap().created().unwrap()
    }

    /// Makes an account that may have so many characters spoken a month.
    pub async fn create_account(&self, email: &str, chars: u64) -> Account {
        let now_ms = SystemClock::new().now().wall_ms;
        let email: EmailAddress = email.parse().unwrap();
        self.store.invite_account(Actor::Operator, email.clone(), now_ms).await.unwrap();
        match self.store.unlock_account(Actor::Operator, email, Some(chars), now_ms).await.unwrap() {
            AccountChange::Changed(account) => account,
            other => panic!("{other:?}"),
        }
    }

    /// Makes a key of an account.
    pub async fn create_key_of(&self, account: &Account, spec: KeySpec) -> CreatedKey {
        let now_ms = SystemClock::new().now().wall_ms;
        match self.store.create_key(Actor::Account(account.id.clone()), spec, now_ms).await.unwrap() {
            KeyCreation::Created(key) => *key,
            other => panic!("{other:?}"),
        }
    }

    /// The folder of its store.
    pub fn data_dir(&self) -> &std::path::Path {
        self.data.path()
    }

    /// Waits until no speech is in progress.
    pub async fn idle(&self) {
        tokio::time::timeout(PATIENCE, self.engine.idle()).await.expect("speeches go on");
    }

    /// Gives the shutdown signal.
    pub fn begin_shutdown(&mut self) {
        if let Some(shutdown) = self.shutdown.take() {
            let _ = shutdown.send(());
        }
    }

    /// Gives the shutdown signal and waits for the end.
    pub async fn stop(mut self) {
        self.end().await;
    }

    /// Stops the server and starts it again at the same address, with its keys, its configuration and the embedded voices.
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

    /// The same; its store can be looked at until it is dropped.
    pub async fn end(&mut self) {
        self.begin_shutdown();
        let ended = tokio::time::timeout(PATIENCE, &mut self.running).await;
        ended.expect("the server goes on").unwrap().unwrap();
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

    /// Sets the most speeches at once.
    pub fn max_speeches(mut self, max_speeches: usize) -> Self {
        self.max_speeches = Some(max_speeches);
        self
    }

    /// Sets the clock by which connections live; the machine's if not set.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Gives it a store, which others may have too; one of its own in a folder of its own if not set.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Lets it speak HTTPS, with a self-signed certificate for localhost.
    pub fn tls(mut self) -> Self {
        self.tls = Some(Certificate::SelfSigned);
        self
    }

    /// Lets it speak HTTPS with a certificate of the test's.
    pub fn tls_of(mut self, files: TlsFiles) -> Self {
        self.tls = Some(Certificate::OfFiles(files));
        self
    }

    /// Starts it with the embedded voices.
    pub async fn start(self) -> TestServer {
        self.start_with(Engine::builder().backend(ParametricBackend::new())).await
    }

    /// Starts it with other voices.
    pub async fn start_with(self, engine: EngineBuilder) -> TestServer {
        let engine = match self.max_speeches {
            Some(max_speeches) => engine.max_speeches(max_speeches),
            None => engine,
        };
        let engine = Arc::new(engine.build().unwrap());
        let data = tempfile::tempdir().unwrap();
        let in_its_folder =
            || SqliteStore::open(data.path()).unwrap().with_lock_wait(SqliteStore::SERVER_LOCK_WAIT);
        let store = self.store.unwrap_or_else(|| Arc::new(in_its_folder()));
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
        // in a store that has keys it is one key more
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

/// Runs a server until the signal is given.
fn serve(
    listener: TcpListener,
    engine: Arc<Engine>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    config: Config,
) -> (oneshot::Sender<()>, JoinHandle<Result<(), RunError>>) {
    let (shutdown, shut_down) = oneshot::channel();
    let signal = async move {
        // a test that drops its server wants no shutdown
        if shut_down.await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    (shutdown, tokio::spawn(run(listener, engine, store, clock, config, signal)))
}
