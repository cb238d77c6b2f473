//! Words with two readings that the script does not distinguish, read according to their neighbours.
//!
//! The result has the vowel signs with which the lexicon lists the reading.

use crate::language::WordContext;

/// Words after which a clause starts, so that میں is the pronoun.
const BEFORE_CLAUSE: [&str; 18] = [
    "اور",
    "کہ",
    "لیکن",
    "مگر",
    "تو",
    "جب",
    "اگر",
    "یا",
    "پھر",
    "کیونکہ",
    "جو",
    "ہاں",
    "بلکہ",
    "جبکہ",
    "چونکہ",
    "یار",
    "کاش",
    "تب",
];

/// Postpositions after which a pronoun has its oblique form.
const POSTPOSITIONS: [&str; 6] = ["نے", "کا", "کی", "کے", "کو", "سے"];

/// Words before کیا as the question word.
const BEFORE_WHAT: [&str; 35] = [
    "یہ",
    "وہ",
    "نام",
    "حال",
    "مطلب",
    "بات",
    "وجہ",
    "مسئلہ",
    "قیمت",
    "اور",
    "یہاں",
    "وہاں",
    "آپ",
    "تم",
    "تو",
    "میں",
    "ہم",
    "اب",
    "پھر",
    "آخر",
    "نے",
    "کو",
    "مجھے",
    "تمہیں",
    "آپکو",
    "ہمیں",
    "اسے",
    "انہیں",
    "سے",
    "کہ",
    "ہے",
    "ہیں",
    "بھلا",
    "لیکن",
    "ہوا",
];

/// Verbs after کیا as the past of کرنا.
const AFTER_DONE: [&str; 14] = [
    "گیا", "جا", "جائے", "جاتا", "جاتے", "جاتی", "جانا", "جانے", "کرتا", "کرتے", "کرتی", "کریں", "جو", "اور",
];

/// Verbs after کیا as the past of کرنا, unless a pronoun or a noun that one asks for is before it.
const AFTER_DONE_OR_WHAT: [&str; 8] = ["ہے", "ہیں", "تھا", "تھے", "ہو", "ہوا", "ہوگا", "ہوں"];

/// Numbers that follow سوا as "a quarter past", and سن as "the year".
const NUMBERS: [&str; 22] = [
    "ایک",
    "دو",
    "تین",
    "چار",
    "پانچ",
    "چھ",
    "سات",
    "آٹھ",
    "نو",
    "دس",
    "گیارہ",
    "بارہ",
    "تیرہ",
    "چودہ",
    "پندرہ",
    "سولہ",
    "سترہ",
    "اٹھارہ",
    "انیس",
    "سو",
    "لاکھ",
    "کروڑ",
];

/// Returns the word with the vowel signs of its reading, or `None` if it has the reading that the lexicon lists without
/// signs.
pub(super) fn respell(context: &WordContext<'_>) -> Option<String> {
    let is_after = |words: &[&str]| context.after.is_some_and(|after| words.contains(&after));
    let is_before = |words: &[&str]| context.before.is_some_and(|before| words.contains(&before));
    let alone = context.before.is_none() && context.after.is_none();
    let respelled = match context.word {
        _ if alone => return None,
        "میں" if context.before.is_none() || is_before(&BEFORE_CLAUSE) || is_after(&["نے", "ہوں"]) => {
            "مَیں"
        }
        "اس" if is_after(&["نے", "کا", "کی", "کے", "کو"]) => "اُس",
        "ان" if context.after.is_some()
            && !is_after(&POSTPOSITIONS)
            && !is_after(&["میں", "پر", "تک", "ہی"]) =>
        {
            "اِن"
        }
        "ہوا" if is_after(&["کی", "کا", "کے", "میں", "سے", "کو"]) => "ہَوا",
        "پکا" if is_after(&["رہا", "رہی", "رہے", "کر", "دیا", "دی", "لیا", "لی", "لو", "سکتا"]) => {
            "پَکا"
        }
        "ہوں" if context.before.is_some_and(|before| before.ends_with('ے')) => "ہُوں",
        "ہوں" if is_after(&["گے", "گی"]) => "ہُوں",
        "کیا" if is_past(context, &is_before, &is_after) => "کِیا",
        // صلی اللہ علیہ وسلم, in the letters of Urdu or, as the sign ﷺ is replaced, in those of Arabic
        "اللہ" | "الله" if is_before(&["صلی", "صلى"]) => "اللہُ",
        "علیہ" | "عليه" if is_after(&["وسلم"]) => "علیہِ",
        "سوا" if is_before(&["کے"]) && !is_after(&NUMBERS) => "سِوا",
        "سن" if is_after(&NUMBERS) => "سَن",
        "دور"
            if is_before(&["کے", "اس", "نئے", "ہر", "پہلے", "دوسرے", "ایک", "جدید"])
                && is_after(&["میں", "کے", "کا", "کی", "سے", "تک"]) =>
        {
            "دَور"
        }
        _ => return None,
    };
    Some(respelled.to_owned())
}

/// Returns whether کیا is the past of کرنا and not the question word.
fn is_past(
    context: &WordContext<'_>,
    is_before: &impl Fn(&[&str]) -> bool,
    is_after: &impl Fn(&[&str]) -> bool,
) -> bool {
    if context.before.is_none() {
        return false;
    }
    if is_after(&AFTER_DONE) {
        return true;
    }
    (context.ends_phrase || is_after(&AFTER_DONE_OR_WHAT)) && !is_before(&BEFORE_WHAT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_follow_from_the_neighbours() {
        let cases = [
            ("", "میں", "گھر", Some("مَیں"), "the pronoun at the start"),
            ("گھر", "میں", "ہے", None, "the postposition"),
            ("اور", "میں", "نے", Some("مَیں"), "the pronoun"),
            ("", "اس", "نے", Some("اُس"), "that one"),
            ("", "اس", "وقت", None, "this"),
            ("", "ان", "دنوں", Some("اِن"), "these"),
            ("", "ان", "کے", None, "those"),
            ("گرفتار", "کیا", "گیا", Some("کِیا"), "the past of کرنا"),
            ("اعلان", "کیا", "ہے", Some("کِیا"), "the past of کرنا"),
            ("نام", "کیا", "ہے", None, "the question word"),
            ("", "کیا", "آپ", None, "the question word at the start"),
            ("کے", "سوا", "چار", None, "a quarter past"),
            ("کے", "سوا", "کوئی", Some("سِوا"), "except"),
            ("", "ہوا", "کی", Some("ہَوا"), "the wind"),
            ("پیدا", "ہوا", "", None, "the past of ہونا"),
            ("کھڑے", "ہوں", "", Some("ہُوں"), "the subjunctive"),
            ("صلى", "الله", "عليه", Some("اللہُ"), "part of a formula"),
            ("", "کیا", "", None, "alone"),
        ];
        for (before, word, after, respelled, why) in cases {
            let neighbour = |word| Some(word).filter(|word: &&str| !word.is_empty());
            let context = WordContext {
                word,
                before: neighbour(before),
                after: neighbour(after),
                ends_phrase: after.is_empty(),
            };
            assert_eq!(respell(&context).as_deref(), respelled, "{before} {word} {after}: {why}");
        }
    }
}
