//! Destination for samples: a file or a pipe in an audio format, or a player.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Seek, SeekFrom, Stdout, Write, stdout};
use std::mem::discriminant;
use std::path::Path;

use anyhow::{Context, bail};
use shruti_audio::wav::{self, WavWriter};
use shruti_audio::{Codec, Encoder, Format};
use shruti_lang::SAMPLE_RATE;

use crate::player::{self, Player};

/// Default bit rate of MP3 files, in kbit/s. Speech loses little quality at this rate and at [`OPUS_BIT_RATE`].
const MP3_BIT_RATE: u32 = 64;
const OPUS_BIT_RATE: u32 = 32;

/// Destination for 16-bit mono samples at [`SAMPLE_RATE`] Hz.
pub(crate) enum Sink {
    /// WAV file. When the file is complete, its length is written to its header.
    Wav(WavWriter<BufWriter<File>>),
    /// File in any other format. When the file is complete, its length is written to its header if the format has a
    /// length field.
    Encoded {
        format: Format,
        encoder: Box<dyn Encoder>,
        file: BufWriter<File>,
        samples: u64,
    },
    Pipe {
        encoder: Box<dyn Encoder>,
        out: Stdout,
    },
    Player(Player),
}

/// File format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    Wav,
    Encoded(Format),
}

impl FileKind {
    /// Returns the file kind for a path: that of the `requested` format if it is set, otherwise that of the extension.
    /// Fails if the extension belongs to another format.
    pub(crate) fn of(path: &Path, requested: Option<Format>) -> anyhow::Result<Self> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let usual = match extension.as_str() {
            "wav" | "wave" => Some(Format::NATIVE_WAV),
            "raw" | "pcm" => Some(Format::NATIVE),
            "mp3" => Some(Format::mp3(SAMPLE_RATE, MP3_BIT_RATE)?),
            "opus" | "ogg" => Some(Format::ogg_opus(OPUS_BIT_RATE)?),
            // a device such as `/dev/stdout` has no extension
            "" if path.starts_with("/dev") => Some(requested.unwrap_or(Format::NATIVE_WAV)),
            // raw samples may be written to a file with any other extension, if their format is requested
            _ => requested.filter(|requested| matches!(requested.codec(), Codec::Raw(_))),
        };
        let name = path.display();
        let Some(usual) = usual else {
            bail!(
                "cannot write {name}: the file must end in .wav, .mp3, .opus or .ogg, or in .raw or .pcm for raw \
                 samples; for other formats: shruti say … | ffmpeg -f s16le -ar {SAMPLE_RATE} -ac 1 -i - {name}"
            )
        };
        let format = requested.unwrap_or(usual);
        if discriminant(&format.codec()) != discriminant(&usual.codec()) {
            bail!("cannot write {name} as {format}: omit --format, or use another file extension")
        }
        Ok(if format == Format::NATIVE_WAV { Self::Wav } else { Self::Encoded(format) })
    }
}

impl Sink {
    /// Creates a file in the `requested` format, or in the format of its extension if no format is requested.
    pub(crate) fn file(path: &Path, requested: Option<Format>) -> anyhow::Result<Self> {
        let kind = FileKind::of(path, requested)?;
        let cannot_write = || format!("cannot write {}", path.display());
        let file = BufWriter::new(File::create(path).with_context(cannot_write)?);
        Ok(match kind {
            FileKind::Wav => Self::Wav(WavWriter::new(file, SAMPLE_RATE).with_context(cannot_write)?),
            FileKind::Encoded(format) => {
                let (mut encoder, mut file) = (format.encoder(), file);
                file.write_all(&encoder.header(None)).with_context(cannot_write)?;
                Self::Encoded { format, encoder, file, samples: 0 }
            }
        })
    }

    /// Starts a player if standard output is a terminal. Otherwise, opens standard output for raw samples, or for the
    /// requested format.
    pub(crate) fn listener(requested: Option<Format>) -> anyhow::Result<Self> {
        let mut out = stdout();
        if out.is_terminal() {
            return Ok(Self::Player(player::start()?));
        }
        let mut encoder = requested.unwrap_or(Format::NATIVE).encoder();
        out.write_all(&encoder.header(None))?;
        Ok(Self::Pipe { encoder, out })
    }

