//! Contexts of a connection: each is a conversation with a playhead and a charge.

use std::ops::{Index, IndexMut};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use shruti_engine::Engine;
use shruti_engine::turn::{Conversation, Event};
use shruti_protocol::{ApiError, ErrorCode};

use super::billing::{KeyWatch, TurnCharge};
use super::dialect::{ContextId, NewContext};
use crate::synthesis::traced_engine::TracedEngine;
use crate::synthesis::{BoundEngine, TurnCache};
use crate::traces::{ConnectionTraces, Trace};

/// Maximum number of contexts of a connection that are spoken concurrently.
pub(crate) const MAX_SPEAKING: usize = 16;
/// Maximum number of contexts that wait for a speaking context to end.
pub(crate) const MAX_WAITING: usize = 64;
/// Maximum number of pending flushes of a context. The number is high because some APIs send a flush with every
/// message; the limit on text bounds the number of pending messages.
const MAX_FLUSHES: usize = 5_000;

/// Open contexts of a connection, in the order in which they were opened.
pub struct Contexts<S> {
    engine: Arc<BoundEngine>,
    /// Tracing of the turns, if enabled.
    traces: Option<Arc<ConnectionTraces>>,
    open: Vec<OpenContext<S>>,
    /// Time until which the sent audio of ended contexts is played.
    heard_until: Duration,
    /// Number of underruns of ended contexts.
    underruns: u64,
    /// Order in which contexts are polled for audio; stored to reuse its memory.
    order: Vec<(Duration, usize)>,
}

/// An open context of a connection.
pub struct OpenContext<S> {
    /// Name; `None` for the initial context.
    pub(super) id: Option<ContextId>,
    pub(super) state: S,
    pub(super) conversation: Conversation<TracedEngine>,
    pub(super) charge: TurnCharge,
    is_waiting: bool,
}

impl<S> Contexts<S> {
    pub(super) fn new(
        engine: Arc<Engine>,
        turn_cache: Option<TurnCache>,
        traces: Option<Arc<ConnectionTraces>>,
        initial: Option<NewContext<S>>,
    ) -> Self {
        let engine = Arc::new(BoundEngine::new(engine).with_turn_cache(turn_cache));
        let voices = || TracedEngine::of_connection(Arc::clone(&engine), traces.clone());
        let initial = initial.map(|NewContext { settings, state }| OpenContext {
            id: None,
            state,
            conversation: Conversation::new(voices(), settings),
            charge: TurnCharge::default(),
            is_waiting: false,
        });
        let open = initial.into_iter().collect();
        Self { engine, traces, open, heard_until: Duration::ZERO, underruns: 0, order: Vec::new() }
    }

    /// Returns the dialect's state of a context, if the context is open.
    pub fn state(&mut self, id: &str) -> Option<&mut S> {
        self.open
            .iter_mut()
            .find(|context| context.id.as_deref() == Some(id))
            .map(|context| &mut context.state)
    }

    pub(super) fn find(&self, id: Option<&str>) -> Option<usize> {
        self.open.iter().position(|context| context.id.as_deref() == id)
    }

    /// Returns the number of open contexts.
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// Opens a context and returns its index. If the maximum number of contexts is being spoken, the new context waits.
    /// Returns an error if too many contexts are waiting.
    pub(super) fn open(&mut self, id: ContextId, new: NewContext<S>) -> Result<usize, ApiError> {
        let waiting = self.open.iter().filter(|context| context.is_waiting).count();
        let is_waiting = waiting > 0 || self.open.len() >= MAX_SPEAKING;
        if waiting >= MAX_WAITING {
            let message = format!(
                "{MAX_SPEAKING} contexts of this connection are being spoken and {MAX_WAITING} are queued; wait \
                 until one of them has ended, or cancel one"
            );
            return Err(ApiError::new(ErrorCode::QueueFull, message));
        }
        let voices = TracedEngine::of_connection(Arc::clone(&self.engine), self.traces.clone());
        let conversation = Conversation::new(voices, new.settings);
        let mut conversation = conversation.with_max_flushes(MAX_FLUSHES);
        conversation.set_held(is_waiting);
        let charge = TurnCharge::default();
        self.open.push(OpenContext { id: Some(id), state: new.state, conversation, charge, is_waiting });
        self.update_idle_timeouts();
        Ok(self.open.len() - 1)
    }

