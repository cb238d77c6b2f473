//! Writers for the bytes of a clip, and the reasons for aborting a clip.

use shruti_audio::Encoder;
use shruti_engine::WordMark;
use shruti_lang::{Language, VoiceId};
use shruti_protocol::ApiError;

/// Properties of a clip that are known when its audio starts.
#[derive(Clone, Copy, Debug)]
pub struct ClipStart<'a> {
    /// Voice, in its canonical spelling.
    pub voice: &'a VoiceId,
    /// Language.
    pub language: Language,
    /// Kind of synthesis, as in `GET /v1/voices`.
    pub engine: &'a str,
    /// Cost of the complete clip, in characters.
    pub chars: u32,
}

/// Encoder that converts a clip to the bytes of a body: the beginning, the pieces, and the end.
pub trait ClipWriter: Send {
    /// Receives the properties of the clip; called once, before [`begin`](Self::begin).
    fn start(&mut self, _clip: ClipStart<'_>) {}

    /// Returns the first bytes. `samples` is the total number of samples, if known.
    fn begin(&mut self, samples: Option<u64>) -> Vec<u8>;

    /// Encodes more audio and, if requested, the words that begin during it. The result may be empty.
    fn piece(&mut self, words: &[WordMark], samples: &[i16]) -> Vec<u8>;

    /// Returns the last bytes.
    fn end(&mut self) -> Vec<u8>;

    /// Returns the last bytes of a failed clip, instead of [`end`](Self::end). Returns `None` if the format cannot
    /// report an error; the connection is then aborted.
    fn broken(&mut self, _error: ApiError) -> Option<Vec<u8>> {
        None
    }

    /// Returns the number of bytes for `samples` samples, without the bytes from [`begin`](Self::begin). Returns `None`
    /// if this number is not known in advance.
    fn bytes(&self, samples: u64) -> Option<u64>;
}

/// Writes the bytes of a format and nothing else.
impl ClipWriter for Box<dyn Encoder> {
    fn begin(&mut self, samples: Option<u64>) -> Vec<u8> {
        self.header(samples)
    }

    fn piece(&mut self, _words: &[WordMark], samples: &[i16]) -> Vec<u8> {
        self.encode(samples)
    }

    fn end(&mut self) -> Vec<u8> {
        self.finish()
    }

    fn bytes(&self, samples: u64) -> Option<u64> {
        self.encoded_bytes(samples)
    }
}

/// Reason why a clip was aborted. The connection is closed without the final chunk.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub enum AbortReason {
    /// Synthesis or a file operation failed.
    #[error("synthesis or a file operation failed")]
    Fault,
    /// The reader did not read any data for too long.
    #[error("the reader stalled")]
    Stalled,
    /// The key was revoked or locked, or has expired.
    #[error("the key is no longer valid")]
    KeyInvalid,
}
