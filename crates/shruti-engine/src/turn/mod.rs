//! State machine of turns: a conversation whose turns are spoken one at a time, and cut off when the listener
//! interrupts.
//!
//! A [`Conversation`] accepts [`Command`]s and yields [`Event`]s. It does not depend on wire types or sockets: the
//! WebSocket API and `POST /v1/tts` (a conversation of one turn) are thin adapters for it. Every call gets the current
//! time as an argument, so that tests control it. The audio comes from a [`Synthesizer`], which
//! [`Engine`](crate::Engine) implements.
//!
//! ```text
//!  text        first audio       end              all sent
//!   │              │              │                  │
//!   OPEN ──────▶ SPEAKING ─────▶ DRAINING ─────────▶ DONE        cancel: any state to CANCELLED,
//!   └──────────────────────────▶ (end before audio)              fault: any state to FAILED
//! ```
//!
//! # Cancellation
//!
//! Events are created on demand, so that at most one chunk is pending. A cancel drops the turn's stream and all of its
//! pending events; the response to the cancel precedes all other events. The part of the turn that the listener can
//! have heard is derived from the position that the client reports with the cancel, otherwise from the [`Playhead`].

mod command;
mod event;
mod finished;
mod handle;
mod heard;
mod live;
mod playhead;
mod sound_limit;
mod synthesizer;

pub use command::{Command, Played, Target, TurnId, TurnSettings};
pub use event::{
    CancelState, CutUnit, DoneReason, Event, Failure, HeardText, PositionSource, Rejection, Warning,
};
pub use finished::MAX_FINISHED;
pub use playhead::Playhead;
pub use synthesizer::Synthesizer;

use std::collections::VecDeque;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::chunk::{self, StreamItem};
use finished::Finished;
use live::{Live, QueuedTurn};

/// Maximum number of turns that wait for the live turn.
pub const MAX_QUEUED: usize = 8;
/// Maximum number of characters of a turn: about ten hours of speech. A turn keeps all of its text, and a few bytes per
/// word, until its audio has been sent, because its text is needed to report what was heard.
pub const MAX_TURN_CHARS: usize = 500_000;
/// Maximum number of pending flushes of a turn.
pub const MAX_FLUSHES: usize = 32;
/// Duration of the audio at the start of a turn that is sent regardless of [`TurnSettings::max_lead`].
const FREE_START: Duration = Duration::from_millis(200);
/// Time without text after which pending text is spoken up to the last whitespace.
pub const HOLD_BACK_TIMEOUT: Duration = Duration::from_millis(250);
/// Duration of the sent but unheard audio below which pending text is spoken up to the last whitespace.
const LOW_LEAD: Duration = Duration::from_millis(500);
/// Time without text after which an open turn is ended if another turn is queued.
pub const IDLE_TURN_TIMEOUT_WAITING: Duration = Duration::from_secs(10);
/// Time without text after which an open turn is ended if no other turn is queued.
pub const IDLE_TURN_TIMEOUT: Duration = Duration::from_mins(1);

/// Final state of a turn that the caller has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Name of the turn.
    pub turn: TurnId,
    /// Duration of the turn's audio that had been sent.
    pub sent: Duration,
    /// Number of spoken characters to charge.
    pub chars: u32,
}

/// The turns of one connection; see the [module](self).
pub struct Conversation<K: Synthesizer> {
    synthesizer: K,
    defaults: TurnSettings,
    live: Option<Live>,
    queue: VecDeque<QueuedTurn>,
    finished: Finished,
    playhead: Playhead,
    /// Responses to commands, and other events that are delivered before audio.
    outbox: VecDeque<Event>,
    named: u64,
    underruns: u64,
    /// Maximum number of pending flushes of a turn.
    max_flushes: usize,
    /// Whether turns are prevented from starting.
    is_held: bool,
    /// Whether the caller waits for the end of the live turn.
    is_awaited: bool,
}

impl<K: Synthesizer> Conversation<K> {
    /// Creates a conversation without turns.
    pub fn new(synthesizer: K, defaults: TurnSettings) -> Self {
        Self {
            synthesizer,
            defaults,
            live: None,
            queue: VecDeque::new(),
            finished: Finished::default(),
            playhead: Playhead::default(),
            outbox: VecDeque::new(),
            named: 0,
            underruns: 0,
            max_flushes: MAX_FLUSHES,
            is_held: false,
            is_awaited: false,
        }
    }

