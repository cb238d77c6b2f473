//! `shruti reload`: tell a running server to read again what it can.

use crate::data_dir::DataDir;
use crate::pid_file;

/// Tell the running server to read its certificate, its lexicon and its packs of voices again
///
/// The same as SIGHUP. Speeches in progress end as they began; what cannot be used changes nothing, and the server's log
/// says so. Which voices of packs speak for which voices is read again, too, from the file that the server was started
/// with.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    data: DataDir,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let process = pid_file::hang_up(args.data.path())?;
    eprintln!("process {process} reads again; its log says what became of it");
    Ok(())
}
