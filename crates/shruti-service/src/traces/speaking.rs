//! The engine as turns have it that may be traced.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shruti_engine::turn::{CancelState, Event, Stopped, Synthesizer, TurnId, TurnSettings};
use shruti_engine::{Refused, Speech};
use shruti_protocol::ErrorCode;

use super::sampling::ConnectionTraces;
use super::trace::Trace;
use crate::synthesis::BoundEngine;

/// Has turns spoken by the engine, and follows those that are traced: events of a conversation are to be told to it before
/// they are passed on.
pub(crate) struct TracedEngine {
    engine: Arc<BoundEngine>,
    source: Source,
    /// The turns that are traced and whose end has not been told.
    open: Mutex<Vec<(TurnId, Arc<Trace>)>>,
}

/// Where the trace of a turn comes from.
enum Source {
    /// Nothing is traced.
    Nothing,
    /// The clip of a request that is traced.
    Request(Arc<Trace>),
    /// Turns of a connection, each sampled for itself.
    Connection(Arc<ConnectionTraces>),
}

impl TracedEngine {
    /// For the one turn of a clip.
    pub(crate) fn of_clip(engine: Arc<BoundEngine>, trace: Option<Arc<Trace>>) -> Self {
        Self { engine, source: trace.map_or(Source::Nothing, Source::Request), open: Mutex::default() }
    }

    /// For the turns of a context.
    pub(crate) fn of_connection(engine: Arc<BoundEngine>, traces: Option<Arc<ConnectionTraces>>) -> Self {
        Self { engine, source: traces.map_or(Source::Nothing, Source::Connection), open: Mutex::default() }
    }

    /// Takes note of an event. Gives the trace of its turn, where it has one.
    pub(crate) fn follow(&self, event: &Event) -> Option<Arc<Trace>> {
        if matches!(self.source, Source::Nothing) {
            return None;
        }
        let (Event::Started { turn, .. }
        | Event::Audio { turn, .. }
        | Event::Done { turn, .. }
        | Event::Failed { turn, .. }
        | Event::Cancelled { turn: Some(turn), state: CancelState::Cancelled, .. }) = event
        else {
            return None;
        };
        let mut open = self.open();
        let place = open.iter().position(|(known, _)| known == turn)?;
        let trace = Arc::clone(&open[place].1);
        if trace.follow(event) {
            open.swap_remove(place);
        }
        Some(trace)
    }

    /// Takes note that a turn was ended from outside.
    pub(crate) fn stopped(&self, stopped: &Stopped, code: ErrorCode) {
        let mut open = self.open();
        if let Some(place) = open.iter().position(|(known, _)| *known == stopped.turn) {
            let (_, trace) = open.swap_remove(place);
            trace.ended("failed", stopped.chars);
            trace.failed(code);
        }
    }

    fn open(&self) -> MutexGuard<'_, Vec<(TurnId, Arc<Trace>)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Synthesizer for TracedEngine {
    fn speak(&self, turn: &TurnId, settings: &TurnSettings) -> Result<Speech, Refused> {
        let mut request = self.engine.request(settings)?;
        let trace = match &self.source {
            Source::Nothing => None,
            Source::Request(trace) => Some(Arc::clone(trace)),
            Source::Connection(connection) => connection.turn().inspect(|trace| {
                // so that the log and the trace meet
                tracing::info!(trace_id = %trace.id(), "a turn is traced");
            }),
        };
        if let Some(trace) = trace {
            request.times = Some(trace.speak());
            self.open().push((TurnId::clone(turn), trace));
        }
        self.engine.engine().speak(request)
    }
}
