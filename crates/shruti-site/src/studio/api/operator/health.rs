//! Health of the server: the most important facts from `/readyz`, `/metrics` and `shruti doctor` for an operator.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use shruti_engine::{BackendState, UnusableBackend};
use shruti_service::app::App;
use shruti_service::metrics::FirstAudioTotals;
use shruti_store::StoreFacts;

use super::super::Answer;
use super::Operator;

#[derive(Serialize)]
pub(super) struct Health {
    version: &'static str,
    started_ms: i64,
    /// Whether the server rejects new work because it is shutting down.
    draining: bool,
    streams: usize,
    max_streams: usize,
    first_audio: FirstAudio,
    store: StoreHealth,
    /// Back ends: the embedded voice first, then packs.
    backends: Vec<Backend>,
    /// Packs that cannot be used.
    left_out: Vec<Unusable>,
}

/// Number and sum of the times to first audio since the start of the server. The page subtracts the values of
/// two responses and shows the mean time between them.
#[derive(Serialize)]
struct FirstAudio {
    count: u64,
    total_ms: f64,
}

impl From<FirstAudioTotals> for FirstAudio {
    fn from(FirstAudioTotals { count, total }: FirstAudioTotals) -> Self {
        Self { count, total_ms: total.as_secs_f64() * 1000.0 }
    }
}

/// A pack that cannot be used, with the reason.
#[derive(Serialize)]
struct Unusable {
    name: String,
    reason: String,
}

impl From<UnusableBackend> for Unusable {
    fn from(UnusableBackend { name, reason }: UnusableBackend) -> Self {
        Self { name, reason }
    }
}

#[derive(Serialize)]
struct StoreHealth {
    /// Whether the last read succeeded.
    well: bool,
    /// Facts that the store reports; `null` if it does not respond.
    #[serde(flatten)]
    facts: Option<Facts>,
}

#[derive(Serialize)]
struct Facts {
    kind: String,
    bytes: u64,
    /// Free space on the disk of the store; `null` if the store is on another machine.
    free_bytes: Option<u64>,
}

impl From<StoreFacts> for Facts {
    fn from(StoreFacts { kind, bytes, free_bytes }: StoreFacts) -> Self {
        Self { kind, bytes, free_bytes }
    }
}

/// A back end and its counters since the start of the server.
#[derive(Serialize)]
struct Backend {
    name: String,
    engine: String,
    /// Whether the back end can currently be used.
    usable: bool,
    /// Number of synthesis streams in progress.
    active: usize,
    /// Number of synthesis steps that wait for a core.
    waiting: usize,
    completed: u64,
    cancelled: u64,
    /// Number of synthesis streams that failed.
    broken: u64,
    /// Number of synthesis streams that were rejected for lack of capacity.
    refused: u64,
}

impl Backend {
    fn of(BackendState { description, stats, is_usable }: BackendState) -> Self {
        Self {
            name: description.name,
            engine: description.engine,
            usable: is_usable,
            active: stats.active,
            waiting: stats.waiting,
            completed: stats.completed,
            cancelled: stats.cancelled,
            broken: stats.faults,
            refused: stats.refused,
        }
    }
}

pub(super) async fn health(State(app): State<Arc<App>>, _: Operator) -> Answer<Json<Health>> {
    let facts = match app.store.facts().await {
        Ok(facts) => Some(facts.into()),
        Err(error) => {
            tracing::warn!(%error, "the store does not report its state");
            None
        }
    };
    Ok(Json(Health {
        version: env!("CARGO_PKG_VERSION"),
        started_ms: app.started_ms,
        draining: app.is_draining(),
        streams: app.streams.total(),
        max_streams: app.config.max_streams,
        first_audio: app.metrics.first_audio_totals().into(),
        store: StoreHealth { well: app.store_health.is_well() && facts.is_some(), facts },
        backends: app.engine.backends().into_iter().map(Backend::of).collect(),
        left_out: app.engine.unusable_backends().into_iter().map(Unusable::from).collect(),
    }))
}
