use shruti_lang::Language::*;

use super::*;

#[test]
fn converts_romanised_words_to_native_script() {
    let cases = [
        ("kya", Hindi, "क्या"),
        ("nahi", Hindi, "नहीं"),
        ("nahin", Hindi, "नहीं"),
        ("nai", Hindi, "नहीं"),
        ("achchha", Hindi, "अच्छा"),
        ("acha", Hindi, "अच्छा"),
        ("accha", Hindi, "अच्छा"),
        ("theek", Hindi, "ठीक"),
        ("thik", Hindi, "ठीक"),
        ("zindagi", Hindi, "ज़िंदगी"),
        ("chahiye", Hindi, "चाहिए"),
        ("Dhanyavaad", Hindi, "धन्यवाद"),
        ("DHANYAVAD", Hindi, "धन्यवाद"),
        ("enna", Tamil, "என்ன"),
        ("epdi", Tamil, "எப்படி"),
        ("romba", Tamil, "ரொம்ப"),
        ("nandri", Tamil, "நன்றி"),
        ("vaanga", Tamil, "வாங்க"),
        ("vanakkam", Tamil, "வணக்கம்"),
        ("ela", Telugu, "ఎలా"),
        ("unnaru", Telugu, "ఉన్నారు"),
        ("bagunnara", Telugu, "బాగున్నారా"),
        ("hegiddira", Kannada, "ಹೇಗಿದ್ದೀರಾ"),
        ("hesaru", Kannada, "ಹೆಸರು"),
        ("sukhamano", Malayalam, "സുഖമാണോ"),
        ("enthanu", Malayalam, "എന്താണ്"),
        ("bhalo", Bengali, "ভালো"),
        ("achi", Bengali, "আছি"),
        ("kasa", Marathi, "कसा"),
        ("aahes", Marathi, "आहेस"),
        ("kem", Gujarati, "કેમ"),
        ("cho", Gujarati, "છો"),
        ("kiddan", Punjabi, "ਕਿੱਦਾਂ"),
        ("kemiti", Odia, "କେମିତି"),
    ];
    for (word, language, native) in cases {
        let read = read(&[word], language, None).remove(0);
        let spelt = read.native.unwrap_or_else(|| to_native(word, language, Romanisation::Typed));
        let own = if read.language == language { spelt.as_str() } else { "another language" };
        assert_eq!(own, native, "{word}");
        assert_eq!(by_letter_rules(word.to_lowercase(), language), native, "{word}, without tables");
    }
}

#[test]
fn keeps_english_words() {
    assert_eq!(to_native("namaste", English, Romanisation::Typed), "namaste");
}

#[test]
fn unlisted_words_follow_their_neighbours() {
    // none of these words is in a list
    let cases = [
        ("swatantrata", Hindi, "स्वतंत्रता"),
        ("kavita", Hindi, "कविता"),
        ("nadagam", Tamil, "நாடகம்"),
        ("vivasayi", Tamil, "விவசாயி"),
        ("pustakalu", Telugu, "పుస్తకాలు"),
        ("kavite", Kannada, "ಕವಿತೆ"),
        ("jillakal", Malayalam, "ജില്ലകൾ"),
        ("swara", Odia, "ସ୍ୱର"),
        // these words have no vocalic r before a vowel and no retroflex sibilant in a final -esh
        ("priya", Hindi, "प्रिया"),
        ("ganesh", Telugu, "గనేశ్"),
    ];
    for (word, language, native) in cases {
        assert_eq!(by_letter_rules(word.to_owned(), language), native, "{word}");
    }
}

#[test]
fn diacritics_are_read_exactly() {
    let cases = [
        ("bhārata", Hindi, "भारत"),
        ("nahīṁ", Hindi, "नहीं"),
        ("kṛṣṇa", Hindi, "कृष्ण"),
        ("laṛakā", Hindi, "लड़का"),
        ("tamiḻ", Tamil, "தமிழ்"),
        ("eṅkē", Tamil, "எங்கே"),
        ("vyāghraḥ", Telugu, "వ్యాఘ్రః"),
        ("makkaḷu", Kannada, "ಮಕ್ಕಳು"),
        ("avaḷ", Malayalam, "അവൾ"),
        ("pāṇi", Odia, "ପାଣି"),
        ("siṁgha", Punjabi, "ਸਿੰਘ"),
        ("bāṛi", Bengali, "বাড়ি"),
        // a word without a diacritic in a text with diacritics is also exact
        ("kara", Marathi, "कर"),
    ];
    for (word, language, native) in cases {
        let native: String = unicode_normalization::UnicodeNormalization::nfc(native).collect();
        let spelt: String = unicode_normalization::UnicodeNormalization::nfc(
            to_native(word, language, Romanisation::Diacritics).as_str(),
        )
        .collect();
        assert_eq!(spelt, native, "{word}");
    }
    assert_eq!(Romanisation::of(&["mera", "nām"]), Romanisation::Diacritics);
    assert_eq!(Romanisation::of(&["mera", "naam", "café"]), Romanisation::Typed);
}

