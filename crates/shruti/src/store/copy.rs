//! The `shruti store copy` command, which copies all data into an empty store of either kind.

use std::io::{Write, stdout};
use std::time::Duration;

use anyhow::bail;
use shruti_store::{CopyError, PostgresStore, StoreError, StorePlace, TableCopy, Tally, copy};

use crate::pid_file;

pub(crate) async fn run(from: &StorePlace, to: &StorePlace, while_served: bool) -> anyhow::Result<()> {
    if !while_served {
        must_not_be_served(from).await?;
    }
    match copy(from, to).await {
        Ok(copied) => {
            print(&copied)?;
            eprintln!("copied from {from} to {to} and verified by reading it back");
            Ok(())
        }
        Err(error) => {
            if let CopyError::Differs(copied) = &error {
                print(copied)?;
            }
            Err(error.into())
        }
    }
}

/// Returns an error if servers use the store. Changes made after the copy has started would be lost, for example the
/// revocation of a key.
async fn must_not_be_served(place: &StorePlace) -> anyhow::Result<()> {
    let by = match place {
        StorePlace::Folder(path) if pid_file::is_held(path)? => {
            "a server runs with this data folder".to_owned()
        }
        StorePlace::Folder(_) => return Ok(()),
        StorePlace::Database(address) => {
            let programs = connected(address).await?;
            if programs.is_empty() {
                return Ok(());
            }
            format!("{} open connections, from: {}", programs.len(), distinct(programs))
        }
    };
    bail!(
        "{place} is in use ({by}); changes made there from now on would not be copied; stop the servers, or use \
         --while-served for testing"
    );
}

/// Returns the programs that stay connected to a database. Queries the connections repeatedly, for two seconds at most,
/// since a process that has just ended is still listed for a moment.
async fn connected(address: &shruti_store::PostgresAddress) -> Result<Vec<String>, StoreError> {
    const LOOKS: u32 = 20;
    const BETWEEN: Duration = Duration::from_millis(100);
    for _ in 1..LOOKS {
        if PostgresStore::programs_connected(address).await?.is_empty() {
            return Ok(Vec::new());
        }
        tokio::time::sleep(BETWEEN).await;
    }
    PostgresStore::programs_connected(address).await
}

fn distinct(mut programs: Vec<String>) -> String {
    programs.sort();
    programs.dedup();
    programs.join(", ")
}

fn print(copied: &[TableCopy]) -> std::io::Result<()> {
    let mut out = stdout().lock();
    let line = |[table, rows, source, target]: [&str; 4], equal: &str| {
        format!("{table:18}  {rows:>10}  {source:16}  {target:16}  {equal}")
    };
    writeln!(out, "{}", line(["table", "rows", "hash", "read back"], ""))?;
    for copy in copied {
        let rows = if copy.source.rows == copy.target.rows {
            copy.source.rows.to_string()
        } else {
            format!("{}/{}", copy.source.rows, copy.target.rows)
        };
        let equal = if copy.source == copy.target { "same" } else { "DIFFERS" };
        writeln!(out, "{}", line([copy.table, &rows, &shown(copy.source), &shown(copy.target)], equal))?;
    }
    out.flush()
}

/// Formats the first eight bytes of a hash. They are enough to compare two hashes by eye.
fn shown(tally: Tally) -> String {
    let [a, b, c, d, e, f, g, h, ..] = tally.digest;
    format!("{:016x}", u64::from_be_bytes([a, b, c, d, e, f, g, h]))
}
