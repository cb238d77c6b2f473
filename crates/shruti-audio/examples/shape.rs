//! Applies `clarity` to WAV files, for measurements: `shape phone|room FROM TO`, where `FROM` and `TO` are folders of
//! 24,000 Hz WAV files.

use std::path::PathBuf;

use shruti_audio::{ClarityFilter, Format};

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, from, to] = arguments.as_slice() else {
        eprintln!("shape phone|room FROM TO");
        std::process::exit(2);
    };
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "wav") {
            continue;
        }
        let mut samples = samples(&std::fs::read(&path)?);
        let mut filter = if mode == "room" { ClarityFilter::room() } else { ClarityFilter::phone() };
        filter.shape(&mut samples);
        let mut encoder = Format::NATIVE_WAV.encoder();
        let header = encoder.header(Some(samples.len() as u64));
        let shaped = [header, encoder.encode(&samples), encoder.finish()].concat();
        let name = path.file_name().map(PathBuf::from).unwrap_or_default();
        std::fs::write(PathBuf::from(to).join(name), shaped)?;
    }
    Ok(())
}

/// Returns the samples after a header of 44 bytes, as written by `shruti say`.
fn samples(bytes: &[u8]) -> Vec<i16> {
    let data = bytes.get(44..).unwrap_or_default();
    data.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect()
}
