//! Simulated user of one conversation: sends messages when they are due, plays the audio and interrupts turns.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use shruti_audio::has_audible;
use shruti_client::{Client, Error, Frame, Prepared, Wire};
use shruti_lang::SAMPLE_RATE;
use shruti_protocol::ErrorCode;
use shruti_protocol::stream::{Cancel, ClientMessage};
use tokio::time::{Instant, sleep_until};

use super::plan::{Plan, Planned};
use super::player::Player;
use super::script::{PIECE_EVERY, Script};
use super::tally::Tally;

/// Maximum time to wait for responses after the measured part.
const GRACE: Duration = Duration::from_secs(2);

/// State shared by all conversations of a run. All of them run on one thread.
pub(super) struct Shared {
    pub(super) client: Client,
    pub(super) scripts: Vec<Script>,
    pub(super) tally: RefCell<Tally>,
    pub(super) begun: Instant,
}

/// Simulated user of one conversation.
pub(super) struct Listener {
    shared: Rc<Shared>,
    plan: Plan,
    /// Next turn to begin.
    next: Planned,
    /// Number of turns that have begun. The ID of the last turn contains this number.
    begun: u64,
    /// Turns that have begun and not ended, rarely more than one.
    turns: Vec<Turn>,
    /// Number of the turn whose audio is arriving.
    sounding: Option<u64>,
    /// Time at which the user interrupts the last turn that has begun, even if the turn has ended by then.
    interrupts: Option<Duration>,
    /// Cancels without a response: the number of the turn, and the time at which the cancel was due.
    asked: Vec<(u64, Duration)>,
}

struct Turn {
    number: u64,
    script: usize,
    due: Duration,
    /// Index of the next piece of text to send.
    piece: usize,
    is_heard: bool,
    /// Whether the user has interrupted the turn.
    is_cut: bool,
    player: Player,
}

impl Turn {
    /// Returns the time at which the piece that completes the first speakable words is due.
    fn speakable(&self, scripts: &[Script]) -> Duration {
        self.due + PIECE_EVERY * scripts[self.script].speakable as u32
    }
}

/// Fields of a server message that are needed here.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    turn_id: Option<&'a str>,
    error: Option<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    code: ErrorCode,
}

/// Next action of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    Piece(usize),
    Cancel,
    Turn,
    End,
}

impl Listener {
    pub(super) fn new(shared: Rc<Shared>, mut plan: Plan) -> Self {
        let next = plan.next_turn();
        let (turns, cancelled) = (Vec::new(), Vec::new());
        Self { shared, plan, next, begun: 0, turns, sounding: None, interrupts: None, asked: cancelled }
    }

    /// Opens the conversation at `opens` and runs it until the end of the measured part.
    pub(super) async fn run(mut self, opens: Duration) {
        sleep_until(self.shared.begun + opens).await;
        let shared = Rc::clone(&self.shared);
        let mut wire = match shared.client.wire().await {
            Ok(wire) => wire,
            Err(error) => {
                let mut tally = shared.tally.borrow_mut();
                tally.complain(&error);
                match error {
                    Error::Refused { .. } => tally.counts.refused_conversations += 1,
                    _ => tally.counts.lost_conversations += 1,
                }
                return;
            }
        };
        if let Err(error) = self.converse(&mut wire).await {
            let mut tally = shared.tally.borrow_mut();
            tally.complain(&error);
            tally.counts.lost_conversations += 1;
        }
        self.settle();
    }

    async fn converse(&mut self, wire: &mut Wire) -> Result<(), Error> {
        let mut alarm = std::pin::pin!(sleep_until(self.shared.begun));
        loop {
            let (due, at) = self.due();
            if at <= self.now() {
                if due == Due::End {
                    return Ok(());
                }
                self.act(wire, due, at).await?;
                continue;
            }
            let at = self.shared.begun + at;
            if alarm.deadline() != at {
                alarm.as_mut().reset(at);
            }
            tokio::select! {
                biased;
                frame = wire.next() => match frame.ok_or(Error::Ended)?? {
                    Frame::Audio(samples) => self.play(&samples),
                    Frame::Message(message) => self.learn(&message),
                },
                () = &mut alarm => {}
            }
        }
    }

    /// Returns the next action and the time at which it is due.
    fn due(&self) -> (Due, Duration) {
        let end = self.shared.tally.borrow().end();
        let is_waited_for = !self.asked.is_empty() || self.turns.iter().any(|turn| !turn.is_heard);
        let pieces =
            self.turns.iter().enumerate().filter(|(_, turn)| !turn.is_cut).filter_map(|(place, turn)| {
                let more = turn.piece < self.shared.scripts[turn.script].pieces.len();
                more.then(|| (Due::Piece(place), turn.due + PIECE_EVERY * turn.piece as u32))
            });
        let cancel = self.interrupts.map(|at| (Due::Cancel, at));
        let turn = (self.next.due < end).then_some((Due::Turn, self.next.due));
        let end = (Due::End, if is_waited_for { end + GRACE } else { end });
        pieces
            .chain(cancel)
            .chain(turn)
            .fold(end, |first, other| if other.1 < first.1 { other } else { first })
    }

