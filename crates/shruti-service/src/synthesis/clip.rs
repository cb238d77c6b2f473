//! A clip: a conversation of one turn, whose text is complete when it begins.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use shruti_clock::Clock;
use shruti_engine::WordMark;
use shruti_engine::turn::{Command, Conversation, DoneReason, Event, Failure, TurnSettings};
use shruti_lang::{Language, SAMPLE_RATE, VoiceId};
use shruti_protocol::{ApiError, ErrorCode};
use tokio::time::sleep;

use super::turn_error;
use crate::metering::Charge;
use crate::traces::TracedEngine;

/// More text than this is not a short clip, in characters charged: at some 12 a second, 15 s of sound.
pub(crate) const SHORT_CHARS: u32 = 180;
/// Nor are more samples than this: 20 s.
const SHORT_SAMPLES: usize = 20 * SAMPLE_RATE as usize;

/// A clip in progress. Dropping it cancels what has not been made.
pub(crate) struct Clip {
    conversation: Conversation<TracedEngine>,
    clock: Arc<dyn Clock>,
    charge: Charge,
    /// The words of the piece that comes next.
    words: Vec<WordMark>,
}

/// What is known of a clip once it sounds.
pub(crate) struct Opening {
    /// The voice.
    pub(crate) voice: VoiceId,
    /// The language.
    pub(crate) language: Language,
    /// The kind of synthesis.
    pub(crate) engine: String,
    /// The samples up to the first that is audible, or of the whole clip, in the pieces in which they came.
    pub(crate) pieces: Vec<Piece>,
}

/// A piece of a clip's sound.
pub(crate) struct Piece {
    /// The samples.
    pub(crate) samples: Vec<i16>,
    /// The words that begin in it, where they are wanted.
    pub(crate) words: Vec<WordMark>,
    /// How many characters of the clip have been spoken with it.
    pub(crate) chars: u32,
}

impl Opening {
    /// How many samples there are so far.
    pub(crate) fn samples(&self) -> usize {
        self.pieces.iter().map(|piece| piece.samples.len()).sum()
    }
}

impl Clip {
    /// Hands a text to the engine, on a charge that covers it and its readings. What comes of it is told by
    /// [`Clip::open`].
    pub(crate) fn begin(
        engine: TracedEngine,
        clock: Arc<dyn Clock>,
        settings: TurnSettings,
        text: &str,
        charge: Charge,
    ) -> Self {
        let mut conversation = Conversation::new(engine, settings);
        let text = Command::Text {
            turn: None,
            text: text.trim().to_owned(),
            last: true,
            preempt: false,
            settings: None,
        };
        conversation.handle(text, clock.now().monotonic);
        Self { conversation, clock, charge, words: Vec::new() }
    }

    /// Waits for the first audible sample, or for what keeps the clip from having one.
    pub(crate) async fn open(&mut self) -> Result<Opening, ApiError> {
        /// More pieces than this without an audible sample are sent all the same.
        const SILENT_PIECES: usize = 4;
        let (mut begun, mut pieces) = (None, Vec::<Piece>::new());
        loop {
            match poll_fn(|context| self.poll_event(context)).await {
                Event::Started { voice, language, engine, .. } => begun = Some((voice, language, engine)),
                Event::Audio { samples, first_audible, chars, .. } => {
                    pieces.push(self.piece(samples, chars));
                    if first_audible.is_some() || pieces.len() >= SILENT_PIECES {
                        break;
                    }
                }
                Event::Failed { cause, .. } => return Err(turn_error(&cause)),
                Event::Done { reason: DoneReason::NothingToSay, .. } => return Err(nothing_to_say()),
                Event::Done { chars, .. } => {
                    end(&mut pieces, chars);
                    break;
                }
                _ => {}
            }
        }
        // a turn starts before its first sound
        let (voice, language, engine) = begun.ok_or_else(nothing_to_say)?;
        self.charge.begins(&voice, language);
        Ok(Opening { voice, language, engine, pieces })
    }

    /// Waits for the rest of a clip that is short, for so long at most. Says whether `opening` is all of it now.
    pub(crate) async fn complete(
        &mut self,
        opening: &mut Opening,
        patience: Duration,
    ) -> Result<bool, ApiError> {
        let mut late = pin!(sleep(patience));
        while !self.conversation.is_idle() {
            let next = poll_fn(|context| match late.as_mut().poll(context) {
                Poll::Ready(()) => Poll::Ready(None),
                Poll::Pending => self.poll_event(context).map(Some),
            });
            match next.await {
                Some(Event::Audio { samples, chars, .. }) => {
                    opening.pieces.push(self.piece(samples, chars));
                    if opening.samples() > SHORT_SAMPLES {
                        return Ok(false);
                    }
                }
                Some(Event::Done { chars, .. }) => end(&mut opening.pieces, chars),
                Some(Event::Failed { cause, .. }) => return Err(turn_error(&cause)),
                Some(_) => {}
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Charges a piece that [`Clip::open`] or [`Clip::complete`] gave, now that it is sent.
    pub(crate) fn sent(&mut self, chars: u32, samples: usize) {
        self.charge.sent(chars, samples);
    }

    /// The next piece, which is charged as sent; `None` once all have been given.
    pub(crate) fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Piece, Failure>>> {
        while !self.conversation.is_idle() {
            match std::task::ready!(self.poll_event(context)) {
                Event::Audio { samples, chars, .. } => {
                    self.charge.sent(chars, samples.len());
                    return Poll::Ready(Some(Ok(self.piece(samples, chars))));
                }
                Event::Done { chars, .. } => self.charge.sent(chars, 0),
                Event::Failed { cause, .. } => return Poll::Ready(Some(Err(cause))),
                _ => {}
            }
        }
        Poll::Ready(None)
    }

    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Event> {
        loop {
            let event = std::task::ready!(self.conversation.poll(context, self.clock.now().monotonic));
            self.conversation.synthesizer().follow(&event);
            match event {
                Event::Words { words, .. } => self.words.extend(words),
                event => return Poll::Ready(event),
            }
        }
    }

    fn piece(&mut self, samples: Vec<i16>, chars: u32) -> Piece {
        Piece { samples, words: std::mem::take(&mut self.words), chars }
    }
}

/// The turn is done: with its last piece all of it has been spoken.
fn end(pieces: &mut [Piece], chars: u32) {
    if let Some(last) = pieces.last_mut() {
        last.chars = chars;
    }
}

fn nothing_to_say() -> ApiError {
    let message = "text has nothing that can be spoken; send letters or digits";
    ApiError::new(ErrorCode::EmptyText, message).with_param("text")
}
