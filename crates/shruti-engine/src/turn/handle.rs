//! Execution of commands on the turns of a conversation.

use std::time::Duration;

use super::command::{Played, Target, TurnId, TurnSettings};
use super::event::{
    CancelState, CutUnit, DoneReason, Event, Failure, HeardText, PositionSource, Rejection, Warning,
};
use super::finished::Cut;
use super::live::{Live, QueuedTurn, TextInput};
use super::synthesizer::Synthesizer;
use super::{Conversation, MAX_QUEUED, MAX_TURN_CHARS, Stopped};
use crate::engine::MAX_UNSPOKEN;

impl<K: Synthesizer> Conversation<K> {
    pub(super) fn text(
        &mut self,
        turn: Option<TurnId>,
        text: &str,
        last: bool,
        preempt: bool,
        settings: Option<TurnSettings>,
        now: Duration,
    ) {
        let turn = match turn.or_else(|| self.open_turn()) {
            Some(turn) => turn,
            None => self.new_name(),
        };
        let more = text.chars().count();
        if let Some(live) = self.live.as_mut().filter(|live| live.turn == turn) {
            if !live.text_input.is_open() {
                if live.text_input.late_text() {
                    self.outbox.push_back(Event::Warning { turn: Some(turn), warning: Warning::LateText });
                }
                return;
            }
            if live.text_chars() + more > MAX_TURN_CHARS {
                let rejection = Rejection::TurnTooLong { limit: MAX_TURN_CHARS };
                self.outbox.push_back(Event::Rejected { turn: Some(turn), rejection });
                return;
            }
            if live.unspoken() + more > MAX_UNSPOKEN || live.push(text, now).is_err() {
                self.reject_text(turn);
                return;
            }
            if last {
                live.finish(now);
            }
        } else if let Some(waiting) = self.queue.iter_mut().find(|waiting| waiting.turn == turn) {
            if !waiting.text_input.is_open() {
                if waiting.text_input.late_text() {
                    self.outbox.push_back(Event::Warning { turn: Some(turn), warning: Warning::LateText });
                }
            } else if waiting.text.chars().count() + more > MAX_UNSPOKEN {
                self.reject_text(turn);
            } else {
                waiting.text.push_str(text);
                waiting.text_input = if last { TextInput::Ended } else { TextInput::Open };
            }
        } else if let Some(record) = self.finished.get_mut(&turn) {
            if !std::mem::replace(&mut record.warned, true) {
                self.outbox.push_back(Event::Warning { turn: Some(turn), warning: Warning::LateText });
            }
        } else if more > MAX_UNSPOKEN {
            self.reject_text(turn);
        } else {
            let mut waiting = QueuedTurn::new(turn, settings.unwrap_or_else(|| self.defaults.clone()));
            waiting.text.push_str(text);
            waiting.text_input = if last { TextInput::Ended } else { TextInput::Open };
            self.start(waiting, preempt, now);
        }
    }

    fn reject_text(&mut self, turn: TurnId) {
        let rejection = Rejection::TooMuchText { limit: MAX_UNSPOKEN };
        self.outbox.push_back(Event::Rejected { turn: Some(turn), rejection });
    }

    fn start(&mut self, waiting: QueuedTurn, preempt: bool, now: Duration) {
        if preempt && let Some(live) = self.live.take() {
            let answer = self.cut_off(live, None, None, now);
            self.outbox.push_back(answer);
        }
        if self.live.is_none() && self.queue.is_empty() && !self.is_held {
            self.begin(waiting, now);
        } else if preempt {
            self.queue.push_front(waiting);
        } else if self.queue.len() < MAX_QUEUED {
            self.queue.push_back(waiting);
        } else {
            self.not_spoken(waiting, Failure::QueueFull);
        }
    }