    /// Removes contexts that have ended, and starts waiting contexts in their place.
    pub(super) fn settle(&mut self, now: Duration) {
        let has_ended = |context: &OpenContext<S>| context.id.is_some() && context.conversation.is_idle();
        if !self.open.iter().any(has_ended) {
            return;
        }
        for ended in self.open.extract_if(.., |context| has_ended(context)) {
            self.heard_until = self.heard_until.max(now + ended.conversation.lead(now));
            self.underruns += ended.conversation.underruns();
        }
        let mut room = MAX_SPEAKING - self.open.iter().filter(|context| !context.is_waiting).count();
        for context in self.open.iter_mut().filter(|context| context.is_waiting) {
            if room == 0 {
                break;
            }
            room -= 1;
            context.is_waiting = false;
            context.conversation.set_held(false);
        }
        self.update_idle_timeouts();
    }

    /// Applies a shorter idle timeout to the contexts that are being spoken while other contexts wait.
    fn update_idle_timeouts(&mut self) {
        let is_awaited = self.open.iter().any(|context| context.is_waiting);
        for context in &mut self.open {
            context.conversation.set_end_awaited(is_awaited && !context.is_waiting);
        }
    }

    /// Returns whether all contexts are idle: no text is being spoken or is pending, and no audio is unsent.
    pub(super) fn is_idle(&self) -> bool {
        self.open.iter().all(|context| context.conversation.is_idle())
    }

    /// Returns whether audio of any unfinished turn has been sent.
    pub(super) fn is_sounding(&self) -> bool {
        self.open.iter().any(|context| context.conversation.is_sounding())
    }

    /// Returns whether any of the sent audio has not been played yet.
    pub(super) fn is_playing(&self, now: Duration) -> bool {
        now < self.heard_until || self.open.iter().any(|context| !context.conversation.lead(now).is_zero())
    }

    /// Marks the text of every turn as complete.
    pub(super) fn finish(&mut self, now: Duration) {
        for context in &mut self.open {
            context.conversation.finish(now);
        }
    }

    /// Returns the number of underruns of all contexts, including those that have ended.
    pub(super) fn underruns(&self) -> u64 {
        self.underruns + self.open.iter().map(|context| context.conversation.underruns()).sum::<u64>()
    }

    /// Returns the next event of any context, or the error of a turn that cannot be charged. The context with the
    /// shortest lead is polled first.
    pub(super) fn poll(
        &mut self,
        key: &mut KeyWatch,
        now: Duration,
        task: &mut Context<'_>,
    ) -> Poll<(usize, Result<Event, ApiError>)> {
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        let speaking = self.open.iter().enumerate().filter(|(_, context)| !context.is_waiting);
        order.extend(speaking.map(|(index, context)| (context.conversation.lead(now), index)));
        order.sort_unstable();
        let mut next = Poll::Pending;
        for &(_, index) in &order {
            if let Poll::Ready(event) = self.open[index].poll(key, now, task) {
                next = Poll::Ready((index, event));
                break;
            }
        }
        self.order = order;
        next
    }

    /// Returns the next time at which [`Contexts::poll`] must be called even if nothing wakes the task earlier.
    pub(super) fn wake_at(&self, now: Duration) -> Option<Duration> {
        // a conversation that waits for its charge has nothing to do until the charge is ready
        let can_act = self.open.iter().filter(|context| !context.is_waiting && !context.charge.is_waiting());
        can_act.filter_map(|context| context.conversation.wake_at(now)).min()
    }
}

impl<S> OpenContext<S> {
    /// Applies an event to the charge and the trace before it is sent. Returns the trace of the turn, if there is one.
    pub(super) fn follow(&mut self, event: &Event) -> Option<Arc<Trace>> {
        self.charge.follow(event);
        self.conversation.synthesizer().follow(event)
    }

    fn poll(
        &mut self,
        key: &mut KeyWatch,
        now: Duration,
        task: &mut Context<'_>,
    ) -> Poll<Result<Event, ApiError>> {
        match self.charge.poll_cover(self.conversation.pending_charge(), key, task) {
            Poll::Ready(Ok(())) => self.conversation.poll(task, now).map(Ok),
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S> Index<usize> for Contexts<S> {
    type Output = OpenContext<S>;

    fn index(&self, index: usize) -> &OpenContext<S> {
        &self.open[index]
    }
}

impl<S> IndexMut<usize> for Contexts<S> {
    fn index_mut(&mut self, index: usize) -> &mut OpenContext<S> {
        &mut self.open[index]
    }
}