    /// Sets the maximum number of pending flushes of a turn. The default is [`MAX_FLUSHES`].
    #[must_use]
    pub fn with_max_flushes(self, max_flushes: usize) -> Self {
        Self { max_flushes, ..self }
    }

    /// Sets whether turns are prevented from starting. While they are prevented, new turns are queued as if a turn were
    /// live.
    pub fn set_held(&mut self, is_held: bool) {
        self.is_held = is_held;
    }

    /// Sets whether the caller waits for the end of the live turn. An idle turn then times out as early as if another
    /// turn were queued.
    pub fn set_end_awaited(&mut self, is_awaited: bool) {
        self.is_awaited = is_awaited;
    }

    /// Returns whether a turn is being spoken.
    pub const fn is_speaking(&self) -> bool {
        self.live.is_some()
    }

    /// Returns whether audio of the live turn has been sent.
    pub fn is_sounding(&self) -> bool {
        self.live.as_ref().is_some_and(|live| live.begins.is_some())
    }

    /// Returns the synthesiser.
    pub const fn synthesizer(&self) -> &K {
        &self.synthesizer
    }

    /// Returns the settings of turns that start from now on.
    pub const fn settings(&self) -> &TurnSettings {
        &self.defaults
    }

    /// Returns the number of underruns. An underrun occurs when the playhead reaches the end of the sent audio while
    /// text is pending.
    pub const fn underruns(&self) -> u64 {
        self.underruns
    }

    /// Returns whether there are no turns and no pending events.
    pub fn is_idle(&self) -> bool {
        self.live.is_none() && self.queue.is_empty() && self.outbox.is_empty()
    }

    /// Returns the amount of sent audio that the listener has not heard.
    pub fn lead(&self, now: Duration) -> Duration {
        self.playhead.lead(now)
    }

    /// Returns the next pending event without polling for audio, such as the response to the last command.
    pub fn next_pending_event(&mut self) -> Option<Event> {
        self.outbox.pop_front()
    }

    /// Returns the turn that the next audio belongs to, and the number of characters to charge if all of its text so
    /// far were spoken. The next poll does not yield audio of any other turn. Before audio that increases the number,
    /// it yields [`Event::ChargeIncreased`].
    pub fn pending_charge(&self) -> Option<(&TurnId, u32)> {
        match (&self.live, self.queue.front()) {
            (Some(live), _) => Some((&live.turn, live.chargeable())),
            (None, Some(waiting)) => Some((&waiting.turn, waiting.text.trim().chars().count() as u32)),
            (None, None) => None,
        }
    }

    /// Returns whether a command would start a turn.
    pub fn begins_turn(&self, command: &Command) -> bool {
        let Command::Text { turn, .. } = command else { return false };
        match turn {
            Some(turn) => !self.is_known(turn),
            None => self.open_turn().is_none(),
        }
    }

    /// Ends the text of all open turns.
    pub fn finish(&mut self, now: Duration) {
        while let Some(turn) = self.open_turn() {
            self.end(Some(turn), now);
        }
    }

    /// Executes a command. Its results are yielded by [`Conversation::poll`].
    pub fn handle(&mut self, command: Command, now: Duration) {
        match command {
            Command::Configure(settings) => self.defaults = settings,
            Command::Text { turn, text, last, preempt, settings } => {
                self.text(turn, &text, last, preempt, settings, now);
            }
            Command::Flush { turn, id } => self.flush(turn, id, now),
            Command::End { turn } => self.end(turn, now),
            Command::Cancel { target, played, id } => self.cancel(target, played, id, now),
            Command::Played(played) => self.played(&played, now),
        }
    }

