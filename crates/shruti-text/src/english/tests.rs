//! Tests of complete pronunciations, from the written word to the phones.

use super::*;
use crate::phone::to_ipa;

fn said(word: &str) -> String {
    to_ipa(&pronounce(word).phones).replace(' ', "")
}

fn with_stress(word: &str) -> String {
    let pronunciation = pronounce(word);
    let mut text = String::new();
    for syllable in pronunciation.syllables() {
        text.push_str(match syllable.stress {
            Stress::Primary => "ˈ",
            Stress::Secondary => "ˌ",
            Stress::None if text.is_empty() => "",
            Stress::None => ".",
        });
        text.extend(pronunciation.phones[syllable.phones].iter().map(Phone::to_string));
    }
    text
}

#[test]
fn embedded_data_is_valid() {
    assert!(known("house").is_some());
    assert!(!LETTERS.transcribe(b"blorf").is_empty());
    for list in [&EXCEPTIONS, &INDIAN] {
        let words: Vec<&str> = list.lines().map(|(word, _)| word).collect();
        for pair in words.windows(2) {
            assert!(pair[0] < pair[1], "the list is out of order at '{}', '{}'", pair[0], pair[1]);
        }
        for (word, ipa) in list.lines() {
            assert_eq!(fold(word), word, "only a-z, apostrophes and hyphens");
            let read = word_list::read_ipa(ipa, indian::stresses);
            let (phones, stresses) = read.unwrap_or_else(|error| panic!("{word} {ipa}: {error}"));
            assert_eq!(stresses.len(), syllable::nuclei(&phones).count(), "{word}");
            let main = stresses.iter().filter(|stress| **stress == Stress::Primary).count();
            assert_eq!(main, 1, "{word} {ipa}: one main stress");
        }
    }
}

#[test]
fn accent_is_indian() {
    for (word, ipa, why) in [
        ("time", "ʈaɪm", "retroflex t"),
        ("day", "ɖeː", "retroflex d, FACE is a monophthong"),
        ("think", "t̪ʰɪŋk", "dental stop for th"),
        ("father", "faːd̪əɹ", "dental stop for th, r kept"),
        ("very", "ʋɛɾiː", "one sound for v and w"),
        ("wine", "ʋaɪn", "one sound for v and w"),
        ("go", "ɡoː", "GOAT is a monophthong"),
        ("hot", "hɒʈ", "LOT is rounded"),
        ("dog", "ɖɒɡ", "CLOTH too"),
        ("class", "klaːs", "BATH"),
        ("cat", "kæʈ", "TRAP"),
        ("bird", "bəːɹɖ", "NURSE"),
        ("water", "ʋɔːʈəɹ", "no flap"),
        ("village", "ʋɪleːdʒ", "-age has its written vowel"),
        ("private", "pɹaɪʋeːʈ", "-ate too"),
        ("wanted", "ʋɒnʈɛɖ", "-ed too"),
        ("student", "sʈjuːɖɛnʈ", "-ent too, and the j of tune"),
        ("payment", "peːmɛnʈ", "-ment too"),
        ("more", "moːɹ", "FORCE"),
        ("north", "nɔːɹt̪ʰ", "NORTH"),
        ("hurry", "hʌɾiː", "no NURSE before a vowel"),
        ("organisation", "ɔːɹɡənaɪzeːʃən", "-isation has aɪ"),
        ("schedule", "ʃɛɖjuːl", "British"),
        ("singer", "sɪŋɡəɹ", "ng before a vowel"),
        ("Friday", "fɹaɪɖeː", "-day has its written vowel"),
        ("education", "ɛdʒʊkeːʃən", "u after dʒ too"),
    ] {
        assert_eq!(said(word), ipa, "{word}: {why}");
    }
}

#[test]
fn pronunciations_include_stress() {
    for (word, expected) in [
        ("computer", "kəmˈpjuː.ʈəɹ"),
        ("photograph", "ˈfoː.ʈəˌɡɹaːf"),
        ("hotel", ".hoːˈʈɛl"),
        ("development", "ɖɪˈʋɛ.ləp.mɛnʈ"),
    ] {
        assert_eq!(with_stress(word), expected.trim_start_matches('.'), "{word}");
    }
}

