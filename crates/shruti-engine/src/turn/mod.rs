//! The turn machine: a conversation of turns that are spoken one at a time, and cut off when the listener speaks.
//!
//! A [`Conversation`] takes [`Command`]s and gives [`Event`]s. It knows no wire type and no socket: the WebSocket
//! API and `POST /v1/tts` (a conversation of one turn) are thin maps onto it. Time comes with each call, so that
//! tests drive it, and sound comes from a [`Synthesizer`], which an [`Engine`](crate::Engine) is.
//!
//! ```text
//!  text        first sound       end              all sent
//!   │              │              │                  │
//!   OPEN ──────▶ SPEAKING ─────▶ DRAINING ─────────▶ DONE        cancel leads from each to CANCELLED,
//!   └──────────────────────────▶ (end before sound)              a fault to FAILED
//! ```
//!
//! # What a cancel keeps
//!
//! Nothing is sent ahead of an [`Event`] that has been taken: events are made when they are asked for, so what
//! waits is at most one chunk. A cancel drops the turn's speech and every event of it that waits; its answer comes
//! before anything else. What the listener can have heard follows from the [`Playhead`].

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
pub use event::{Basis, CancelState, CutAt, DoneReason, Event, Failure, Heard, Rejection, Warning};
pub use finished::MAX_FINISHED;
pub use playhead::Playhead;
pub use synthesizer::Synthesizer;

use std::collections::VecDeque;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::chunk::{self, Sound};
use finished::Finished;
use live::{Live, QueuedTurn};

/// The most turns that wait for the one that is live.
pub const MAX_QUEUED: usize = 8;
/// The most characters of a turn in all, some ten hours of speech. What was heard is told by its text, so a turn keeps all
/// of it, and a few bytes of each word, until it has sounded.
pub const MAX_TURN_CHARS: usize = 500_000;
/// The most flushes of a turn that wait to be answered.
pub const MAX_FLUSHES: usize = 32;
/// Sound that a turn may send at once, whatever the lead.
const FREE_START: Duration = Duration::from_millis(200);
/// Without text for so long, what ends at white space is spoken.
pub const HOLD_BACK_TIMEOUT: Duration = Duration::from_millis(250);
/// The lead below which patience ends.
const LOW_LEAD: Duration = Duration::from_millis(500);
/// An open turn without text is given up after this long while another waits …
pub const IDLE_TURN_TIMEOUT_WAITING: Duration = Duration::from_secs(10);
/// … and after this long if none does.
pub const IDLE_TURN_TIMEOUT: Duration = Duration::from_mins(1);

/// A turn that was stopped from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The turn.
    pub turn: TurnId,
    /// How much sound of it had been sent.
    pub sent: Duration,
    /// How many characters were spoken, to be charged.
    pub chars: u32,
}

/// One connection's turns; see the [module](self).
pub struct Conversation<K: Synthesizer> {
    synthesizer: K,
    defaults: TurnSettings,
    live: Option<Live>,
    queue: VecDeque<QueuedTurn>,
    finished: Finished,
    playhead: Playhead,
    /// Answers and other news, which go before sound.
    outbox: VecDeque<Event>,
    named: u64,
    underruns: u64,
    /// The most flushes of a turn that wait to be answered.
    max_flushes: usize,
    /// Whether no turn may begin yet.
    is_held: bool,
    /// Whether something outside waits for the end of the live turn.
    is_awaited: bool,
}

impl<K: Synthesizer> Conversation<K> {
    /// A conversation without turns.
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

    /// The same with another number of flushes of a turn that may wait to be answered than [`MAX_FLUSHES`].
    #[must_use]
    pub fn with_max_flushes(self, max_flushes: usize) -> Self {
        Self { max_flushes, ..self }
    }

    /// Lets no turn begin, or lets them begin again. What comes meanwhile waits, as behind a turn that is live.
    pub fn hold(&mut self, is_held: bool) {
        self.is_held = is_held;
    }

    /// Says whether something outside waits for the end of the live turn, which is then given up as soon as if another turn
    /// waited.
    pub fn await_end(&mut self, is_awaited: bool) {
        self.is_awaited = is_awaited;
    }