    pub(crate) fn write(&mut self, new: &[i16]) -> anyhow::Result<()> {
        match self {
            Self::Wav(writer) => writer.write(new).context("cannot write the file")?,
            Self::Encoded { encoder, file, samples, .. } => {
                *samples += new.len() as u64;
                file.write_all(&encoder.encode(new)).context("cannot write the file")?;
            }
            Self::Pipe { encoder, out } => out.write_all(&encoder.encode(new))?,
            Self::Player(player) => player.play(&wav::bytes(new))?,
        }
        Ok(())
    }

    /// Completes a file, or waits until a player has played everything.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Wav(writer) => writer.finish().map(drop).context("cannot write the file")?,
            Self::Encoded { format, mut encoder, mut file, samples } => {
                let written = file.write_all(&encoder.finish());
                let written = written.and_then(|()| complete(format, file, samples));
                written.context("cannot write the file")?;
            }
            Self::Pipe { mut encoder, mut out } => {
                out.write_all(&encoder.finish())?;
                out.flush()?;
            }
            Self::Player(player) => player.finish()?,
        }
        Ok(())
    }
}

/// Writes the length of a file into its header, if the format has that field and the file is seekable.
fn complete(format: Format, mut file: BufWriter<File>, samples: u64) -> io::Result<()> {
    if !format.has_length() {
        return file.flush();
    }
    let header = format.encoder().header(Some(samples));
    let Ok(length) = file.stream_position() else { return file.flush() };
    if (length - header.len() as u64) % 2 == 1 {
        // RIFF chunks have an even length
        file.write_all(&[0])?;
    }
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header)?;
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compressed_file_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        for (name, begins) in [("a.mp3", &[0xFF][..]), ("a.opus", b"OggS")] {
            let path = folder.path().join(name);
            let mut sink = Sink::file(&path, None).unwrap();
            sink.write(&vec![1_000; 24_000]).unwrap();
            sink.finish().unwrap();
            let written = std::fs::read(&path).unwrap();
            assert!(written.starts_with(begins) && written.len() > 2_000, "{name}: {} bytes", written.len());
        }
    }

    #[test]
    fn a_header_contains_the_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.wav");
        for (format, header) in [("wav_mulaw_8000", 58), ("wav_16000", 44)] {
            let format: Format = format.parse().unwrap();
            let mut sink = Sink::file(&path, Some(format)).unwrap();
            sink.write(&vec![1_000; 24_000]).unwrap();
            sink.finish().unwrap();
            let written = std::fs::read(&path).unwrap();
            let data = u32::from_le_bytes(written[header - 4..header].try_into().unwrap());
            assert_eq!(
                (data as usize, u64::from(data)),
                (written.len() - header, format.encoded_bytes(24_000).unwrap())
            );
        }
    }

    #[test]
    fn the_format_of_a_file_must_match_its_name() {
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
            assert_eq!(FileKind::of(Path::new(name), None).unwrap(), kind, "{name}");
        }
        let kind_of = |name: &str, format: &str| FileKind::of(Path::new(name), Some(format.parse().unwrap()));
        assert_eq!(kind_of("a.wav", "wav_24000").unwrap(), FileKind::Wav);
        for (name, format) in
            [("a.wav", "wav_8000"), ("a.ulaw", "mulaw_8000"), ("/dev/stdout", "mp3_44100_128")]
        {
            assert_eq!(kind_of(name, format).unwrap(), FileKind::Encoded(format.parse().unwrap()), "{name}");
        }
        for (name, format) in [("a.mp3", "wav_24000"), ("a.raw", "wav_24000"), ("a.flac", "mp3_44100_128")] {
            assert!(kind_of(name, format).unwrap_err().to_string().contains(name), "{name}");
        }
        for name in ["a.flac", "a.m4a", "a", ".wav", "a.wav.gz"] {
            let error = FileKind::of(Path::new(name), None).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(".wav") && error.contains("ffmpeg"), "{error}");
        }
    }
}
