//! Replies and events on standard output.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use shruti_lang::SAMPLE_RATE;

/// Stands before a byte whose bit 5 was inverted, so that no line end is in the data.
const ESCAPE: u8 = 0x7d;

/// Standard output, for several threads: each reply and each event is written whole.
#[derive(Clone)]
pub(crate) struct Output(Arc<Mutex<Box<dyn Write + Send>>>);

impl Output {
    pub(crate) fn new(output: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Box::new(output))))
    }

    /// Writes lines, which end a line each.
    pub(crate) fn write(&self, lines: &[u8]) -> io::Result<()> {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        output.write_all(lines)?;
        output.flush()
    }

    pub(crate) fn line(&self, line: &str) -> io::Result<()> {
        self.write(format!("{line}\n").as_bytes())
    }

    /// Reports an index mark; a line end in its name becomes a space.
    pub(crate) fn mark(&self, name: &str) -> io::Result<()> {
        self.line(&format!("700-{}\n700 INDEX MARK", name.replace(['\r', '\n'], " ")))
    }

    /// Has samples played.
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
