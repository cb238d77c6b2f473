//! The `shruti reload` command, which makes a running server reload its files.

use crate::data_dir::DataDir;
use crate::pid_file;

/// Reload the certificate, lexicon and voice packs of the running server
///
/// Equivalent to SIGHUP. Speech in progress is not affected. Files that cannot be used are reported in the server's log
/// and change nothing. The voice routes (`voices`) are also read again, from the settings file that the server was
/// started with.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    data: DataDir,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let process = pid_file::hang_up(args.data.path())?;
    eprintln!("process {process} reloads its files; its log shows the result");
    Ok(())
}
