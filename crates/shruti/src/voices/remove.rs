//! `shruti voices remove`.

use shruti_packs::remove_pack;
use shruti_store::PackEvent;

use super::setting::write_down;
use crate::data_dir::Data;
use crate::packs::{self, measure};

/// Remove a pack; a running server speaks with it until `shruti reload`
#[derive(clap::Args)]
pub(super) struct Args {
    /// The pack, as `shruti voices` shows it
    id: String,
}

pub(super) fn run(args: &Args, data: &Data) -> anyhow::Result<()> {
    let packs = packs::folder(data.path());
    remove_pack(&packs, &args.id)?;
    measure::forget(&packs, &args.id);
    write_down(data, PackEvent::Removed, &args.id)?;
    eprintln!("removed {}; a running server speaks with it until `shruti reload`", args.id);
    Ok(())
}
