//! Interprets bytes as the archive of a voice pack, once alone and once after a valid manifest.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shruti_packs::{MANIFEST, install_tar};

const PACK: &str = include_str!("../data/pack.toml");

fuzz_target!(|input: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    let packs = folder.path().join("packs");
    for archive in [input.to_vec(), with_manifest(input)] {
        let installed = install_tar(&packs, archive.as_slice());
        if let Ok(pack) = &installed {
            pack.verify().expect("what was installed is as its manifest says");
        }
        // only the folder of the pack may be written, and nothing if the archive is rejected
        for entry in std::fs::read_dir(folder.path()).expect("the folder") {
            assert_eq!(entry.expect("an entry").file_name(), "packs");
        }
        for entry in std::fs::read_dir(&packs).into_iter().flatten() {
            let name = entry.expect("an entry").file_name();
            assert!(name == ".lock" || installed.as_ref().is_ok_and(|pack| name == *pack.manifest().id));
        }
        std::fs::remove_dir_all(&packs).ok();
    }
});

fn with_manifest(rest: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_ustar();
    header.set_path(MANIFEST).expect("a name");
    header.set_size(PACK.len() as u64);
    header.set_cksum();
    let mut builder = tar::Builder::new(Vec::new());
    builder.append(&header, PACK.as_bytes()).expect("memory");
    let mut archive = builder.get_ref().clone();
    archive.extend_from_slice(rest);
    archive
}
