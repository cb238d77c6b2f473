use super::*;
use crate::item::items;
use crate::phone::to_ipa;

/// Returns the readings found in a text, with the words that they replace and a mark for possessives.
fn found(lexicon: &Lexicon, text: &str, language: Language) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let items = items(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < items.len() {
        let Some(entry) = lexicon.find(&items, at, language) else {
            at += 1;
            continue;
        };
        let written: String = chars[items[at].start..items[at + entry.items - 1].end].iter().collect();
        let reading = match entry.reading {
            Reading::Spelling(spelling) => spelling.clone(),
            Reading::Phones(reading) => to_ipa(&reading.phones),
        };
        found.push(format!("{written}={reading}{}", if entry.possessive { "'s" } else { "" }));
        at += entry.items;
    }
    found
}

#[test]
fn matches_longest_whole_words() {
    let lexicon = Lexicon::new([
        ("AIIMS", "एम्स"),
        ("New Delhi", "नई दिल्ली"),
        ("New", "न्यू"),
        ("New Delhi Times", "एनडीटी"),
        ("C++", "सी प्लस प्लस"),
        ("AT&T", "एटीएंडटी"),
        ("Dr. Rao", "राव"),
        ("H2O", "पानी"),
        ("100", "सैकड़ा"),
        ("Yahoo!", "याहू"),
        ("don't", "डोंट"),
        ("Nukt\u{e9}", "नुक्ते"),
    ])
    .unwrap();
    let cases: [(&str, &[&str], &str); 19] = [
        ("aiims, Aiims (AIIMS).", &["aiims=एम्स", "Aiims=एम्स", "AIIMS=एम्स"], "case"),
        ("AIIMSमें AIIMS-এর", &["AIIMS=एम्स", "AIIMS=एम्स"], "an ending in another script"),
        ("AIIMSes KAIIMS", &[], "parts of words"),
        ("AIIMS's AIIMS’s", &["AIIMS's=एम्स's", "AIIMS’s=एम्स's"], "possessives"),
        ("new  Delhi", &["new  Delhi=नई दिल्ली"], "two words, however far apart"),
        ("New Delhi's", &["New Delhi's=नई दिल्ली's"], "a possessive of two words"),
        ("New Delhi Times now", &["New Delhi Times=एनडीटी"], "the longest"),
        ("New York, New", &["New=न्यू", "New=न्यू"], "what begins like a longer one"),
        ("NewDelhi New-Delhi", &["New=न्यू"], "no space is not a space"),
        ("C++, AT&T.", &["C++=सी प्लस प्लस", "AT&T=एटीएंडटी"], "signs, and punctuation behind them"),
        ("C+ AT & T", &[], "other signs, other spaces"),
        ("Dr. Rao", &["Dr. Rao=राव"], "a dot that ends nothing"),
        ("H2O H२O", &["H2O=पानी", "H२O=पानी"], "digits of any script"),
        ("100 (100) 100, 100.", &["100=सैकड़ा"; 4], "a number alone"),
        ("100.5 1,100 100% 100kg 3-100 x100 100-5", &[], "parts of numbers"),
        ("Yahoo! yahoo", &["Yahoo!=याहू"], "its own punctuation"),
        ("don’t DON'T", &["don’t=डोंट", "DON'T=डोंट"], "apostrophes"),
        ("nukt\u{c9}", &["nukt\u{c9}=नुक्ते"], "case of letters beyond ASCII"),
        ("", &[], "nothing"),
    ];
    for (text, wanted, why) in cases {
        assert_eq!(found(&lexicon, text, Language::Hindi), wanted, "{why}: {text}");
    }
}

#[test]
fn ignores_joiners_and_old_chillus() {
    let lexicon = Lexicon::new([("അവൻ", "/ɐʋɐn/"), ("क्ष", "/kʃə/")]).unwrap();
    for text in ["അവൻ", "അവന്\u{200d}", "क्\u{200d}ष", "क्\u{200c}ष"] {
        assert_eq!(found(&lexicon, text, Language::Malayalam).len(), 1, "{text}");
    }
    assert!(found(&lexicon, "അവന്", Language::Malayalam).is_empty(), "a vowel is not a chillu");
}

#[test]
fn language_and_upper_lexicon_take_precedence() {
    let server = "[words]\nRam = 'any'\nSita = 'any'\nGita = 'any'\nRam Lal = 'any'\n\
                  [ta]\nRam = 'tamil'\nSita = 'tamil'";
    let server = server.replace("Ram Lal", "'Ram Lal'");
    let server = Arc::new(Lexicon::from_toml(&server).unwrap());
    let both = Lexicon::new([("Ram", "mine")]).unwrap().with_fallback(Arc::clone(&server));
    let cases = [
        (Language::Tamil, "Ram Sita Gita", ["Ram=mine", "Sita=tamil", "Gita=any"]),
        (Language::Hindi, "Ram Sita Gita", ["Ram=mine", "Sita=any", "Gita=any"]),
        (Language::Hindi, "Ram Lal Ram Gita", ["Ram Lal=any", "Ram=mine", "Gita=any"]),
    ];
    for (language, text, wanted) in cases {
        assert_eq!(found(&both, text, language), wanted, "{language}: {text}");
    }
    assert!(Lexicon::default().with_fallback(Arc::default()).is_empty());
    assert!(!Lexicon::default().with_fallback(server).is_empty());
}