    async fn act(&mut self, wire: &mut Wire, due: Due, at: Duration) -> Result<(), Error> {
        let shared = Rc::clone(&self.shared);
        let message = match due {
            Due::Piece(place) => {
                let turn = &mut self.turns[place];
                turn.piece += 1;
                shared.scripts[turn.script].message(&name(turn.number), turn.piece - 1)
            }
            Due::Cancel => {
                self.interrupts = None;
                self.cut(at);
                ClientMessage::Cancel(Cancel { turn_id: Some(name(self.begun)), ..Cancel::default() })
            }
            Due::Turn => {
                self.begin();
                return Ok(());
            }
            Due::End => return Ok(()),
        };
        wire.send(&Prepared::new(&message)?).await?;
        shared.tally.borrow_mut().sent(at, self.now());
        Ok(())
    }

    fn begin(&mut self) {
        let Planned { due, script, interrupted } = std::mem::replace(&mut self.next, self.plan.next_turn());
        self.begun += 1;
        self.interrupts = interrupted;
        self.shared.tally.borrow_mut().count(due, |counts| &mut counts.turns);
        self.turns.push(Turn {
            number: self.begun,
            script,
            due,
            piece: 0,
            is_heard: false,
            is_cut: false,
            player: Player::default(),
        });
    }

    /// Records that the user interrupts the last turn.
    fn cut(&mut self, at: Duration) {
        let now = self.now();
        self.asked.push((self.begun, at));
        let mut tally = self.shared.tally.borrow_mut();
        tally.count(at, |counts| &mut counts.barge_ins);
        if let Some(turn) = self.turns.iter_mut().find(|turn| turn.number == self.begun) {
            turn.is_cut = true;
            if !turn.is_heard {
                // the first audio would have arrived even later, but omitting this turn would make a slow server look
                // fast, so the time so far is recorded
                turn.is_heard = true;
                tally.first_audio(turn.speakable(&self.shared.scripts), now);
            }
        }
    }

    fn play(&mut self, samples: &Bytes) {
        let now = self.now();
        let mut tally = self.shared.tally.borrow_mut();
        tally.heard(samples.len() / 2, now);
        let Some(turn) = self.turns.iter_mut().find(|turn| Some(turn.number) == self.sounding) else {
            return;
        };
        // after an interruption, audio is dropped until the response to the cancel
        if turn.is_cut {
            return;
        }
        if !turn.is_heard && has_audible(samples) {
            turn.is_heard = true;
            tally.first_audio(turn.speakable(&self.shared.scripts), now);
        }
        let sound = Duration::from_nanos(samples.len() as u64 / 2 * 1_000_000_000 / u64::from(SAMPLE_RATE));
        if let Some(underrun) = turn.player.take(sound, now) {
            tally.underrun(underrun);
        }
    }

    fn learn(&mut self, message: &[u8]) {
        let now = self.now();
        let Ok(message) = serde_json::from_slice::<Message<'_>>(message) else { return };
        let turn = message.turn_id.and_then(number);
        let mut tally = self.shared.tally.borrow_mut();
        match message.kind {
            "turn.started" => self.sounding = turn,
            "turn.cancelled" => {
                if let Some(place) = self.asked.iter().position(|&(asked, _)| Some(asked) == turn) {
                    let (_, due) = self.asked.swap_remove(place);
                    tally.cancelled(due, now);
                }
                self.turns.retain(|known| Some(known.number) != turn);
            }
            "turn.done" => self.turns.retain(|known| Some(known.number) != turn),
            "turn.failed" => {
                let due = self.turns.iter().find(|known| Some(known.number) == turn).map(|turn| turn.due);
                match message.error {
                    Some(Failure { code: ErrorCode::Overloaded }) => {
                        tally.count(due.unwrap_or(now), |counts| &mut counts.refused_turns);
                    }
                    error => {
                        tally.count(due.unwrap_or(now), |counts| &mut counts.failed_turns);
                        if let Some(error) = error {
                            tally.complain(&error.code);
                        }
                    }
                }
                self.turns.retain(|known| Some(known.number) != turn);
            }
            "error" => {
                if let Some(error) = message.error {
                    tally.complain(&error.code);
                }
            }
            _ => {}
        }
    }

    /// Counts unanswered turns and cancels, and ongoing underruns, at the end of the run.
    fn settle(&self) {
        let now = self.now();
        let mut tally = self.shared.tally.borrow_mut();
        for turn in self.turns.iter().filter(|turn| !turn.is_cut) {
            if !turn.is_heard {
                tally.count(turn.due, |counts| &mut counts.unanswered);
            }
            if let Some(underrun) = turn.player.is_dry(now) {
                tally.underrun(underrun);
            }
        }
        for &(_, due) in &self.asked {
            tally.count(due, |counts| &mut counts.unanswered);
        }
    }

    fn now(&self) -> Duration {
        self.shared.begun.elapsed()
    }
}

fn name(turn: u64) -> String {
    format!("t{turn}")
}

fn number(turn: &str) -> Option<u64> {
    turn.strip_prefix('t')?.parse().ok()
}
