//! The `shruti voices remove` command.

use shruti_packs::remove_pack;
use shruti_store::PackEvent;
use shruti_voices::{measure, packs_folder};

use super::setting::write_down;
use crate::data_dir::Data;

/// Remove a pack; a running server keeps using it until `shruti reload`
#[derive(clap::Args)]
pub(super) struct Args {
    /// ID of the pack, as shown by `shruti voices`
    id: String,
}

pub(super) fn run(args: &Args, data: &Data) -> anyhow::Result<()> {
    let packs = packs_folder(data.path());
    remove_pack(&packs, &args.id)?;
    measure::forget(&packs, &args.id);
    write_down(data, PackEvent::Removed, &args.id)?;
    eprintln!("removed {}; a running server keeps using it until `shruti reload`", args.id);
    Ok(())
}
