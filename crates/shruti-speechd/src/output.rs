//! Replies and events on standard output.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use shruti_lang::SAMPLE_RATE;

/// Escape byte of audio data. The byte after it has bit 5 inverted. Line feeds and escape bytes are written in this
/// form, so that the data contains no line feed.
const ESCAPE: u8 = 0x7d;

/// Standard output, shared by several threads. The lines of one reply or event are never mixed with those of another.
#[derive(Clone)]
pub(crate) struct Output(Arc<Mutex<Box<dyn Write + Send>>>);

impl Output {
    pub(crate) fn new(output: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Box::new(output))))
    }

    /// Writes complete lines and flushes the output.
    pub(crate) fn write(&self, lines: &[u8]) -> io::Result<()> {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        output.write_all(lines)?;
        output.flush()
    }

    pub(crate) fn line(&self, line: &str) -> io::Result<()> {
        self.write(format!("{line}\n").as_bytes())
    }

    /// Writes an index mark event. A line end in the name becomes a space.
    pub(crate) fn mark(&self, name: &str) -> io::Result<()> {
        self.line(&format!("700-{}\n700 INDEX MARK", name.replace(['\r', '\n'], " ")))
    }

    /// Writes an audio event.
    pub(crate) fn audio(&self, samples: &[i16]) -> io::Result<()> {
        let mut event = format!(
            "705-bits=16\n705-num_channels=1\n705-sample_rate={SAMPLE_RATE}\n705-num_samples={}\n\
             705-big_endian=0\n705-AUDIO\0",
            samples.len()
        )
        .into_bytes();
        for byte in samples.iter().flat_map(|sample| sample.to_le_bytes()) {
            if byte == b'\n' || byte == ESCAPE {
                event.extend([ESCAPE, byte ^ 0x20]);
            } else {
                event.push(byte);
            }
        }
        event.extend(b"\n705 AUDIO\n");
        self.write(&event)
    }
}