    pub(super) fn begin(&mut self, waiting: QueuedTurn, now: Duration) {
        let is_whole = !waiting.text_input.is_open() && waiting.flushes.is_empty();
        let whole_text = is_whole.then_some(waiting.text.as_str());
        match self.synthesizer.speak(&waiting.turn, &waiting.settings, whole_text) {
            Ok(speech) => self.live = Some(Live::new(waiting, speech, now)),
            Err(refused) => self.not_spoken(waiting, Failure::Rejected(refused)),
        }
    }

    fn not_spoken(&mut self, waiting: QueuedTurn, cause: Failure) {
        let turn = waiting.turn.clone();
        self.finished.add(waiting.into_record());
        self.outbox.push_back(Event::Failed { turn, cause, sent: Duration::ZERO, chars: 0 });
    }

    pub(super) fn flush(&mut self, turn: Option<TurnId>, id: Option<String>, now: Duration) {
        let Some(turn) = turn.or_else(|| self.open_turn()) else {
            self.outbox.push_back(Event::Flushed { turn: None, id, audio: Duration::ZERO });
            return;
        };
        let max_flushes = self.max_flushes;
        let rejection = Rejection::TooManyFlushes { limit: max_flushes };
        let too_many = Event::Rejected { turn: Some(turn.clone()), rejection };
        if let Some(live) = self.live.as_mut().filter(|live| live.turn == turn) {
            if live.flushes.len() >= max_flushes {
                self.outbox.push_back(too_many);
            } else if !live.text_input.is_open() {
                // all pending text is already being spoken; the flush is acknowledged at the end of the audio
                live.flushes.push_back(id);
            } else {
                live.flush(id, now);
            }
        } else if let Some(waiting) = self.queue.iter_mut().find(|waiting| waiting.turn == turn) {
            if waiting.flushes.len() >= max_flushes {
                self.outbox.push_back(too_many);
            } else {
                waiting.flushes.push((waiting.text.len(), id));
            }
        } else {
            let audio = self.finished.get(&turn).map_or(Duration::ZERO, |record| record.sent);
            self.outbox.push_back(Event::Flushed { turn: Some(turn), id, audio });
        }
    }

    pub(super) fn end(&mut self, turn: Option<TurnId>, now: Duration) {
        let Some(turn) = turn.or_else(|| self.open_turn()) else { return };
        if let Some(live) = self.live.as_mut().filter(|live| live.turn == turn) {
            if live.text_input.is_open() {
                live.finish(now);
            }
        } else if let Some(waiting) = self.queue.iter_mut().find(|waiting| waiting.turn == turn) {
            waiting.text_input = TextInput::Ended;
        }
    }

    pub(super) fn played(&mut self, played: &Played, now: Duration) {
        let live =
            self.live.as_ref().filter(|live| live.turn == played.turn).map(|live| (live.begins, live.sent));
        let turn =
            live.or_else(|| self.finished.get(&played.turn).map(|record| (record.begins, record.sent)));
        if let Some((Some(begins), sent)) = turn {
            self.playhead.correct(begins + played.played.min(sent), now);
        }
    }

    pub(super) fn cancel(
        &mut self,
        target: Target,
        played: Option<Duration>,
        id: Option<String>,
        now: Duration,
    ) {
        let answer = match target {
            Target::All => {
                // each queued turn ends with its own event; the event of the turn being heard answers the command
                for waiting in std::mem::take(&mut self.queue) {
                    let answer = self.drop_waiting(waiting, None);
                    self.outbox.push_back(answer);
                }
                self.cancel_current(played, id, now)
            }
            Target::Current => self.cancel_current(played, id, now),
            Target::Turn(turn) => self.cancel_turn(&turn, played, id, now),
        };
        self.outbox.push_back(answer);
    }

    fn cancel_current(&mut self, played: Option<Duration>, id: Option<String>, now: Duration) -> Event {
        if let Some(live) = self.live.take() {
            return self.cut_off(live, played, id, now);
        }
        match self.finished.at(self.playhead.position(now)).map(|record| record.turn.clone()) {
            Some(turn) => self.cancel_finished(&turn, played, id, now),
            None => unknown(None, id),
        }
    }

