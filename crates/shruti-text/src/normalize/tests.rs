use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::*;

fn check(language: Language, cases: &[(&str, &str)]) {
    for (written, spoken) in cases {
        // test cases may use composed or decomposed letters; spoken words are in normal form C
        let spoken: String = spoken.nfc().collect();
        assert_eq!(
            normalize_line(written, Some(language), &Lexicon::default()),
            spoken,
            "{}: {written}",
            language.code()
        );
    }
}

#[test]
fn normalizes_hindi() {
    check(
        Language::Hindi,
        &[
            ("मुझे 5 किताबें दो।", "मुझे पाँच किताबें दो।"),
            ("कुल ₹1,25,000 हुए", "कुल एक लाख पच्चीस हज़ार रुपए हुए"),
            ("Rs. 50.50 दिए", "पचास रुपए पचास पैसे दिए"),
            ("₹5 लाख का घर", "पाँच लाख रुपए का घर"),
            ("₹1.5 करोड़", "डेढ़ करोड़ रुपए"),
            ("500/- रुपये", "पाँच सौ रुपये"),
            ("15/08/1947 को", "पंद्रह अगस्त उन्नीस सौ सैंतालीस को"),
            ("2024-06-15", "पंद्रह जून दो हज़ार चौबीस"),
            ("15 अगस्त 1947", "पंद्रह अगस्त उन्नीस सौ सैंतालीस"),
            ("10:30 बजे", "साढ़े दस बजे"),
            ("3 PM पर", "दोपहर के तीन बजे पर"),
            ("14:05", "चौदह बजकर पाँच मिनट"),
            ("OTP 4582 है", "ओ टी पी चार पाँच आठ दो है"),
            ("9876543210 पर", "नौ आठ सात छह पाँच चार तीन दो एक शून्य पर"),
            ("10-15 लोग", "दस से पंद्रह लोग"),
            ("3 1/2 घंटे", "साढ़े तीन घंटे"),
            ("60 km/h और 30°C", "साठ किलोमीटर प्रति घंटा और तीस डिग्री सेल्सियस"),
            ("12.5% छूट", "बारह दशमलव पाँच प्रतिशत छूट"),
            ("SBI का B12", "एस बी आई का बी बारह"),
            ("AIIMS में", "AIIMS में"),
            ("अध्याय IV", "अध्याय चार"),
            ("5वीं कक्षा", "पाँचवीं कक्षा"),
            ("-5 डिग्री", "माइनस पाँच डिग्री"),
            ("2+3=5", "दो प्लस तीन बराबर पाँच"),
            ("#SwachhBharat", "हैशटैग Swachh Bharat"),
            ("₹10-15 लाख", "दस से पंद्रह लाख रुपए"),
            ("3 जन. 2024", "तीन जनवरी दो हज़ार चौबीस"),
            ("5'10\" लंबा", "पाँच फीट दस इंच लंबा"),
            ("IFSC SBIN0001234", "आई एफ एस सी एस बी आई एन शून्य शून्य शून्य एक दो तीन चार"),
            ("क्र. ५", "क्रमांक पाँच"),
        ],
    );
}

#[test]
fn normalizes_indian_english() {
    check(
        Language::English,
        &[
            ("It costs ₹1,25,000.", "It costs one lakh twenty five thousand rupees."),
            ("$1,500,000", "one million five hundred thousand dollars"),
            ("15/08/1947", "the fifteenth of august nineteen forty seven"),
            ("at 10:05 am", "at ten oh five AM"),
            ("the 21st", "the twenty first"),
            ("Call +91 98765 43210", "Call plus nine one nine eight seven six five four three two one zero"),
            ("5 km/h", "five kilometers per hour"),
            ("1 kg, 2 kg", "one kilogram, two kilograms"),
            ("v1.2.3", "v one dot two dot three"),
            ("Mr. Rao (Delhi)", "mister Rao (Delhi)"),
            ("3/4 cup", "three quarters cup"),
            ("1990s", "nineteen nineties"),
            ("$1.5M deal", "one point five million dollars deal"),
            ("1,200 sq. ft. flat", "one thousand two hundred square feet flat"),
            // the ancient sign for a quarter is both a letter and a numeral, and must not be read as a unit
            ("5𐅀²", "five squared"),
            ("GSTIN 27ABCDE1234F1Z5", "GSTIN twenty seven ABCDE one two three four F one Z five"),
        ],
    );
}

