//! Tests of the cache folder, its limits and its reservations.

use std::io::Read;

use super::*;

const LIMITS: CacheLimits = CacheLimits { bytes: 100_000, clips: 4 };

fn facts(chars: u32) -> Facts {
    let [voice, language, engine] = ["Ananya", "hi", "parametric"].map(str::to_owned);
    Facts { voice, language, engine, chars, samples: 1 }
}

fn digest(number: u8) -> ClipDigest {
    ClipDigest([number; 32])
}

fn content(cache: &ClipCache, number: u8) -> Option<Vec<u8>> {
    Some(read(&mut cache.find(&digest(number))?))
}

fn read(found: &mut CachedClip) -> Vec<u8> {
    let mut bytes = vec![0; found.length as usize];
    found.file.read_exact(&mut bytes).unwrap();
    bytes
}

fn open(folder: &Path, limits: CacheLimits) -> Arc<ClipCache> {
    Arc::new(ClipCache::open(folder, limits).unwrap())
}

/// Adds a clip of `bytes` bytes, the first of which is its header. Returns whether the cache accepted it.
fn add(cache: &Arc<ClipCache>, number: u8, bytes: usize) -> bool {
    let Some(mut clip) = cache.begin(digest(number), 1) else { return false };
    let is_taken = clip.append(&vec![number; bytes - 1]);
    if is_taken {
        clip.finish(&[number], &facts(number.into()));
    }
    is_taken
}

#[test]
fn evicts_least_recently_used_clips() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open(folder.path(), LIMITS);
    for number in 1..=4 {
        add(&cache, number, 10);
    }
    assert_eq!(content(&cache, 1), Some(vec![1; 10]), "used last");
    add(&cache, 5, 10);
    assert_eq!(content(&cache, 2), None);
    assert!(cache.is_missing(&digest(2)) && !cache.is_missing(&digest(1)));
    assert_eq!(content(&cache, 1), Some(vec![1; 10]));
    let stats = cache.stats();
    assert_eq!((stats.clips, stats.hits, stats.misses, stats.evictions), (4, 2, 2, 1));
    let files = || fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap());
    assert_eq!(files().count(), 4, "the file is also deleted");
    let bytes: u64 = files().map(|entry| entry.metadata().unwrap().len()).sum();
    assert_eq!(stats.bytes, bytes);
}

#[test]
fn limits_bytes_and_skips_large_clips() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open(folder.path(), CacheLimits { clips: 100, ..LIMITS });
    for number in 0..50 {
        add(&cache, number, 12_000);
        assert!(cache.stats().bytes <= 100_000, "{:?}", cache.stats());
    }
    assert_eq!(cache.stats().clips, 8);
    assert!(add(&cache, 60, 12_500) && !add(&cache, 61, 12_501));
    assert_eq!((content(&cache, 61), cache.stats().clips), (None, 8));
    // adding a clip again does not count it twice
    add(&cache, 60, 12_500);
    assert_eq!(cache.stats().clips, 8);
}

#[test]
fn restart_loads_clips_in_order_of_use() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open(folder.path(), LIMITS);
    for number in 1..=4 {
        add(&cache, number, 10);
        let file = File::options().write(true).open(cache.path(&digest(number))).unwrap();
        let age = Duration::from_hours(number.into());
        file.set_modified(SystemTime::now() - age).unwrap();
    }
    // use the oldest clip
    content(&cache, 4).unwrap();
    drop(cache);
    fs::write(folder.path().join("0000.1.2.unfinished"), "x").unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    let cache = open(folder.path(), CacheLimits { clips: 2, ..LIMITS });
    assert_eq!(cache.stats().clips, 2);
    assert_eq!([1, 4].map(|number| content(&cache, number)), [Some(vec![1; 10]), Some(vec![4; 10])]);
    let mut others: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.ends_with(SUFFIX))
        .collect();
    others.sort();
    assert_eq!(others, ["notes.txt"]);
}

#[test]
fn ignores_damaged_or_missing_files() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open(folder.path(), LIMITS);
    add(&cache, 1, 10);
    add(&cache, 2, 10);
    let path = cache.path(&digest(1));
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    fs::remove_file(cache.path(&digest(2))).unwrap();
    assert_eq!([1, 2].map(|number| content(&cache, number)), [None, None]);
    assert!(!path.exists());
    let stats = cache.stats();
    assert_eq!((stats.clips, stats.bytes, stats.corrupt), (0, 0, 1));
    add(&cache, 1, 10);
    assert_eq!(content(&cache, 1), Some(vec![1; 10]));
}

#[test]
fn write_failures_are_counted_and_cleaned_up() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("clips");
    let cache = open(&inside, LIMITS);
    fs::remove_dir(&inside).unwrap();
    add(&cache, 1, 10);
    let stats = cache.stats();
    assert_eq!((stats.clips, stats.bytes, stats.failed_writes), (0, 0, 1));
}

#[test]
fn memory_of_unfinished_clips_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open(folder.path(), LIMITS);
    let all = WriteReservation::take(&cache, MAX_UNWRITTEN);
    assert!(all.is_some() && WriteReservation::take(&cache, 1).is_none());
    drop(all);
    assert!(WriteReservation::take(&cache, MAX_UNWRITTEN).is_some(), "given back");
}

#[test]
fn turns_are_noted_and_their_recordings_are_limited() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open(folder.path(), LIMITS);
    assert!(!cache.note_turn(&digest(1)) && !cache.note_turn(&digest(2)));
    assert!(cache.note_turn(&digest(1)) && cache.note_turn(&digest(2)));
    for number in 0..MAX_NOTED as u64 {
        let mut bytes = [9; 32];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        cache.note_turn(&ClipDigest(bytes));
    }
    assert!(!cache.note_turn(&digest(1)), "the oldest are forgotten");
    let mut recorded: Vec<_> = (0..MAX_RECORDED_TURNS).map(|_| cache.reserve_turn().unwrap()).collect();
    assert!(cache.reserve_turn().is_none());
    recorded.pop();
    assert!(cache.reserve_turn().is_some());
}

#[test]
fn removed_clip_stays_readable_while_open() {
    let folder = tempfile::tempdir().unwrap();
    let cache = open(folder.path(), LIMITS);
    add(&cache, 1, 10);
    let mut found = cache.find(&digest(1)).unwrap();
    for number in 2..=5 {
        add(&cache, number, 10);
    }
    assert!(!cache.path(&digest(1)).exists());
    assert_eq!(read(&mut found), vec![1; 10]);
}