    fn cancel_turn(
        &mut self,
        turn: &TurnId,
        played: Option<Duration>,
        id: Option<String>,
        now: Duration,
    ) -> Event {
        if let Some(live) = self.live.take_if(|live| live.turn == *turn) {
            return self.cut_off(live, played, id, now);
        }
        if let Some(place) = self.queue.iter().position(|waiting| waiting.turn == *turn)
            && let Some(waiting) = self.queue.remove(place)
        {
            return self.drop_waiting(waiting, id);
        }
        self.cancel_finished(turn, played, id, now)
    }

    /// Ends the live turn, dropping its stream and all of its pending events, and returns the response to the cancel
    /// command.
    fn cut_off(&mut self, live: Live, played: Option<Duration>, id: Option<String>, now: Duration) -> Event {
        self.answer_flushes(&live);
        let (turn, chars) = (live.turn.clone(), live.charged(false));
        self.finished.add(live.into_record(false));
        self.answer(&turn, played, id, CancelState::Cancelled, chars, now)
    }

    fn cancel_finished(
        &mut self,
        turn: &TurnId,
        played: Option<Duration>,
        id: Option<String>,
        now: Duration,
    ) -> Event {
        if self.finished.get(turn).is_none() {
            return unknown(Some(turn.clone()), id);
        }
        self.answer(turn, played, id, CancelState::AlreadyDone, 0, now)
    }

    fn drop_waiting(&mut self, waiting: QueuedTurn, id: Option<String>) -> Event {
        let event = Event::Cancelled {
            turn: Some(waiting.turn.clone()),
            id,
            state: CancelState::Cancelled,
            sent: Duration::ZERO,
            heard: nothing_heard(),
            unheard_text: waiting.text.clone(),
            chars: 0,
        };
        self.answer_waiting_flushes(&waiting);
        self.finished.add(waiting.into_record());
        event
    }

    /// Returns the response to a cancel command for a turn that is now among the finished turns. The unheard audio of
    /// the turn is discarded and no longer counts as sent ahead.
    fn answer(
        &mut self,
        turn: &TurnId,
        played: Option<Duration>,
        id: Option<String>,
        state: CancelState,
        chars: u32,
        now: Duration,
    ) -> Event {
        let Some(record) = self.finished.get_mut(turn) else { return unknown(Some(turn.clone()), id) };
        let sent = record.sent;
        let basis = if played.is_some() { PositionSource::Played } else { PositionSource::Playhead };
        if let (Some(begins), None) = (record.begins, record.cut) {
            if let Some(played) = played {
                self.playhead.correct(begins + played.min(sent), now);
            }
            let heard = self.playhead.position(now).saturating_sub(begins);
            record.cut = Some(record.cut_at(heard, basis));
            let ends = begins + sent;
            let discarded = self.playhead.discard(begins, ends, now);
            self.finished.shift(ends, discarded);
            if let Some(live) = &mut self.live {
                live.begins = live.begins.map(|begins| begins.saturating_sub(discarded));
            }
        }
        let Some(record) = self.finished.get(turn) else { return unknown(Some(turn.clone()), id) };
        let cut = record.cut.unwrap_or(Cut { basis, ..Cut::NOTHING_HEARD });
        let (heard, unheard) = record.split(cut.chars);
        Event::Cancelled {
            turn: Some(turn.clone()),
            id,
            state,
            sent,
            heard: HeardText {
                time: cut.time,
                text: heard.to_owned(),
                char_end: cut.chars,
                basis: cut.basis,
                cut_at: record.cut_at,
            },
            unheard_text: unheard.to_owned(),
            chars,
        }
    }