#[test]
fn rejects_ineffective_entries() {
    let long = "x".repeat(65);
    let cases = [
        ("", "a", "'': the word has 0 characters; 1 to 64 are accepted"),
        (&long, "a", &format!("'{long}': the word has 65 characters; 1 to 64 are accepted")),
        ("a", " ", "'a': the reading has 0 characters; 1 to 128 are accepted"),
        (
            "🙏",
            "नमस्ते",
            "'🙏': the word is never looked up: it is markup or emoji, which are removed before words are read",
        ),
        (
            "Yahoo! Inc",
            "याहू",
            "'Yahoo! Inc': the word is never looked up as a whole: text is split at its punctuation, after \
             'Yahoo!'",
        ),
        ("a", "…", "'a': the reading contains neither a letter nor a digit"),
        ("a", &"9".repeat(33), "'a': the reading has 33 words, signs and digits; at most 32 are accepted"),
        ("a", &"व ".repeat(33), "'a': the reading has 33 words, signs and digits; at most 32 are accepted"),
        ("a", "//", "'a': the reading between slashes has no phone"),
        (
            "word",
            "/w!d/",
            "'word': the reading between slashes is not IPA: '!', at character 2, is not a supported phone",
        ),
    ];
    for (word, reading, message) in cases {
        assert_eq!(Lexicon::new([(word, reading)]).unwrap_err().to_string(), message);
    }
    let twice = Lexicon::new([("AIIMS", "a"), ("aiims", "b")]).unwrap_err().to_string();
    assert_eq!(twice, "'aiims': the word is a duplicate of 'AIIMS'; case and joiners are ignored");
}

#[test]
fn file_errors_name_the_problem_and_line() {
    let good = "# ours\n[words]\nAIIMS = \"एम्स\"\n\"New Delhi\" = 'नई दिल्ली'\n\n[ta]\nOoty = '/uːʈiː/'\n\
                [hi-IN]\na = 'b'";
    let entries = entries(good).unwrap();
    let lines: Vec<(Option<Language>, usize)> =
        entries.iter().map(|entry| (entry.language, entry.line)).collect();
    let (hindi, tamil) = (Some(Language::Hindi), Some(Language::Tamil));
    assert_eq!(lines, [(None, 3), (None, 4), (tamil, 7), (hindi, 9)]);
    assert!(Lexicon::from_toml(good).is_ok() && Lexicon::from_toml("").unwrap().is_empty());
    for (source, wanted) in [
        ("[words]\na = 'b'\nc d = 'e'", "line 3: not TOML"),
        ("[words]\na = 'b'\na = 'c'", "line 3: not TOML"),
        ("\nAIIMS = 'a'", "line 2: 'AIIMS' is not in a table: put it under [words]"),
        ("[words]\n\n[fr]\na = 'b'", "line 3: [fr] is not a table of a lexicon"),
        ("[words]\na = 'b'\nU.S = 'c'", "line 3: the reading of 'U' must be a string, not a table"),
        ("[words]\na = 7", "line 2: the reading of 'a' must be a string, not a number"),
        ("[words]\na = 'b'\n\nA = 'c'", "line 4: 'A': the word is a duplicate of 'a'"),
        (
            "[words]\nfine = 'b'\nword = '/aq!/'",
            "line 3: 'word': the reading between slashes is not IPA: '!'",
        ),
    ] {
        let error = Lexicon::from_toml(source).unwrap_err().to_string();
        assert!(error.starts_with(wanted), "{source}: {error}");
    }
}

#[test]
fn own_fallback_counts_as_own_entries() {
    let lexicon = |entries: &[(&'static str, &'static str)]| Lexicon::new(entries.iter().copied()).unwrap();
    let operator = Arc::new(lexicon(&[("a", "operator operator"), ("c", "operator operator")]));
    let account =
        Arc::new(lexicon(&[("a", "account account"), ("b", "account account")]).with_fallback(operator));
    let request = Arc::new(lexicon(&[("b", "request")]).with_own_fallback(Arc::clone(&account)));
    let say = |lexicon: &Arc<Lexicon>| {
        let text = "a b c d";
        let settings = crate::Settings { language: Some(Language::English), lexicon: Arc::clone(lexicon) };
        (
            crate::normalize_line(text, settings.language, lexicon),
            crate::extra_chars(text, settings, u32::MAX),
        )
    };
    let longer = "account account".len() as u32 - 1;
    assert_eq!(say(&account), ("account account account account operator operator d".into(), 2 * longer));
    let request_longer = "request".len() as u32 - 1;
    assert_eq!(
        say(&request),
        ("account account request operator operator d".into(), longer + request_longer)
    );
    let nothing =
        Arc::new(Lexicon::default().with_own_fallback(Arc::new(Lexicon::default().with_fallback(account))));
    assert!(!nothing.has_own() && request.has_own());
}

