//! Where samples go: a file of some format, a pipe of bare samples, or a player.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Stdout, Write, stdout};
use std::path::Path;

use anyhow::{Context, bail};
use shruti_audio::wav::{self, WavWriter};
use shruti_audio::{Encoder, Format};
use shruti_protocol::SAMPLE_RATE;

use crate::player::{self, Player};

/// kbit/s of compressed files, at which speech loses little.
const MP3_BIT_RATE: u32 = 64;
const OPUS_BIT_RATE: u32 = 32;

/// A destination for samples: 16-bit, one channel, [`SAMPLE_RATE`] a second.
pub(crate) enum Sink {
    /// With its length in its header, once it is known.
    Wav(WavWriter<BufWriter<File>>),
    Encoded {
        encoder: Box<dyn Encoder>,
        file: BufWriter<File>,
    },
    Pipe(Stdout),
    Player(Player),
}

/// The format of a file, by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Wav,
    Encoded(Format),
}

impl FileKind {
    /// The format for a file name. An extension of another format is an error.
    pub(crate) fn of(path: &Path) -> anyhow::Result<Self> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "wav" | "wave" => Ok(Self::Wav),
            "raw" | "pcm" => Ok(Self::Encoded(Format::NATIVE)),
            "mp3" => Ok(Self::Encoded(Format::mp3(SAMPLE_RATE, MP3_BIT_RATE)?)),
            "opus" | "ogg" => Ok(Self::Encoded(Format::ogg_opus(OPUS_BIT_RATE)?)),
            // a device or a pipe has no extension
            "" if path.starts_with("/dev") => Ok(Self::Wav),
            _ => {
                let name = path.display();
                bail!(
                    "cannot write {name}: the file must end in .wav, .mp3, .opus or .ogg, or in .raw or .pcm for bare \
                     samples; for other forms: shruti say … | ffmpeg -f s16le -ar {SAMPLE_RATE} -ac 1 -i - {name}"
                )
            }
        }
    }
}

impl Sink {
    /// A file in the format of its extension.
    pub(crate) fn file(path: &Path) -> anyhow::Result<Self> {
        let kind = FileKind::of(path)?;
        let cannot_write = || format!("cannot write {}", path.display());
        let file = BufWriter::new(File::create(path).with_context(cannot_write)?);
        Ok(match kind {
            FileKind::Wav => Self::Wav(WavWriter::new(file, SAMPLE_RATE).with_context(cannot_write)?),
            FileKind::Encoded(format) => {
                let (mut encoder, mut file) = (format.encoder(), file);
                file.write_all(&encoder.header(None)).with_context(cannot_write)?;
                Self::Encoded { encoder, file }
            }
        })
    }

    /// The standard output if it is a pipe or a file, else a player.
    pub(crate) fn listener() -> anyhow::Result<Self> {
        let out = stdout();
        if out.is_terminal() { Ok(Self::Player(player::start()?)) } else { Ok(Self::Pipe(out)) }
    }

    pub(crate) fn write(&mut self, samples: &[i16]) -> anyhow::Result<()> {
        match self {
            Self::Wav(writer) => writer.write(samples).context("cannot write the file")?,
            Self::Encoded { encoder, file } => {
                file.write_all(&encoder.encode(samples)).context("cannot write the file")?;
            }
            Self::Pipe(out) => out.write_all(&wav::bytes(samples))?,
            Self::Player(player) => player.play(&wav::bytes(samples))?,
        }
        Ok(())
    }

    /// Completes a file, or waits until a player has played everything.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Wav(writer) => writer.finish().map(drop).context("cannot write the file")?,
            Self::Encoded { mut encoder, mut file } => {
                let written = file.write_all(&encoder.finish()).and_then(|()| file.flush());
                written.context("cannot write the file")?;
            }
            Self::Pipe(mut out) => out.flush()?,
            Self::Player(player) => player.finish()?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compressed_file_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        for (name, begins) in [("a.mp3", &[0xFF][..]), ("a.opus", b"OggS")] {
            let path = folder.path().join(name);
            let mut sink = Sink::file(&path).unwrap();
            sink.write(&vec![1_000; 24_000]).unwrap();
            sink.finish().unwrap();
            let written = std::fs::read(&path).unwrap();
            assert!(written.starts_with(begins) && written.len() > 2_000, "{name}: {} bytes", written.len());
        }
    }

    #[test]
    fn a_file_is_what_its_name_says_or_is_not_written() {
        for (name, kind) in [
            ("a.wav", FileKind::Wav),
            ("A.WAV", FileKind::Wav),
            ("b.raw", FileKind::Encoded(Format::NATIVE)),
            ("b.pcm", FileKind::Encoded(Format::NATIVE)),
            ("c.MP3", FileKind::Encoded(Format::mp3(24_000, 64).unwrap())),
            ("c.opus", FileKind::Encoded(Format::ogg_opus(32).unwrap())),
            ("c.ogg", FileKind::Encoded(Format::ogg_opus(32).unwrap())),
            ("/dev/null", FileKind::Wav),
        ] {
            assert_eq!(FileKind::of(Path::new(name)).unwrap(), kind, "{name}");
        }
        for name in ["a.flac", "a.m4a", "a", ".wav", "a.wav.gz"] {
            let error = FileKind::of(Path::new(name)).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(".wav") && error.contains("ffmpeg"), "{error}");
        }
    }
}
