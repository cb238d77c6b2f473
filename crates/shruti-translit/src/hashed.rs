//! Hash tables that are searched directly in the bytes of a file.
//!
//! The table is a sequence of buckets of eight entries. An entry is a 16-bit tag from the hash of its key and a value
//! of fixed size. Other bits of the hash select the bucket; entries that do not fit go into the next bucket with room.
//! Keys are not stored, so about one in 5,000 lookups of missing keys returns a wrong value.

/// Returns a hash of a key (the finaliser of `SplitMix64`; Steele, Lea & Flood, 2014).
pub(crate) fn mix(key: u64) -> u64 {
    let mut bits = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// Number of entries per bucket.
const BUCKET: usize = 8;
const TAGS: usize = BUCKET * 2;

/// Hash table with values of `VALUE` bytes. A bucket consists of its tags followed by its values. A tag of 0 marks a free
/// entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hashed<'a, const VALUE: usize> {
    bytes: &'a [u8],
    buckets: usize,
}

impl<'a, const VALUE: usize> Hashed<'a, VALUE> {
    const BYTES: usize = TAGS + BUCKET * VALUE;

    /// Creates a table from bytes that [`write`] returned.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, buckets: bytes.len() / Self::BYTES }
    }

    /// Returns the value of a key, or `None` if the table does not contain the key.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<[u8; VALUE]> {
        let (mut bucket, tag) = bucket_and_tag(key, self.buckets);
        for _ in 0..self.buckets {
            let bytes = self.bytes.get(bucket * Self::BYTES..)?;
            let (tags, values) = bytes.split_first_chunk::<TAGS>()?;
            let tags: [u16; BUCKET] =
                std::array::from_fn(|at| u16::from_le_bytes([tags[at * 2], tags[at * 2 + 1]]));
            let equal = |tag: u16| {
                tags.iter().enumerate().fold(0_u32, |bits, (at, other)| bits | u32::from(*other == tag) << at)
            };
            let found = equal(tag);
            if found != 0 {
                return values.get(found.trailing_zeros() as usize * VALUE..)?.first_chunk().copied();
            }
            if equal(0) != 0 {
                return None;
            }
            bucket = if bucket + 1 == self.buckets { 0 } else { bucket + 1 };
        }
        None
    }
}

/// Returns the first bucket to search for a key, and its tag, which is never 0.
fn bucket_and_tag(key: u64, buckets: usize) -> (usize, u16) {
    let bits = mix(key);
    // map the upper half of the bits to the range of buckets (Lemire, 2019)
    let bucket = ((bits >> 32) * buckets as u64) >> 32;
    (bucket as usize, (bits as u16).max(1))
}

/// Returns the bytes of a table of keys and values. If two keys are indistinguishable, the first is kept.
#[cfg(any(test, feature = "train"))]
pub(crate) fn write<const VALUE: usize>(entries: impl IntoIterator<Item = (u64, [u8; VALUE])>) -> Vec<u8> {
    let entries: Vec<_> = entries.into_iter().collect();
    // about 20 % more slots than entries, and at least one free slot
    let buckets = (entries.len() * 6 / 5 / BUCKET) + 1;
    let size = TAGS + BUCKET * VALUE;
    let mut bytes = vec![0; buckets * size];
    for (key, value) in entries {
        let (first, tag) = bucket_and_tag(key, buckets);
        let places =
            (first..buckets).chain(0..first).flat_map(|bucket| (0..BUCKET).map(move |at| (bucket, at)));
        for (bucket, at) in places {
            let begin = bucket * size + at * 2;
            let found = u16::from_le_bytes([bytes[begin], bytes[begin + 1]]);
            if found == tag {
                break;
            }
            if found == 0 {
                bytes[begin..begin + 2].copy_from_slice(&tag.to_le_bytes());
                let begin = bucket * size + TAGS + at * VALUE;
                bytes[begin..begin + VALUE].copy_from_slice(&value);
                break;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stored_entries_are_found() {
        let bytes = write((0..5_000_u64).map(|key| (key * 3, [(key % 251) as u8])));
        let table = Hashed::<1>::new(&bytes);
        for key in 0..5_000_u64 {
            assert!(table.get(key * 3).is_some());
        }
        let right = (0..5_000_u64).filter(|key| table.get(key * 3) == Some([(key % 251) as u8])).count();
        assert!(right > 4_990, "{right}");
        let mistaken = (0..5_000_u64).filter(|key| table.get(key * 3 + 1).is_some()).count();
        assert!(mistaken < 5, "{mistaken}");
        assert_eq!(Hashed::<1>::new(&[]).get(1), None);
    }
}
