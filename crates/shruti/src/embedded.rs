//! Server in this process, used without `--server`.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use futures_util::FutureExt;
use shruti_client::Client;
use shruti_clock::{Clock, SystemClock};
use shruti_lang::{VoiceEngine, VoiceId};
use shruti_service::Config;
use shruti_store::SqliteStore;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::packs;

/// Embedded server with its own port and key. Dropping this value stops the server and removes its data.
pub(crate) struct Embedded {
    pub(crate) client: Client,
    running: JoinHandle<()>,
    _store: TempDir,
}

impl Embedded {
    /// Starts the server, and creates a client for it. `voice` may belong to a pack in the data folder.
    pub(crate) async fn start(
        voice: VoiceId,
        voice_engine: VoiceEngine,
        data_dir: PathBuf,
    ) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Handle::current();
        let start = move || {
            let engine = packs::engine_for(&voice, voice_engine, &data_dir, &runtime)?;
            engine.warm_up()?;
            anyhow::Ok(engine)
        };
        let engine = Arc::new(tokio::task::spawn_blocking(start).await??);
        let folder = tempfile::tempdir().context("cannot create a temporary folder for the keys")?;
        let store = SqliteStore::open(folder.path())?.shared();
        let clock = Arc::new(SystemClock::new());
        let first =
            store.ensure_first_key(clock.now().wall_ms).await?.context("the store did not create a key")?;
        let listener = TcpListener::bind("127.0.0.1:0").await.context("cannot listen on a local port")?;
        let url = format!("http://{}", listener.local_addr()?);
        let client = Client::new(&url, first.secret.reveal())?;
        let running = tokio::spawn(async move {
            let never = std::future::pending().boxed();
            // if the server fails to start, the client reports that it cannot connect
            let _ = shruti_server::run(listener, engine, store, clock, Config::default(), never).await;
        });
        Ok(Self { client, running, _store: folder })
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        self.running.abort();
    }
}
