//! The record of clips by URL that were charged this month.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use shruti_store::{KeyPrefix, Month};

use super::digest::{ClipDigest, FieldHash};

/// The most clips of a month that are remembered as charged. What is beyond them is charged each time.
const MAX_CHARGED: usize = 500_000;
/// Bytes of an entry: half of a SHA-256.
const ENTRY: usize = 16;
const NAME: &str = "charged-";

/// Which clips were charged to which keys this month, so that each is charged once. With a folder it outlives the server.
#[derive(Debug)]
pub struct Ledger {
    folder: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    month: Option<Month>,
    charged: HashSet<[u8; ENTRY]>,
    file: Option<File>,
}

/// What a request for a clip owes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// The clip was charged to the key this month, or is being charged.
    Nothing,
    /// The request is the first: it is to be charged, and then [kept](Ledger::keep) or [given up](Ledger::give_up).
    Charge(Claim),
    /// It is to be charged; nothing will be remembered of it.
    ChargeEachTime,
}

/// A clip that is being charged to a key in a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    month: Month,
    entry: [u8; ENTRY],
}

impl Ledger {
    /// A record in a folder that exists, or in memory alone.
    pub fn new(folder: Option<&Path>) -> Self {
        Self { folder: folder.map(Path::to_owned), state: Mutex::default() }
    }

    /// Claims that a clip is charged to a key now. Of several requests at the same time one is to charge it.
    pub fn claim(&self, key: &KeyPrefix, clip: &ClipDigest, now_ms: i64) -> Due {
        let hash = FieldHash::new("charged clip").with("key", key.as_str()).with("clip", clip.0).finish();
        let mut entry = [0; ENTRY];
        entry.copy_from_slice(&hash[..ENTRY]);
        let month = Month::of(now_ms);
        let mut state = self.state();
        if state.month != Some(month) {
            *state = self.of_month(month);
        }
        if state.charged.contains(&entry) {
            return Due::Nothing;
        }
        if state.charged.len() >= MAX_CHARGED {
            return Due::ChargeEachTime;
        }
        state.charged.insert(entry);
        Due::Charge(Claim { month, entry })
    }

    /// The clip was charged.
    pub fn keep(&self, claim: Claim) {
        let mut state = self.state();
        if state.month == Some(claim.month)
            && let Some(file) = &mut state.file
            && let Err(error) = file.write_all(&claim.entry)
        {
            tracing::warn!(%error, "a charged clip could not be noted; it may be charged again after a restart");
        }
    }

    /// The clip was not charged after all.
    pub fn give_up(&self, claim: Claim) {
        let mut state = self.state();
        if state.month == Some(claim.month) {
            state.charged.remove(&claim.entry);
        }
    }

    /// What is known of a month; files of other months are removed.
    fn of_month(&self, month: Month) -> State {
        let fresh = || State { month: Some(month), ..State::default() };
        let Some(folder) = &self.folder else { return fresh() };
        let path = folder.join(format!("{NAME}{month}"));
        let opened = remove_others(folder, &path).and_then(|()| read(&path));
        match opened {
            Ok((charged, file)) => State { month: Some(month), charged, file: Some(file) },
            Err(error) => {
                tracing::warn!(%error, "the record of charged clips cannot be used; it is kept in memory alone");
                fresh()
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // each change is whole before the next can panic
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn remove_others(folder: &Path, kept: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_record = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(NAME));
        if is_record && path != kept {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// The entries of a file, which is made where there is none; what was half written at its end is left out.
fn read(path: &Path) -> io::Result<(HashSet<[u8; ENTRY]>, File)> {
    let mut options = File::options();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take((MAX_CHARGED * ENTRY) as u64).read_to_end(&mut bytes)?;
    let (entries, rest) = bytes.as_chunks::<ENTRY>();
    if !rest.is_empty() {
        file.set_len((bytes.len() - rest.len()) as u64)?;
    }
    Ok((entries.iter().copied().collect(), file))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In November and December 2026.
    const NOVEMBER: i64 = 1_795_176_000_000;
    const DECEMBER: i64 = NOVEMBER + 31 * 24 * 3_600_000;

    fn key(letter: char) -> KeyPrefix {
        KeyPrefix::parse(&format!("sk_{}", letter.to_string().repeat(8))).unwrap()
    }

    fn charge(ledger: &Ledger, letter: char, clip: u8, now_ms: i64) -> bool {
        match ledger.claim(&key(letter), &ClipDigest([clip; 32]), now_ms) {
            Due::Charge(claim) => {
                ledger.keep(claim);
                true
            }
            due => {
                assert_eq!(due, Due::Nothing);
                false
            }
        }
    }

    #[test]
    fn a_clip_is_charged_once_a_key_and_month() {
        let ledger = Ledger::new(None);
        assert!(charge(&ledger, 'a', 1, NOVEMBER));
        assert!(!charge(&ledger, 'a', 1, NOVEMBER));
        assert!(charge(&ledger, 'a', 2, NOVEMBER));
        assert!(charge(&ledger, 'b', 1, NOVEMBER));
        assert!(charge(&ledger, 'a', 1, DECEMBER));
    }

    #[test]
    fn what_was_given_up_is_charged_the_next_time_and_a_claim_holds_meanwhile() {
        let ledger = Ledger::new(None);
        let Due::Charge(claim) = ledger.claim(&key('a'), &ClipDigest([1; 32]), NOVEMBER) else { panic!() };
        assert!(!charge(&ledger, 'a', 1, NOVEMBER), "at the same time");
        ledger.give_up(claim);
        assert!(charge(&ledger, 'a', 1, NOVEMBER));
    }

    #[test]
    fn a_folder_outlives_the_server_for_the_month() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::new(Some(folder.path()));
        assert!(charge(&ledger, 'a', 1, NOVEMBER));
        let Due::Charge(_) = ledger.claim(&key('a'), &ClipDigest([2; 32]), NOVEMBER) else { panic!() };
        drop(ledger);
        let file = folder.path().join("charged-2026-11");
        // a server that was killed while it wrote
        let mut bytes = fs::read(&file).unwrap();
        bytes.extend([7; 5]);
        fs::write(&file, bytes).unwrap();
        let ledger = Ledger::new(Some(folder.path()));
        assert!(!charge(&ledger, 'a', 1, NOVEMBER));
        assert!(charge(&ledger, 'a', 2, NOVEMBER), "it was not charged");
        drop(ledger);
        let ledger = Ledger::new(Some(folder.path()));
        assert!(!charge(&ledger, 'a', 2, NOVEMBER));
        assert!(charge(&ledger, 'a', 1, DECEMBER));
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["charged-2026-12"]);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let ledger = Ledger::new(None);
        ledger.claim(&key('a'), &ClipDigest([1; 32]), NOVEMBER);
        let fill = (0..MAX_CHARGED as u128).map(u128::to_le_bytes);
        ledger.state().charged.extend(fill);
        assert_eq!(ledger.claim(&key('a'), &ClipDigest([2; 32]), NOVEMBER), Due::ChargeEachTime);
        assert_eq!(ledger.claim(&key('a'), &ClipDigest([1; 32]), NOVEMBER), Due::Nothing);
    }
}
