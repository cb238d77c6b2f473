//! What a conversation costs, turn by turn.

use std::sync::Arc;
use std::task::{Context, Poll};

use shruti_engine::turn::{CancelState, Event, TurnId};
use shruti_protocol::stream::CloseCode;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::{KeyCheck, KeyRecord};

use crate::app::App;
use crate::metering::{Charge, Metering};
use crate::sign_in::{access_locked, revoked_key};

/// Who pays for a conversation, and for which turn.
pub(super) struct Bill {
    metering: Arc<Metering>,
    /// The key as it was when it was judged last.
    key: Arc<KeyRecord>,
    /// The turn that sounds or will sound next.
    due: Option<(TurnId, Charge)>,
    /// Whether the opening of the conversation has been counted: with the first sound, whose voice and language it takes.
    is_opening_counted: bool,
}

/// Why no further turn is begun, and how the connection ends.
pub(super) struct Refused {
    pub(super) close: CloseCode,
    pub(super) error: ApiError,
}

impl Bill {
    pub(super) fn new(metering: Arc<Metering>, key: Arc<KeyRecord>) -> Self {
        Self { metering, key, due: None, is_opening_counted: false }
    }

    /// Judges the key again: whether it may begin another turn. Where one sounds or waits (`is_next` is false), whether the new one
    /// can be paid for is seen when it is due.
    pub(super) async fn judge(&mut self, app: &App, is_next: bool) -> Result<(), Refused> {
        let error = match app.keys.check_again(&self.key.prefix, app.clock.now()).await {
            Ok(KeyCheck::Valid(key)) => {
                self.key = key;
                match self.metering.is_spent(&self.key).filter(|_| is_next) {
                    Some(error) => error,
                    None => return Ok(()),
                }
            }
            // a store that does not answer now has vouched for the key before
            Err(error) => {
                tracing::warn!(%error, "a key could not be checked again");
                return Ok(());
            }
            Ok(KeyCheck::Revoked) => revoked_key(),
            Ok(KeyCheck::Expired) => ApiError::new(ErrorCode::ExpiredApiKey, "the API key has expired"),
            Ok(KeyCheck::Locked(lock)) => access_locked(lock),
            Ok(KeyCheck::Unknown) => {
                ApiError::new(ErrorCode::InvalidApiKey, "the API key is no longer one of this server's")
            }
        };
        Err(Refused { close: close_code(error.code).unwrap_or(CloseCode::Unauthorized), error })
    }

    /// Makes sure that the turn that is `due` can be paid for, as far as its text has come. No sound of it may be asked for
    /// before. Ready at once when the key's lease has room; else a lease is being drawn, and all but sound can go on.
    pub(super) fn poll_cover(
        &mut self,
        due: Option<(&TurnId, u32)>,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), ApiError>> {
        let Some((turn, chars)) = due else {
            self.due = None;
            return Poll::Ready(Ok(()));
        };
        if self.due.as_ref().is_none_or(|(known, _)| known != turn) {
            let (metering, key) = (Arc::clone(&self.metering), Arc::clone(&self.key));
            self.due = Some((turn.clone(), Charge::new(metering, key, !self.is_opening_counted)));
        }
        let Some((_, charge)) = &mut self.due else { return Poll::Ready(Ok(())) };
        charge.poll_cover(chars, context)
    }

    /// Whether the turn that is due waits for the store.
    pub(super) fn is_waiting(&self) -> bool {
        self.due.as_ref().is_some_and(|(_, charge)| charge.is_waiting())
    }

    /// Charges what an event tells.
    pub(super) fn follow(&mut self, event: &Event) {
        let (turn, chars, samples, is_end) = match event {
            Event::Started { turn, voice, language } => {
                if let Some(charge) = self.charge_of(turn) {
                    charge.begins(voice, *language);
                }
                return;
            }
            Event::Audio { turn, chars, samples, .. } => (turn, *chars, samples.len(), false),
            Event::Done { turn, chars, .. } | Event::Failed { turn, chars, .. } => (turn, *chars, 0, true),
            Event::Cancelled { turn: Some(turn), chars, state: CancelState::Cancelled, .. } => {
                (turn, *chars, 0, true)
            }
            _ => return,
        };
        let Some(charge) = self.charge_of(turn) else { return };
        charge.sent(chars, samples);
        let is_counted = charge.is_request_counted();
        self.is_opening_counted |= is_counted;
        if is_end {
            self.due = None;
        }
    }

    fn charge_of(&mut self, turn: &TurnId) -> Option<&mut Charge> {
        self.due.as_mut().filter(|(known, _)| known == turn).map(|(_, charge)| charge)
    }
}

/// How a connection ends whose key is refused for such a reason; `None` for what may pass by itself.
pub(super) fn close_code(refused: ErrorCode) -> Option<CloseCode> {
    match refused {
        ErrorCode::QuotaExhausted => Some(CloseCode::QuotaExhausted),
        ErrorCode::RevokedApiKey => Some(CloseCode::KeyRevoked),
        ErrorCode::AccessLocked => Some(CloseCode::Forbidden),
        ErrorCode::ExpiredApiKey | ErrorCode::InvalidApiKey => Some(CloseCode::Unauthorized),
        _ => None,
    }
}
