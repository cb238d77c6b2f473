//! WAV: mono samples after a header (RIFF, WAVE, `fmt `, `data`).
//!
//! Files over 4 GiB (24 hours 51 minutes of 16-bit samples at 24,000 Hz) are too long for the 32-bit lengths of the
//! header. They are in the RF64 format (EBU Tech 3306). This format differs only in the ID `RF64` and in a `ds64` chunk
//! with 64-bit lengths. A file that may grow to this size has a `JUNK` chunk as a placeholder for the `ds64` chunk.

use std::io::{self, Seek, SeekFrom, Write};

use crate::encoding::Encoding;

/// Header value for a length that is unknown, or that is given in the `ds64` chunk.
const ALL_BITS: u32 = u32::MAX;
/// Size of the header of a stream of 16-bit samples, in bytes.
pub const HEADER_BYTES: usize = 44;
/// Size of the `ds64` chunk, and of the `JUNK` placeholder for it, without ID and length, in bytes.
const DS64_BYTES: u32 = 28;
/// Size of the ID and length of a chunk, in bytes.
const CHUNK_HEAD_BYTES: u64 = 8;

/// Returns the header of a stream. If the number of samples is unknown (`None`), all bits of the lengths are set, as
/// usual for streams. The same header is returned if the samples exceed 4 GiB; use a [`WavWriter`] for audio of this
/// length.
pub fn header(encoding: Encoding, sample_rate: u32, samples: Option<u64>) -> Vec<u8> {
    let mut chunks = Vec::with_capacity(HEADER_BYTES);
    format_chunk(&mut chunks, encoding, sample_rate);
    let data = samples.and_then(|samples| samples.checked_mul(encoding.bytes().into()));
    // bytes between the RIFF length and the samples: the form type and the chunks
    let before = 4 + chunks.len() as u64 + if has_fact(encoding) { 12 } else { 0 } + CHUNK_HEAD_BYTES;
    let riff = data
        .map(|data| data.saturating_add(data % 2).saturating_add(before))
        .filter(|&riff| fits(Some(riff)));
    let data = data.filter(|_| riff.is_some());
    if has_fact(encoding) {
        chunk(&mut chunks, *b"fact", 4);
        chunks.extend_from_slice(&short(samples.filter(|_| riff.is_some())).to_le_bytes());
    }
    chunk(&mut chunks, *b"data", short(data));
    let mut header = Vec::with_capacity(chunks.len() + 12);
    chunk(&mut header, *b"RIFF", short(riff));
    header.extend_from_slice(b"WAVE");
    header.extend(chunks);
    header
}

/// Returns whether a header must contain the number of samples in a `fact` chunk (all encodings except integer PCM).
fn has_fact(encoding: Encoding) -> bool {
    encoding != Encoding::S16Le
}

fn chunk(header: &mut Vec<u8>, id: [u8; 4], length: u32) {
    header.extend_from_slice(&id);
    header.extend_from_slice(&length.to_le_bytes());
}

/// Returns the header of a file of 16-bit samples, with space for 64-bit lengths: 80 bytes.
fn header_with_ds64_space(sample_rate: u32, samples: Option<u64>) -> Vec<u8> {
    let mut header = Vec::with_capacity(HEADER_BYTES + 8 + DS64_BYTES as usize);
    let data = samples.map(|samples| samples.saturating_mul(Encoding::S16Le.bytes().into()));
    let riff = data.map(|data| data.saturating_add(HEADER_BYTES as u64 + u64::from(DS64_BYTES)));
    let is_long = riff.is_some() && !fits(riff);
    chunk(&mut header, if is_long { *b"RF64" } else { *b"RIFF" }, short(riff.filter(|_| !is_long)));
    header.extend_from_slice(b"WAVE");
    chunk(&mut header, if is_long { *b"ds64" } else { *b"JUNK" }, DS64_BYTES);
    let long = |length: Option<u64>| length.filter(|_| is_long).unwrap_or_default().to_le_bytes();
    header.extend_from_slice(&long(riff));
    header.extend_from_slice(&long(data));
    header.extend_from_slice(&long(samples));
    header.extend_from_slice(&0_u32.to_le_bytes()); // no lengths of other chunks
    format_chunk(&mut header, Encoding::S16Le, sample_rate);
    chunk(&mut header, *b"data", short(data.filter(|_| !is_long)));
    header
}

