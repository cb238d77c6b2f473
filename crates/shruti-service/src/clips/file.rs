//! File format of a rendered clip.
//!
//! ```text
//! "shruti clip v1\n"  magic, 15 bytes
//! the bytes of the clip: its header, then the rest
//! the facts, in JSON
//! length of the header and of the facts, 4 bytes each, little-endian
//! SHA-256 of the rest of the clip, its header, the facts and the lengths, 32 bytes
//! ```
//!
//! Data that is known only at the end comes last, so that the file can be written during synthesis. The header is an
//! exception: space is reserved for it, and it is written at the end. The file of a clip does not contain the text of
//! the clip. The file of a turn contains the words of the turn.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const MAGIC: &[u8; 15] = b"shruti clip v1\n";
const LENGTHS_BYTES: usize = 2 * 4;
/// Size of the part after the facts, in bytes: the lengths and the digest.
const END_BYTES: usize = LENGTHS_BYTES + 32;
/// Maximum size of a header, in bytes.
const MAX_HEADER: u32 = 4_096;
/// Maximum size of the facts, in bytes.
const MAX_FACTS: u32 = 4_096;

/// Metadata of a rendered clip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Voice, in its canonical spelling.
    pub voice: String,
    /// Code of the language.
    pub language: String,
    /// Kind of synthesis.
    pub engine: String,
    /// Cost, in characters.
    pub chars: u32,
    /// Number of samples, at the sample rate of synthesis.
    pub samples: u64,
}

/// A verified file, positioned at the start of the clip.
#[derive(Debug)]
pub(super) struct Verified {
    pub(super) facts: Facts,
    pub(super) file: File,
    /// Offset of the clip.
    pub(super) offset: u64,
    /// Size of the clip, in bytes.
    pub(super) length: u64,
}

/// Writer for a clip file.
#[derive(Debug)]
pub(super) struct Writer {
    file: File,
    digest: Sha256,
    /// Number of bytes reserved for the header.
    header: usize,
}

impl Writer {
    /// Creates a file that only its owner may read, and reserves space for a header of `header` bytes. Returns an error
    /// if the file exists.
    pub(super) fn create(path: &Path, header: usize) -> io::Result<Self> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        file.write_all(MAGIC)?;
        file.seek_relative(i64::try_from(header).map_err(io::Error::other)?)?;
        Ok(Self { file, digest: Sha256::new(), header })
    }

    /// Appends bytes after the header.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digest.update(bytes);
        self.file.write_all(bytes)
    }

    /// Completes the file and returns its size. The header must have the reserved size.
    pub(super) fn finish(mut self, header: &[u8], facts: &Facts) -> io::Result<u64> {
        if header.len() != self.header {
            return Err(io::Error::other("the length of the clip's header has changed"));
        }
        let facts = serde_json::to_vec(facts)?;
        let mut trailer = facts.clone();
        for length in [header.len(), facts.len()] {
            trailer.extend(u32::try_from(length).map_err(io::Error::other)?.to_le_bytes());
        }
        self.digest.update(header);
        self.digest.update(&trailer);
        trailer.extend(self.digest.finalize());
        self.file.write_all(&trailer)?;
        let length = self.file.stream_position()?;
        self.file.seek(SeekFrom::Start(MAGIC.len() as u64))?;
        self.file.write_all(header)?;
        Ok(length)
    }
}

