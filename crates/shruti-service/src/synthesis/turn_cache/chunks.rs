//! Format of a cached turn: a sequence of chunks.
//!
//! ```text
//! length of the metadata, in bytes, and number of samples: 4 bytes each, little-endian
//! the metadata, in JSON
//! the samples, 16 bits each, little-endian
//! ```

use std::io::{self, Read};

use serde::{Deserialize, Serialize};
use shruti_engine::{Chunk, ClauseMark, WordMark};

/// Maximum size of a chunk's metadata, in bytes.
const MAX_METADATA: usize = 1024 * 1024;
/// Maximum number of samples of a chunk: one minute of audio.
const MAX_SAMPLES: usize = 60 * shruti_lang::SAMPLE_RATE as usize;

/// All fields of a chunk except its samples and its start.
#[derive(Serialize, Deserialize)]
struct Metadata {
    words: Vec<Word>,
    clauses: Vec<Clause>,
    extra_chars: u32,
    first_audible: Option<usize>,
}

#[derive(Serialize, Deserialize)]
struct Word {
    text: String,
    ms: [u32; 2],
    chars: [u32; 2],
    spoken: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Clause {
    /// End of the clause; `None` if the mark is at the beginning of the clause.
    end_ms: Option<u32>,
    char_end: u32,
}

/// Returns the bytes of a chunk; `None` if it exceeds a limit of the format.
pub(super) fn write(chunk: &Chunk) -> Option<Vec<u8>> {
    let word = |word: &WordMark| Word {
        text: word.text.clone(),
        ms: [word.start_ms, word.end_ms],
        chars: [word.char_start, word.char_end],
        spoken: word.spoken.clone(),
    };
    let clause = |clause: &ClauseMark| match *clause {
        ClauseMark::Begins { char_end } => Clause { end_ms: None, char_end },
        ClauseMark::Ends { end_ms, char_end } => Clause { end_ms: Some(end_ms), char_end },
    };
    let metadata = Metadata {
        words: chunk.marks.iter().map(word).collect(),
        clauses: chunk.clauses.iter().map(clause).collect(),
        extra_chars: chunk.extra_chars,
        first_audible: chunk.first_audible,
    };
    let metadata = serde_json::to_vec(&metadata).ok()?;
    let samples = chunk.samples.len();
    if metadata.len() > MAX_METADATA || samples > MAX_SAMPLES {
        return None;
    }
    let mut bytes = Vec::with_capacity(8 + metadata.len() + 2 * samples);
    for length in [metadata.len(), samples] {
        bytes.extend((length as u32).to_le_bytes());
    }
    bytes.extend(metadata);
    bytes.extend(chunk.samples.iter().flat_map(|sample| sample.to_le_bytes()));
    Some(bytes)
}

/// Reads a chunk that starts after `start` samples of the turn. Returns it with its size in bytes.
pub(super) fn read(source: &mut impl Read, start: u64) -> io::Result<(Chunk, u64)> {
    let mut length = || {
        let mut bytes = [0; 4];
        source.read_exact(&mut bytes).map(|()| u32::from_le_bytes(bytes) as usize)
    };
    let (metadata_bytes, samples) = (length()?, length()?);
    if metadata_bytes > MAX_METADATA || samples > MAX_SAMPLES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut metadata = vec![0; metadata_bytes];
    source.read_exact(&mut metadata)?;
    let mut audio = vec![0; 2 * samples];
    source.read_exact(&mut audio)?;
    let metadata: Metadata = serde_json::from_slice(&metadata)?;
    let word = |word: Word| WordMark {
        text: word.text,
        start_ms: word.ms[0],
        end_ms: word.ms[1],
        char_start: word.chars[0],
        char_end: word.chars[1],
        spoken: word.spoken,
    };
    let clause = |Clause { end_ms, char_end }| match end_ms {
        Some(end_ms) => ClauseMark::Ends { end_ms, char_end },
        None => ClauseMark::Begins { char_end },
    };
    let chunk = Chunk {
        samples: audio.as_chunks().0.iter().map(|&sample| i16::from_le_bytes(sample)).collect(),
        start,
        marks: metadata.words.into_iter().map(word).collect(),
        clauses: metadata.clauses.into_iter().map(clause).collect(),
        extra_chars: metadata.extra_chars,
        first_audible: metadata.first_audible,
    };
    Ok((chunk, (8 + metadata_bytes + audio.len()) as u64))
}
