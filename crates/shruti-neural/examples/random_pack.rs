//! Puts a pack with random weights into a server's data folder, to measure the service with it:
//! `cargo run --release -p shruti-neural --example random_pack -- DATA_DIR [small|medium]`.
//!
//! It has the shape of Piper's voices, 0.6 or 63 MB, and speaks Hindi as "Test 0": noise, but as dear as a voice.

#[path = "../tests/packs/graph.rs"]
#[allow(clippy::unwrap_used, dead_code, unreachable_pub, reason = "what the tests use")]
mod graph;

use std::error::Error;
use std::path::PathBuf;

use graph::Size;
use shruti_neural::import_piper;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let data_dir: PathBuf = args.next().ok_or("which data folder?")?.into();
    let size = match args.next().as_deref() {
        None | Some("medium") => Size::MEDIUM,
        Some("small") => Size::SMALL,
        Some(other) => return Err(format!("'{other}' is neither small nor medium").into()),
    };
    let folder = tempfile::tempdir()?;
    let file = graph::write(folder.path(), &graph::piper(size), 1);
    let pack = import_piper(&data_dir.join("packs"), &file, &graph::options(folder.path(), 1))?;
    println!("{}", pack.folder().display());
    Ok(())
}
