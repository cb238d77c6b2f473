//! Estimate of the listener's playback position.

use std::time::Duration;

/// Position of the listener in all audio that was sent over one connection.
///
/// It starts when the first audio is sent, advances in real time, and stops at the end of the sent audio. Positions are
/// durations since the connection's first sample, without the audio that was discarded by cancels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Playhead {
    position: Duration,
    sent: Duration,
    /// Time at which `position` was valid.
    at: Duration,
}

impl Playhead {
    /// Returns the duration of the audio that has been sent and not discarded.
    pub const fn sent(&self) -> Duration {
        self.sent
    }

    /// Returns the current position.
    pub fn position(&self, now: Duration) -> Duration {
        (self.position + now.saturating_sub(self.at)).min(self.sent)
    }

    /// Returns the amount of sent audio that has not been heard.
    pub fn lead(&self, now: Duration) -> Duration {
        self.sent.saturating_sub(self.position(now))
    }

    /// Returns the time at which the lead will have decreased to `lead`; `now` if it is already that low.
    pub fn when_lead_is(&self, lead: Duration, now: Duration) -> Duration {
        now + self.lead(now).saturating_sub(lead)
    }

    /// Adds audio that is sent now. Returns the time at which the listener ran out of audio, if it did.
    pub fn send(&mut self, sound: Duration, now: Duration) -> Option<Duration> {
        let runs_dry = self.at + self.sent.saturating_sub(self.position);
        self.settle(now);
        self.sent += sound;
        Some(runs_dry).filter(|&dry| dry <= now)
    }

    /// Sets the position to the one that the listener reports, but not beyond the end of the sent audio.
    pub fn correct(&mut self, position: Duration, now: Duration) {
        self.position = position.min(self.sent);
        self.at = now;
    }

    /// Discards the unheard part of a range of audio; the listener continues with the audio after the range. Returns
    /// the amount of discarded audio.
    pub fn discard(&mut self, from: Duration, to: Duration, now: Duration) -> Duration {
        self.settle(now);
        let unheard_from = self.position.max(from);
        let discarded = to.min(self.sent).saturating_sub(unheard_from);
        self.sent -= discarded;
        self.position = self.position.min(self.sent);
        discarded
    }

    fn settle(&mut self, now: Duration) {
        self.position = self.position(now);
        self.at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn playhead_runs_in_real_time_and_stops_at_the_end() {
        let mut head = Playhead::default();
        assert_eq!(head.send(ms(100), ms(1_000)), Some(ms(0)), "no audio was sent before");
        assert_eq!(head.position(ms(1_000)), ms(0));
        assert_eq!(head.position(ms(1_040)), ms(40));
        assert_eq!(head.lead(ms(1_040)), ms(60));
        assert_eq!(head.send(ms(100), ms(1_040)), None);
        assert_eq!(head.position(ms(5_000)), ms(200), "it waits at the end");
        assert_eq!(head.send(ms(50), ms(5_000)), Some(ms(1_200)), "the listener had run out of audio");
        assert_eq!(head.position(ms(5_010)), ms(210));
    }

    #[test]
    fn corrections_are_limited_to_sent_audio() {
        let mut head = Playhead::default();
        head.send(ms(1_000), ms(0));
        head.correct(ms(100), ms(500));
        assert_eq!(head.position(ms(550)), ms(150));
        head.correct(ms(9_000), ms(600));
        assert_eq!(head.position(ms(600)), ms(1_000));
    }

    #[test]
    fn cancelled_audio_reduces_the_lead() {
        let mut head = Playhead::default();
        head.send(ms(1_000), ms(0));
        head.send(ms(400), ms(0));
        assert_eq!(head.discard(ms(0), ms(1_000), ms(300)), ms(700));
        assert_eq!(head.lead(ms(300)), ms(400), "the following audio stays");
        assert_eq!(head.discard(ms(0), ms(300), ms(300)), ms(0), "it had been heard");
    }

    #[test]
    fn predicts_when_the_lead_shrinks() {
        let mut head = Playhead::default();
        head.send(ms(3_000), ms(100));
        assert_eq!(head.when_lead_is(ms(2_900), ms(100)), ms(200));
        assert_eq!(head.when_lead_is(ms(5_000), ms(100)), ms(100));
    }
}