#[test]
fn indian_words_keep_their_sounds() {
    for (word, ipa) in [
        ("Bengaluru", "bɛŋɡəɭuːɾʊ"),
        ("Thiruvananthapuram", "t̪ɪɾʊʋənən̪t̪əpʊɾəm"),
        ("Mahatma", "məɦaːt̪maː"),
        ("Gandhi", "ɡaːn̪d̪ʱiː"),
        ("Priyanka", "pɾɪjəŋkaː"),
        ("Ananya", "ənənjaː"),
        ("Arjun", "əɾdʒʊn"),
        ("Diwali", "d̪ɪʋaːliː"),
        ("lakh", "laːkʰ"),
        ("paneer", "pəniːɾ"),
        ("GANDHIJI", "ɡaːn̪d̪ʱiːdʒiː"),
        ("Modi's", "moːd̪iːz"),
        ("samosas", "səmoːsaːz"),
        // the CMU dictionary has an American pronunciation of these names, or they look like English compounds
        ("Muthukumar", "mʊt̪ːʊkʊmaːɾ"),
        ("Madhusudan", "məd̪ʱʊsuːd̪ən"),
        ("Rajkumar", "ɾaːdʒkʊmaːɾ"),
    ] {
        let got = said(word);
        assert_eq!(got, ipa, "{word}");
    }
}

#[test]
fn every_word_form_has_a_pronunciation() {
    for (word, ipa) in [
        ("don’t", "ɖoːnʈ"),
        ("boys'", "bɔɪz"),
        ("'hello'", "hɛloː"),
        ("well-known", "ʋɛlnoːn"),
        ("café", "kæfeː"),
        ("O'Brien", "oːbɹaɪən"),
        ("pdf", "piːɖiːɛf"),
        ("colourful", "kʌləɹfʊl"),
        ("pants", "pænʈs"),
        ("unhelpfulness", "ʌnhɛlpfʊlnɛs"),
    ] {
        assert_eq!(said(word), ipa, "{word}");
    }
    for nothing in ["", "-", "'", "--'--", "नमस्ते", "123"] {
        assert!(pronounce(nothing).phones.is_empty(), "{nothing}");
    }
}

#[test]
fn inner_capitals_start_words() {
    for (word, ipa) in [
        ("ChatGPT", "tʃæʈdʒiːpiːʈiː"),
        ("iPhone", "aɪfoːn"),
        ("OpenAI", "oːpəneːaɪ"),
        ("BharatPe", "bʱaːɾət̪peː"),
        ("WhatsApp", "ʋɒʈsæp"),
        ("McDonald", "məkɖɒnəlɖ"),
    ] {
        assert_eq!(said(word), ipa, "{word}");
    }
}

#[test]
fn unknown_words_use_letter_to_sound_rules() {
    for (word, ipa) in [("blenting", "blɛnʈɪŋ"), ("snape", "sneːp"), ("glimster", "ɡlɪmsʈəɹ")] {
        assert_eq!(said(word), ipa, "{word}");
    }
}

#[test]
fn any_letters_get_phones_and_one_primary_stress() {
    let long = "abcdefghijklmnopqrstuvwxyz".repeat(200);
    for word in ["xqzj", "aaaa", "yyy", "wqe", "tsktsktsk", "ooooo", &long] {
        let pronunciation = pronounce(word);
        assert!(!pronunciation.phones.is_empty(), "{word}");
        let nuclei = syllable::nuclei(&pronunciation.phones).count();
        assert_eq!(pronunciation.stresses.len(), nuclei, "{word}");
        let main = pronunciation.stresses.iter().filter(|s| **s == Stress::Primary).count();
        assert_eq!(main, usize::from(nuclei > 0), "{word}");
    }
}

#[test]
fn lexicon_identifies_english_words() {
    for word in ["order", "Delivered", "meetings", "cities", "don't", "whatsapp", "paneer", "unhappily"] {
        assert!(is_word(word), "{word}");
    }
    for word in ["kaise", "dhanyavaad-x", "qqq", "", "mujhe", "enakku"] {
        assert!(!is_word(word), "{word}");
    }
    assert!(is_indian_word("Paneer") && !is_indian_word("order"));
}
