//! WAV: samples of one channel behind a header (RIFF, WAVE, `fmt `, `data`).
//!
//! Beyond 4 GiB, which at 24,000 samples a second are 24 hours 51 minutes, the lengths of a header do not suffice. Then
//! it is RF64 (EBU Tech 3306): the same with the id `RF64` and the lengths, of 64 bits, in a chunk `ds64`. A file that
//! may grow so long begins with a chunk `JUNK` that holds its place.

use std::io::{self, Seek, SeekFrom, Write};

use crate::format::Encoding;

/// What stands in a header for a length that is not known yet, and for one that stands in `ds64`.
const ALL_BITS: u32 = u32::MAX;
/// Bytes of the header of a stream of 16-bit samples.
pub const HEADER_BYTES: usize = 44;
/// Bytes of the chunk `ds64`, and of the `JUNK` in its place, without its own id and length.
const DS64_BYTES: u32 = 28;
/// Bytes of a chunk's id and length.
const CHUNK_HEAD_BYTES: u64 = 8;

/// The header of a stream of so many samples, written in this way; `None` where their number is not known yet: the
/// lengths then have all bits set, as streaming writers do. More samples than fit in 4 GiB need a [`WavWriter`]; their
/// header says the same as `None`.
pub fn header(encoding: Encoding, sample_rate: u32, samples: Option<u64>) -> Vec<u8> {
    let mut chunks = Vec::with_capacity(HEADER_BYTES);
    format_chunk(&mut chunks, encoding, sample_rate);
    let data = samples.and_then(|samples| samples.checked_mul(encoding.bytes().into()));
    // the form and the chunks, of which the last has a byte more where it is odd
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

/// Whether a header must tell the number of samples apart (all but integer PCM).
fn has_fact(encoding: Encoding) -> bool {
    encoding != Encoding::S16Le
}

fn chunk(header: &mut Vec<u8>, id: [u8; 4], length: u32) {
    header.extend_from_slice(&id);
    header.extend_from_slice(&length.to_le_bytes());
}

/// The header of a file of 16-bit samples, with room for long lengths: 80 bytes.
fn roomy_header(sample_rate: u32, samples: Option<u64>) -> Vec<u8> {
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

/// Whether a length can be written in 32 bits and told from one that is not known.
fn fits(length: Option<u64>) -> bool {
    length.is_some_and(|length| length < u64::from(ALL_BITS))
}

fn short(length: Option<u64>) -> u32 {
    length.and_then(|length| u32::try_from(length).ok()).unwrap_or(ALL_BITS)
}

/// Samples as they are sent and kept: little-endian.
pub fn bytes(samples: &[i16]) -> Vec<u8> {
    // a plain copy for the compiler, which an iterator over single bytes is not
    let mut bytes = vec![0; 2 * samples.len()];
    for (pair, sample) in bytes.chunks_exact_mut(2).zip(samples) {
        pair.copy_from_slice(&sample.to_le_bytes());
    }
    bytes
}

/// Writes a WAV file whose header is true once it is [finished](Self::finish), and until then says that the length is
/// not known. Where the place cannot be sought in (a pipe), it goes on saying so.
#[derive(Debug)]
pub struct WavWriter<W> {
    out: W,
    sample_rate: u32,
    /// Where the file begins; `None` where that cannot be come back to.
    begins: Option<u64>,
    samples: u64,
}

impl<W: Write + Seek> WavWriter<W> {
    /// Writes the header of a file that begins where `out` stands.
    pub fn new(mut out: W, sample_rate: u32) -> io::Result<Self> {
        let begins = out.stream_position().ok();
        let header = match begins {
            Some(_) => roomy_header(sample_rate, None),
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

    /// Completes the header; gives back what was written to, flushed.
    pub fn finish(mut self) -> io::Result<W> {
        if let Some(begins) = self.begins {
            self.out.seek(SeekFrom::Start(begins))?;
            self.out.write_all(&roomy_header(self.sample_rate, Some(self.samples)))?;
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
    fn a_stream_says_its_length_where_it_is_known() {
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
    fn other_encodings_tell_their_samples_apart_and_end_at_an_even_place() {
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
    fn a_file_is_true_once_it_is_finished() {
        let mut writer = WavWriter::new(Cursor::new(Vec::new()), 24_000).unwrap();
        assert_eq!(number(writer.out.get_ref(), 76), u32::MAX, "not known while it is written");
        writer.write(&[1, -2]).unwrap();
        writer.write(&[i16::MIN]).unwrap();
        let file = writer.finish().unwrap().into_inner();
        assert_eq!((&file[..4], &file[12..16], &file[72..76]), (&b"RIFF"[..], &b"JUNK"[..], &b"data"[..]));
        assert_eq!((number(&file, 4) as usize, number(&file, 76)), (file.len() - 8, 6));
        assert_eq!(file[80..], [1, 0, 0xfe, 0xff, 0, 0x80]);
    }

    /// A file that keeps its beginning alone, so that gigabytes can be written to it.
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
    fn beyond_four_gigabytes_a_file_is_rf64() {
        let mut writer = WavWriter::new(Beginning::default(), 24_000).unwrap();
        // as if so many had been written; a few more are
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
    fn the_last_that_fits_is_no_rf64() {
        let fitting = (u64::from(u32::MAX) - 1 - 72) / 2;
        assert_eq!(roomy_header(24_000, Some(fitting))[..4], *b"RIFF");
        assert_eq!(roomy_header(24_000, Some(fitting + 1))[..4], *b"RF64");
    }

    /// A pipe: it cannot be sought in.
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
