//! The file of a rendered clip.
//!
//! ```text
//! "shruti clip v1\n"  magic, 15 bytes
//! SHA-256 of all that follows, 32 bytes
//! length of the facts, 4 bytes, little-endian
//! the facts, in JSON
//! the bytes of the clip
//! ```
//!
//! It does not hold the text.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const MAGIC: &[u8; 15] = b"shruti clip v1\n";
const DIGEST_BYTES: usize = 32;
/// The most bytes of facts; they are short.
const MAX_FACTS: u32 = 4_096;

/// What is known of a rendered clip besides its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The voice, in its canonical spelling.
    pub voice: String,
    /// The code of the language that it speaks.
    pub language: String,
    /// The kind of synthesis.
    pub engine: String,
    /// What it costs, in characters.
    pub chars: u32,
    /// How many samples it has, at the rate at which they are made.
    pub samples: u64,
}

/// A file whose content has been verified; its place is where the clip begins.
#[derive(Debug)]
pub(super) struct Verified {
    pub(super) facts: Facts,
    pub(super) file: File,
    /// Where the clip begins.
    pub(super) offset: u64,
    /// The bytes of the clip.
    pub(super) length: u64,
}

/// Writes a clip to a new file that its owner alone may read, and gives its length. Nothing may have its name.
pub(super) fn write(path: &Path, facts: &Facts, clip: &[&[u8]]) -> io::Result<u64> {
    let facts = serde_json::to_vec(facts)?;
    let length = u32::try_from(facts.len()).map_err(io::Error::other)?.to_le_bytes();
    let parts = || [&length[..], &facts].into_iter().chain(clip.iter().copied());
    let mut digest = Sha256::new();
    parts().for_each(|part| digest.update(part));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(MAGIC)?;
    file.write_all(&digest.finalize())?;
    parts().try_for_each(|part| file.write_all(part))?;
    Ok((MAGIC.len() + DIGEST_BYTES) as u64 + parts().map(|part| part.len() as u64).sum::<u64>())
}

/// Opens a file and reads all of it once: what is not exactly what was written is an error of
/// [`io::ErrorKind::InvalidData`].
pub(super) fn open(path: &Path) -> io::Result<Verified> {
    let corrupt = || io::Error::from(io::ErrorKind::InvalidData);
    let mut file = File::open(path)?;
    let (mut magic, mut expected) = ([0; MAGIC.len()], [0; DIGEST_BYTES]);
    let mut read = |into: &mut [u8]| file.read_exact(into).map_err(|_| corrupt());
    read(&mut magic)?;
    read(&mut expected)?;
    let mut length = [0; 4];
    read(&mut length)?;
    let of_facts = u32::from_le_bytes(length);
    if &magic != MAGIC || of_facts > MAX_FACTS {
        return Err(corrupt());
    }
    let mut facts = vec![0; of_facts as usize];
    read(&mut facts)?;
    let mut digest = Sha256::new().chain_update(length).chain_update(&facts);
    let offset = file.stream_position()?;
    let mut buffer = vec![0; 64 * 1024];
    let mut clip_bytes = 0;
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        digest.update(&buffer[..read]);
        clip_bytes += read as u64;
    }
    if digest.finalize()[..] != expected {
        return Err(corrupt());
    }
    let facts = serde_json::from_slice(&facts).map_err(|_| corrupt())?;
    file.seek(SeekFrom::Start(offset))?;
    Ok(Verified { facts, file, offset, length: clip_bytes })
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

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("clip");
        let clip = vec![7; 200_000];
        let length = write(&path, &facts(), &[b"head", &clip]).unwrap();
        assert_eq!(length, std::fs::metadata(&path).unwrap().len());
        let mut read = open(&path).unwrap();
        assert_eq!((read.facts, read.length), (facts(), 200_004));
        let mut bytes = Vec::new();
        read.file.read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, [b"head".as_slice(), &clip].concat());
        assert_eq!(read.offset + read.length, length);
        assert!(write(&path, &facts(), &[]).is_err(), "nothing is written over");
    }

    #[test]
    fn a_change_of_any_byte_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("clip");
        write(&path, &facts(), &[b"sound"]).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(&path, changed).unwrap();
            assert_eq!(open(&path).unwrap_err().kind(), io::ErrorKind::InvalidData, "byte {at}");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(open(&path).unwrap_err().kind(), io::ErrorKind::InvalidData, "{at} bytes");
        }
        std::fs::write(&path, [whole.as_slice(), b"x"].concat()).unwrap();
        assert_eq!(open(&path).unwrap_err().kind(), io::ErrorKind::InvalidData, "a byte more");
        std::fs::write(&path, whole).unwrap();
        open(&path).unwrap();
    }
}
