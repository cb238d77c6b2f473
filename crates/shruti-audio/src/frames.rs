//! Frames of constant length, as telephone carriers require.

use crate::encoder::Encoder;

/// Encoder adapter that outputs whole frames; the last frame is padded.
pub(crate) struct Framed {
    encoder: Box<dyn Encoder>,
    frame_bytes: usize,
    filler: u8,
    /// Bytes of an incomplete frame.
    held_back: Vec<u8>,
}

impl Framed {
    pub(crate) fn new(encoder: Box<dyn Encoder>, frame_bytes: usize, filler: u8) -> Self {
        Self { encoder, frame_bytes, filler, held_back: Vec::new() }
    }

    /// Returns all complete frames.
    fn frames(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held_back.extend_from_slice(bytes);
        let complete = self.held_back.len() - self.held_back.len() % self.frame_bytes;
        let rest = self.held_back.split_off(complete);
        std::mem::replace(&mut self.held_back, rest)
    }
}

impl Encoder for Framed {
    fn header(&mut self, samples: Option<u64>) -> Vec<u8> {
        self.encoder.header(samples)
    }

    fn encode(&mut self, samples: &[i16]) -> Vec<u8> {
        let bytes = self.encoder.encode(samples);
        self.frames(&bytes)
    }

    fn finish(&mut self) -> Vec<u8> {
        let bytes = self.encoder.finish();
        let mut frames = self.frames(&bytes);
        let mut last = std::mem::take(&mut self.held_back);
        if !last.is_empty() {
            last.resize(self.frame_bytes, self.filler);
            frames.append(&mut last);
        }
        frames
    }

    fn encoded_bytes(&self, samples: u64) -> Option<u64> {
        let bytes = self.encoder.encoded_bytes(samples)?;
        Some(bytes.next_multiple_of(self.frame_bytes as u64))
    }
}

#[cfg(test)]
mod tests {
    use crate::Format;

    #[test]
    fn telephone_audio_has_20_ms_frames_and_the_last_is_padded_with_silence() {
        let samples: Vec<i16> = (0..24_000).map(|n: i32| (n * 7_919 % 20_000) as i16).collect();
        for (name, silence) in [("mulaw_8000", 0xff), ("alaw_8000", 0xd5)] {
            let format: Format = name.parse().unwrap();
            for length in [0, 1, 479, 480, 481, 24_000] {
                let samples = &samples[..length];
                let mut plain = format.encoder();
                let plain = [plain.encode(samples), plain.finish()].concat();
                for block in [1, 100, 2_400, 24_000] {
                    let mut framed = format.message_encoder();
                    let mut pieces: Vec<Vec<u8>> =
                        samples.chunks(block).map(|block| framed.encode(block)).collect();
                    pieces.push(framed.finish());
                    assert!(pieces.iter().all(|piece| piece.len() % 160 == 0), "{name} {length} by {block}");
                    let all = pieces.concat();
                    let (sound, filler) = all.split_at(plain.len());
                    assert_eq!(sound, plain, "{name} {length} by {block}");
                    assert!(filler.len() < 160 && filler.iter().all(|&byte| byte == silence), "{name}");
                    assert_eq!(framed.encoded_bytes(length as u64), Some(all.len() as u64));
                }
            }
        }
        for name in ["pcm_24000", "mulaw_16000", "wav_mulaw_8000", "pcm_8000"] {
            let mut encoder = name.parse::<Format>().unwrap().message_encoder();
            let bytes = [encoder.encode(&samples[..500]), encoder.finish()].concat();
            assert_ne!(bytes.len() % 160, 0, "{name}");
        }
    }
}
