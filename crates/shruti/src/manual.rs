//! The `shruti completions` and `shruti man` commands, which generate shell completions and manual pages.

use std::fs;
use std::io::{Write, stdout};
use std::path::PathBuf;

use anyhow::Context;
use clap_complete::Shell;

use crate::command;

/// Print a shell completion script
#[derive(clap::Args)]
pub(crate) struct Completions {
    /// Shell to generate the script for
    shell: Shell,
}

/// Write manual pages: shruti.1, and one per subcommand
#[derive(clap::Args)]
pub(crate) struct Man {
    /// Folder to write to; created if it does not exist
    folder: PathBuf,
}

pub(crate) fn complete(args: &Completions) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "shruti", &mut script);
    stdout().lock().write_all(&script)?;
    Ok(())
}

pub(crate) fn write_pages(args: &Man) -> anyhow::Result<()> {
    let folder = &args.folder;
    let cannot_write = || format!("cannot write to {}", folder.display());
    fs::create_dir_all(folder).with_context(cannot_write)?;
    clap_mangen::generate_to(command(), folder).with_context(cannot_write)?;
    eprintln!("wrote the manual pages to {}", folder.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_written_for_each_command() {
        let folder = tempfile::tempdir().unwrap();
        write_pages(&Man { folder: folder.path().join("man1") }).unwrap();
        let page = |name: &str| fs::read_to_string(folder.path().join("man1").join(name)).unwrap();
        assert!(page("shruti.1").contains("shruti\\-serve"), "{}", page("shruti.1"));
        assert!(page("shruti-keys-create.1").contains("\\-\\-monthly\\-cap"));
        assert!(page("shruti-say.1").contains("Examples"), "the examples are included");
    }

    #[test]
    fn every_shell_has_a_completion_script() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command(), "shruti", &mut script);
            let script = String::from_utf8(script).unwrap();
            assert!(script.contains("open-playground") && script.contains("keys"), "{shell}");
        }
    }
}