#[test]
fn expanded_words_share_a_source_range() {
    let words = normalize_text("दाम ₹1,250 है", Language::Hindi, &Lexicon::default());
    let places: Vec<(&str, Range<u32>)> =
        words.iter().map(|word| (word.text.as_str(), word.source.clone())).collect();
    let wanted = [
        ("दाम", 0..3),
        ("एक", 4..10),
        ("हज़ार", 4..10),
        ("दो", 4..10),
        ("सौ", 4..10),
        ("पचास", 4..10),
        ("रुपए", 4..10),
        ("है", 11..13),
    ];
    let normal: Vec<(String, Range<u32>)> =
        wanted.into_iter().map(|(word, place)| (word.nfc().collect(), place)).collect();
    let places: Vec<(String, Range<u32>)> =
        places.into_iter().map(|(word, place)| (word.to_owned(), place)).collect();
    assert_eq!(places, normal);
}

#[test]
fn lexicon_readings_take_precedence() {
    let lexicon = Lexicon::new([
        ("SBI", "एसबीआई"),
        ("H2O", "पानी का 2 अणु"),
        ("mail", "डाक"),
        ("रुपए", "रुपया"),
        ("New Delhi", "नई दिल्ली"),
        ("Shruti", "/ʃɾʊt̪iː/"),
        ("@", "ऐट"),
    ])
    .unwrap();
    let cases = [
        ("SBI, H2O और B12", "एसबीआई, पानी का दो अणु और बी बारह", "as if the spelling had been written"),
        ("mail a mail@x.com", "डाक a मेल एट एक्स डॉट कॉम", "words, but not parts of addresses"),
        ("₹5", "पाँच रुपया", "in expansions too"),
        (
            "(New Delhi) @ Shruti!",
            "(नई दिल्ली) ऐट Shruti!",
            "of several words, signs; IPA is left as it is written",
        ),
    ];
    for (text, wanted, why) in cases {
        assert_eq!(normalize_line(text, Some(Language::Hindi), &lexicon), wanted, "{why}");
    }
}

#[test]
fn every_class_is_reported() {
    let cases = [
        (Class::Word, "नमस्ते"),
        (Class::Foreign, "Москва"),
        (Class::Foreign, "ξ"),
        (Class::Abbreviation, "डॉ."),
        (Class::Letters, "SBI"),
        (Class::Letters, "U.S.A."),
        (Class::Code, "B12"),
        (Class::Code, "5G"),
        (Class::Code, "27ABCDE1234F1Z5"),
        (Class::Cardinal, "1,25,000"),
        (Class::Cardinal, "-5"),
        (Class::Cardinal, "5 लाख"),
        (Class::Decimal, "3.14"),
        (Class::Decimal, "-0.5"),
        (Class::Ordinal, "5वीं"),
        (Class::Fraction, "1/2"),
        (Class::Fraction, "3½"),
        (Class::Range, "10-15"),
        (Class::Dimensions, "200x10"),
        (Class::Ratio, "3:2"),
        (Class::Telephone, "+91 98765 43210"),
        (Class::Telephone, "9876543210"),
        (Class::Money, "₹1,25,000"),
        (Class::Money, "-₹5"),
        (Class::Measure, "60 km/h"),
        (Class::Measure, "4 1/2 kg"),
        (Class::Measure, "5'10\""),
        (Class::Date, "15/08/1947"),
        (Class::Date, "15 अगस्त"),
        (Class::Time, "10:30"),
        (Class::Time, "10:30-11:30"),
        (Class::Time, "3 PM"),
        (Class::Address, "https://a.in/b"),
        (Class::Address, "a@b.in"),
        (Class::Tag, "#SwachhBharat"),
        (Class::Sign, "%"),
        (Class::Sign, "π"),
    ];
    for (class, written) in cases {
        let words = normalize_text(written, Language::Hindi, &Lexicon::default());
        let classes: Vec<Class> = words.iter().map(|word| word.class).collect();
        assert!(!classes.is_empty() && classes.iter().all(|&found| found == class), "{written}: {classes:?}");
    }
    let in_context = [
        ("अध्याय IV", [Class::Word, Class::Roman]),
        ("OTP 458", [Class::Letters, Class::Digits]),
        ("v1.2.3", [Class::Letters, Class::Version]),
        ("50%क्या", [Class::Measure, Class::Word]),
    ];
    for (text, wanted) in in_context {
        let mut classes: Vec<Class> = normalize_text(text, Language::Hindi, &Lexicon::default())
            .iter()
            .map(|word| word.class)
            .collect();
        classes.dedup();
        assert_eq!(classes, wanted, "{text}");
    }
}

