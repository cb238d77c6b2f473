//! Simulated player of a listener.

use std::time::Duration;

/// Delay between the arrival of the first audio and the start of playback.
const BUFFER: Duration = Duration::from_millis(200);

/// Simulates the playback of one turn in real time. Playback starts 200 ms after the first audio arrives, and pauses
/// while there is no more audio.
#[derive(Clone, Debug, Default)]
pub(super) struct Player {
    /// Time at which all received audio will have been played.
    runs_dry: Option<Duration>,
}

/// Time during which the player had nothing to play although the turn was not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Underrun {
    /// Start of the underrun.
    pub(super) at: Duration,
    /// Duration of the underrun.
    pub(super) lasted: Duration,
}

impl Player {
    /// Adds received audio. Returns the underrun ended by this audio, if any.
    pub(super) fn take(&mut self, sound: Duration, now: Duration) -> Option<Underrun> {
        let underrun = self.is_dry(now);
        let end = match self.runs_dry {
            None => now + BUFFER,
            Some(end) => end.max(now),
        };
        self.runs_dry = Some(end + sound);
        underrun
    }

    /// Returns the current underrun, if playback has started and run out of audio.
    pub(super) fn is_dry(&self, now: Duration) -> Option<Underrun> {
        let at = self.runs_dry.filter(|&dry| dry < now)?;
        Some(Underrun { at, lasted: now.saturating_sub(at) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_player_runs_in_real_time_and_reports_underruns() {
        type Sound = (u64, u64, Option<(u64, u64)>);
        // for each piece of audio: its arrival and duration, and the start and duration of the underrun that it ends,
        // in milliseconds
        let cases: [(&str, &[Sound]); 4] = [
            ("in time", &[(1_000, 100, None), (1_100, 100, None), (1_400, 100, None)]),
            ("to the last moment", &[(1_000, 100, None), (1_300, 100, None)]),
            ("too late", &[(1_000, 100, None), (1_301, 100, Some((1_300, 1))), (1_400, 50, None)]),
            ("again and again", &[(0, 20, None), (500, 20, Some((220, 280))), (700, 20, Some((520, 180)))]),
        ];
        for (name, sounds) in cases {
            let mut player = Player::default();
            assert_eq!(player.is_dry(ms(10_000)), None, "{name}: playback has not started");
            for &(now, sound, underrun) in sounds {
                let expected = underrun.map(|(at, lasted)| Underrun { at: ms(at), lasted: ms(lasted) });
                assert_eq!(player.take(ms(sound), ms(now)), expected, "{name}, at {now}");
            }
        }
    }
}