fn format_chunk(header: &mut Vec<u8>, encoding: Encoding, sample_rate: u32) {
    let tag: u16 = match encoding {
        Encoding::S16Le => 1,
        Encoding::F32Le => 3,
        Encoding::ALaw => 6,
        Encoding::MuLaw => 7,
    };
    let extension = if has_fact(encoding) { &[0, 0][..] } else { &[] };
    chunk(header, *b"fmt ", 16 + extension.len() as u32);
    header.extend_from_slice(&tag.to_le_bytes());
    header.extend_from_slice(&1_u16.to_le_bytes()); // channels
    header.extend_from_slice(&sample_rate.to_le_bytes());
    header.extend_from_slice(&(sample_rate * u32::from(encoding.bytes())).to_le_bytes());
    header.extend_from_slice(&encoding.bytes().to_le_bytes());
    header.extend_from_slice(&(8 * encoding.bytes()).to_le_bytes());
    header.extend_from_slice(extension);
}

/// Returns whether a length is known and can be represented in 32 bits (all bits set means unknown).
fn fits(length: Option<u64>) -> bool {
    length.is_some_and(|length| length < u64::from(ALL_BITS))
}

fn short(length: Option<u64>) -> u32 {
    length.and_then(|length| u32::try_from(length).ok()).unwrap_or(ALL_BITS)
}

/// Converts samples to little-endian bytes.
pub fn bytes(samples: &[i16]) -> Vec<u8> {
    // unlike an iterator over single bytes, this loop compiles to a plain copy
    let mut bytes = vec![0; 2 * samples.len()];
    for (pair, sample) in bytes.chunks_exact_mut(2).zip(samples) {
        pair.copy_from_slice(&sample.to_le_bytes());
    }
    bytes
}

/// Writer for a WAV file. [`finish`](Self::finish) writes the length to the header; until then, the header marks the
/// length as unknown. If the output is not seekable (such as a pipe), the length stays unknown.
#[derive(Debug)]
pub struct WavWriter<W> {
    out: W,
    sample_rate: u32,
    /// Position of the start of the file; `None` if the output is not seekable.
    begins: Option<u64>,
    samples: u64,
}

impl<W: Write + Seek> WavWriter<W> {
    /// Writes the header of a file that starts at the current position of `out`.
    pub fn new(mut out: W, sample_rate: u32) -> io::Result<Self> {
        let begins = out.stream_position().ok();
        let header = match begins {
            Some(_) => header_with_ds64_space(sample_rate, None),
            None => header(Encoding::S16Le, sample_rate, None),
        };
        out.write_all(&header)?;
        Ok(Self { out, sample_rate, begins, samples: 0 })
    }

    /// Appends samples.
    pub fn write(&mut self, samples: &[i16]) -> io::Result<()> {
        self.out.write_all(&bytes(samples))?;
        self.samples += samples.len() as u64;
        Ok(())
    }