    /// Polls for the next event. If there is none, the task is woken when audio arrives, and must poll again at the
    /// time returned by [`Conversation::wake_at`].
    pub fn poll(&mut self, context: &mut Context<'_>, now: Duration) -> Poll<Event> {
        self.tick(now);
        loop {
            if let Some(event) = self.outbox.pop_front() {
                return Poll::Ready(event);
            }
            let Some(live) = &mut self.live else {
                if self.is_held {
                    return Poll::Pending;
                }
                let Some(waiting) = self.queue.pop_front() else { return Poll::Pending };
                self.begin(waiting, now);
                continue;
            };
            if live.ready.is_empty() {
                match live.speech.poll_item(context) {
                    Poll::Ready(Some(Ok(StreamItem::Chunk(chunk)))) => {
                        if let Err(exceeded) = live.take(chunk, now) {
                            self.fail(exceeded);
                        }
                    }
                    Poll::Ready(Some(Ok(StreamItem::Flushed))) => {
                        let (turn, id) = (Some(live.turn.clone()), live.flushes.pop_front().flatten());
                        return Poll::Ready(Event::Flushed { turn, id, audio: live.sent });
                    }
                    Poll::Ready(Some(Err(fault))) => self.fail(fault.into()),
                    Poll::Ready(None) => self.done(),
                    Poll::Pending => {
                        live.dry.get_or_insert(now);
                        return Poll::Pending;
                    }
                }
                continue;
            }
            if let Some(wait) = pace(live, &self.playhead, now)
                && wait > now
            {
                return Poll::Pending;
            }
            let Some(event) = live.ready.pop_front() else { continue };
            let sound = live.handed_out(&event);
            // word marks that the client does not want are not delivered, but recorded above to determine what was
            // heard
            if matches!(event, Event::Words { .. }) && !live.settings.words {
                continue;
            }
            if !sound.is_zero() {
                let ran_dry = self.playhead.send(sound, now);
                let underrun = live.begins.is_some() && ran_dry.is_some_and(|at| at > live.busy);
                self.underruns += u64::from(underrun);
                if live.begins.is_none() {
                    live.begins = Some(self.playhead.sent().saturating_sub(sound));
                }
                live.sent += sound;
            }
            return Poll::Ready(event);
        }
    }

    /// Returns the time at which [`Conversation::poll`] must be called even if the task has not been woken.
    pub fn wake_at(&self, now: Duration) -> Option<Duration> {
        let live = self.live.as_ref()?;
        let pace = (!live.ready.is_empty()).then(|| pace(live, &self.playhead, now)).flatten();
        [pace, self.release_at(live, now), self.abandon_at(live)].into_iter().flatten().min()
    }

    fn tick(&mut self, now: Duration) {
        let due = |at: Option<Duration>| at.is_some_and(|at| at <= now);
        let Some(live) = &self.live else { return };
        let release = due(self.release_at(live, now));
        let abandon = due(self.abandon_at(live));
        let Some(live) = &mut self.live else { return };
        if abandon && !live.is_dry() {
            // the turn has text to speak, but the voice is slow
            live.dry = Some(now);
        } else if abandon {
            let warning = Event::Warning { turn: Some(live.turn.clone()), warning: Warning::Abandoned };
            live.finish(now);
            self.outbox.push_back(warning);
        } else if release {
            live.release(now);
        }
    }

    /// Returns the time at which pending text will be spoken up to the last whitespace if no text arrives before then.
    fn release_at(&self, live: &Live, now: Duration) -> Option<Duration> {
        if !live.text_input.is_open() || live.released || live.unspoken() == 0 {
            return None;
        }
        let patient_until = live.last_text + HOLD_BACK_TIMEOUT;
        let low = live.begins.map_or(Duration::ZERO, |_| self.playhead.when_lead_is(LOW_LEAD, now));
        Some(patient_until.max(low))
    }

    /// Returns the time at which an open turn with nothing left to speak will be ended, unless text arrives before
    /// then.
    fn abandon_at(&self, live: &Live) -> Option<Duration> {
        let is_awaited = self.is_awaited || !self.queue.is_empty();
        let limit = if is_awaited { IDLE_TURN_TIMEOUT_WAITING } else { IDLE_TURN_TIMEOUT };
        live.dry.filter(|_| live.text_input.is_open() && live.ready.is_empty()).map(|since| since + limit)
    }
}

/// Returns the time at which the next chunk may be sent; `None` for immediately.
fn pace(live: &Live, playhead: &Playhead, now: Duration) -> Option<Duration> {
    let max_lead = live.settings.max_lead?;
    if live.sent < FREE_START {
        return None;
    }
    let next = live.ready.iter().find_map(|event| match event {
        Event::Audio { samples, .. } => Some(chunk::length(samples.len())),
        _ => None,
    });
    Some(playhead.when_lead_is(max_lead.saturating_sub(next.unwrap_or_default()), now))
}

#[cfg(test)]
mod charges;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod script;
#[cfg(test)]
mod tests;
