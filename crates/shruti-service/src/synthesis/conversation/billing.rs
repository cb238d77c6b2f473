//! What a connection costs, turn by turn, and whether its key may still have it spoken.

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
use crate::metrics::SpokenBy;

/// A key that is being checked.
type Reauthorizing = Pin<Box<dyn Future<Output = Result<Arc<KeyRecord>, ApiError>> + Send>>;

/// The key that pays for a connection.
pub(super) struct KeyWatch {
    app: Arc<App>,
    /// As which what it pays for is counted.
    by: SpokenBy,
    /// The key as it was when it was checked last, and when that was.
    key: Arc<KeyRecord>,
    checked: Duration,
    /// A check under way. It asks the store only where what is remembered of the key cannot be trusted.
    reauthorizing: Option<Reauthorizing>,
    alarm: Alarm,
}

impl KeyWatch {
    pub(super) fn new(app: Arc<App>, key: Arc<KeyRecord>, by: SpokenBy) -> Self {
        let (checked, alarm) = (app.clock.now().monotonic, Alarm::new(Arc::clone(&app.clock)));
        Self { app, by, key, checked, reauthorizing: None, alarm }
    }

    /// Whether the key may begin another turn. Where one sounds or waits (`is_next` is false), whether the new one can
    /// be paid for is seen when it is due.
    pub(super) async fn reauthorize(&mut self, is_next: bool) -> Result<(), ApiError> {
        self.key = self.app.auth.still_valid(Arc::clone(&self.key)).await?;
        match self.app.metering.is_spent(&self.key).filter(|_| is_next) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Checks the key now and then while a turn is open: an error ends all of them.
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

    /// A charge for a turn, with nothing reserved.
    fn charge(&self) -> Charge {
        let (metering, key) = (Arc::clone(&self.app.metering), Arc::clone(&self.key));
        Charge::new(metering, key, self.by)
    }
}

/// What is charged for the turn of a context that sounds or will sound next.
#[derive(Default)]
pub(super) struct TurnCharge {
    due: Option<(TurnId, Charge)>,
    /// Whether the turn waits for its key to be checked.
    is_starting: bool,
}

impl TurnCharge {
    /// Makes sure that the turn that is `due` may be spoken and can be paid for, as far as its text has come. No sound
    /// of it may be asked for before. Ready at once when the key's lease has room; else a lease is being drawn, and all
    /// but sound can go on.
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
            // it may have waited for long
            self.is_starting = true;
            ready!(key.poll_reauthorize(context))?;
            self.is_starting = false;
            self.due = Some((turn.clone(), key.charge()));
        }
        let Some((_, charge)) = &mut self.due else { return Poll::Ready(Ok(())) };
        charge.poll_cover(chars, context)
    }

    /// Whether the turn that is due waits for the store.
    pub(super) fn is_waiting(&self) -> bool {
        self.is_starting || self.due.as_ref().is_some_and(|(_, charge)| charge.is_waiting())
    }

    /// Charges what an event tells.
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
