//! Plays audio in real time and tracks the playback position.

use std::io::Write;
use std::process::Child;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use shruti_lang::SAMPLE_RATE;

use crate::player;

/// Maximum duration of the audio that is sent to the player ahead of the playback position. It is long enough to
/// prevent gaps. It also limits the audio that is still played after a barge-in if the player cannot be killed.
pub(crate) const LEAD: Duration = Duration::from_millis(250);
/// Approximate delay from the time at which the player receives a sample to the time at which the listener hears it.
const LATENCY: Duration = Duration::from_millis(100);
/// Length of the window over which the audio level is measured.
const LEVEL: Duration = Duration::from_millis(60);

/// Playback of one turn.
pub(crate) struct Playback {
    samples: Vec<i16>,
    /// Number of samples sent to the player.
    given: usize,
    /// Number of samples played.
    position: usize,
    /// Time of the last update of the position. Before playback starts, this is the time at which it will start.
    last: Option<Duration>,
    latency: Duration,
    player: Option<Player>,
}

/// Player process. It may read slowly, or exit early.
struct Player {
    process: Child,
    samples: SyncSender<Vec<u8>>,
}

impl Playback {
    /// Creates a playback. Without a player, or if `is_mute` is true, the playback only tracks the position and the
    /// level.
    pub(crate) fn new(is_mute: bool) -> Self {
        let player = if is_mute { None } else { Player::start() };
        let latency = if player.is_some() { LATENCY } else { Duration::ZERO };
        Self { samples: Vec::new(), given: 0, position: 0, last: None, latency, player }
    }

    /// Adds samples (signed 16-bit little-endian).
    pub(crate) fn push(&mut self, samples: &[u8]) {
        self.samples.extend(samples.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])));
    }

    /// Advances the playback to `now`. The position stops at the end of the samples received so far.
    pub(crate) fn advance(&mut self, now: Duration) {
        if self.samples.is_empty() {
            return;
        }
        let passed = match self.last {
            // the first sample is heard only after the player's latency
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

    /// Returns the duration of the audio played so far.
    pub(crate) fn position(&self) -> Duration {
        Duration::from_secs_f64(self.position as f64 / f64::from(SAMPLE_RATE))
    }

    /// Returns whether everything received so far has been played.
    pub(crate) fn is_finished(&self) -> bool {
        self.position == self.samples.len()
    }

    /// Returns whether a player process plays the audio.
    pub(crate) fn is_played(&self) -> bool {
        self.player.is_some()
    }

    /// Returns the current audio level, from 0 (-50 dB of full scale or less) to 1 (-10 dB or more).
    pub(crate) fn level(&self) -> f64 {
        let window = &self.samples[self.position.saturating_sub(in_samples(LEVEL))..self.position];
        let squares: f64 = window.iter().map(|&sample| (f64::from(sample) / 32_768.0).powi(2)).sum();
        let decibels = 10.0 * (squares / window.len().max(1) as f64).log10();
        ((decibels + 50.0) / 40.0).clamp(0.0, 1.0)
    }

    /// Stops the playback immediately.
    pub(crate) fn stop(&mut self) {
        if let Some(mut player) = self.player.take() {
            // the player may have already exited
            let _ = player.process.kill();
            let _ = player.process.wait();
        }
    }

    /// Lets the player finish the samples that it has received, without waiting for the player.
    pub(crate) fn finish(&mut self) {
        let Some(Player { mut process, samples }) = self.player.take() else { return };
        drop(samples);
        // a separate thread waits for the player, because a player might never exit
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
        let (samples, sender) = sync_channel::<Vec<u8>>(64);
        std::thread::spawn(move || {
            // the thread ends when the player exits or the playback is dropped
            while let Ok(bytes) = sender.recv() {
                if input.write_all(&bytes).and_then(|()| input.flush()).is_err() {
                    break;
                }
            }
        });
        Some(Self { process, samples })
    }

    /// Sends samples to the player. Returns `false` if the player has exited or reads too slowly.
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
    fn the_position_runs_in_real_time_and_waits_for_audio() {
        let mut playback = Playback::new(true);
        playback.advance(ms(50));
        assert_eq!(playback.position(), ms(0), "no sound has arrived");
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
    fn the_level_is_that_of_the_audible_audio() {
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