/// Each sentence marks its words: `word` in the turn's language, `_word` in English, `hi:word` in another language.
#[test]
fn identifies_the_language_of_each_word() {
    let cases = [
        (Hindi, "मेरा _order कब _deliver होगा"),
        (Hindi, "aapka _order kal _deliver hoga"),
        (Hindi, "main ghar ja raha hoon"),
        (Hindi, "_the _main _problem _is _the _network"),
        (Hindi, "aap the to sab theek tha"),
        (Hindi, "are yaar tum kahan the"),
        (Hindi, "_so _what _should _I _do _now"),
        (Hindi, "AAP KAISE HAIN"),
        // ambiguous words in sentences of either language
        (Hindi, "_main _road par _accident ho gaya hai"),
        (Hindi, "main to _bus se ja raha hoon"),
        (Hindi, "main _office ja raha hoon"),
        (Hindi, "_payment ho gaya to _refund kab milega"),
        (Hindi, "is _order ka _status kya hai"),
        (Hindi, "_is _my _order _delivered"),
        (Hindi, "us _number pe _call karo"),
        (Hindi, "_tell _us _the _price"),
        (Hindi, "_hi aap kaise ho"),
        (Hindi, "main ghar par hi hoon"),
        (Hindi, "do _minute ruko"),
        (Hindi, "_do _not _disturb"),
        (Hindi, "isko _use kar sakte hain"),
        (Hindi, "use bata do ki main aa raha hoon"),
        (Hindi, "tum so rahe the kya"),
        (Punjabi, "main _wait kar reha haan"),
        (English, "Do you want to use it on par with others"),
        (English, "hi:aapka order hi:kal deliver hi:hoga"),
        (English, "He said hi:namaste and left"),
        (English, "hi:main hi:theek hi:hoon hi:aap hi:kaise hi:hain"),
        (English, "The main road is closed today"),
        (English, "Let me go home so I can rest"),
        // a word with an initial capital is not always a name, and ambiguous words among romanised words are read as
        // romanised
        (English, "bn:Nomoshkar bn:apni bn:kemon bn:achen"),
        (English, "hi:wo hi:ghar hi:me hi:nahi hi:hai"),
        (English, "Show me the order"),
        // Indian names count as English words in English text, but other Indian words do not
        (English, "Roopa"),
        (English, "hi:golgappe"),
        (English, "Pay two lakh to Priyanka in Bengaluru"),
        (English, "ta:vanakkam ta:neenga ta:eppadi ta:irukkeenga"),
        (English, "kn:nanna kn:hesaru kn:enu"),
        // some of these words are the same in Hindi and Punjabi
        (English, "hi:paise hi:bhej hi:de hi:bhai"),
        // endings distinguish the Dravidian languages
        (English, "kn:enu kn:madtha kn:idiya"),
        (Tamil, "என் _order எப்போது வரும்"),
        (Tamil, "naan romba _busy ippo pesa mudiyathu"),
        (Telugu, "meeru ela unnaru"),
        // English words that are not adjacent to a listed word do not affect it
        (Telugu, "_bus _stop దగ్గర ఉండు ra"),
        (Telugu, "నేను hi:हिंदी మాట్లాడను"),
        (Kannada, "nanna hesaru Ramesh"),
        (Kannada, "swalpa _wait maadi"),
        (Malayalam, "enikku oru _ticket venam"),
        (Bengali, "ami bhalo achi"),
        (Bengali, "আমি hi:धन्यवाद বললাম"),
        (Marathi, "tu kasa aahes"),
        (Marathi, "मी घरी जातो"),
        (Gujarati, "maro _order kyare aavshe"),
        (Punjabi, "tusi kiddan ho"),
        (Odia, "apana kemiti achhanti"),
    ];
    assert_languages(&cases);
}

#[cfg(feature = "romanised")]
#[test]
fn final_y_is_a_vowel() {
    for (word, language) in [("Ramky", Telugu), ("Sethupathy", Telugu), ("Ramky", Malayalam), ("Kutty", Odia)]
    {
        let native = read(&[word], language, None).remove(0).native.unwrap_or_default();
        assert!(!native.ends_with(['్', '്', '୍']), "{word} is {native}");
    }
}

#[cfg(feature = "romanised")]
#[test]
fn listed_neighbours_distinguish_languages() {
    assert_languages(&[
        (English, "pa:is pa:di pa:raajadhaani pa:Valettaa pa:hai"),
        (English, "hi:is hi:ki hi:raajadhaani hi:Valettaa hi:hai"),
        (English, "kn:sangeeta kn:nirdeshana kn:maadiddaare"),
        // `cinema` is a borrowed word; half of the words are English
        (English, "ml:aa cinema hit ml:ayirunnu"),
        // `male` is listed in Kannada and also an English word
        (English, "kn:male kn:bartha kn:ide"),
    ]);
}