#[test]
fn weights_function_words_and_emphasis() {
    let words = normalize_text("यह **बहुत** अच्छा है", Language::Hindi, &Lexicon::default());
    let weights: Vec<Weight> = words.iter().map(|word| word.weight).collect();
    assert_eq!(weights, [Weight::Function, Weight::Emphasis, Weight::Content, Weight::Function]);
}

#[test]
fn reads_digits_of_every_script() {
    for language in Language::ALL {
        let wanted = normalize_line("47", Some(language), &Lexicon::default());
        for digits in ["४७", "৪৭", "੪੭", "૪૭", "୪୭", "௪௭", "౪౭", "೪೭", "൪൭", "４７", "٤٧", "۴۷"]
        {
            assert_eq!(
                normalize_line(digits, Some(language), &Lexicon::default()),
                wanted,
                "{digits} in {}",
                language.code()
            );
        }
    }
}

#[test]
fn reads_large_numbers() {
    check(
        Language::Hindi,
        &[
            ("100000", "एक लाख"),
            ("1,00,000", "एक लाख"),
            (
                "12345678901234567890",
                "एक सौ तेईस शंख पैंतालीस पद्म सड़सठ नील नवासी खरब एक अरब तेईस करोड़ पैंतालीस लाख सड़सठ हज़ार आठ सौ \
                 नब्बे",
            ),
        ],
    );
    let very_long = "7".repeat(150);
    assert_eq!(normalize_text(&very_long, Language::Hindi, &Lexicon::default()).len(), 150, "digit by digit");
}

#[test]
fn every_language_reads_the_basic_classes() {
    check(
        Language::Marathi,
        &[("सन 1947 मध्ये", "सन एकोणीसशे सत्तेचाळीसमध्ये"), ("2.5 लाख", "अडीच लाख"), ("100", "शंभर")],
    );
    check(Language::Gujarati, &[("1947માં", "ઓગણીસ સો સુડતાલીસમાં"), ("સવારે 10:30 વાગ્યે", "સવારે સાડા દસ વાગ્યે")]);
    check(Language::Punjabi, &[("5ਵਾਂ", "ਪੰਜਵਾਂ"), ("50%", "ਪੰਜਾਹ ਫ਼ੀਸਦੀ")]);
    check(Language::Bengali, &[("৩য়", "তৃতীয়"), ("৫টি বই", "পাঁচটি বই"), ("SBI", "এস বি আই")]);
    check(Language::Odia, &[("60 km/h", "ଘଣ୍ଟା ପ୍ରତି ଷାଠିଏ କିଲୋମିଟର"), ("5ମ", "ପଞ୍ଚମ")]);
    check(
        Language::Tamil,
        &[("10:30 மணிக்கு", "பத்தரை மணிக்கு"), ("10ஆம் தேதி", "பத்தாம் தேதி"), ("₹1", "ஒரு ரூபாய்")],
    );
    check(
        Language::Telugu,
        &[("₹1,25,000", "ఒక లక్షా ఇరవై ఐదు వేల రూపాయలు"), ("2వ", "రెండవ"), ("60 km/h", "గంటకు అరవై కిలోమీటర్లు")],
    );
    check(Language::Kannada, &[("5ನೇ", "ಐದನೇ"), ("1947ರಲ್ಲಿ", "ಸಾವಿರದ ಒಂಬೈನೂರ ನಲವತ್ತೇಳರಲ್ಲಿ")]);
    check(Language::Malayalam, &[("1947ൽ", "ആയിരത്തി തൊള്ളായിരത്തി നാല്പത്തിയേഴിൽ"), ("1/2", "അര")]);
}