/// Opens a file and reads it completely to verify it. Returns an error of the kind [`io::ErrorKind::InvalidData`] if
/// the content is corrupt.
pub(super) fn open(path: &Path) -> io::Result<Verified> {
    let mut file = File::open(path)?;
    let ends = (file.metadata()?.len().checked_sub(END_BYTES as u64)).ok_or_else(corrupt)?;
    let mut magic = [0; MAGIC.len()];
    read_exact(&mut file, &mut magic)?;
    file.seek(SeekFrom::Start(ends))?;
    let mut end = [0; END_BYTES];
    read_exact(&mut file, &mut end)?;
    let (lengths, expected) = end.split_at(LENGTHS_BYTES);
    let [header_bytes, facts_bytes] = [0, 4].map(|at| {
        let bytes = lengths[at..].first_chunk().copied().unwrap_or_default();
        u32::from_le_bytes(bytes)
    });
    let offset = MAGIC.len() as u64;
    let length = ends.checked_sub(offset + u64::from(facts_bytes)).ok_or_else(corrupt)?;
    let body_bytes = length.checked_sub(header_bytes.into()).ok_or_else(corrupt)?;
    if &magic != MAGIC || header_bytes > MAX_HEADER || facts_bytes > MAX_FACTS {
        return Err(corrupt());
    }
    file.seek(SeekFrom::Start(offset))?;
    let mut header = vec![0; header_bytes as usize];
    read_exact(&mut file, &mut header)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 16 * 1024];
    let mut left = body_bytes;
    while left > 0 {
        let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        read_exact(&mut file, &mut buffer[..most])?;
        digest.update(&buffer[..most]);
        left -= most as u64;
    }
    let mut facts = vec![0; facts_bytes as usize];
    read_exact(&mut file, &mut facts)?;
    let digest = digest.chain_update(header).chain_update(&facts).chain_update(lengths);
    if digest.finalize()[..] != *expected {
        return Err(corrupt());
    }
    let facts = serde_json::from_slice(&facts).map_err(|_| corrupt())?;
    file.seek(SeekFrom::Start(offset))?;
    Ok(Verified { facts, file, offset, length })
}

fn corrupt() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// Fills `into` with bytes of the file. If the file ends too early, returns the error for corrupt content.
fn read_exact(file: &mut File, into: &mut [u8]) -> io::Result<()> {
    file.read_exact(into)
        .map_err(|error| if error.kind() == io::ErrorKind::UnexpectedEof { corrupt() } else { error })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts {
            voice: "Ananya".to_owned(),
            language: "hi".to_owned(),
            engine: "parametric".to_owned(),
            chars: 12,
            samples: 24_000,
        }
    }

    fn write(path: &Path, header: &[u8], parts: &[&[u8]]) -> io::Result<u64> {
        let mut writer = Writer::create(path, header.len())?;
        parts.iter().try_for_each(|part| writer.append(part))?;
        writer.finish(header, &facts())
    }

    #[test]
    fn file_round_trips() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("clip");
        let clip = vec![7; 200_000];
        let length = write(&path, b"head", &[&clip[..70_000], &clip[70_000..]]).unwrap();
        assert_eq!(length, std::fs::metadata(&path).unwrap().len());
        let mut read = open(&path).unwrap();
        assert_eq!((read.facts, read.length), (facts(), 200_004));
        let mut bytes = vec![0; 200_004];
        read.file.read_exact(&mut bytes).unwrap();
        assert_eq!(bytes, [b"head".as_slice(), &clip].concat());
        assert!(read.offset + read.length < length, "the metadata follows it");
        assert!(write(&path, b"", &[]).is_err(), "nothing is written over");
    }

    #[test]
    fn rejects_unfinished_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("clip");
        let mut writer = Writer::create(&path, 4).unwrap();
        writer.append(&[7; 1_000]).unwrap();
        assert!(writer.finish(b"longer", &facts()).is_err());
        assert_eq!(open(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn detects_any_changed_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("clip");
        write(&path, b"head", &[b"sound"]).unwrap();
        let content = std::fs::read(&path).unwrap();
        for at in 0..content.len() {
            let mut changed = content.clone();
            changed[at] ^= 1;
            std::fs::write(&path, changed).unwrap();
            assert_eq!(open(&path).unwrap_err().kind(), io::ErrorKind::InvalidData, "byte {at}");
            std::fs::write(&path, &content[..at]).unwrap();
            assert_eq!(open(&path).unwrap_err().kind(), io::ErrorKind::InvalidData, "{at} bytes");
        }
        std::fs::write(&path, [content.as_slice(), b"x"].concat()).unwrap();
        assert_eq!(open(&path).unwrap_err().kind(), io::ErrorKind::InvalidData, "a byte more");
        std::fs::write(&path, content).unwrap();
        open(&path).unwrap();
    }
}
