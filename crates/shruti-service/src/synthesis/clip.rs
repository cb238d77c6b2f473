//! A clip: a conversation with one turn, whose text is complete at the start.

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

use super::traced_engine::TracedEngine;
use super::turn_error;
use crate::metering::Charge;

/// Maximum length of a short clip, in charged characters. At about 12 characters per second, this is 15 s of audio.
pub(crate) const SHORT_CHARS: u32 = 180;
/// Maximum number of samples in a short clip: 20 s.
const SHORT_SAMPLES: usize = 20 * SAMPLE_RATE as usize;

/// A clip in progress. Dropping it cancels the rest of the synthesis.
pub(crate) struct Clip {
    conversation: Conversation<TracedEngine>,
    clock: Arc<dyn Clock>,
    charge: Charge,
    /// Words of the next piece.
    words: Vec<WordMark>,
}

/// Properties of a clip that are known when its audio starts, and its first pieces.
pub(crate) struct Opening {
    /// Voice.
    pub(crate) voice: VoiceId,
    /// Language.
    pub(crate) language: Language,
    /// Kind of synthesis.
    pub(crate) engine: String,
    /// Pieces up to the first audible sample, or all pieces of the clip.
    pub(crate) pieces: Vec<Piece>,
}

/// A piece of a clip's audio.
pub(crate) struct Piece {
    /// Samples.
    pub(crate) samples: Vec<i16>,
    /// Words that begin in the piece, if requested.
    pub(crate) words: Vec<WordMark>,
    /// Number of characters of the clip that have been spoken by the end of the piece.
    pub(crate) chars: u32,
}

impl Opening {
    /// Returns the number of samples in the pieces.
    pub(crate) fn samples(&self) -> usize {
        self.pieces.iter().map(|piece| piece.samples.len()).sum()
    }
}

impl Clip {
    /// Starts a clip by passing its text to the engine. `charge` must cover the text and its lexicon readings.
    /// [`Clip::open`] returns the result.
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

    /// Waits for the first audible sample and returns the opening of the clip, or the error that prevents the audio.
    pub(crate) async fn open(&mut self) -> Result<Opening, ApiError> {
        /// Maximum number of silent pieces; after them, the clip opens without an audible sample.
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
        // a turn starts before its first audio
        let (voice, language, engine) = begun.ok_or_else(nothing_to_say)?;
        self.charge.begins(&voice, language);
        Ok(Opening { voice, language, engine, pieces })
    }

    /// Waits up to `patience` for the rest of a short clip. Returns whether `opening` now contains the whole clip.
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

    /// Charges a piece from [`Clip::open`] or [`Clip::complete`] after it has been sent.
    pub(crate) fn sent(&mut self, chars: u32, samples: usize) {
        self.charge.sent(chars, samples);
    }

    /// Returns the next piece and charges it as sent; `None` after the last one.
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

/// Marks all characters as spoken at the end of the last piece.
fn end(pieces: &mut [Piece], chars: u32) {
    if let Some(last) = pieces.last_mut() {
        last.chars = chars;
    }
}

fn nothing_to_say() -> ApiError {
    let message = "text has nothing that can be spoken; send letters or digits";
    ApiError::new(ErrorCode::EmptyText, message).with_param("text")
}
