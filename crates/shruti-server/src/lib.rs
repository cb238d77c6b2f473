//! The HTTP server: composes the routes of all APIs and pages, accepts connections and shuts down.
//!
//! [`run`] receives all its dependencies as arguments: the listener, the engine, the store, the clock and the shutdown
//! signal. A test can therefore bind port 0 and stop the server at any time:
//!
//! ```no_run
//! use std::sync::Arc;
//! use shruti_engine::Engine;
//! use shruti_voice::ParametricBackend;
//! use shruti_clock::SystemClock;
//! use shruti_server::run;
//! use shruti_service::Config;
//! use shruti_store::SqliteStore;
//!
//! # async fn start() -> Result<(), Box<dyn std::error::Error>> {
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
//! let engine = Arc::new(Engine::builder().backend(ParametricBackend::new()).build()?);
//! let store = SqliteStore::open("data".as_ref())?.shared();
//! let shutdown = Box::pin(std::future::pending());
//! run(listener, engine, store, Arc::new(SystemClock::new()), Config::default(), shutdown).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Layers
//!
//! `shruti_http` contains the sockets, `shruti_service` the parts that every API needs, `shruti_api` the native API,
//! `shruti_compat` the compatible APIs, `shruti_wyoming` the Wyoming protocol and `shruti_site` the pages. This crate
//! must contain neither messages of an API nor pages. It contains:
//!
//! | folder or file | purpose |
//! | --- | --- |
//! | `routes`, `document` | the documented routes of all crates; the OpenAPI document |
//! | `router` | all paths, and the processing that is common to all requests |
//!
//! # Processing of a request
//!
//! `shruti_http` reads the request, with timeouts, after the TLS handshake if there is a certificate. `router` assigns
//! an ID, catches panics, converts every failure into the error body of its API, and calls a handler of `shruti_api`,
//! `shruti_compat` or `shruti_site`. The `Authorized` argument of a handler identifies the caller. Speech is
//! synthesised on the threads of the engine, never here.
//!
//! # Shutdown
//!
//! After the shutdown signal, new work is refused with `503 draining` while running clips finish, for at most 30 s.
//! Then the last usage is saved, and pending emails are sent until 10 s after the signal, but for at least 2 s. After
//! that, [`run`] returns.

mod document;
mod router;
mod routes;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use shruti_clock::Clock;
use shruti_engine::Engine;
use shruti_http::{Handshakes, MemoryBudget, Plumbing, Refusals, RefusedCounts, Stop};
use shruti_service::app::App;
use shruti_service::{Config, mails};
use shruti_store::{KeyCache, Store, StoreError};
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Maximum time that connections may take to close after the last clip has ended. It is also the minimum time for
/// sending pending emails.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Error that prevents the server from starting.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The keys could not be read.
    #[error("the store does not respond: {0}")]
    Store(#[from] StoreError),
}

/// Serves requests until `shutdown` is ready and the work in progress has ended.
///
/// The futures are boxed, so that the code of the server is generated only in this crate, not again in each program
/// that runs the server.
pub fn run(
    listener: TcpListener,
    engine: Arc<Engine>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    config: Config,
    shutdown: BoxFuture<'static, ()>,
) -> BoxFuture<'static, Result<(), RunError>> {
    serve(listener, engine, store, clock, config, shutdown).boxed()
}

