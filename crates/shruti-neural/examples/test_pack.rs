//! Installs the project's own small trained voice in a folder of packs, as `testvoice`:
//!
//! ```sh
//! cargo run --release -p shruti-neural --example test_pack -- DATA_DIR/packs
//! ```
//!
//! The pack has the voices "Test Arjun" and "Test Ananya" for Hindi, and "Test Ananya Telugu" for Telugu.

#[path = "../tests/packs/testvoice.rs"]
#[allow(unreachable_pub, reason = "what the tests use")]
mod testvoice;

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let packs: PathBuf = std::env::args().nth(1).ok_or("which folder of packs?")?.into();
    std::fs::create_dir_all(&packs)?;
    let began = Instant::now();
    let pack = testvoice::import(&packs)?;
    println!(
        "{}: {:.1} s, {:?}",
        pack.folder().display(),
        began.elapsed().as_secs_f64(),
        pack.manifest().graph
    );
    Ok(())
}
