//! Check of the store, in the data folder or in PostgreSQL.

use shruti_store::{Inspection, PostgresInspection, StoreError};

use super::Setup;
use super::finding::Finding;

/// Size of the write-ahead log, in bytes, that indicates that checkpoints do not complete.
const LONG_LOG: u64 = 256 << 20;

const RESTORE: &str =
    "stop the server, keep a copy of the data folder, and restore a backup (docs/operating.md)";

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    if let Some(looked) = &setup.postgres {
        return match looked {
            Ok(found) => postgres(found),
            Err(error) => vec![no_postgres(error)],
        };
    }
    match &setup.store {
        // the check of the data folder reports this
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

fn postgres(found: &PostgresInspection) -> Vec<Finding> {
    let PostgresInspection { version, bytes, schema, known_schema, .. } = found;
    let mut findings = vec![if found.is_read_only {
        Finding::fail(
            format!("PostgreSQL {version} takes no changes: it is a copy of another"),
            "name the one that takes changes, or all with target_session_attrs=read-write",
        )
    } else {
        let size = *bytes as f64 / f64::from(1 << 20);
        Finding::ok(format!("PostgreSQL {version} answers, {size:.1} MiB"))
    }];
    findings.push(match schema {
        0 => Finding::warn(
            "it has no tables of a store",
            "nothing, if no server used it: the first start makes them; else look at the name in --database",
        ),
        _ => schema_is(*schema, *known_schema, "copy it first (pg_dump)"),
    });
    findings
}

fn no_postgres(error: &StoreError) -> Finding {
    let advice = match error {
        StoreError::NewerSchema { .. } => "use the version of shruti that wrote it, or a newer one",
        _ => {
            "look whether PostgreSQL runs, whether it is reached from here, and at the user and its password"
        }
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
    schema_is(inspection.schema, inspection.known_schema, "copy it first (`shruti store backup`)")
}

fn schema_is(schema: i64, known_schema: i64, copy: &str) -> Finding {
    if schema == known_schema {
        return Finding::ok(format!("its tables are those of this version ({schema})"));
    }
    Finding::warn(
        format!("its tables are those of an older version ({schema}; this one has {known_schema})"),
        format!("{copy}: the next start upgrades it, and older versions no longer read it"),
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
