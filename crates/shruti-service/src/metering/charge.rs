//! Charge for one clip or turn: characters are reserved before synthesis and spent as their audio is sent.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll};

use shruti_lang::{Language, SAMPLE_RATE, VoiceId};
use shruti_protocol::ApiError;
use shruti_store::{Day, DayUsage, KeyRecord, Usage};

use super::Metering;
use super::lease_pool::Reservation;
use crate::metrics::ApiKind;

/// Pending reservation of characters.
type Drawing = Pin<Box<dyn Future<Output = Result<Reservation, ApiError>> + Send>>;

/// Charge for one clip or one turn.
///
/// Dropping a charge returns the characters that were reserved but not spent, regardless of how the synthesis ended.
pub(crate) struct Charge {
    metering: Arc<Metering>,
    key: Arc<KeyRecord>,
    /// API that requested the synthesis.
    by: ApiKind,
    /// Characters reserved but not yet spent; all from one pool unless the turn continues into the next month.
    reservations: Vec<Reservation>,
    /// Pending reservation for the next characters.
    drawing: Option<Drawing>,
    /// Voice and language, once they are known.
    speaker: Option<(VoiceId, Language)>,
    /// Number of characters sent so far.
    chars: u32,
    samples: u64,
    /// Whether the request has been counted, which happens with its first audio.
    is_counted: bool,
    /// Whether the characters have already been charged.
    is_paid: bool,
}

impl Charge {
    /// Creates a charge with nothing reserved.
    pub(crate) fn new(metering: Arc<Metering>, key: Arc<KeyRecord>, by: ApiKind) -> Self {
        Self {
            metering,
            key,
            by,
            reservations: Vec::new(),
            drawing: None,
            speaker: None,
            chars: 0,
            samples: 0,
            is_counted: false,
            is_paid: false,
        }
    }

    /// Sets whether the characters have already been charged. If so, no characters are reserved or counted, but the
    /// request and its audio are still counted.
    #[must_use]
    pub(crate) fn paid(mut self, is_paid: bool) -> Self {
        self.is_paid = is_paid;
        self
    }

    /// Works like [`Charge::poll_cover`], but as an async function.
    pub(crate) async fn cover(&mut self, chars: u32) -> Result<(), ApiError> {
        poll_fn(|context| self.poll_cover(chars, context)).await
    }

    /// Reserves characters until the first `chars` characters of the clip or turn are covered. Ready immediately if the
    /// key's leases have enough characters.
    pub(crate) fn poll_cover(&mut self, chars: u32, context: &mut Context<'_>) -> Poll<Result<(), ApiError>> {
        if !self.key.is_metered || self.is_paid {
            return Poll::Ready(Ok(()));
        }
        loop {
            let missing = u64::from(chars).saturating_sub(self.covered());
            if missing == 0 {
                return Poll::Ready(Ok(()));
            }
            let reservation = if let Some(drawing) = &mut self.drawing {
                std::task::ready!(drawing.as_mut().poll(context))
            } else if let Some(reservation) = self.metering.take_now(&self.key, missing) {
                Ok(reservation)
            } else {
                let (metering, key, has_begun) =
                    (Arc::clone(&self.metering), Arc::clone(&self.key), self.samples > 0);
                self.drawing = Some(Box::pin(async move { metering.take(&key, missing, has_begun).await }));
                continue;
            };
            self.drawing = None;
            match reservation {
                Ok(reservation) => self.add(reservation),
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }

    /// Returns whether a draw from the store is pending.
    pub(crate) fn is_waiting(&self) -> bool {
        self.drawing.is_some()
    }

    fn covered(&self) -> u64 {
        u64::from(self.chars) + self.reservations.iter().map(Reservation::chars).sum::<u64>()
    }

    fn add(&mut self, reservation: Reservation) {
        let apart = match self.reservations.last_mut() {
            Some(last) => last.join(reservation).err(),
            None => Some(reservation),
        };
        self.reservations.extend(apart);
    }

    /// Sets the voice and the language. Must be called before the first audio is sent.
    pub(crate) fn begins(&mut self, voice: &VoiceId, language: Language) {
        self.speaker = Some((voice.clone(), language));
    }

    /// Counts `samples` more samples as sent. `chars` is the number of characters spoken since the beginning of the
    /// clip or turn.
    pub(crate) fn sent(&mut self, chars: u32, samples: usize) {
        let Some((voice, language)) = &self.speaker else { return };
        let chars = chars.max(self.chars);
        let more_chars = if self.is_paid { 0 } else { u64::from(chars - self.chars) };
        let ms_before = milliseconds(self.samples);
        self.samples += samples as u64;
        self.chars = chars;
        let amount = Usage {
            chars: more_chars,
            requests: u64::from(!self.is_counted && self.samples > 0),
            audio_ms: milliseconds(self.samples) - ms_before,
        };
        if amount == Usage::default() {
            return;
        }
        self.is_counted |= amount.requests > 0;
        let _accounting = self.metering.accounting.read().unwrap_or_else(PoisonError::into_inner);
        let mut rest = more_chars;
        for reservation in &mut self.reservations {
            rest -= reservation.spend(rest);
        }
        self.reservations.retain(|reservation| reservation.chars() > 0);
        self.metering.count(&self.key, voice.clone(), *language, self.by, amount);
    }
}

impl Metering {
    fn count(&self, key: &KeyRecord, voice: VoiceId, language: Language, by: ApiKind, amount: Usage) {
        self.characters.inc_by(amount.chars);
        let (day, api) = (Day::of(self.clock.now().wall_ms), by.as_str().into());
        self.usage_buffer.add(key, DayUsage { day, voice, language, api, amount });
    }
}

fn milliseconds(samples: u64) -> u64 {
    samples * 1_000 / u64::from(SAMPLE_RATE)
}
