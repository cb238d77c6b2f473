//! Charges of a connection, turn by turn, and repeated checks of its key.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use shruti_clock::Alarm;
use shruti_engine::turn::{CancelState, Event, TurnId};
use shruti_protocol::stream::CloseCode;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::KeyRecord;

use crate::app::App;
use crate::auth::REAUTHORIZE_EVERY;
use crate::metering::Charge;
use crate::metrics::ApiKind;

/// A pending check of a key.
type Reauthorizing = Pin<Box<dyn Future<Output = Result<Arc<KeyRecord>, ApiError>> + Send>>;

/// Key that is charged for a connection, checked again at regular intervals.
pub(super) struct KeyWatch {
    app: Arc<App>,
    /// API under which the usage is counted.
    by: ApiKind,
    /// Key record from the last check.
    key: Arc<KeyRecord>,
    /// Time of the last check.
    checked: Duration,
    /// Pending check. It queries the store only if the cached key is out of date.
    reauthorizing: Option<Reauthorizing>,
    alarm: Alarm,
}

impl KeyWatch {
    pub(super) fn new(app: Arc<App>, key: Arc<KeyRecord>, by: ApiKind) -> Self {
        let (checked, alarm) = (app.clock.now().monotonic, Alarm::new(Arc::clone(&app.clock)));
        Self { app, by, key, checked, reauthorizing: None, alarm }
    }

    /// Checks that the key may start another turn. If another turn is playing or waiting (`is_next` is `false`), the
    /// allowance is checked later, when the new turn is due.
    pub(super) async fn reauthorize(&mut self, is_next: bool) -> Result<(), ApiError> {
        self.key = self.app.auth.still_valid(Arc::clone(&self.key)).await?;
        match self.app.metering.is_spent(&self.key).filter(|_| is_next) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Checks the key at regular intervals while a turn is open. Ready only when a check fails; the error ends all
    /// turns.
    pub(super) fn poll_watch(&mut self, is_open: bool, context: &mut Context<'_>) -> Poll<ApiError> {
        if !is_open {
            return Poll::Pending;
        }
        loop {
            if self.reauthorizing.is_none() {
                ready!(self.alarm.poll(self.checked + REAUTHORIZE_EVERY, context));
            }
            if let Err(error) = ready!(self.poll_reauthorize(context)) {
                return Poll::Ready(error);
            }
        }
    }

    fn poll_reauthorize(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ApiError>> {
        let (app, key) = (&self.app, &self.key);
        let reauthorizing = self.reauthorizing.get_or_insert_with(|| {
            let (app, key) = (Arc::clone(app), Arc::clone(key));
            Box::pin(async move { app.auth.still_valid(key).await })
        });
        let checked = ready!(reauthorizing.as_mut().poll(context));
        self.reauthorizing = None;
        self.checked = self.app.clock.now().monotonic;
        self.key = checked?;
        Poll::Ready(Ok(()))
    }

    /// Creates a charge for a turn, with nothing reserved.
    fn charge(&self) -> Charge {
        let (metering, key) = (Arc::clone(&self.app.metering), Arc::clone(&self.key));
        Charge::new(metering, key, self.by)
    }
}

/// Charge for the current turn of a context: the turn that is playing or will play next.
#[derive(Default)]
pub(super) struct TurnCharge {
    due: Option<(TurnId, Charge)>,
    /// Whether the turn waits for a check of its key.
    is_starting: bool,
}

impl TurnCharge {
    /// Checks the key for the `due` turn and reserves the characters of its text so far. No audio of the turn may be
    /// requested before this succeeds. Ready immediately if the key's lease has enough characters. Otherwise, another
    /// lease is drawn; meanwhile, everything except audio can continue.
    pub(super) fn poll_cover(
        &mut self,
        due: Option<(&TurnId, u32)>,
        key: &mut KeyWatch,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), ApiError>> {
        let Some((turn, chars)) = due else {
            (self.due, self.is_starting) = (None, false);
            return Poll::Ready(Ok(()));
        };
        if self.due.as_ref().is_none_or(|(known, _)| known != turn) {
            // check the key again, because the turn may have waited for a long time
            self.is_starting = true;
            ready!(key.poll_reauthorize(context))?;
            self.is_starting = false;
            self.due = Some((turn.clone(), key.charge()));
        }
        let Some((_, charge)) = &mut self.due else { return Poll::Ready(Ok(())) };
        charge.poll_cover(chars, context)
    }

    /// Returns whether the due turn waits for the store.
    pub(super) fn is_waiting(&self) -> bool {
        self.is_starting || self.due.as_ref().is_some_and(|(_, charge)| charge.is_waiting())
    }

    /// Updates the charge after an event.
    pub(super) fn follow(&mut self, event: &Event) {
        let (turn, chars, samples, is_end) = match event {
            Event::Started { turn, voice, language, .. } => {
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
        if is_end {
            self.due = None;
        }
    }

    fn charge_of(&mut self, turn: &TurnId) -> Option<&mut Charge> {
        self.due.as_mut().filter(|(known, _)| known == turn).map(|(_, charge)| charge)
    }
}

/// Returns the close code of a connection whose key is refused with this error; `None` if the error may be temporary.
pub(super) fn close_code(refused: ErrorCode) -> Option<CloseCode> {
    match refused {
        ErrorCode::QuotaExhausted => Some(CloseCode::QuotaExhausted),
        ErrorCode::RevokedApiKey => Some(CloseCode::KeyRevoked),
        ErrorCode::AccessLocked => Some(CloseCode::Forbidden),
        ErrorCode::ExpiredApiKey | ErrorCode::InvalidApiKey => Some(CloseCode::Unauthorized),
        _ => None,
    }
}
