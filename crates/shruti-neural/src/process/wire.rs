//! Messages and frames between a server and the process that runs a pack.
//!
//! A frame consists of the length of a JSON message and the number of samples, each a little-endian `u32`, then the
//! message, then the samples. Lengths are checked before memory is allocated.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::session::GraphError;
use crate::symbols::SymbolSequence;
use crate::synthesiser::{PreparedPassage, Settings};

/// Maximum size of a message, in bytes. The symbols of an utterance and its word timestamps take a few kibibytes.
const MAX_MESSAGE: usize = 4 << 20;
/// Maximum number of samples in a frame: 11 minutes of audio. A chunk lasts a few seconds.
const MAX_SAMPLES: usize = 16 << 20;

/// A request. The response to it repeats the number `call`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub call: u64,
    pub work: Work,
}

/// Work for the process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Work {
    /// Sets the number of threads per run. Has no response.
    Threads(usize),
    /// Prepares an utterance, which is identified by the number of this call.
    Prepare { sequence: SymbolSequence, settings: Settings },
    /// Computes the next chunk of an utterance.
    Next { passage: u64 },
    /// Drops an utterance. Has no response.
    Drop { passage: u64 },
}

/// First frame of a process, sent when the pack is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hello {
    pub has_pitch: bool,
    pub has_word_times: bool,
}

/// A response with the number of its request.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    pub call: u64,
    pub result: Result<CallResult, GraphError>,
}

/// Result of a request.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum CallResult {
    /// The utterance is prepared.
    Prepared(PreparedPassage<()>),
    /// A chunk of the utterance. Its samples follow the message in the same frame.
    Chunk,
    /// The utterance has ended or is unknown.
    End,
}

/// Writes a frame.
pub(super) fn write(to: &mut impl Write, message: &impl Serialize, samples: &[i16]) -> io::Result<()> {
    let message = serde_json::to_vec(message)?;
    let mut frame = Vec::with_capacity(8 + message.len() + samples.len() * 2);
    for length in [message.len(), samples.len()] {
        frame.extend(u32::try_from(length).map_err(io::Error::other)?.to_le_bytes());
    }
    frame.extend(message);
    frame.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    to.write_all(&frame)?;
    to.flush()
}

/// Reads a frame. Fails at the end of the stream with [`io::ErrorKind::UnexpectedEof`].
pub(super) fn read<M: DeserializeOwned>(from: &mut impl Read) -> io::Result<(M, Vec<i16>)> {
    let mut length = || {
        let mut bytes = [0; 4];
        from.read_exact(&mut bytes).map(|()| u32::from_le_bytes(bytes) as usize)
    };
    let (message, samples) = (length()?, length()?);
    if message > MAX_MESSAGE || samples > MAX_SAMPLES {
        let text = format!("a frame of {message} bytes and {samples} samples is too large");
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    let mut bytes = vec![0; message];
    from.read_exact(&mut bytes)?;
    let message = serde_json::from_slice(&bytes)?;
    bytes.resize(samples * 2, 0);
    from.read_exact(&mut bytes)?;
    let samples = bytes.as_chunks().0.iter().map(|&sample| i16::from_le_bytes(sample)).collect();
    Ok((message, samples))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn frames_round_trip_and_are_bounded() {
        let mut stream = Vec::new();
        write(&mut stream, &Request { call: 7, work: Work::Next { passage: 3 } }, &[]).unwrap();
        write(&mut stream, &Answer { call: 7, result: Ok(CallResult::Chunk) }, &[1, -2, i16::MIN]).unwrap();
        let mut rest = stream.as_slice();
        let (request, samples): (Request, _) = read(&mut rest).unwrap();
        assert!(request.call == 7 && matches!(request.work, Work::Next { passage: 3 }) && samples.is_empty());
        let (answer, samples): (Answer, _) = read(&mut rest).unwrap();
        assert!(matches!(answer, Answer { call: 7, result: Ok(CallResult::Chunk) }));
        assert_eq!(samples, [1, -2, i16::MIN]);
        let end = read::<Answer>(&mut rest).unwrap_err();
        assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof);
        for lengths in [[u32::MAX, 0], [2, u32::MAX]] {
            let frame: Vec<u8> = lengths.iter().flat_map(|length| length.to_le_bytes()).collect();
            let error = read::<Answer>(&mut frame.as_slice()).unwrap_err();
            assert!(error.to_string().contains("too large"), "{error}");
        }
    }
}
