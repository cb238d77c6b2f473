//! A look at the file on the disk.

use rusqlite::Connection;

use super::place::Place;
use crate::disk::{self, DiskTrouble};
use crate::store::StoreError;

/// Reads the first page and the first rows of tables anew, whatever is remembered of them.
const LOOK: &str = "PRAGMA shrink_memory";
const READ: [&str; 3] = [
    "SELECT count(*) FROM sqlite_schema",
    "SELECT count(*) FROM key_revision",
    "SELECT count(*) FROM (SELECT 1 FROM keys LIMIT 1)",
];

/// See [`Store::probe`](crate::Store::probe). What is found is noted, so that nothing is written to a damaged file.
pub(super) fn probe(connection: &mut Connection, place: &Place) -> Result<(), StoreError> {
    place.look()?;
    let looked = read_anew(connection).map_err(|error| disk::explain(error, place.folder()));
    let damage = match looked {
        Ok(()) => {
            // what was noted before is mended
            place.note_damage(None);
            return Ok(());
        }
        Err(StoreError::Disk { trouble: DiskTrouble::Damaged, found, .. }) => found,
        // what cannot even be prepared: the tables are gone
        Err(StoreError::Sqlite(error)) => error.to_string(),
        Err(other) => return Err(other),
    };
    place.note_damage(Some(damage.clone()));
    Err(DiskTrouble::Damaged.of(place.folder(), damage))
}

fn read_anew(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(LOOK)?;
    for statement in READ {
        connection.prepare(statement)?.query_row([], |row| row.get::<_, i64>(0))?;
    }
    Ok(())
}
