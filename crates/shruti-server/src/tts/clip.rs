//! A clip: a conversation of one turn, whose text is complete when it begins.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use shruti_engine::Engine;
use shruti_engine::turn::{Command, Conversation, DoneReason, Event, Failure, Settings};
use shruti_protocol::{ApiError, ErrorCode, Language, SynthesisRequest};
use shruti_text::Lexicon;

use crate::clock::Clock;
use crate::metering::Charge;
use crate::speech::failure;

/// A clip in progress. Dropping it cancels what has not been made.
pub(crate) struct Clip {
    conversation: Conversation<Arc<Engine>>,
    clock: Arc<dyn Clock>,
    charge: Charge,
    /// Characters and samples of the opening, which are charged when it has been sent.
    opening: (u32, usize),
}

/// What is known of a clip once it sounds.
pub(crate) struct Opening {
    /// The voice's name.
    pub(crate) voice: String,
    /// The language.
    pub(crate) language: Language,
    /// The samples up to the first that is audible, in the pieces in which they came.
    pub(crate) pieces: Vec<Vec<i16>>,
}

impl Clip {
    /// Hands the text of a request to the engine, on a charge that covers it and its readings.
    /// What comes of it is told by [`Clip::open`].
    pub(crate) fn begin(
        engine: Arc<Engine>,
        clock: Arc<dyn Clock>,
        request: &SynthesisRequest,
        charge: Charge,
        lexicon: Arc<Lexicon>,
    ) -> Self {
        let settings = Settings {
            voice: request.voice.name().into(),
            language: request.language,
            speed: request.speed as f32,
            pitch: request.pitch as f32,
            lexicon,
            words: false,
            // as fast as the reader takes it
            max_lead: None,
        };
        let mut conversation = Conversation::new(engine, settings);
        let text = Command::Text {
            turn: None,
            text: request.text.trim().to_owned(),
            last: true,
            preempt: false,
            settings: None,
        };
        conversation.handle(text, clock.now().monotonic);
        Self { conversation, clock, charge, opening: (0, 0) }
    }

    /// Waits for the first audible sample, or for what keeps the clip from having one.
    pub(crate) async fn open(&mut self) -> Result<Opening, ApiError> {
        /// More pieces than this without an audible sample are sent all the same.
        const SILENT_PIECES: usize = 4;
        let (mut begun, mut pieces) = (None, Vec::new());
        loop {
            match poll_fn(|context| self.poll_event(context)).await {
                Event::Started { voice, language, .. } => begun = Some((voice, language)),
                Event::Audio { samples, first_audible, chars, .. } => {
                    self.opening = (chars, self.opening.1 + samples.len());
                    pieces.push(samples);
                    if first_audible.is_some() || pieces.len() >= SILENT_PIECES {
                        break;
                    }
                }
                Event::Failed { cause, .. } => return Err(failure(&cause)),
                Event::Done { reason: DoneReason::NothingToSay, .. } => return Err(nothing_to_say()),
                Event::Done { chars, .. } => {
                    self.opening.0 = chars;
                    break;
                }
                _ => {}
            }
        }
        // a turn starts before its first sound
        let (voice, language) = begun.ok_or_else(nothing_to_say)?;
        self.charge.begins(&voice, language);
        Ok(Opening { voice, language, pieces })
    }

    /// Charges what [`Clip::open`] gave, now that it has been sent.
    pub(crate) fn opening_sent(&mut self) {
        let (chars, samples) = std::mem::take(&mut self.opening);
        self.charge.sent(chars, samples);
    }

    /// The next samples, which are charged as sent; `None` once all have been given.
    pub(crate) fn poll_samples(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Vec<i16>, Failure>>> {
        while !self.conversation.is_idle() {
            match std::task::ready!(self.poll_event(context)) {
                Event::Audio { samples, chars, .. } => {
                    self.charge.sent(chars, samples.len());
                    return Poll::Ready(Some(Ok(samples)));
                }
                Event::Done { chars, .. } => self.charge.sent(chars, 0),
                Event::Failed { cause, .. } => return Poll::Ready(Some(Err(cause))),
                _ => {}
            }
        }
        Poll::Ready(None)
    }

    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Event> {
        self.conversation.poll(context, self.clock.now().monotonic)
    }
}

fn nothing_to_say() -> ApiError {
    let message = "text has nothing that can be spoken; send letters or digits";
    ApiError::new(ErrorCode::EmptyText, message).with_param("text")
}
