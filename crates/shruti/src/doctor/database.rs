//! The database in the data folder.

use shruti_store::{Inspection, StoreError};

use super::Setup;
use super::finding::Finding;

/// A log of this size is not being worked off, in bytes.
const LONG_LOG: u64 = 256 << 20;

const RESTORE: &str =
    "stop the server, keep a copy of the data folder, and restore a backup (docs/operating.md)";

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    match &setup.store {
        // the folder has told it
        None if !setup.data_dir.is_dir() => Vec::new(),
        None => vec![Finding::warn(
            "there is none",
            "nothing, if the server never ran here: its first start makes it; else look at --data-dir",
        )],
        Some(Err(error)) => vec![unreadable(error)],
        Some(Ok(inspection)) => vec![soundness(inspection), schema(inspection), log(inspection)],
    }
}

fn unreadable(error: &StoreError) -> Finding {
    let advice = match error {
        StoreError::Disk { .. } => {
            "what the line above says; a backup is restored as docs/operating.md tells"
        }
        StoreError::NewerSchema { .. } => "use the version of shruti that wrote it, or a newer one",
        _ => RESTORE,
    };
    Finding::fail(error.to_string(), advice)
}

fn soundness(inspection: &Inspection) -> Finding {
    match &inspection.damage[..] {
        [] => Finding::ok(format!("it is sound, {:.1} MiB", inspection.bytes as f64 / f64::from(1 << 20))),
        [first, others @ ..] => {
            let more =
                if others.is_empty() { String::new() } else { format!(" (and {} more)", others.len()) };
            Finding::fail(format!("it is damaged: {}{more}", first.replace('\n', "; ")), RESTORE)
        }
    }
}

fn schema(inspection: &Inspection) -> Finding {
    let Inspection { schema, known_schema, .. } = inspection;
    if schema == known_schema {
        return Finding::ok(format!("its tables are those of this version ({schema})"));
    }
    Finding::warn(
        format!("its tables are those of an older version ({schema}; this one has {known_schema})"),
        "copy it first (`shruti store backup`): the next start upgrades it, and older versions no longer read it",
    )
}

fn log(inspection: &Inspection) -> Finding {
    let size = format!("its log has {:.1} MiB", inspection.log_bytes as f64 / f64::from(1 << 20));
    if inspection.log_bytes < LONG_LOG {
        return Finding::ok(size);
    }
    Finding::warn(
        size,
        "look for a program that holds the database open (a reader that never ends), and end it",
    )
}
