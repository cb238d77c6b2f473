//! Installs a pack with random weights in the data folder of a server, to measure the performance of the server:
//!
//! ```sh
//! cargo run --release -p shruti-neural --example random_pack -- DATA_DIR [small|medium]
//! ```
//!
//! The pack has the shape of a Piper voice and a size of 0.05 MB (`small`) or 63 MB (`medium`, the default). Its voice
//! "Test 0" speaks Hindi. The audio is noise, but synthesis takes as long as with a real voice.

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
