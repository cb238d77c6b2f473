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
        // the check of the data folder reports the missing folder
        None if !setup.data_dir.is_dir() => Vec::new(),
        None => vec![Finding::warn(
            "there is no database",
            "nothing if the server has never run here: its first start creates the database; otherwise check \
             --data-dir",
        )],
        Some(Err(error)) => vec![unreadable(error)],
        Some(Ok(inspection)) => vec![soundness(inspection), schema(inspection), log(inspection)],
    }
}

fn unreadable(error: &StoreError) -> Finding {
    let advice = match error {
        StoreError::Disk { .. } => "fix the error above; docs/operating.md describes how to restore a backup",
        StoreError::NewerSchema { .. } => "use the version of shruti that wrote it, or a newer one",
        _ => RESTORE,
    };
    Finding::fail(error.to_string(), advice)
}

fn postgres(found: &PostgresInspection) -> Vec<Finding> {
    let PostgresInspection { version, bytes, schema, known_schema, .. } = found;
    let mut findings = vec![if found.is_read_only {
        Finding::fail(
            format!("PostgreSQL {version} is read-only: it is a replica of another server"),
            "set the address of the primary server, or of all servers with target_session_attrs=read-write",
        )
    } else {
        let size = *bytes as f64 / f64::from(1 << 20);
        Finding::ok(format!("PostgreSQL {version} answers, {size:.1} MiB"))
    }];
    findings.push(match schema {
        0 => Finding::warn(
            "the database has no tables of Shruti",
            "nothing if no server has used it: the first start creates them; otherwise check the name in --database",
        ),
        _ => schema_is(*schema, *known_schema, "back it up first (pg_dump)"),
    });
    findings
}

fn no_postgres(error: &StoreError) -> Finding {
    let advice = match error {
        StoreError::NewerSchema { .. } => "use the version of shruti that wrote it, or a newer one",
        _ => "check that PostgreSQL runs and can be reached from here, and check the user and password",
    };
    Finding::fail(error.to_string(), advice)
}

fn soundness(inspection: &Inspection) -> Finding {
    match &inspection.damage[..] {
        [] => Finding::ok(format!(
            "the database is intact, {:.1} MiB",
            inspection.bytes as f64 / f64::from(1 << 20)
        )),
        [first, others @ ..] => {
            let more =
                if others.is_empty() { String::new() } else { format!(" (and {} more)", others.len()) };
            Finding::fail(format!("the database is damaged: {}{more}", first.replace('\n', "; ")), RESTORE)
        }
    }
}

fn schema(inspection: &Inspection) -> Finding {
    schema_is(inspection.schema, inspection.known_schema, "back it up first (`shruti store backup`)")
}

fn schema_is(schema: i64, known_schema: i64, copy: &str) -> Finding {
    if schema == known_schema {
        return Finding::ok(format!("the schema is that of this version ({schema})"));
    }
    Finding::warn(
        format!("the schema is that of an older version ({schema}; this version has {known_schema})"),
        format!("{copy}: the next start upgrades it, and older versions can then no longer read it"),
    )
}

fn log(inspection: &Inspection) -> Finding {
    let size = format!("the write-ahead log has {:.1} MiB", inspection.log_bytes as f64 / f64::from(1 << 20));
    if inspection.log_bytes < LONG_LOG {
        return Finding::ok(size);
    }
    Finding::warn(
        size,
        "find a program that keeps the database open (a reader that never finishes), and stop it",
    )
}