/// Asserts the language of each word of the sentences. The prefix `_` marks an English word, and a language code with a
/// colon marks a word in a language other than that of the turn.
fn assert_languages(cases: &[(Language, &str)]) {
    for &(turn, sentence) in cases {
        let (words, expected): (Vec<&str>, Vec<Language>) = sentence
            .split(' ')
            .map(|word| match (word.strip_prefix('_'), word.split_once(':')) {
                (Some(word), _) => (word, English),
                (None, Some((code, word))) => (word, Language::from_code(code).unwrap()),
                (None, None) => (word, turn),
            })
            .unzip();
        assert_eq!(identify(&words, turn), expected, "{sentence} in a turn of {turn}");
    }
}

#[test]
fn both_scripts_have_the_same_phones() {
    let cases = [
        (Hindi, "aap kaise hain", "आप कैसे हैं"),
        (Hindi, "mera naam kya hai", "मेरा नाम क्या है"),
        (Tamil, "naan romba nalla irukken", "நான் ரொம்ப நல்ல இருக்கேன்"),
        (Telugu, "meeru ela unnaru", "మీరు ఎలా ఉన్నారు"),
        (Kannada, "nanna hesaru enu", "ನನ್ನ ಹೆಸರು ಏನು"),
        (Malayalam, "ningalkku sukhamano", "നിങ്ങൾക്ക് സുഖമാണോ"),
        (Bengali, "ami bhalo achi", "আমি ভালো আছি"),
        (Marathi, "tu kasa aahes", "तू कसा आहेस"),
        (Gujarati, "tame kem cho", "તમે કેમ છો"),
        (Punjabi, "tusi kiddan ho", "ਤੁਸੀਂ ਕਿੱਦਾਂ ਹੋ"),
        (Odia, "mu bhala achhi", "ମୁଁ ଭଲ ଅଛି"),
    ];
    for (language, romanised, native) in cases {
        let phones = |text: &str| -> Vec<_> {
            let mut reader =
                crate::Reader::new(crate::Settings { language: Some(language), ..Default::default() });
            reader.push(text);
            reader.finish();
            std::iter::from_fn(|| reader.next_utterance())
                .flat_map(|utterance| utterance.words)
                .map(|word| (word.language, crate::phone::to_ipa(&word.phones)))
                .collect()
        };
        assert_eq!(phones(romanised), phones(native), "{romanised}");
    }
}

#[test]
fn accepts_hostile_words() {
    let long = "kshtriya".repeat(700);
    let cases = [
        "",
        "'",
        "-",
        "1",
        "\u{301}",
        "ā",
        "ṁ",
        "ṛ",
        "ॱ",
        "q",
        "zzzzzzzzzzzz",
        "ñandú",
        "ﬁ",
        "ǅ",
        "İ",
        "İṛ",
        "aaaaaaaa",
        "्",
        "aक",
        "\u{200c}\u{200d}",
        long.as_str(),
    ];
    for language in Language::ALL {
        for word in cases {
            for romanisation in [Romanisation::Typed, Romanisation::Diacritics] {
                let native = to_native(word, language, romanisation);
                assert!(native.len() <= word.len() * 12 + 12, "{word} grows to {} bytes", native.len());
            }
        }
        assert_eq!(identify(&cases, language).len(), cases.len());
    }
    assert!(identify(&[], Hindi).is_empty());
}

#[test]
fn lists_contain_words_of_their_language() {
    for language in Language::ALL.into_iter().filter(|&language| language != English) {
        let script = crate::language::spec(language).script;
        let mut count = 0;
        for (romanised, native) in lists::all(language) {
            assert!(romanised.bytes().all(|b| b.is_ascii_lowercase()), "{language}: '{romanised}'");
            assert!(
                !native.is_empty() && native.chars().all(|c| Script::of(c) == Some(script)),
                "{language}: {native}"
            );
            count += 1;
        }
        assert!(count > 200 || language.is_beta(), "{language} has {count}");
    }
}

#[test]
fn majority_determines_the_segment_language() {
    let cases = [
        ("mujhe rupaye bhejo", Some(Language::Hindi)),
        ("aapka OTP hai", Some(Language::Hindi)),
        ("kal PM par meeting hai", Some(Language::Hindi)),
        ("enakku coffee venum rupai kudunga", Some(Language::Tamil)),
        ("send rupees to Ramesh Kumar", None),
        ("please order namkeen and achaar", None),
        ("the main road is closed", None),
    ];
    for (text, language) in cases {
        let words: Vec<&str> = text.split(' ').collect();
        assert_eq!(super::prevailing(&words, None), language, "{text}");
    }
}
