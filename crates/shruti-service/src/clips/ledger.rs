//! Record of the signed-URL clips that were charged in the current month.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use shruti_store::{KeyPrefix, Month};

use super::digest::{ClipDigest, FieldHash};

/// Maximum number of charged clips that are recorded per month. Further clips are charged on every request.
const MAX_CHARGED: usize = 500_000;
/// Maximum number of recorded clips per key, so that one key does not fill the record.
const MAX_OF_KEY: u32 = 50_000;
/// Size of an entry, in bytes. An entry consists of 4 bytes of a hash of the key and 12 bytes of a hash of the key and
/// the clip.
const ENTRY: usize = 16;
/// Size of the part of an entry that identifies the key, in bytes.
const KEY_BYTES: usize = 4;
const NAME: &str = "charged-";
/// Maximum number of claims in the queue of the writer thread.
const MAX_WAITING: usize = 4_096;

type Entry = [u8; ENTRY];

/// Record of the clips that were charged to each key in the current month, so that each clip is charged once. A record
/// that is opened in a folder survives a restart.
///
/// The file of the record is read when the record is opened. A separate thread writes it, so that claims never wait for
/// the disk.
#[derive(Debug)]
pub struct Ledger {
    state: Mutex<State>,
    writer: Option<Writer>,
}

#[derive(Debug, Default)]
struct State {
    month: Option<Month>,
    charged: HashSet<Entry>,
    of_keys: HashMap<[u8; KEY_BYTES], u32>,
}

/// Decision on whether a request for a clip is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChargeDecision {
    /// The clip has already been charged to the key this month, or another request is charging it.
    AlreadyCharged,
    /// This is the first request for the clip this month: charge it, then [confirm](Ledger::confirm) or
    /// [release](Ledger::release) the claim.
    Charge(Claim),
    /// Charge the clip. The charge is not recorded: the record is full, the key has reached its limit, or the operator
    /// charges every request.
    ChargeEachTime,
}

/// Claim on a clip that is being charged to a key in a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    month: Month,
    entry: Entry,
}

impl State {
    fn of_month(month: Month, charged: HashSet<Entry>) -> Self {
        let mut of_keys = HashMap::new();
        for entry in &charged {
            *of_keys.entry(key_bytes(entry)).or_default() += 1;
        }
        Self { month: Some(month), charged, of_keys }
    }
}

impl Ledger {
    /// Creates a record in memory only.
    pub fn in_memory() -> Self {
        Self { state: Mutex::default(), writer: None }
    }

    /// Opens the record in an existing folder, with the entries of the month of `now_ms` (Unix time in milliseconds).
    /// This function blocks while it reads files. If the files cannot be used, the record is kept in memory only.
    pub fn open(folder: &Path, now_ms: i64) -> Self {
        let month = Month::of(now_ms);
        match MonthFile::open(folder.to_owned(), month)
            .and_then(|(month_file, charged)| Ok((Writer::start(month_file)?, charged)))
        {
            Ok((writer, charged)) => {
                Self { state: Mutex::new(State::of_month(month, charged)), writer: Some(writer) }
            }
            Err(error) => {
                tracing::warn!(%error, "the record of charged clips cannot be used; it is kept in memory only");
                Self::in_memory()
            }
        }
    }

    /// Claims the charge of a clip to a key. Of several concurrent requests, only one gets the claim.
    pub fn claim(&self, key: &KeyPrefix, clip: &ClipDigest, now_ms: i64) -> ChargeDecision {
        let (entry, month) = (entry_of(key, clip), Month::of(now_ms));
        let mut state = self.state();
        if state.month != Some(month) {
            *state = State::of_month(month, HashSet::new());
        }
        if state.charged.contains(&entry) {
            return ChargeDecision::AlreadyCharged;
        }
        let is_full = state.charged.len() >= MAX_CHARGED;
        let of_key = state.of_keys.entry(key_bytes(&entry)).or_default();
        if is_full || *of_key >= MAX_OF_KEY {
            return ChargeDecision::ChargeEachTime;
        }
        *of_key += 1;
        state.charged.insert(entry);
        ChargeDecision::Charge(Claim { month, entry })
    }

    /// Confirms a claim: records that its clip was charged.
    pub fn confirm(&self, claim: Claim) {
        if let Some(writer) = &self.writer {
            writer.note(claim);
        }
    }

