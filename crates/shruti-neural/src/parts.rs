//! Splits utterances that exceed the maximum length of a pack into parts at word ends.

use shruti_text::utterance::{Break, Syllable, Utterance, Word};
use unicode_normalization::char::is_combining_mark;

/// Maximum numbers of symbols in the parts of an utterance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartSizes {
    /// Maximum for the first part. The maximum for each later part is 50 % larger than for the part before it, up to
    /// `most`.
    pub first: usize,
    /// Maximum for any part.
    pub most: usize,
}

impl PartSizes {
    fn of(self, part: usize) -> usize {
        let mut size = self.first.min(self.most).max(1);
        for _ in 0..part {
            if size == self.most {
                break;
            }
            size = (size + size / 2).max(size + 1).min(self.most);
        }
        size
    }
}

/// Splits an utterance into parts that have at most as many symbols as `sizes` allows. `count` returns the number of
/// symbols of each word, including its neighbouring space and marks. A part ends at the end of a phrase if it then has
/// at least half its maximum size, otherwise at the end of a word. A word that is too long for any part is split as
/// well. `part` is the index of the first part.
pub(crate) fn cut(
    utterance: Utterance,
    part: usize,
    sizes: PartSizes,
    count: impl Fn(&Utterance) -> Vec<usize>,
) -> Vec<Utterance> {
    if count(&utterance).iter().sum::<usize>() <= sizes.of(part) {
        return vec![utterance];
    }
    let utterance = with_short_words(utterance, sizes.most, &count);
    let counts = count(&utterance);
    let mut places = Vec::new();
    let mut start = 0;
    while start < counts.len() {
        let size = sizes.of(part + places.len());
        let mut end = start;
        let mut symbols = 0;
        while end < counts.len() && (end == start || symbols + counts[end] <= size) {
            symbols += counts[end];
            end += 1;
        }
        if end < counts.len() {
            end = best_place(&utterance.words, &counts, start, end, size / 2);
            places.push(end);
        }
        start = end;
    }
    utterance.split(&places)
}

/// Returns the best end for a part that may contain the words from `start` to `end`: the last of the strongest breaks
/// that leave at least `least` symbols in the part, or the last word end if there is no break.
fn best_place(words: &[Word], counts: &[usize], start: usize, end: usize, least: usize) -> usize {
    let closes = |place: &usize| {
        let (before, after) = (&words[place - 1], &words[*place]);
        // words spoken for the same piece of text stay together, because they share one timestamp
        after.source.start >= before.source.end && counts[start..*place].iter().sum::<usize>() >= least
    };
    let places: Vec<usize> = (start + 1..=end).filter(closes).collect();
    let strongest = places.iter().map(|place| words[place - 1].break_after).max();
    let at_phrase = places
        .iter()
        .rev()
        .find(|&&place| Some(words[place - 1].break_after) == strongest && strongest > Some(Break::None));
    at_phrase.or(places.last()).copied().unwrap_or(end)
}

/// Splits words that have more than `most` symbols into pieces.
fn with_short_words(
    mut utterance: Utterance,
    most: usize,
    count: &impl Fn(&Utterance) -> Vec<usize>,
) -> Utterance {
    loop {
        let counts = count(&utterance);
        let before = utterance.words.len();
        let pieces = |(word, symbols): (Word, usize)| match (symbols > most).then(|| halves(&word)).flatten()
        {
            Some(halves) => halves.to_vec(),
            None => vec![word],
        };
        utterance.words = utterance.words.into_iter().zip(counts).flat_map(pieces).collect();
        if utterance.words.len() == before {
            return utterance;
        }
    }
}

/// Splits a word in half by its phones and by its letters. Returns `None` if the word has fewer than two phones and
/// fewer than two letters.
fn halves(word: &Word) -> Option<[Word; 2]> {
    let letters: Vec<usize> =
        word.text.char_indices().filter(|(_, c)| !is_combining_mark(*c)).map(|(at, _)| at).collect();
    let middle_phone = word.phones.len() / 2;
    if letters.len() < 2 && middle_phone == 0 {
        return None;
    }
    let middle = letters.get(letters.len() / 2).copied().unwrap_or(0);
    let (text, rest) = word.text.split_at(middle);
    let (phones, later) = word.phones.split_at(middle_phone);
    let part = |from: usize, to: usize| -> Vec<Syllable> {
        let clipped = word.syllables.iter().map(|syllable| {
            let phones =
                syllable.phones.start.clamp(from, to) - from..syllable.phones.end.clamp(from, to) - from;
            Syllable { phones, ..syllable.clone() }
        });
        clipped.filter(|syllable| !syllable.phones.is_empty()).collect()
    };
    let first = Word {
        text: text.to_owned(),
        phones: phones.to_vec(),
        syllables: part(0, middle_phone),
        break_after: Break::None,
        ..word.clone()
    };
    let second = Word {
        text: rest.to_owned(),
        phones: later.to_vec(),
        syllables: part(middle_phone, word.phones.len()),
        extra_chars: 0,
        ..word.clone()
    };
    Some([first, second])
}

