//! Romanised words as lookup keys.

/// Maximum length of a word, in letters.
pub const MAX_LETTERS: usize = 40;

/// Word of lower-case Latin letters.
#[derive(Clone, Debug)]
pub struct Roman {
    letters: Vec<u8>,
}

impl Roman {
    /// Creates a romanised word from letters `a` to `z`; returns `None` if the word is empty, has other characters, or
    /// has more than [`MAX_LETTERS`] letters.
    ///
    /// A letter that occurs more than twice in succession (`plzzz`) counts twice.
    pub fn new(word: &str) -> Option<Self> {
        let mut letters: Vec<u8> = Vec::with_capacity(word.len());
        for byte in word.bytes() {
            if !byte.is_ascii_lowercase() {
                return None;
            }
            if let [.., before, last] = letters[..]
                && before == byte
                && last == byte
            {
                continue;
            }
            letters.push(byte);
        }
        (1..=MAX_LETTERS).contains(&letters.len()).then_some(Self { letters })
    }

    /// Returns the letters, `b'a'` to `b'z'`.
    pub fn letters(&self) -> &[u8] {
        &self.letters
    }

    /// Splits the word at a position. Returns `None` if a second word cannot begin there: at the start, at the end,
    /// before a vowel, which would be a sign on the preceding consonant, and before an h after a consonant, as in `kh`.
    pub(crate) fn split_at(&self, at: usize) -> Option<(Self, Self)> {
        let (before, after) = self.letters.split_at_checked(at)?;
        let is_vowel = |letter: &u8| b"aeiou".contains(letter);
        let begins = match (before.last(), after.first()) {
            (Some(last), Some(b'h')) => is_vowel(last),
            (Some(_), Some(first)) => !is_vowel(first),
            _ => false,
        };
        begins.then(|| (Self { letters: before.to_vec() }, Self { letters: after.to_vec() }))
    }

    /// Returns a hash of the word that ignores the usual differences between romanisations: vowels, h, doubled letters,
    /// nasals before consonants, and the choice between letters for one place of articulation. Romanisations of one word
    /// therefore usually have the same skeleton. A word with few consonants would share its skeleton with many other
    /// words, so the kind of its last vowel also counts, and with very few consonants, the kind of its first vowel.
    pub(crate) fn skeleton(&self) -> u64 {
        let letters = &self.letters;
        let mut skeleton = FNV_OFFSET;
        let (mut last, mut at, mut classes) = (0, 0, 0);
        while at < letters.len() {
            let (class, length) = self.class(at);
            at += length;
            // a repeated consonant counts once
            if class != 0 && class != last {
                classes += 1;
                skeleton = (skeleton ^ u64::from(class)).wrapping_mul(FNV_PRIME);
            }
            let vowel = letters.get(at - 1).is_some_and(|letter| b"aeiou".contains(letter));
            if class != 0 || vowel {
                last = class;
            }
        }
        let vowels = || letters.iter().filter_map(|letter| vowel_kind(*letter));
        let last_vowel = vowels().next_back().filter(|_| classes <= LAST_VOWEL_COUNTS);
        let first_vowel = vowels().next().filter(|_| classes <= FIRST_VOWEL_COUNTS);
        let kinds = last_vowel.unwrap_or(0) << 2 | first_vowel.unwrap_or(0);
        (skeleton ^ u64::from(kinds)).wrapping_mul(FNV_PRIME)
    }

    /// Returns the class of the letters at a position, and their number. The class is 0 if the letters do not count.
    fn class(&self, at: usize) -> (u8, usize) {
        let next = self.letters.get(at + 1).copied();
        match self.letters[at] {
            b'c' if next == Some(b'h') => (b'c', 2),
            b'c' if next == Some(b'c') => (b'c', 1),
            b'z' if next == Some(b'h') => (b'l', 2),
            b'k' | b'c' | b'q' | b'g' => (b'k', 1),
            b'x' => (b'x', 1),
            b'j' | b'z' => (b'j', 1),
            b't' | b'd' => (b't', 1),
            b'p' | b'b' | b'f' => (b'p', 1),
            b'v' | b'w' => (b'v', 1),
            b'n' | b'm' if at > 0 && next.is_none_or(|next| !b"aeiouyhnm".contains(&next)) => (0, 1),
            b'm' => (b'm', 1),
            b'n' => (b'n', 1),
            letter @ (b's' | b'r' | b'l') => (letter, 1),
            // at the beginning, these letters distinguish words
            letter @ (b'h' | b'y') if at == 0 => (letter, 1),
            b'a' | b'e' | b'i' | b'o' | b'u' if at == 0 => (b'a', 1),
            _ => (0, 1),
        }
    }
}

/// Maximum number of consonant classes at which the kind of the last vowel counts.
const LAST_VOWEL_COUNTS: usize = 2;
/// Maximum number of consonant classes at which the kind of the first vowel counts.
const FIRST_VOWEL_COUNTS: usize = 1;

/// Returns the kind of a vowel, or `None` for a consonant. Vowels of one kind are used interchangeably.
fn vowel_kind(letter: u8) -> Option<u8> {
    match letter {
        b'a' => Some(1),
        b'e' | b'i' | b'y' => Some(2),
        b'o' | b'u' => Some(3),
        _ => None,
    }
}

/// Parameters of the 64-bit FNV-1a hash (Fowler, Noll & Vo).
const FNV_OFFSET: u64 = 0xCBF2_9CE4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01B3;

#[cfg(test)]
mod tests {
    use super::*;

    fn skeleton(word: &str) -> u64 {
        Roman::new(word).unwrap().skeleton()
    }

    #[test]
    fn spellings_of_a_word_share_one_skeleton() {
        for ways in [
            &["nahi", "nahin", "nahee", "naheeen"][..],
            &["kya", "kyaa", "kia", "kiya"],
            &["achha", "acchha", "achchha", "acha"],
            &["mujhe", "mjhe"],
            &["tamil", "tamizh", "thamizh"],
            &["anda", "ada", "aanda"],
        ] {
            for way in ways {
                assert_eq!(skeleton(way), skeleton(ways[0]), "{way}");
            }
        }
    }

    #[test]
    fn different_words_have_different_skeletons() {
        for (one, other) in [
            ("nahi", "kahi"),
            ("yah", "ha"),
            ("kam", "kar"),
            ("kaka", "ka"),
            ("nahi", "naha"),
            ("kal", "kali"),
        ] {
            assert_ne!(skeleton(one), skeleton(other), "{one} {other}");
        }
    }

    #[test]
    fn a_second_word_begins_with_a_consonant() {
        let places = |word: &str| {
            let roman = Roman::new(word).unwrap();
            (0..=word.len()).filter(|&at| roman.split_at(at).is_some()).collect::<Vec<_>>()
        };
        assert_eq!(places("mahakavi"), [2, 4, 6], "ma|ha|ka|vi");
        assert_eq!(places("akhil"), [1, 4], "no h after its consonant");
        assert!(places("a").is_empty());
    }

    #[test]
    fn only_words_of_latin_letters_are_considered() {
        assert!(Roman::new("").is_none());
        assert!(Roman::new("Ab").is_none());
        assert!(Roman::new(&"ab".repeat(40)).is_none());
        assert_eq!(Roman::new("plzzzz").unwrap().letters(), b"plzz");
    }
}
