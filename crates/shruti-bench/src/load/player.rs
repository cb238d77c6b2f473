//! A listener's player, as arithmetic.

use std::time::Duration;

/// How much time passes between the first sound and its being played.
const BUFFER: Duration = Duration::from_millis(200);

/// Plays one turn in real time: it begins 200 ms after the first sound came, and where it reaches the end of what has
/// come it waits for more.
#[derive(Clone, Debug, Default)]
pub(super) struct Player {
    /// When it will have played all that has come.
    runs_dry: Option<Duration>,
}

/// The player had nothing to play while there was more to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Underrun {
    /// Since when.
    pub(super) at: Duration,
    /// For how long.
    pub(super) lasted: Duration,
}

impl Player {
    /// Takes sound; says if it had run dry before.
    pub(super) fn take(&mut self, sound: Duration, now: Duration) -> Option<Underrun> {
        let underrun = self.is_dry(now);
        let end = match self.runs_dry {
            None => now + BUFFER,
            Some(end) => end.max(now),
        };
        self.runs_dry = Some(end + sound);
        underrun
    }

    /// How long it has had nothing to play, if it plays at all and has not.
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
    fn it_plays_in_real_time_and_tells_where_it_had_to_wait() {
        type Sound = (u64, u64, Option<(u64, u64)>);
        // (when sound comes, how long it is, the underrun that ends with it), in milliseconds
        let cases: [(&str, &[Sound]); 4] = [
            ("in time", &[(1_000, 100, None), (1_100, 100, None), (1_400, 100, None)]),
            ("to the last moment", &[(1_000, 100, None), (1_300, 100, None)]),
            ("too late", &[(1_000, 100, None), (1_301, 100, Some((1_300, 1))), (1_400, 50, None)]),
            ("again and again", &[(0, 20, None), (500, 20, Some((220, 280))), (700, 20, Some((520, 180)))]),
        ];
        for (name, sounds) in cases {
            let mut player = Player::default();
            assert_eq!(player.is_dry(ms(10_000)), None, "{name}: it does not play yet");
            for &(now, sound, underrun) in sounds {
                let expected = underrun.map(|(at, lasted)| Underrun { at: ms(at), lasted: ms(lasted) });
                assert_eq!(player.take(ms(sound), ms(now)), expected, "{name}, at {now}");
            }
        }
    }
}
