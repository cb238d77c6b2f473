//! Language data that is loaded at run time, for programs that do not embed every language, such as WebAssembly in a
//! web page.
//!
//! A *pack* contains named files (`text/hi/stems.tsv`, `translit/hi.stl`) in the format that `sdk/wasm/packs.mjs`
//! writes: for each file, the length of its name (2 bytes), the name, the length of its content (4 bytes), and the
//! content. Numbers are little-endian. Tables are built from the files on first use and kept, so load all packs before
//! the first text is processed.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

static FILES: Mutex<BTreeMap<&'static str, &'static [u8]>> = Mutex::new(BTreeMap::new());

/// Error for a pack that is truncated or contains a name that is not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the language data is damaged")]
pub struct DamagedPack;

/// Adds the files of a pack, and keeps them in memory until the program ends. If the pack is damaged, no file is added.
pub fn load(pack: Vec<u8>) -> Result<(), DamagedPack> {
    // parsed before the memory is leaked, so that the memory of a damaged pack is freed
    files(&pack).ok_or(DamagedPack)?;
    let files = files(pack.leak()).ok_or(DamagedPack)?;
    FILES.lock().unwrap_or_else(PoisonError::into_inner).extend(files);
    Ok(())
}

/// Returns the content of a file, or an empty slice if no pack contains the file.
pub fn bytes(name: &str) -> &'static [u8] {
    FILES.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied().unwrap_or_default()
}

/// Returns the content of a text file, or an empty string if no pack contains the file or the content is not UTF-8.
pub fn text(name: &str) -> &'static str {
    str::from_utf8(bytes(name)).unwrap_or_default()
}

/// Returns the files of a pack by name, or `None` if the pack is damaged.
fn files(mut pack: &[u8]) -> Option<Vec<(&str, &[u8])>> {
    let mut files = Vec::new();
    while !pack.is_empty() {
        let (name_length, rest) = pack.split_first_chunk()?;
        let (name, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*name_length)))?;
        let (length, rest) = rest.split_first_chunk()?;
        let (file, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        files.push((str::from_utf8(name).ok()?, file));
        pack = rest;
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(files: &[(&str, &[u8])]) -> Vec<u8> {
        files.iter().fold(Vec::new(), |mut pack, (name, file)| {
            pack.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
            pack.extend(name.as_bytes());
            pack.extend(u32::try_from(file.len()).unwrap().to_le_bytes());
            pack.extend(*file);
            pack
        })
    }

    #[test]
    fn files_are_found_by_name() {
        load(pack(&[("test/a", "अ".as_bytes()), ("test/empty", b""), ("test/raw", &[0xff])])).unwrap();
        assert_eq!(text("test/a"), "अ");
        assert_eq!(bytes("test/raw"), [0xff]);
        for name in ["test/empty", "test/raw", "test/missing"] {
            assert_eq!(text(name), "", "{name}");
        }
    }

    #[test]
    fn a_damaged_pack_adds_no_files() {
        let complete = pack(&[("test/first", b"1"), ("test/second", b"2")]);
        let first = pack(&[("test/first", b"1")]).len();
        for cut in (1..complete.len()).filter(|&cut| cut != first) {
            assert_eq!(load(complete[..cut].to_vec()), Err(DamagedPack), "{cut}");
            assert_eq!(bytes("test/first"), b"", "{cut}");
        }
    }
}
