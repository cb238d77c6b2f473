//! A romanised word as the tables are asked for it.

/// Longer words are not looked at.
pub const MAX_LETTERS: usize = 40;

/// A word of lower-case Latin letters.
#[derive(Clone, Debug)]
pub struct Roman {
    letters: Vec<u8>,
}

impl Roman {
    /// The letters of a word, which are `a` to `z`; `None` where it has others, none, or more than [`MAX_LETTERS`].
    ///
    /// A letter that stands more than twice in a row was held down (`plzzz`), and counts twice.
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

    /// The letters, `b'a'` to `b'z'`.
    pub fn letters(&self) -> &[u8] {
        &self.letters
    }

    /// The letters before a place and those from there on; `None` where a second word cannot begin there: behind nothing, at a
    /// vowel, which would be a sign on the consonant before it, and at the h of `kh`.
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

    /// What is left of the word when all is taken away on which romanisers disagree: vowels, h, doubled letters, nasals
    /// before consonants, which of the letters for one place it is. Words that may be typed alike have it in common.
    /// Where little is left, and so many words have the same, the kind of the first or last vowel counts, too.
    pub(crate) fn skeleton(&self) -> u64 {
        let letters = &self.letters;
        let mut skeleton = FNV_OFFSET;
        let (mut last, mut at, mut classes) = (0, 0, 0);
        while at < letters.len() {
            let (class, length) = self.class(at);
            at += length;
            // a consonant typed twice is one
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

    /// The class of the letters at a place, 0 for those that do not count, and how many they are.
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
            // at the beginning a word that has one is another one than a word that has none
            letter @ (b'h' | b'y') if at == 0 => (letter, 1),
            b'a' | b'e' | b'i' | b'o' | b'u' if at == 0 => (b'a', 1),
            _ => (0, 1),
        }
    }
}

/// With this many classes of consonants or fewer the kind of the last vowel counts, and that of the first one.
const LAST_VOWEL_COUNTS: usize = 2;
const FIRST_VOWEL_COUNTS: usize = 1;

/// Which vowels are typed for one another.
fn vowel_kind(letter: u8) -> Option<u8> {
    match letter {
        b'a' => Some(1),
        b'e' | b'i' | b'y' => Some(2),
        b'o' | b'u' => Some(3),
        _ => None,
    }
}

/// The hash of Fowler, Noll & Vo (FNV-1a, 64 bits).
const FNV_OFFSET: u64 = 0xCBF2_9CE4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01B3;

#[cfg(test)]
mod tests {
    use super::*;

    fn skeleton(word: &str) -> u64 {
        Roman::new(word).unwrap().skeleton()
    }

    #[test]
    fn ways_to_type_a_word_have_one_skeleton() {
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
    fn other_words_have_others() {
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
        assert_eq!(places("akhil"), [1, 4], "no h behind its consonant");
        assert!(places("a").is_empty());
    }

    #[test]
    fn only_words_of_latin_letters_are_looked_at() {
        assert!(Roman::new("").is_none());
        assert!(Roman::new("Ab").is_none());
        assert!(Roman::new(&"ab".repeat(40)).is_none());
        assert_eq!(Roman::new("plzzzz").unwrap().letters(), b"plzz");
    }
}
