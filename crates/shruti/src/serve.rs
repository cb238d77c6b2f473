//! The `shruti serve` command, which runs the service.

use std::io::{IsTerminal, stdout};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use futures_util::FutureExt;
use shruti_clock::SystemClock;
use shruti_engine::{Engine, UnusableBackend};
use shruti_http::Tls;
use shruti_service::{Config, Hosts, OpenPlayground, ServerLexicon, Visitors, VoiceAliases};
use shruti_store::{PostgresStore, SqliteStore, Store, make_private};
use shruti_voices::{Change, Children, Packs, builder};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::calendar;
use crate::clips;
use crate::data_folder;
use crate::files;
use crate::first_start;
use crate::lexicon;
use crate::log;
use crate::mail;
use crate::packs;
use crate::pid_file::PidFile;
use crate::running::Running;
use crate::runtime::block_on;
use crate::settings::{self, Settings, Sources};
use crate::tls;
use crate::traces;
use crate::wyoming;

/// Maximum time that shutdown waits for the collector to accept the last spans.
const LAST_SPANS: Duration = Duration::from_secs(2);
/// Idle time after which a thread for blocking work ends. Each thread uses memory.
const BLOCKING_KEEP_ALIVE: Duration = Duration::from_secs(2);

/// Start the service
///
/// The first start creates an API key, and a one-time link, valid for an hour, that signs the operator in to the
/// Studio. On a terminal they are shown with an example request; otherwise they are printed as two lines on standard
/// output, or written to the file that `--first-key` names. `shruti keys create` creates more keys, `shruti open` more
/// links. Logs go to standard error. SIGTERM or Ctrl-C lets running clips finish, for at most 30 seconds. SIGHUP
/// reloads the certificate, the lexicon and the voice packs.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    sources: Sources,
}

pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let settings = args.sources.clone().complete()?;
    let flush = log::start(log::filter(settings.log.as_deref())?, settings.log_format.unwrap_or_default())?;
    let flush = Arc::new(flush);
    log_panics_without_their_words();
    if let Err(error) = files::raise_limit() {
        tracing::warn!(%error, "the limit of open files could not be raised");
    }
    // new files are readable only by their owner; the store sets the modes of its files itself
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .thread_keep_alive(BLOCKING_KEEP_ALIVE)
        .enable_all()
        .build()?;
    let served = block_on(&runtime, serve(args.sources, settings, Arc::clone(&flush)));
    // shutdown waits at most a second for blocking work, such as reads from an unresponsive disk
    runtime.shutdown_timeout(Duration::from_secs(1));
    served
}

