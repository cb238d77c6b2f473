//! Plays sound at its pace, and knows how far it is.

use std::io::Write;
use std::process::Child;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use shruti_protocol::SAMPLE_RATE;

use crate::player;

/// How much sound a player is given ahead of the playback position: what it needs to play without a gap, and the most
/// that it can still play after a barge-in, were it not killed.
pub(crate) const LEAD: Duration = Duration::from_millis(250);
/// What a player takes from its first sample to the loudspeaker, about.
const LATENCY: Duration = Duration::from_millis(100);
/// How much sound the level is taken over.
const LEVEL: Duration = Duration::from_millis(60);

/// The playback of one turn.
pub(crate) struct Playback {
    samples: Vec<i16>,
    /// How much of them the player has.
    given: usize,
    /// How much of them has sounded.
    position: usize,
    /// What the clock said when the position was found last.
    last: Option<Duration>,
    latency: Duration,
    player: Option<Player>,
}

/// A player in a process of its own, which may be slow to take samples, or die.
struct Player {
    process: Child,
    samples: SyncSender<Vec<u8>>,
}

impl Playback {
    /// A playback through a player, if there is one and it is not mute; else only position and level are known.
    pub(crate) fn new(is_mute: bool) -> Self {
        let player = if is_mute { None } else { Player::start() };
        let latency = if player.is_some() { LATENCY } else { Duration::ZERO };
        Self { samples: Vec::new(), given: 0, position: 0, last: None, latency, player }
    }

    /// Takes samples, signed 16-bit little-endian.
    pub(crate) fn push(&mut self, samples: &[u8]) {
        self.samples.extend(samples.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])));
    }

    /// Plays on until the clock says `now`. The position waits where it reaches the end of what has come.
    pub(crate) fn advance(&mut self, now: Duration) {
        if self.samples.is_empty() {
            return;
        }
        let passed = match self.last {
            // the player's latency goes by before the first sample is heard
            None => {
                self.last = Some(now + self.latency);
                Duration::ZERO
            }
            Some(last) => match now.checked_sub(last) {
                Some(passed) => {
                    self.last = Some(now);
                    passed
                }
                None => Duration::ZERO,
            },
        };
        self.position = self.samples.len().min(self.position + in_samples(passed));
        let wanted = self.samples.len().min(self.position + in_samples(LEAD));
        if wanted > self.given {
            let bytes =
                self.samples[self.given..wanted].iter().flat_map(|sample| sample.to_le_bytes()).collect();
            if self.player.as_ref().is_some_and(|player| !player.give(bytes)) {
                self.stop();
            }
            self.given = wanted;
        }
    }

    /// How much has sounded.
    pub(crate) fn position(&self) -> Duration {
        Duration::from_secs_f64(self.position as f64 / f64::from(SAMPLE_RATE))
    }

    /// Whether all that has come has sounded.
    pub(crate) fn is_finished(&self) -> bool {
        self.position == self.samples.len()
    }

    /// Whether a player plays.
    pub(crate) fn is_played(&self) -> bool {
        self.player.is_some()
    }

    /// The level of what sounds, from 0 (-50 dB of full scale or less) to 1 (-10 dB or more).
    pub(crate) fn level(&self) -> f64 {
        let window = &self.samples[self.position.saturating_sub(in_samples(LEVEL))..self.position];
        let squares: f64 = window.iter().map(|&sample| (f64::from(sample) / 32_768.0).powi(2)).sum();
        let decibels = 10.0 * (squares / window.len().max(1) as f64).log10();
        ((decibels + 50.0) / 40.0).clamp(0.0, 1.0)
    }

    /// Silence, at once: nothing more is played of the turn.
    pub(crate) fn stop(&mut self) {
        if let Some(mut player) = self.player.take() {
            // it may have died before
            let _ = player.process.kill();
            let _ = player.process.wait();
        }
    }

    /// Lets the player play what it has.
    pub(crate) fn finish(&mut self) {
        let Some(Player { mut process, samples }) = self.player.take() else { return };
        drop(samples);
        // a thread: a player that never ends holds nothing up
        std::thread::spawn(move || process.wait());
    }
}

impl Drop for Playback {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Player {
    fn start() -> Option<Self> {
        let mut process = player::start_quietly().ok()?;
        let mut input = process.stdin.take()?;
        let (samples, given) = sync_channel::<Vec<u8>>(64);
        std::thread::spawn(move || {
            // ends when the player has died, or the playback has ended
            while let Ok(bytes) = given.recv() {
                if input.write_all(&bytes).and_then(|()| input.flush()).is_err() {
                    break;
                }
            }
        });
        Some(Self { process, samples })
    }

    /// Whether the player still takes sound.
    fn give(&self, bytes: Vec<u8>) -> bool {
        !matches!(self.samples.try_send(bytes), Err(TrySendError::Disconnected(_) | TrySendError::Full(_)))
    }
}

fn in_samples(time: Duration) -> usize {
    (time.as_secs_f64() * f64::from(SAMPLE_RATE)).round() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_position_runs_in_real_time_and_waits_for_sound() {
        let mut playback = Playback::new(true);
        playback.advance(ms(50));
        assert_eq!(playback.position(), ms(0), "nothing has come");
        playback.push(&vec![1; 48 * 100]);
        let steps = [(1_000, 0), (1_060, 60), (1_100, 100), (1_500, 100)];
        for (now, position) in steps {
            playback.advance(ms(now));
            assert_eq!(playback.position(), ms(position), "at {now}");
        }
        assert!(playback.is_finished());
        playback.push(&vec![1; 48 * 100]);
        playback.advance(ms(1_510));
        assert_eq!(
            (playback.position(), playback.is_finished()),
            (ms(110), false),
            "an underrun is not caught up"
        );
    }

    #[test]
    fn the_level_is_that_of_what_sounds() {
        let mut playback = Playback::new(true);
        playback.push(&vec![0; 48 * 100]);
        playback.push(&8_000_i16.to_le_bytes().repeat(24 * 100));
        playback.advance(ms(0));
        playback.advance(ms(100));
        assert_eq!(playback.level(), 0.0);
        playback.advance(ms(200));
        assert!(playback.level() > 0.9, "{}", playback.level());
    }
}
