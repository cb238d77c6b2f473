//! Codes are read digit by digit after a word that names a code, regardless of other meanings of the digits.

use proptest::prelude::*;
use shruti_lang::Language;
use shruti_text::{Lexicon, normalize_line};

/// Returns sentences that name a code, with `{}` in place of the code.
fn sentences(language: Language) -> [&'static str; 5] {
    match language {
        Language::Hindi => [
            "आपका OTP {} है।",
            "आपका ओटीपी {} है, इसे किसी को न बताएँ।",
            "{} आपका ओटीपी है।",
            "पासवर्ड: {}",
            "ग्राहक आईडी {} दर्ज करें।",
        ],
        Language::Marathi => [
            "तुमचा OTP {} आहे.",
            "तुमचा ओटीपी {} आहे.",
            "{} हा तुमचा ओटीपी आहे.",
            "पासवर्ड: {}",
            "पिन क्रमांक {} टाका.",
        ],
        Language::Gujarati => {
            ["તમારો OTP {} છે.", "તમારો ઓટીપી {} છે.", "{} તમારો ઓટીપી છે.", "પાસવર્ડ: {}", "પિન નંબર {} નાખો."]
        }
        Language::Punjabi => {
            ["ਤੁਹਾਡਾ OTP {} ਹੈ।", "ਤੁਹਾਡਾ ਓਟੀਪੀ {} ਹੈ।", "{} ਤੁਹਾਡਾ ਓਟੀਪੀ ਹੈ।", "ਪਾਸਵਰਡ: {}", "ਪਿੰਨ ਨੰਬਰ {} ਭਰੋ।"]
        }
        Language::Bengali => {
            ["আপনার OTP হল {}।", "আপনার ওটিপি {}।", "{} আপনার ওটিপি।", "পাসওয়ার্ড: {}", "পিন নম্বর {} দিন।"]
        }
        Language::Odia => {
            ["ଆପଣଙ୍କ OTP ହେଉଛି {}।", "ଆପଣଙ୍କ ଓଟିପି {}।", "{} ଆପଣଙ୍କ ଓଟିପି।", "ପାସୱାର୍ଡ: {}", "ପିନ୍ ନମ୍ବର {} ଦିଅନ୍ତୁ।"]
        }
        Language::Tamil => [
            "உங்கள் OTP {}.",
            "உங்கள் ஓடிபி {} ஆகும்.",
            "{} என்பது உங்கள் ஓடிபி.",
            "கடவுச்சொல்: {}",
            "பின் எண் {} உள்ளிடவும்.",
        ],
        Language::Telugu => ["మీ OTP {}.", "మీ ఓటీపీ {} ఇది.", "{} మీ ఓటీపీ.", "పాస్‌వర్డ్: {}", "పిన్ నంబర్ {} ఇవ్వండి."],
        Language::Kannada => {
            ["ನಿಮ್ಮ OTP {}.", "ನಿಮ್ಮ ಒಟಿಪಿ {} ಆಗಿದೆ.", "{} ನಿಮ್ಮ ಒಟಿಪಿ.", "ಪಾಸ್‌ವರ್ಡ್: {}", "ಪಿನ್ ಸಂಖ್ಯೆ {} ನಮೂದಿಸಿ."]
        }
        Language::Malayalam => [
            "നിങ്ങളുടെ OTP {} ആണ്.",
            "നിങ്ങളുടെ ഒടിപി {} ആണ്.",
            "{} നിങ്ങളുടെ ഒടിപി ആണ്.",
            "പാസ്‌വേഡ്: {}",
            "പിൻ നമ്പർ {} നൽകുക.",
        ],
        Language::Nepali => [
            "तपाईंको OTP {} हो।",
            "तपाईंको ओटीपी {} हो।",
            "{} तपाईंको ओटीपी हो।",
            "पासवर्ड: {}",
            "पिन नम्बर {} राख्नुहोस्।",
        ],
        Language::Assamese => {
            ["আপোনাৰ OTP হৈছে {}।", "আপোনাৰ ওটিপি {}।", "{} আপোনাৰ ওটিপি।", "পাসৱৰ্ড: {}", "পিন নম্বৰ {} দিয়ক।"]
        }
        Language::Konkani => [
            "तुमचो OTP {} आसा.",
            "तुमचो ओटीपी {} आसा.",
            "{} हो तुमचो ओटीपी.",
            "पासवर्ड: {}",
            "पिन क्रमांक {} घालचो.",
        ],
        Language::Urdu => {
            ["آپ کا OTP {} ہے۔", "آپ کا کوڈ {} ہے۔", "{} آپ کا کوڈ ہے۔", "پاسورڈ: {}", "پن نمبر {} درج کریں۔"]
        }
        Language::English => [
            "Your OTP is {}.",
            "Your verification code is {}. Do not share it.",
            "{} is your OTP.",
            "PIN {}",
            "Quote Ref. No. {} in your reply.",
        ],
    }
}

/// Returns the names of the digits, from the words that are spoken after "OTP".
fn digit_names(language: Language) -> Vec<String> {
    let line = normalize_line("OTP: 0123456789", Some(language), &Lexicon::default());
    let words: Vec<&str> = line.split(' ').collect();
    words[words.len() - 10..].iter().map(|&name| name.to_owned()).collect()
}

/// Checks that the words spoken for a sentence with a code contain the names of the code's digits in order.
fn says_digits(sentence: &str, code: &str, language: Language, names: &[String]) -> Result<(), String> {
    let spoken = normalize_line(&sentence.replace("{}", code), Some(language), &Lexicon::default());
    let digits: Vec<&str> = code.bytes().map(|byte| names[usize::from(byte - b'0')].as_str()).collect();
    let words = spoken.replace(['.', ',', '।', '۔', ':'], "");
    if format!(" {words} ").contains(&format!(" {} ", digits.join(" "))) {
        Ok(())
    } else {
        Err(format!("{language}: {sentence} {code}: {spoken}"))
    }
}

#[test]
fn reads_four_digit_codes_digit_by_digit() {
    for language in Language::ALL {
        let names = digit_names(language);
        assert!(names.iter().all(|name| !name.is_empty()), "{language}: {names:?}");
        for (nth, sentence) in sentences(language).into_iter().enumerate() {
            // test all codes in the first sentence, and only possible years in the others
            let codes = if nth == 0 { 0..10_000 } else { 1000..2200 };
            for code in codes {
                says_digits(sentence, &format!("{code:04}"), language, &names).unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn reads_codes_of_any_length_digit_by_digit(
        code in "[0-9]{3,16}",
        language in proptest::sample::select(Language::ALL.to_vec()),
        nth in 0_usize..5,
    ) {
        let checked = says_digits(sentences(language)[nth], &code, language, &digit_names(language));
        prop_assert!(checked.is_ok(), "{:?}", checked);
    }
}
