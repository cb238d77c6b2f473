//! A `Synthesizer` wrapper that records the traces of turns.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shruti_engine::turn::{CancelState, Event, Stopped, Synthesizer, TurnId, TurnSettings};
use shruti_engine::{SpeakError, Speech};
use shruti_protocol::ErrorCode;

use super::bound::BoundEngine;
use crate::traces::{ConnectionTraces, Trace};

/// Engine wrapper that records the traces of turns. Pass every event of the conversation to [`follow`](Self::follow)
/// before it is sent.
pub(crate) struct TracedEngine {
    engine: Arc<BoundEngine>,
    source: Source,
    /// Traced turns that have not ended.
    open: Mutex<Vec<(TurnId, Arc<Trace>)>>,
}

/// Source of a turn's trace.
enum Source {
    /// No tracing.
    None,
    /// The traced request of a clip.
    Request(Arc<Trace>),
    /// A connection. Each of its turns is sampled separately.
    Connection(Arc<ConnectionTraces>),
}

impl TracedEngine {
    /// Creates the engine for the single turn of a clip.
    pub(crate) fn of_clip(engine: Arc<BoundEngine>, trace: Option<Arc<Trace>>) -> Self {
        Self { engine, source: trace.map_or(Source::None, Source::Request), open: Mutex::default() }
    }

    /// Creates the engine for the turns of a context.
    pub(crate) fn of_connection(engine: Arc<BoundEngine>, traces: Option<Arc<ConnectionTraces>>) -> Self {
        Self { engine, source: traces.map_or(Source::None, Source::Connection), open: Mutex::default() }
    }

    /// Records an event. Returns the trace of its turn, if there is one.
    pub(crate) fn follow(&self, event: &Event) -> Option<Arc<Trace>> {
        if matches!(self.source, Source::None) {
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

    /// Records that a turn was stopped because of an error outside the engine, such as an exhausted allowance.
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
    fn speak(
        &self,
        turn: &TurnId,
        settings: &TurnSettings,
        whole_text: Option<&str>,
    ) -> Result<Speech, SpeakError> {
        let mut request = self.engine.request(settings)?;
        let trace = match &self.source {
            Source::None => None,
            Source::Request(trace) => Some(Arc::clone(trace)),
            Source::Connection(connection) => connection.turn().inspect(|trace| {
                // links the log to the trace
                tracing::info!(trace_id = %trace.id(), "a turn is traced");
            }),
        };
        if let Some(trace) = trace {
            request.times = Some(trace.speak());
            self.open().push((TurnId::clone(turn), trace));
        }
        self.engine.speak(request, settings, whole_text)
    }
}
