//! Audio of the turns of a context in the requested format.

use shruti_audio::{Encoder, Format};
use shruti_engine::turn::DoneReason;
use shruti_lang::SAMPLE_RATE;

/// Silence for a turn without anything speakable, since clients treat a turn without audio as a failure.
const SILENCE: [i16; SAMPLE_RATE as usize / 10] = [0; SAMPLE_RATE as usize / 10];

/// Encoder for consecutive turns in one format. Each turn has its own header and end.
pub(crate) struct TurnSound {
    format: Format,
    /// Encoder for the current turn; `None` before its first audio.
    encoder: Option<Box<dyn Encoder>>,
}

impl TurnSound {
    pub(crate) fn new(format: Format) -> Self {
        Self { format, encoder: None }
    }

    pub(crate) const fn format(&self) -> Format {
        self.format
    }

    /// Encodes more audio of the turn. The result may be empty.
    pub(crate) fn encode(&mut self, samples: &[i16]) -> Vec<u8> {
        if let Some(encoder) = &mut self.encoder {
            return encoder.encode(samples);
        }
        let encoder = self.encoder.insert(self.format.message_encoder());
        let mut bytes = encoder.header(None);
        bytes.extend(encoder.encode(samples));
        bytes
    }

    /// Returns the remaining bytes of a finished turn. A turn whose text is not blank but cannot be spoken becomes a
    /// tenth of a second of silence.
    pub(crate) fn finish(&mut self, reason: DoneReason, is_blank: bool) -> Vec<u8> {
        let mut bytes = match reason {
            DoneReason::NothingToSay if !is_blank => self.encode(&SILENCE),
            _ => Vec::new(),
        };
        bytes.extend(self.encoder.take().map(|mut encoder| encoder.finish()).unwrap_or_default());
        bytes
    }

    /// Discards the state of a turn that failed or was cancelled.
    pub(crate) fn drop_turn(&mut self) {
        self.encoder = None;
    }
}

/// Returns the samples of a clip whose text contains nothing speakable.
pub(crate) const fn silence() -> &'static [i16] {
    &SILENCE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_turn_is_complete_by_itself() {
        let mut sound = TurnSound::new(Format::NATIVE_WAV);
        for _ in 0..2 {
            let mut bytes = sound.encode(&[1, 2]);
            assert_eq!(&bytes[..4], b"RIFF");
            bytes.extend(sound.encode(&[3]));
            bytes.extend(sound.finish(DoneReason::Complete, false));
            assert_eq!(&bytes[bytes.len() - 6..], [1, 0, 2, 0, 3, 0]);
        }
        assert_eq!(sound.finish(DoneReason::NothingToSay, true), [0; 0]);
        let mut bare = TurnSound::new(Format::NATIVE);
        assert_eq!(bare.finish(DoneReason::NothingToSay, false), [0; 4_800]);
    }
}