#[test]
fn replaces_only_the_match() {
    let extra = |text: &str, word: &'static str| {
        let lexicon = Arc::new(Lexicon::new([(word, "a long reading")]).unwrap());
        crate::extra_chars(text, crate::Settings { language: Some(Language::English), lexicon }, u32::MAX)
    };
    let reading = "a long reading".len() as u32;
    assert_eq!(extra("kit", "kit"), reading - 3);
    assert_eq!(extra("<speak><sub alias='kit kit'>a text, unspoken</sub></speak>", "kit"), 2 * (reading - 3));
    assert_eq!(extra("<speak><sub alias='a kit'/></speak>", "kit"), reading - 3);
    assert_eq!(extra("<speak>k&#105;t</speak>", "kit"), reading - 3);
    // one character of the text is read as two letters
    assert_eq!(extra("㎏", "kg"), reading - 1);
    // the entry matches the expanded digit, so the whole reading is extra
    assert_eq!(extra("7", "seven"), reading);
}

#[test]
fn counting_stops_at_the_limit() {
    let text = "k ".repeat(2_500);
    let extra = |most| {
        let lexicon = Arc::new(Lexicon::new([("k", "a long reading")]).unwrap());
        crate::extra_chars(&text, crate::Settings { language: Some(Language::English), lexicon }, most)
    };
    let all = 2_500 * ("a long reading".len() as u32 - 1);
    assert_eq!((extra(u32::MAX), extra(all)), (all, all));
    let stopped = extra(1_000);
    assert!(1_000 < stopped && stopped < all / 4, "{stopped} of {all}");
}

#[test]
fn hostile_entries_have_bounded_effects() {
    let bad = |word: &str, reading: &str| Lexicon::new([(word, reading)]).unwrap_err().flaw;
    for control in ['\0', '\u{7}', '\u{1b}', '\u{85}', '\n'] {
        assert_eq!(bad(&format!("a{control}b"), "x"), Flaw::ControlCharacter("the word"), "{control:?}");
        assert_eq!(bad("a", &format!("x{control}y")), Flaw::ControlCharacter("the reading"), "{control:?}");
    }
    // a reading is not looked up again, so a word that is its own reading, or two words that are each other's reading,
    // cause no loop
    let spoken = |text: &str, entries: &[(&'static str, &'static str)]| {
        let lexicon = Arc::new(Lexicon::new(entries.iter().copied()).unwrap());
        crate::normalize_line(text, Some(Language::English), &lexicon)
    };
    assert_eq!(spoken("kit", &[("kit", "kit")]), "kit");
    assert_eq!(spoken("kit kat", &[("kit", "kat"), ("kat", "kit")]), "kat kit");
    assert_eq!(spoken("kit", &[("kit", "kit kit")]), "kit kit");
    // direction marks neither hide a word nor change it
    assert_eq!(spoken("kit", &[("\u{202e}kit\u{202c}", "kat")]), "kat");
}

#[test]
fn digest_is_independent_of_order() {
    let words = [("kit", "kat"), ("AIIMS", "एम्स"), ("ram", "/raːm/"), ("a b", "x"), ("tea", "chai")];
    let forth = Lexicon::new(words).unwrap();
    let back = Lexicon::new(words.into_iter().rev()).unwrap();
    assert_eq!(forth.digest(), back.digest());
    let mut of_hindi = Lexicon::default();
    of_hindi.insert(Some(Language::Hindi), "kit", "kat").unwrap();
    let beneath = Arc::new(Lexicon::new([("kit", "kat")]).unwrap());
    let all = [
        Lexicon::default(),
        Lexicon::new([("kit", "kat")]).unwrap(),
        Lexicon::new([("kit", "kit")]).unwrap(),
        Lexicon::new([("kats", "kat")]).unwrap(),
        of_hindi,
        Lexicon::default().with_fallback(Arc::clone(&beneath)),
        Lexicon::default().with_own_fallback(beneath),
        forth,
    ];
    let all: Vec<[u8; 32]> = all.iter().map(Lexicon::digest).collect();
    for (place, one) in all.iter().enumerate() {
        assert!(!all[..place].contains(one), "{place}");
    }
    let mut growing = Lexicon::default();
    assert_eq!(growing.digest(), Lexicon::default().digest());
    growing.insert(None, "kit", "kat").unwrap();
    assert_eq!(growing.digest(), all[1], "computed again");
}