async fn serve(sources: Sources, settings: Settings, flush: Arc<log::Flush>) -> anyhow::Result<()> {
    // this handler is installed first, because the default action of SIGHUP ends the process
    let hangups = signal(SignalKind::hangup())?;
    let address = settings.address();
    let data_dir = settings.data_folder();
    if settings.data_dir.is_none() && data_folder::is_old_default(&data_dir) {
        tracing::info!(
            "this server keeps its data in ./shruti-data, the default of an earlier version, which works only if \
             the server starts in this folder; after moving the data, use --data-dir"
        );
    }
    // the port, the certificate and the lexicon come first: a start that fails because of them creates no key
    let listener = listen(address).await?;
    let wyoming_listener = wyoming::listen(&settings).await?;
    let tls = tls::set_up(&settings, &data_dir, listener.local_addr()?)?;
    let lexicon = settings.lexicon.as_deref().map(lexicon::of_server).transpose()?;
    let mail = mail::set_up(&settings)?;
    let hosts = hosts(&settings, listener.local_addr()?)?;
    let traces = traces::set_up(&settings)?;
    let packs =
        Packs::new(packs::config(&data_dir, &settings), packs::children(), tokio::runtime::Handle::current());
    let mut engine = builder(settings.voice_engine.unwrap_or_default())?.shared_threads(packs.threads());
    if let Some(max_speeches) = settings.max_speeches {
        engine = engine.max_speeches(max_speeches);
    }
    let engine = Arc::new(engine.build()?);
    let packs = Arc::new(packs);
    let (sharing, with, routes) = (Arc::clone(&engine), Arc::clone(&packs), settings.voices.clone());
    let share = move || with.share(&sharing, &routes.unwrap_or_default());
    let change = tokio::task::spawn_blocking(share).await??;
    log_change(&change);
    let voice_aliases = settings.voice_aliases.clone().unwrap_or_default();
    check_aliases(&voice_aliases, &engine, &change)?;
    let warming = Arc::clone(&engine);
    tokio::task::spawn_blocking(move || warming.warm_up()).await??;
    let clock = Arc::new(SystemClock::new());
    let store = open_store(&settings, &data_dir).await?;
    let base_url = first_start::base_url(tls.is_some(), listener.local_addr()?);
    let held = PidFile::hold(&data_dir, &base_url)?;
    if held.is_none() {
        tracing::warn!(
            "another server already runs with this data folder; `shruti reload` affects only that one"
        );
    }
    let note = held.as_ref().and_then(|_| Running::note(&data_dir));
    let is_terminal = stdout().is_terminal();
    let first_key = settings.first_key.clone().unwrap_or_default();
    let welcome = first_start::welcome(&*store, &base_url, &first_key, is_terminal).await?;
    if !is_terminal {
        welcome.print_lines()?;
    }
    let mut config = configured(&settings, listener.local_addr()?);
    config.clips = clips::set_up(&settings, &data_dir)?;
    config.wyoming = wyoming::set_up(&settings, wyoming_listener, &*store).await?;
    config.lexicon = ServerLexicon::new(lexicon.unwrap_or_default());
    config.voice_aliases = voice_aliases;
    (config.hosts, config.mail) = (hosts, mail);
    let exporter = traces.as_ref().map(|traces| traces.exporter.clone());
    config.traces = traces;
    let scheme = if tls.is_some() { "https" } else { "http" };
    config.tls = tls;
    let reloaded = Reloaded {
        sources,
        tls: config.tls.clone(),
        lexicon_file: settings.lexicon.clone(),
        lexicon: config.lexicon.clone(),
        engine: Arc::clone(&engine),
        packs,
    };
    tokio::spawn(reload(hangups, Arc::new(reloaded)));

    if let Err(error) = store.checkpoint().await {
        tracing::warn!(%error, "the write-ahead log could not be checkpointed");
    }
    tokio::spawn(prune(Arc::clone(&store)));
    tokio::spawn(checkpoint(Arc::clone(&store)));

    let mut signals = [signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?];
    let address = listener.local_addr()?;
    tracing::info!(%address, url = format!("{scheme}://{address}"), data_dir = %data_dir.display(), "listening");
    if is_terminal {
        // the log is flushed first, so that its lines do not scroll the welcome text away
        flush.now();
        let ca_file = (settings.tls_self_signed == Some(true)).then(|| data_dir.join("self-signed.pem"));
        welcome.print_block(&base_url, ca_file.as_deref());
    }
    let shutdown = async move {
        any(&mut signals).await;
        tokio::spawn(async move {
            any(&mut signals).await;
            tracing::warn!("stopped immediately by a second signal");
            flush.now();
            std::process::exit(1);
        });
    }
    .boxed();
    let ran = shruti_server::run(listener, engine, Arc::clone(&store), clock, config, shutdown).await;
    // for SQLite, this call moves all data from the write-ahead log into the database file
    store.close().await;
    if let Some(exporter) = exporter {
        exporter.finish(LAST_SPANS).await;
    }
    drop((note, held));
    Ok(ran?)
}

/// Checks that the voices of `voice-aliases` exist. If a pack could not be loaded, a missing voice is only logged,
/// since that pack may contain it.
fn check_aliases(aliases: &VoiceAliases, engine: &Engine, change: &Change) -> anyhow::Result<()> {
    let Some(unknown) = aliases.voices().find(|voice| engine.voices().find(voice).is_none()) else {
        return Ok(());
    };
    anyhow::ensure!(
        !change.unusable.is_empty(),
        "voice-aliases: there is no voice '{unknown}'; `shruti voices` lists all voices"
    );
    tracing::error!(voice = unknown, "voice-aliases: there is no such voice");
    Ok(())
}

/// Returns the server configuration with the values that depend only on the settings and the address.
fn configured(settings: &Settings, address: SocketAddr) -> Config {
    let mut config = Config::default();
    config.max_streams = settings.max_streams.unwrap_or(config.max_streams);
    config.max_connections_per_address =
        settings.max_connections_per_address.unwrap_or(config.max_connections_per_address);
    config.servers = settings.servers.unwrap_or(config.servers);
    config.trusted_proxies = settings.trust_proxy.clone().unwrap_or_default();
    if let Some(readers) = settings.metrics_for.clone() {
        config.metrics_for = readers;
    }
    config.open_playground = open_playground(settings, address);
    // strict transport security is not enabled with a self-signed certificate: such a certificate is for testing, often
    // on localhost, and browsers would then require HTTPS for all other services on localhost
    config.strict_transport = settings.tls_cert.is_some();
    config
}

/// Returns the configuration of the open playground, or `None` if the playground is closed. By default, the playground
/// is open only if no other machine can reach the server, and only to requests that no proxy forwarded.
fn open_playground(settings: &Settings, address: SocketAddr) -> Option<OpenPlayground> {
    let is_local = address.ip().is_loopback()
        && settings.trust_proxy.is_none()
        && settings.public_url.is_none()
        && settings.allow_hosts.is_none();
    let (monthly_chars, visitors) = match settings.open_playground {
        Some(open) => (open.0?, Visitors::All),
        None if is_local => (settings::OpenPlayground::CHARS, Visitors::Direct),
        None => return None,
    };
    Some(OpenPlayground { monthly_chars, visitors })
}