async fn serve(
    listener: TcpListener,
    engine: Arc<Engine>,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    config: Config,
    shutdown: BoxFuture<'static, ()>,
) -> Result<(), RunError> {
    let app = Arc::new(App::new(engine, store, clock, config));
    app.auth.refresh().await?;
    let follow_keys = tokio::spawn(follow_keys(Arc::clone(&app)));
    let follow_certificate = match app.config.tls.clone() {
        Some(tls) => tokio::spawn(tls.follow(Arc::clone(&app.clock))),
        None => tokio::spawn(async {}),
    };
    let warn_of_quotas = tokio::spawn(mails::warn_of_quotas(Arc::clone(&app)));
    let stop_metering = CancellationToken::new();
    let metering = tokio::spawn(Arc::clone(&app.metering).run_flush_loop(stop_metering.clone()));
    let stop = Stop::default();
    let connections = TaskTracker::new();
    let wyoming =
        app.config.wyoming.clone().map(|wyoming| {
            tokio::spawn(shruti_wyoming::serve(Arc::clone(&app), wyoming, connections.clone()))
        });
    let draining_since = {
        let mut accepting = pin!(accept(listener, Arc::clone(&app), connections.clone(), stop.clone()));
        tokio::select! {
            () = &mut accepting => {}
            () = shutdown => {}
        }
        let draining_since = Instant::now();
        app.drain();
        tracing::info!(streams = app.streams.total(), "draining");
        // connections are still accepted, so that clients receive the error `draining`
        let quiet = async {
            app.streams.idle().await;
            app.engine.idle().await;
        };
        tokio::select! {
            () = &mut accepting => {}
            drained = timeout(app.config.timeouts.drain, quiet) => {
                if drained.is_err() {
                    tracing::warn!(streams = app.streams.total(), "clips were aborted at the end of the drain");
                }
            }
        }
        draining_since
    };
    stop.gracefully.cancel();
    if let Some(wyoming) = wyoming {
        wyoming.abort();
    }
    connections.close();
    if timeout(CLOSE_TIMEOUT, connections.wait()).await.is_err() {
        stop.now.cancel();
        connections.wait().await;
    }
    stop_metering.cancel();
    if metering.await.is_err() {
        tracing::error!("the metering task panicked; usage since the last report is not saved");
    }
    follow_keys.abort();
    follow_certificate.abort();
    warn_of_quotas.abort();
    // emails of the last requests get at least two seconds to be sent
    let mails_end = draining_since + app.config.timeouts.mails;
    mails::finish(&app, mails_end.max(Instant::now() + CLOSE_TIMEOUT)).await;
    tracing::info!("stopped");
    Ok(())
}

/// Returns the state and settings that all connections share.
fn plumbing(app: &Arc<App>) -> Plumbing {
    let refused_by = Arc::clone(app);
    Plumbing {
        timeouts: app.config.timeouts.of_connections(),
        tls: app.config.tls.clone(),
        handshakes: Handshakes::new(app.config.max_handshakes),
        memory: MemoryBudget::new(app.config.max_unfinished_bytes),
        on_refused: Box::new(move |code| refused_by.metrics.failed(code)),
    }
}

/// Accepts connections forever.
async fn accept(listener: TcpListener, app: Arc<App>, connections: TaskTracker, stop: Stop) {
    let router = router::router(Arc::clone(&app));
    let plumbing = Arc::new(plumbing(&app));
    let mut refusals = Refusals::default();
    loop {
        let (stream, peer) = shruti_http::accept(&listener).await;
        let client = Some(peer.ip().to_canonical());
        let client = client.filter(|&address| app.config.limits_connections_of(address));
        let slot = match app.connections.open(client) {
            Ok(slot) => slot,
            Err(which) => {
                if let Some(RefusedCounts { in_total, of_address }) =
                    refusals.note(which, app.clock.now().monotonic)
                {
                    tracing::warn!(in_total, of_address, "connections were refused: too many are open");
                }
                continue;
            }
        };
        let serving =
            shruti_http::serve(Arc::clone(&plumbing), router.clone(), stream, peer, client, stop.clone());
        connections.spawn(async move {
            serving.await;
            drop(slot);
        });
    }
}

/// Keeps the key cache up to date and checks the availability of the store.
async fn follow_keys(app: Arc<App>) {
    loop {
        tokio::select! {
            () = sleep(KeyCache::REFRESH_EVERY) => {}
            () = app.store.wait_for_key_change() => {}
        }
        let looked = match app.store.probe().await {
            Ok(()) => app.auth.refresh().await,
            Err(error) => Err(error),
        };
        app.store_health.note(&looked);
    }
}