    pub(super) fn done(&mut self) {
        let Some(live) = self.live.take() else { return };
        self.answer_flushes(&live);
        let spoke = !live.sent.is_zero();
        self.outbox.push_back(Event::Done {
            turn: live.turn.clone(),
            audio: live.sent,
            chars: if spoke { live.charged(true) } else { 0 },
            first_audio: live.first_audio(),
            reason: if spoke { DoneReason::Complete } else { DoneReason::NothingToSay },
            is_blank: live.is_blank(),
        });
        self.finished.add(live.into_record(true));
    }

    pub(super) fn fail(&mut self, cause: Failure) {
        let Some(live) = self.live.take() else { return };
        self.answer_flushes(&live);
        let (turn, sent, chars) = (live.turn.clone(), live.sent, live.charged(false));
        self.outbox.push_back(Event::Failed { turn, cause, sent, chars });
        self.finished.add(live.into_record(false));
    }

    /// Ends the turn of [`pending_charge`](Conversation::pending_charge) at its current position. Returns the state of
    /// the turn at its end instead of creating an event for it; `None` if there is no turn. Earlier events, such as
    /// those for flushes, are available from [`next_pending_event`](Conversation::next_pending_event).
    pub fn stop_next_turn(&mut self) -> Option<Stopped> {
        if let Some(live) = self.live.take() {
            self.answer_flushes(&live);
            let stopped = Stopped { turn: live.turn.clone(), sent: live.sent, chars: live.charged(false) };
            self.finished.add(live.into_record(false));
            return Some(stopped);
        }
        let waiting = self.queue.pop_front()?;
        self.answer_waiting_flushes(&waiting);
        let stopped = Stopped { turn: waiting.turn.clone(), sent: Duration::ZERO, chars: 0 };
        self.finished.add(waiting.into_record());
        Some(stopped)
    }

    /// Acknowledges the pending flushes of a turn that is about to end.
    fn answer_flushes(&mut self, live: &Live) {
        for id in live.flushes.iter().cloned() {
            self.outbox.push_back(Event::Flushed { turn: Some(live.turn.clone()), id, audio: live.sent });
        }
    }

    /// Acknowledges the flushes of a turn that was not started.
    fn answer_waiting_flushes(&mut self, waiting: &QueuedTurn) {
        for (_, id) in &waiting.flushes {
            let (turn, id) = (Some(waiting.turn.clone()), id.clone());
            self.outbox.push_back(Event::Flushed { turn, id, audio: Duration::ZERO });
        }
    }

    /// Returns whether a turn with this name is live, queued or among the ended turns that are kept.
    pub(super) fn is_known(&self, turn: &TurnId) -> bool {
        self.live.as_ref().is_some_and(|live| live.turn == *turn)
            || self.queue.iter().any(|waiting| waiting.turn == *turn)
            || self.finished.get(turn).is_some()
    }

    /// Returns the turn that accepts text without a turn name: the most recent open turn.
    pub(super) fn open_turn(&self) -> Option<TurnId> {
        let waiting =
            self.queue.iter().rev().find(|waiting| waiting.text_input.is_open()).map(|waiting| &waiting.turn);
        let live = || self.live.as_ref().filter(|live| live.text_input.is_open()).map(|live| &live.turn);
        waiting.or_else(live).cloned()
    }

    fn new_name(&mut self) -> TurnId {
        loop {
            self.named += 1;
            let name: TurnId = format!("turn_{}", self.named).into();
            if !self.is_known(&name) {
                return name;
            }
        }
    }
}

fn nothing_heard() -> HeardText {
    let (time, basis) = (Duration::ZERO, PositionSource::Playhead);
    HeardText { time, text: String::new(), char_end: 0, basis, cut_at: CutUnit::Word }
}

fn unknown(turn: Option<TurnId>, id: Option<String>) -> Event {
    Event::Cancelled {
        turn,
        id,
        state: CancelState::Unknown,
        sent: Duration::ZERO,
        heard: nothing_heard(),
        unheard_text: String::new(),
        chars: 0,
    }
}