#[cfg(test)]
mod tests {
    use shruti_lang::Language;
    use shruti_text::Class;
    use shruti_text::utterance::{Contour, Delivery, Stress, Weight};

    use super::*;

    /// Returns an utterance with the words of a text. A comma after a word becomes a comma break.
    fn utterance(text: &str) -> Utterance {
        let mut at = 0;
        let words = text.split(' ').map(|word| {
            let length = word.chars().count() as u32;
            let source = at..at + length;
            at += length + 1;
            let spoken = word.trim_end_matches(',');
            Word {
                text: spoken.to_owned(),
                language: Language::Hindi,
                class: Class::Word,
                phones: Vec::new(),
                syllables: Vec::new(),
                source,
                extra_chars: 0,
                weight: Weight::Content,
                break_after: if spoken == word { Break::None } else { Break::Comma },
                aside: false,
                delivery: Delivery::default(),
            }
        });
        let words: Vec<Word> = words.collect();
        let contour = Contour::Statement;
        Utterance {
            index: 0,
            language: Language::Hindi,
            words,
            contour,
            begins_sentence: true,
            sentence: 0,
            source: 0..at,
        }
    }

    /// Returns the number of symbols of each word: one per letter and one for the space.
    fn count(utterance: &Utterance) -> Vec<usize> {
        utterance.words.iter().map(|word| word.text.chars().count() + 1).collect()
    }

    fn parts(text: &str, first: usize, most: usize) -> Vec<String> {
        let parts = cut(utterance(text), 0, PartSizes { first, most }, count);
        let text =
            |part: &Utterance| part.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        parts.iter().map(text).collect()
    }

    #[test]
    fn parts_end_with_words_and_phrases_and_grow() {
        for (text, first, most, expected) in [
            ("ab cd ef", 9, 9, &["ab cd ef"][..]),
            ("ab cd ef", 8, 8, &["ab cd", "ef"]),
            ("ab cd ef gh ij kl", 6, 9, &["ab cd", "ef gh ij", "kl"]),
            // a part ends at a comma if it is then at least half full
            ("ab cd, ef gh", 9, 9, &["ab cd", "ef gh"]),
            ("a, cdef gh ij", 11, 11, &["a cdef gh", "ij"]),
            // a single word may exceed the size of the first part; a word that exceeds the maximum is split
            ("abcdef ab", 4, 9, &["abcdef", "ab"]),
            ("abcdefgh ab", 4, 4, &["ab", "cd", "ef", "gh", "ab"]),
            ("कििििि", 2, 2, &["कििििि"]),
        ] {
            assert_eq!(parts(text, first, most), expected, "{text}");
        }
        let sizes = PartSizes { first: 40, most: 100 };
        assert_eq!([0, 1, 2, 3, 9].map(|part| sizes.of(part)), [40, 60, 90, 100, 100]);
    }

    #[test]
    fn words_of_one_expansion_stay_together() {
        let mut long = utterance("ab cd ef gh");
        long.words[1].source = long.words[2].source.clone();
        let parts = cut(long, 0, PartSizes { first: 6, most: 6 }, count);
        assert_eq!(parts.iter().map(|part| part.words.len()).collect::<Vec<_>>(), [1, 2, 1]);
    }

    #[test]
    fn a_word_is_split_with_its_phones_and_syllables() {
        let mut word = utterance("namaste").words.remove(0);
        word.phones = shruti_text::phone::parse_ipa("nəməst̪eː").unwrap_or_default();
        word.syllables =
            [0..2, 2..5, 5..7].map(|phones| Syllable { phones, stress: Stress::None, tone: None }).to_vec();
        let [first, second] = halves(&word).unwrap_or_else(|| panic!("it has no halves"));
        assert_eq!((first.text.as_str(), second.text.as_str()), ("nam", "aste"));
        assert_eq!((first.phones.len(), second.phones.len()), (3, 4));
        let syllables = |word: &Word| word.syllables.iter().map(|s| s.phones.clone()).collect::<Vec<_>>();
        assert_eq!((syllables(&first), syllables(&second)), (vec![0..2, 2..3], vec![0..2, 2..4]));
        assert_eq!((first.break_after, second.break_after), (Break::None, word.break_after));
    }
}
