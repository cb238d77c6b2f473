//! Maximum duration of the audio of a turn, derived from the number of charged characters.

use std::time::Duration;

use shruti_lang::limits::{MAX_SOUND_MS_PER_CHAR, SPEED};
use shruti_text::is_ssml;

use super::command::TurnSettings;

/// Minimum number of characters for the limit. A turn with fewer characters has the limit for this number, because some
/// voices begin and end with silence.
const MIN_CHARS: u32 = 4;

/// Audio limit of a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SoundLimit {
    ms_per_char: f64,
}

impl SoundLimit {
    /// Creates the limit of a turn whose text starts with `text`.
    ///
    /// For SSML, the limit assumes the slowest rate, because the markup may request this rate for any part of the text.
    /// Entries of the operator's lexicon are not charged, so the limit is multiplied by the greatest factor by which
    /// such an entry lengthens a word.
    pub(super) fn new(settings: &TurnSettings, text: &str) -> Self {
        let slowest = if is_ssml(text) { *SPEED.start() } else { f64::from(settings.speed).min(1.0) };
        let growth = settings.lexicon.uncharged_growth() as f64;
        Self { ms_per_char: f64::from(MAX_SOUND_MS_PER_CHAR) * growth / slowest }
    }

    /// Returns the maximum duration of the audio for a number of charged characters.
    pub(super) fn of(self, chars: u32) -> Duration {
        Duration::from_millis((f64::from(chars.max(MIN_CHARS)) * self.ms_per_char) as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use shruti_text::Lexicon;

    use super::super::tests::settings;
    use super::*;

    fn limit_ms(settings: &TurnSettings, text: &str, chars: u32) -> u128 {
        SoundLimit::new(settings, text).of(chars).as_millis()
    }

    #[test]
    fn limit_depends_on_charge_speed_and_server_lexicon() {
        let usual = settings();
        assert_eq!(limit_ms(&usual, "text", 100), 250_000);
        assert_eq!(limit_ms(&usual, "k", 1), 10_000);
        assert_eq!(limit_ms(&usual, " \n<speak>text", 100), 500_000);
        assert_eq!(limit_ms(&usual, "a <speak>", 100), 250_000);
        assert_eq!(limit_ms(&TurnSettings { speed: 0.5, ..usual.clone() }, "text", 100), 500_000);
        assert_eq!(limit_ms(&TurnSettings { speed: 2.0, ..usual.clone() }, "text", 100), 250_000);
        let entries = |words| Arc::new(Lexicon::new([("AIIMS", words)]).unwrap());
        let own = TurnSettings { lexicon: entries("twenty letters twenty"), ..usual.clone() };
        assert_eq!(limit_ms(&own, "AIIMS", 100), 250_000, "charged replacements do not raise the limit");
        let beneath = |lexicon: Lexicon| TurnSettings { lexicon: Arc::new(lexicon), ..usual.clone() };
        let operators = Lexicon::default().with_fallback(entries("twenty letters, more"));
        assert_eq!(limit_ms(&beneath(operators.clone()), "AIIMS", 100), 1_000_000);
        let own_beneath = Lexicon::default().with_own_fallback(Arc::new(operators));
        assert_eq!(limit_ms(&beneath(own_beneath), "AIIMS", 100), 1_000_000);
    }
}