    /// Whether a turn is being spoken.
    pub const fn is_speaking(&self) -> bool {
        self.live.is_some()
    }

    /// Whether sound of the turn that is being spoken has been sent.
    pub fn is_sounding(&self) -> bool {
        self.live.as_ref().is_some_and(|live| live.begins.is_some())
    }

    /// Where its sound comes from.
    pub const fn synthesizer(&self) -> &K {
        &self.synthesizer
    }

    /// The settings of turns that start from now on.
    pub const fn settings(&self) -> &TurnSettings {
        &self.defaults
    }

    /// How often the playhead reached the end of what was sent while text was waiting to be spoken.
    pub const fn underruns(&self) -> u64 {
        self.underruns
    }

    /// Whether there is no turn and nothing to tell.
    pub fn is_idle(&self) -> bool {
        self.live.is_none() && self.queue.is_empty() && self.outbox.is_empty()
    }

    /// How much of what was sent the listener has yet to hear.
    pub fn lead(&self, now: Duration) -> Duration {
        self.playhead.lead(now)
    }

    /// The next event that is no sound, without waiting for one: what the last command had to be told.
    pub fn news(&mut self) -> Option<Event> {
        self.outbox.pop_front()
    }

    /// The turn that the next sound will be of, and how many characters it would be charged if all of its text were
    /// spoken that has come so far. A poll gives sound of no other turn, and gives [`Event::CostsMore`] before sound by which
    /// this grows.
    pub fn due(&self) -> Option<(&TurnId, u32)> {
        match (&self.live, self.queue.front()) {
            (Some(live), _) => Some((&live.turn, live.chargeable())),
            (None, Some(waiting)) => Some((&waiting.turn, waiting.text.trim().chars().count() as u32)),
            (None, None) => None,
        }
    }

    /// Whether a command would start a turn.
    pub fn begins_turn(&self, command: &Command) -> bool {
        let Command::Text { turn, .. } = command else { return false };
        match turn {
            Some(turn) => !self.is_known(turn),
            None => self.open_turn().is_none(),
        }
    }

    /// Says of every turn that no more text follows.
    pub fn finish(&mut self, now: Duration) {
        while let Some(turn) = self.open_turn() {
            self.end(Some(turn), now);
        }
    }

    /// Carries out a command. What comes of it is told by [`Conversation::poll`].
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

    /// The next event. When there is none yet, the task is woken for sound, and should come again by itself at
    /// [`Conversation::wake_at`].
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
                match live.speech.poll_sound(context) {
                    Poll::Ready(Some(Ok(Sound::Chunk(chunk)))) => {
                        if let Err(exceeded) = live.take(chunk, now) {
                            self.fail(exceeded);
                        }
                    }
                    Poll::Ready(Some(Ok(Sound::Flushed))) => {
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
            // a client that wants no marks gets none; what was heard follows from them all the same
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

    /// When [`Conversation::poll`] has something to do, even if nothing wakes the task before.
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
            // the voice takes its time; the turn is not without text
            live.dry = Some(now);
        } else if abandon {
            let warning = Event::Warning { turn: Some(live.turn.clone()), warning: Warning::Abandoned };
            live.finish(now);
            self.outbox.push_back(warning);
        } else if release {
            live.release(now);
        }
    }

    /// When what ends at white space will be spoken, if no text comes before.
    fn release_at(&self, live: &Live, now: Duration) -> Option<Duration> {
        if !live.intake.is_open() || live.released || live.unspoken() == 0 {
            return None;
        }
        let patient_until = live.last_text + HOLD_BACK_TIMEOUT;
        let low = live.begins.map_or(Duration::ZERO, |_| self.playhead.when_lead_is(LOW_LEAD, now));
        Some(patient_until.max(low))
    }

    /// When an open turn with nothing left to speak will be given up.
    fn abandon_at(&self, live: &Live) -> Option<Duration> {
        let is_awaited = self.is_awaited || !self.queue.is_empty();
        let limit = if is_awaited { IDLE_TURN_TIMEOUT_WAITING } else { IDLE_TURN_TIMEOUT };
        live.dry.filter(|_| live.intake.is_open() && live.ready.is_empty()).map(|since| since + limit)
    }
}

/// When the next chunk may be sent; `None` for at once.
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