    /// Completes the header if the output is seekable, flushes the output and returns it.
    pub fn finish(mut self) -> io::Result<W> {
        if let Some(begins) = self.begins {
            self.out.seek(SeekFrom::Start(begins))?;
            self.out.write_all(&header_with_ds64_space(self.sample_rate, Some(self.samples)))?;
            self.out.seek(SeekFrom::End(0))?;
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn number(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    fn long(bytes: &[u8], at: usize) -> u64 {
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
    }

    #[test]
    fn the_header_has_the_length_if_known() {
        let known = header(Encoding::S16Le, 24_000, Some(100));
        assert_eq!(known.len(), HEADER_BYTES);
        assert_eq!(
            (&known[..4], &known[8..16], &known[36..40]),
            (&b"RIFF"[..], &b"WAVEfmt "[..], &b"data"[..])
        );
        assert_eq!((number(&known, 4), number(&known, 40)), (236, 200));
        assert_eq!((number(&known, 24), number(&known, 28)), (24_000, 48_000));
        for unknown in [
            header(Encoding::S16Le, 24_000, None),
            header(Encoding::S16Le, 24_000, Some(1 << 31)),
            header(Encoding::S16Le, 24_000, Some(u64::MAX)),
        ] {
            assert_eq!((number(&unknown, 4), number(&unknown, 40)), (u32::MAX, u32::MAX));
        }
        let longest = (u64::from(u32::MAX) - 1 - 36) / 2;
        assert_eq!(number(&header(Encoding::S16Le, 24_000, Some(longest)), 40), longest as u32 * 2);
    }

    #[test]
    fn other_encodings_declare_their_sample_size_and_are_padded_to_even_length() {
        for (encoding, tag, bytes) in
            [(Encoding::MuLaw, 7, 1), (Encoding::ALaw, 6, 1), (Encoding::F32Le, 3, 4)]
        {
            let known = header(encoding, 8_000, Some(101));
            assert_eq!((known.len(), number(&known, 16)), (58, 18), "{encoding:?}");
            assert_eq!((known[20], number(&known, 24), number(&known, 28)), (tag, 8_000, 8_000 * bytes));
            assert_eq!((&known[38..42], number(&known, 42), number(&known, 46)), (&b"fact"[..], 4, 101));
            assert_eq!((&known[50..54], number(&known, 54)), (&b"data"[..], 101 * bytes));
            assert_eq!(number(&known, 4), 50 + 101 * bytes + bytes % 2);
            let unknown = header(encoding, 8_000, None);
            assert_eq!(
                (number(&unknown, 4), number(&unknown, 46), number(&unknown, 54)),
                (ALL_BITS, ALL_BITS, ALL_BITS)
            );
        }
    }

    #[test]
    fn the_header_of_a_finished_file_is_correct() {
        let mut writer = WavWriter::new(Cursor::new(Vec::new()), 24_000).unwrap();
        assert_eq!(
            number(writer.out.get_ref(), 76),
            u32::MAX,
            "the length is unknown while the file is written"
        );
        writer.write(&[1, -2]).unwrap();
        writer.write(&[i16::MIN]).unwrap();
        let file = writer.finish().unwrap().into_inner();
        assert_eq!((&file[..4], &file[12..16], &file[72..76]), (&b"RIFF"[..], &b"JUNK"[..], &b"data"[..]));
        assert_eq!((number(&file, 4) as usize, number(&file, 76)), (file.len() - 8, 6));
        assert_eq!(file[80..], [1, 0, 0xfe, 0xff, 0, 0x80]);
    }

    /// A seekable output that keeps only the first 128 bytes, so that tests can write gigabytes.
    #[derive(Default)]
    struct Beginning {
        kept: Vec<u8>,
        position: u64,
        end: u64,
    }

    impl Write for Beginning {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            for (at, &byte) in (self.position..128).zip(bytes) {
                self.kept.resize(self.kept.len().max(at as usize + 1), 0);
                self.kept[at as usize] = byte;
            }
            self.position += bytes.len() as u64;
            self.end = self.end.max(self.position);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Beginning {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.position = match to {
                SeekFrom::Start(at) => at,
                SeekFrom::End(by) => self.end.checked_add_signed(by).unwrap(),
                SeekFrom::Current(by) => self.position.checked_add_signed(by).unwrap(),
            };
            Ok(self.position)
        }
    }

    #[test]
    fn a_file_above_four_gigabytes_is_rf64() {
        let mut writer = WavWriter::new(Beginning::default(), 24_000).unwrap();
        // pretend that 2³¹ samples have been written, then write a few more
        let before: u64 = 1 << 31;
        writer.samples = before;
        writer.out.seek(SeekFrom::Current(1 << 32)).unwrap();
        writer.write(&[7; 1_000]).unwrap();
        let samples = before + 1_000;
        let file = writer.finish().unwrap();
        assert_eq!(file.end, 80 + samples * 2);
        let head = file.kept;
        assert_eq!((&head[..4], number(&head, 4), &head[12..16]), (&b"RF64"[..], u32::MAX, &b"ds64"[..]));
        assert_eq!(number(&head, 16), 28);
        assert_eq!((long(&head, 20), long(&head, 28), long(&head, 36)), (file.end - 8, samples * 2, samples));
        assert_eq!((&head[48..52], &head[72..76], number(&head, 76)), (&b"fmt "[..], &b"data"[..], u32::MAX));
    }

    #[test]
    fn the_largest_file_that_fits_is_not_rf64() {
        let fitting = (u64::from(u32::MAX) - 1 - 72) / 2;
        assert_eq!(header_with_ds64_space(24_000, Some(fitting))[..4], *b"RIFF");
        assert_eq!(header_with_ds64_space(24_000, Some(fitting + 1))[..4], *b"RF64");
    }

    /// A pipe: an output that is not seekable.
    struct Pipe(Vec<u8>);

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Pipe {
        fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
            Err(io::ErrorKind::NotSeekable.into())
        }
    }

    #[test]
    fn a_pipe_is_written_as_a_stream() {
        let mut writer = WavWriter::new(Pipe(Vec::new()), 24_000).unwrap();
        writer.write(&[1]).unwrap();
        let written = writer.finish().unwrap().0;
        assert_eq!(written, [header(Encoding::S16Le, 24_000, None), vec![1, 0]].concat());
    }
}
