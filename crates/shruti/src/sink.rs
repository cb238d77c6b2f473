//! Where samples go: a WAV file, a file or pipe of bare samples, or a player.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Stdout, Write, stdout};
use std::path::Path;
use std::process::Child;

use anyhow::Context;
use shruti_protocol::SAMPLE_RATE;

use crate::player;

/// A place that takes samples: 16-bit, one channel, [`SAMPLE_RATE`] a second.
pub(crate) enum Sink {
    Wav(hound::WavWriter<BufWriter<File>>),
    RawFile(BufWriter<File>),
    Pipe(Stdout),
    Player(Child),
}

impl Sink {
    /// A file: WAV, or bare samples if its name ends in `.raw` or `.pcm`.
    pub(crate) fn file(path: &Path) -> anyhow::Result<Self> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let cannot_write = || format!("cannot write {}", path.display());
        if matches!(extension, "raw" | "pcm") {
            return Ok(Self::RawFile(BufWriter::new(File::create(path).with_context(cannot_write)?)));
        }
        let format = hound::WavSpec {
            channels: 1,
            sample_rate: SAMPLE_RATE,
            bits_per_sample: 16,
            sample_format: hound::SampleFormat::Int,
        };
        Ok(Self::Wav(hound::WavWriter::create(path, format).with_context(cannot_write)?))
    }

    /// The standard output if it is a pipe or a file, else a player.
    pub(crate) fn listener() -> anyhow::Result<Self> {
        let out = stdout();
        if out.is_terminal() { Ok(Self::Player(player::start()?)) } else { Ok(Self::Pipe(out)) }
    }

    pub(crate) fn write(&mut self, samples: &[i16]) -> anyhow::Result<()> {
        match self {
            Self::Wav(writer) => {
                for &sample in samples {
                    writer.write_sample(sample)?;
                }
            }
            Self::RawFile(file) => file.write_all(&bytes(samples))?,
            Self::Pipe(out) => out.write_all(&bytes(samples))?,
            Self::Player(child) => {
                if let Some(input) = &mut child.stdin {
                    input.write_all(&bytes(samples))?;
                }
            }
        }
        Ok(())
    }

    /// Completes a file, or waits until a player has played all.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Wav(writer) => writer.finalize()?,
            Self::RawFile(mut file) => file.flush()?,
            Self::Pipe(mut out) => out.flush()?,
            Self::Player(mut child) => {
                drop(child.stdin.take());
                let status = child.wait()?;
                anyhow::ensure!(status.success(), "the player ended with {status}");
            }
        }
        Ok(())
    }
}

fn bytes(samples: &[i16]) -> Vec<u8> {
    samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
}
