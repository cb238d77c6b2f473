//! The `shruti voices` command, which lists voices and manages voice packs.

mod download;
mod import;
mod licence;
mod list;
mod pull;
mod remove;
mod setting;
mod source;
mod verify;

pub(crate) use list::DEFAULT;

use crate::data_dir::Data;

/// List the voices; install, verify and remove voice packs, even while the server is running
///
/// A pack is a folder in the data folder, packs/ID. A running server uses it after `shruti reload`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,

    #[command(flatten)]
    list: list::Args,

    #[command(flatten)]
    data: Data,
}

#[derive(clap::Subcommand)]
enum Action {
    List(list::Args),
    Pull(pull::Args),
    #[command(subcommand)]
    Import(import::Format),
    Verify(verify::Args),
    Remove(remove::Args),
    /// Internal work of the other commands on untrusted files
    #[command(hide = true)]
    Child(ChildArgs),
}

#[derive(clap::Args)]
struct ChildArgs {
    /// Task as JSON
    task: String,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let data = &args.data;
    match &args.action {
        None => list::run(&args.list, data),
        Some(Action::List(list)) => list::run(list, data),
        Some(Action::Pull(pull)) => pull::run(pull, data),
        Some(Action::Import(import)) => import::run(import, data),
        Some(Action::Verify(verify)) => verify::run(verify, data),
        Some(Action::Remove(remove)) => remove::run(remove, data),
        Some(Action::Child(child)) => Ok(shruti_voices::work(&child.task)?),
    }
}