    /// Releases a claim whose clip was not charged.
    pub fn release(&self, claim: Claim) {
        let mut state = self.state();
        if state.month == Some(claim.month) && state.charged.remove(&claim.entry) {
            state.of_keys.entry(key_bytes(&claim.entry)).and_modify(|count| *count -= 1);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // a poisoned lock is usable, because no panic can leave the state incomplete
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn entry_of(key: &KeyPrefix, clip: &ClipDigest) -> Entry {
    let of_key = FieldHash::new("charged key").with("key", key.as_str()).finish();
    let of_clip = FieldHash::new("charged clip").with("key", key.as_str()).with("clip", clip.0).finish();
    let mut entry = [0; ENTRY];
    entry[..KEY_BYTES].copy_from_slice(&of_key[..KEY_BYTES]);
    entry[KEY_BYTES..].copy_from_slice(&of_clip[..ENTRY - KEY_BYTES]);
    entry
}

/// Returns the part of an entry that identifies the key. If two keys have the same part, they share a limit.
fn key_bytes(entry: &Entry) -> [u8; KEY_BYTES] {
    let mut bytes = [0; KEY_BYTES];
    bytes.copy_from_slice(&entry[..KEY_BYTES]);
    bytes
}

/// Handle for the thread that writes entries. Dropping it waits until the thread has written all pending entries.
#[derive(Debug)]
struct Writer {
    claims: Option<SyncSender<Claim>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    fn start(mut month_file: MonthFile) -> io::Result<Self> {
        let (claims, receiver) = sync_channel(MAX_WAITING);
        let write = move || {
            for claim in receiver {
                if let Err(error) = month_file.write(claim) {
                    tracing::warn!(%error, "a charged clip could not be recorded; it may be charged again after a \
                                            restart");
                }
            }
        };
        let thread = std::thread::Builder::new().name("charged clips".to_owned()).spawn(write)?;
        Ok(Self { claims: Some(claims), thread: Some(thread) })
    }

    fn note(&self, claim: Claim) {
        let queued = self.claims.as_ref().is_some_and(|claims| claims.try_send(claim).is_ok());
        if !queued {
            tracing::warn!(
                "a charged clip could not be recorded because the disk is slow; it may be charged again after a restart"
            );
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.claims = None;
        if let Some(thread) = self.thread.take() {
            // a panic of the thread has already been logged
            let _ = thread.join();
        }
    }
}

/// File with the entries of one month.
#[derive(Debug)]
struct MonthFile {
    folder: PathBuf,
    month: Month,
    /// `None` until an entry is written.
    file: Option<File>,
}

impl MonthFile {
    /// Reads the entries of a month. Files of other months are removed.
    fn open(folder: PathBuf, month: Month) -> io::Result<(Self, HashSet<Entry>)> {
        let path = path_of(&folder, month);
        remove_others(&folder, &path)?;
        let charged = read(&path)?;
        Ok((Self { folder, month, file: None }, charged))
    }

    fn write(&mut self, claim: Claim) -> io::Result<()> {
        if claim.month != self.month {
            *self = Self::open(self.folder.clone(), claim.month)?.0;
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(append_to(&path_of(&self.folder, self.month))?),
        };
        file.write_all(&claim.entry)
    }
}

fn path_of(folder: &Path, month: Month) -> PathBuf {
    folder.join(format!("{NAME}{month}"))
}

fn remove_others(folder: &Path, current: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_record = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(NAME));
        if is_record && path != current {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Returns the entries of a file, or no entries if the file does not exist. An incomplete entry at the end is removed
/// from the file.
fn read(path: &Path) -> io::Result<HashSet<Entry>> {
    let mut file = match File::options().read(true).write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashSet::new()),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    (&mut file).take((MAX_CHARGED * ENTRY) as u64).read_to_end(&mut bytes)?;
    let (entries, rest) = bytes.as_chunks::<ENTRY>();
    if !rest.is_empty() {
        file.set_len((bytes.len() - rest.len()) as u64)?;
    }
    Ok(entries.iter().copied().collect())
}

/// Opens a file for appending; creates it if it does not exist.
fn append_to(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A time in November 2026, in milliseconds since 1970.
    const NOVEMBER: i64 = 1_795_176_000_000;
    /// A time in December 2026, in milliseconds since 1970.
    const DECEMBER: i64 = NOVEMBER + 31 * 24 * 3_600_000;

    fn key(letter: char) -> KeyPrefix {
        KeyPrefix::parse(&format!("sk_{}", letter.to_string().repeat(8))).unwrap()
    }

    fn charge(ledger: &Ledger, letter: char, clip: u8, now_ms: i64) -> bool {
        match ledger.claim(&key(letter), &ClipDigest([clip; 32]), now_ms) {
            ChargeDecision::Charge(claim) => {
                ledger.confirm(claim);
                true
            }
            due => {
                assert_eq!(due, ChargeDecision::AlreadyCharged);
                false
            }
        }
    }

    #[test]
    fn clip_is_charged_once_per_key_and_month() {
        let ledger = Ledger::in_memory();
        assert!(charge(&ledger, 'a', 1, NOVEMBER));
        assert!(!charge(&ledger, 'a', 1, NOVEMBER));
        assert!(charge(&ledger, 'a', 2, NOVEMBER));
        assert!(charge(&ledger, 'b', 1, NOVEMBER));
        assert!(charge(&ledger, 'a', 1, DECEMBER));
    }

    #[test]
    fn released_claim_is_charged_next_time() {
        let ledger = Ledger::in_memory();
        let ChargeDecision::Charge(claim) = ledger.claim(&key('a'), &ClipDigest([1; 32]), NOVEMBER) else {
            panic!()
        };
        assert!(!charge(&ledger, 'a', 1, NOVEMBER), "at the same time");
        ledger.release(claim);
        assert!(charge(&ledger, 'a', 1, NOVEMBER));
    }

    #[test]
    fn entries_survive_a_restart_within_the_month() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path(), NOVEMBER);
        assert!(charge(&ledger, 'a', 1, NOVEMBER));
        let ChargeDecision::Charge(_) = ledger.claim(&key('a'), &ClipDigest([2; 32]), NOVEMBER) else {
            panic!()
        };
        drop(ledger);
        let file = folder.path().join("charged-2026-11");
        // append part of an entry, as if the server had been killed while writing it
        let mut bytes = fs::read(&file).unwrap();
        bytes.extend([7; 5]);
        fs::write(&file, bytes).unwrap();
        let ledger = Ledger::open(folder.path(), NOVEMBER);
        assert!(!charge(&ledger, 'a', 1, NOVEMBER));
        assert!(charge(&ledger, 'a', 2, NOVEMBER), "it was not charged");
        drop(ledger);
        let ledger = Ledger::open(folder.path(), NOVEMBER);
        assert!(!charge(&ledger, 'a', 2, NOVEMBER));
        assert!(charge(&ledger, 'a', 1, DECEMBER));
        drop(ledger);
        let ledger = Ledger::open(folder.path(), DECEMBER);
        assert!(!charge(&ledger, 'a', 1, DECEMBER));
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["charged-2026-12"]);
    }

    #[test]
    fn number_of_entries_is_bounded() {
        let ledger = Ledger::in_memory();
        ledger.claim(&key('a'), &ClipDigest([1; 32]), NOVEMBER);
        let fill = (0..MAX_CHARGED as u128).map(u128::to_le_bytes);
        ledger.state().charged.extend(fill);
        assert_eq!(ledger.claim(&key('a'), &ClipDigest([2; 32]), NOVEMBER), ChargeDecision::ChargeEachTime);
        assert_eq!(ledger.claim(&key('a'), &ClipDigest([1; 32]), NOVEMBER), ChargeDecision::AlreadyCharged);
    }

    #[test]
    fn per_key_limit_survives_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let clip = |number: u32| {
            let mut clip = [0; 32];
            clip[..4].copy_from_slice(&number.to_le_bytes());
            ClipDigest(clip)
        };
        let entries = (0..MAX_OF_KEY).map(|number| entry_of(&key('a'), &clip(number)));
        let file = folder.path().join("charged-2026-11");
        fs::write(file, entries.flatten().collect::<Vec<u8>>()).unwrap();
        let ledger = Ledger::open(folder.path(), NOVEMBER);
        let claim = |letter, number| ledger.claim(&key(letter), &clip(number), NOVEMBER);
        assert_eq!(claim('a', MAX_OF_KEY), ChargeDecision::ChargeEachTime);
        assert_eq!(claim('a', 0), ChargeDecision::AlreadyCharged);
        assert!(matches!(claim('b', 0), ChargeDecision::Charge(_)), "another key is charged once");
        let ledger = Ledger::in_memory();
        for number in 0..MAX_OF_KEY {
            let ChargeDecision::Charge(claim) = ledger.claim(&key('a'), &clip(number), NOVEMBER) else {
                panic!("{number}")
            };
            if number == 0 {
                ledger.release(claim);
            }
        }
        assert!(
            matches!(ledger.claim(&key('a'), &clip(0), NOVEMBER), ChargeDecision::Charge(_)),
            "one was given up"
        );
        assert_eq!(ledger.claim(&key('a'), &clip(MAX_OF_KEY), NOVEMBER), ChargeDecision::ChargeEachTime);
    }
}