/// Returns the host names that requests may use.
fn hosts(settings: &Settings, address: SocketAddr) -> anyhow::Result<Hosts> {
    let mut names = settings.allow_hosts.clone().unwrap_or_default();
    if let Some(public_url) = mail::public_url(settings)? {
        names.add_host_of(&public_url);
    }
    Ok(Hosts::new(names, address, settings.trust_proxy.is_some()))
}

/// Opens the store: in the data folder, or in a database that other servers may share.
async fn open_store(settings: &Settings, data_dir: &Path) -> anyhow::Result<Arc<dyn Store>> {
    let Some(address) = settings.postgres()? else {
        let store = SqliteStore::open(data_dir)?;
        return Ok(store.with_lock_wait(SqliteStore::SERVER_LOCK_WAIT).shared());
    };
    // the data folder still holds certificates and packs
    make_private(data_dir).with_context(|| format!("data folder {}", data_dir.display()))?;
    let store = PostgresStore::open(&address).await.with_context(|| format!("database {address}"))?;
    tracing::info!(database = %address, encrypted = address.is_encrypted(), "the store is in PostgreSQL");
    Ok(store.shared())
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let bound = TcpListener::bind(address).await;
    bound.with_context(|| {
        format!("cannot listen on {address}; choose another address with --listen ADDR:PORT")
    })
}

/// Removes expired data from the store, immediately and then every hour.
async fn prune(store: Arc<dyn Store>) {
    const EVERY: Duration = Duration::from_hours(1);
    loop {
        if let Err(error) = store.prune(calendar::now_ms()).await {
            tracing::error!(%error, "expired data could not be removed from the store");
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// State that SIGHUP reloads.
struct Reloaded {
    sources: Sources,
    tls: Option<Tls>,
    lexicon_file: Option<PathBuf>,
    lexicon: ServerLexicon,
    engine: Arc<Engine>,
    packs: Arc<Packs<Children>>,
}

/// Reloads the certificate, the lexicon, the packs and the voice routes at each SIGHUP. Running requests are not
/// affected. Files that cannot be used change nothing.
async fn reload(mut hangups: Signal, reloaded: Arc<Reloaded>) {
    while hangups.recv().await.is_some() {
        let reloaded = Arc::clone(&reloaded);
        // a panic in the task has already been logged
        let _ = tokio::task::spawn_blocking(move || reloaded.again()).await;
    }
}

impl Reloaded {
    fn again(&self) {
        match self.tls.as_ref().map(Tls::reload) {
            Some(Ok(is_new)) => tracing::info!(is_new, "SIGHUP: the certificate was reloaded"),
            Some(Err(error)) => {
                tracing::error!(%error, "SIGHUP: the certificate cannot be used; the previous one stays in use");
            }
            None => {}
        }
        match self.lexicon_file.as_deref().map(lexicon::of_server) {
            Some(Ok(new)) => {
                self.lexicon.replace(new);
                tracing::info!("SIGHUP: the lexicon was reloaded; it applies to new clips and conversations");
            }
            Some(Err(error)) => {
                tracing::error!(
                    "SIGHUP: the lexicon cannot be used; the previous one stays in use: {error:#}"
                );
            }
            None => {}
        }
        match self.share() {
            Ok(change) => log_change(&change),
            Err(error) => {
                tracing::error!("SIGHUP: the voices are unchanged: {error:#}");
            }
        }
        tracing::info!("SIGHUP: other settings take effect at the next start");
    }

    /// Reloads the packs and the voice routes.
    fn share(&self) -> anyhow::Result<Change> {
        let settings = self.sources.clone().complete()?;
        Ok(self.packs.share(&self.engine, &settings.voices.unwrap_or_default())?)
    }
}

fn log_change(Change { loaded, kept, dropped, unusable }: &Change) {
    for UnusableBackend { name, reason } in unusable {
        tracing::error!(
            pack = name,
            reason,
            "the pack cannot be used; `shruti reload` tries to load it again"
        );
    }
    if loaded.len() + kept.len() + dropped.len() > 0 {
        let [loaded, kept, dropped] = [loaded, kept, dropped].map(|ids| ids.join(" "));
        tracing::info!(loaded, kept, dropped, "voice packs");
    }
}

/// Checkpoints the write-ahead log into the database file every 30 seconds, as far as possible without blocking other
/// work.
async fn checkpoint(store: Arc<dyn Store>) {
    const EVERY: Duration = Duration::from_secs(30);
    loop {
        tokio::time::sleep(EVERY).await;
        if let Err(error) = store.checkpoint().await {
            tracing::debug!(%error, "the write-ahead log could not be checkpointed");
        }
    }
}

/// Installs a panic hook that logs only the location of a panic, because the message may quote the spoken text.
fn log_panics_without_their_words() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, "panicked");
    }));
}

/// Waits for either of two signals.
async fn any([one, other]: &mut [Signal; 2]) {
    tokio::select! {
        _ = one.recv() => {}
        _ = other.recv() => {}
    }
}
