//! Properties that hold for every text: splitting does not change the result, no unspoken characters remain, and word
//! positions are within the text.

use std::sync::Arc;

use proptest::prelude::*;
use shruti_lang::Language;
use shruti_text::normalize::normalize_text;
use shruti_text::segment::{Segment, Segmenter};
use shruti_text::utterance::{Spoken, Utterance};
use shruti_text::{Class, Lexicon, Reader, Settings, explain};

/// Texts with all constructs whose reading must not depend on how the text is split.
const TEXTS: [&str; 28] = [
    "मुझे 15 अगस्त 1947 को ₹1,25,000 मिले, और डॉ. राव ने 10:30 बजे फ़ोन किया। क्या? हाँ!\nनई पंक्ति",
    "It costs 3.14, i.e. Rs. 500... Really?! \"Yes.\" See https://a.in/b?c=d (now), a.b@c.in; 10 - 15 km — wait.",
    "# Title\n\n- **bold** item\n- [link](https://a.b/c_(d) \"t\") and `code`\n1. first | second\n> quote <b>x</b> \
     &amp; &#2325;",
    "আমার সোনার বাংলা, আমি তোমায় ভালোবাসি। ১৯৭১ সালে ৩টি বই ৫০% ছাড়ে।",
    "யாதும் ஊரே யாவரும் கேளிர். 1947 ஆகஸ்ட் 15 அன்று ₹500; மீட்டிங் 3 PM-க்கு.",
    "నేను 5 పుస్తకాలు కొన్నాను, ధర ₹250.50 మాత్రమే! 10వ తరగతి.",
    "ನಾನು 5 ಪುಸ್ತಕ ಕೊಂಡೆ, ಬೆಲೆ ₹250. 10ನೇ ತರಗತಿ?",
    "എനിക്ക് 5 പുസ്തകങ്ങൾ വേണം, വില ₹250. അവൻ ക്\u{200d}ഷ 10:30-ന്.",
    "મારી પાસે ૫ પુસ્તકો છે, કિંમત ₹૨૫૦. ૧૦:૩૦ વાગ્યે.",
    "माझ्याकडे ५ पुस्तके आहेत, किंमत ₹२५०. डॉ. आंबेडकर १०:३० वाजता.",
    "ਮੇਰੇ ਕੋਲ 5 ਕਿਤਾਬਾਂ ਹਨ, ਕੀਮਤ ₹250। 10:30 ਵਜੇ।",
    "ମୋ ପାଖରେ ୫ଟି ବହି ଅଛି, ଦାମ ₹୨୫୦। ୧୦:୩୦।",
    "मेरा order कब deliver होगा? aapka OTP 4582 hai, namaste! SBI का B12.",
    "नमस्ते🙏🏽 दुनिया 👨\u{200d}👩\u{200d}👧 \u{202e}abc\u{202c} ① ½ 5½ ²",
    "<div>a<br/>b</div><script>x < y</script> 5 < 6 & 7 > 3 <unclosed [unclosed](also ",
    "+91 98765 43210, 022-29411128, (555) 123-4567, 192.168.1.1, MH12AB1234, C:\\Users\\x",
    "A. P. J. Abdul Kalam; एम. के. गांधी; U.S.A. e.g. this. On August 15, 1947 we",
    "~~gone~~ snake_case *it* **b _c_ d** 2*3 --- a -- b ``` x ```",
    "1) a 2) b\n| a | b |\n|---|---|\n| c | d |\nवह गया |",
    "On 15 August, 1947, in June, then 1st-5th, we; OTP: 4582. 9 am - 5 pm – 10% – 15%: 14/3, Road, 7 - E; 10⁻³ x⁵ \
     45ºC",
    "Use the <script> tag, or `<b>`; <style>p { x: 1 }</style> then <style>. नमस्ते, <SCRIPT>x</scr ipt>",
    "Москва, 北京。 ありがとう！ سلام، شکریہ؟ α+β=γ; ᱥᱟᱱᱛᱟᱲᱤ ๑๒ π 5 Ω",
    "New Delhi's AIIMSमें, Dr. Rao से New  Delhi Times; AT&T ₹5 H2O! Yahoo! (100) मेरा Shruti",
    "<speak>The <sub alias=\"World Wide Web, &amp; 5\">W3C</sub> says <break time='1s'/><break/> \
     <prosody rate=\"slow\" pitch='+2st'>5 km, <emphasis>now</emphasis></prosody>!</speak> <speak>On",
    "\u{feff} <speak version='1.0' xml:lang=\"hi-IN\"><p><s>मुझे <say-as interpret-as='date' format=\"dmy\">10. 9. 1960</say-as> \
     को</s><s>₹5 <lang xml:lang='en-IN'>5 rupees</lang> मिले</s></p><!-- - -- > --> &lt;b&gt; <![CDATA[<x> ]] ]>]]>|",
    "<speak><say-as interpret-as='digits'>12 <p>a</p></say-as> <phoneme alphabet='ipa' ph='pɪˈkaːn'>pecan</phoneme>s 5<say-as \
     interpret-as='ordinal'>3</say-as>. <unclosed <?x ?> <!DOCTYPE a [<!ENTITY b \"]>\">]> &b; <metadata>no</metadata> 10 -",
    "<speak/>15 August,<break/> 1947: <break time='2s'/>OTP: <mark name='x'/>4582 <sub alias=\"x\">open",
    "a\r\nb\rc\u{2028}d\u{0}e ক\u{9c7}\u{9be}ন é e\u{301}",
];

fn segments(pieces: &[&str]) -> Vec<Segment> {
    let mut segmenter = Segmenter::new();
    let mut segments = Vec::new();
    for piece in pieces {
        segmenter.push(piece);
        segments.extend(std::iter::from_fn(|| segmenter.next_segment()));
    }
    segmenter.finish();
    segments.extend(std::iter::from_fn(|| segmenter.next_segment()));
    segments
}

fn utterances(text: &str, language: Option<Language>) -> Vec<Utterance> {
    let mut reader = Reader::new(Settings { language, ..Settings::default() });
    reader.push(text);
    reader.finish();
    std::iter::from_fn(|| reader.next_utterance()).collect()
}

/// Returns a lexicon with entries that span several items or tokens. Some entries are split by segment boundaries or
/// match only in part.
fn lexicon() -> Arc<Lexicon> {
    let entries = [
        ("New Delhi", "नई दिल्ली"),
        ("New Delhi Times", "/eːn d̪iː ʈiː/"),
        ("Dr. Rao", "राव साहब, 2"),
        ("AT&T", "एटीएंडटी"),
        ("H2O", "water"),
        ("AIIMS", "एम्स"),
        ("100", "/sɔː/"),
        ("Yahoo!", "याहू"),
        ("रुपए", "/ɾʊpeː/"),
        ("order", "ऑर्डर"),
        ("10:30", "साढ़े दस"),
        ("मेरा order", "/oː/"),
        ("डॉ. राव", "राव"),
        ("A. P. J.", "ए पी जे"),
    ];
    Arc::new(Lexicon::new(entries).unwrap())
}

/// Reads pieces with the lexicon and returns everything that is spoken.
fn with_lexicon(pieces: &[&str]) -> Vec<Spoken> {
    let mut reader = Reader::new(Settings { language: None, lexicon: lexicon() });
    let mut spoken = Vec::new();
    for piece in pieces {
        reader.push(piece);
        spoken.extend(std::iter::from_fn(|| reader.next_spoken()));
    }
    reader.finish();
    spoken.extend(std::iter::from_fn(|| reader.next_spoken()));
    spoken
}

#[test]
fn chunking_does_not_split_lexicon_entries() {
    let mut readings = 0;
    for text in TEXTS {
        let expected = with_lexicon(&[text]);
        readings += expected
            .iter()
            .filter_map(|spoken| match spoken {
                Spoken::Utterance(utterance) => Some(&utterance.words),
                Spoken::Pause(_) => None,
            })
            .flatten()
            .filter(|word| word.class == Class::Lexicon)
            .count();
        for (at, _) in text.char_indices() {
            assert_eq!(with_lexicon(&[&text[..at], &text[at..]]), expected, "split at {at}: {text}");
        }
        let letters: Vec<&str> = text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]).collect();
        assert_eq!(with_lexicon(&letters), expected, "a character at a time: {text}");
    }
    assert!(readings >= 20, "only {readings} words were read by the lexicon");
}

fn pieces_of<'a>(text: &'a str, cuts: &[usize]) -> Vec<&'a str> {
    let mut places: Vec<usize> =
        cuts.iter().filter_map(|&cut| text.char_indices().nth(cut)).map(|(at, _)| at).collect();
    places.sort_unstable();
    places.dedup();
    places.push(text.len());
    let mut from = 0;
    places
        .into_iter()
        .map(|to| {
            let piece = &text[from..to];
            from = to;
            piece
        })
        .collect()
}

/// Returns the sentences of the `.txt` files in the folder given by the environment variable `SHRUTI_SENTENCES`, or
/// none if the variable is not set.
fn reference_sentences() -> Vec<String> {
    let Ok(folder) = std::env::var("SHRUTI_SENTENCES") else { return Vec::new() };
    let files = std::fs::read_dir(folder).unwrap().filter_map(Result::ok).map(|entry| entry.path());
    files
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .flat_map(|path| {
            std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn one_split_changes_nothing() {
    let own = TEXTS.iter().map(|text| (*text).to_owned());
    for text in own.chain(reference_sentences()) {
        let expected = segments(&[&text]);
        for (at, _) in text.char_indices() {
            let split = segments(&[&text[..at], &text[at..]]);
            assert_eq!(split, expected, "split at {at}: {text}");
        }
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        assert_eq!(segments(&letters), expected, "a character at a time: {text}");
    }
}

#[test]
fn every_sentence_is_accepted_and_spoken() {
    for text in reference_sentences() {
        assert!(!utterances(&text, None).is_empty(), "{text}");
    }
}

#[test]
fn numeric_letters_are_not_read_as_words() {
    // cuneiform, Greek and Gothic numerals are both letters and numbers
    for text in ["\u{12400}", "\u{10140}", "\u{10341}", "\u{3007}"] {
        for language in Language::ALL {
            assert_eq!(normalize_text(text, language, &Lexicon::default()), [], "{text} in {language}");
        }
    }
}

fn any_language() -> impl Strategy<Value = Language> {
    proptest::sample::select(Language::ALL.to_vec())
}

/// Generates text of characters and words that matter to the rules, mixed with random characters.
fn any_text() -> impl Strategy<Value = String> {
    let signs = "0123456789९৩௫ .,:;?!।-–—/\\%₹$@#*_~`|<>[](){}&=+°½²⁵⁻º\n\t'\"";
    let letters = "कषत्ाि़ंবোதிమ్മ്AaBbmkg\u{200d}\u{200c}\u{202e}😀ﬁ";
    let telling = proptest::sample::select(signs.chars().chain(letters.chars()).collect::<Vec<_>>());
    let word = proptest::sample::select(vec![
        "Dr.",
        "Rs.",
        "kg",
        "PM",
        "am",
        "https://",
        "www.",
        ".com",
        "15/08/",
        "<b>",
        "</b>",
        "](",
        "अगस्त",
        "बजे",
        "OTP",
        "th",
        "वीं",
        "&amp;",
        "```",
        "IV",
        "<break time='1s'/>",
        "<s>",
        "</p>",
        "<sub alias='a, 5'>",
        "</sub>",
        "<say-as interpret-as='date'>",
        "<say-as interpret-as=\"characters\">",
        "</say-as>",
        "<lang xml:lang='ta'>",
        "<prosody rate='slow'>",
        "</prosody>",
        "<phoneme ph='aː'>",
        "</phoneme>",
        "<metadata>",
        "</metadata>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "</speak>",
    ]);
    let piece = prop_oneof![
        8 => telling.prop_map(String::from),
        2 => word.prop_map(str::to_owned),
        2 => any::<char>().prop_map(String::from)
    ];
    let beginning = proptest::sample::select(vec!["", "", "<speak>", " <speak xml:lang='hi'>"]);
    (beginning, proptest::collection::vec(piece, 0..80))
        .prop_map(|(begin, pieces)| begin.to_owned() + &pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn segments_are_independent_of_chunks(
        text in any_text(),
        cuts in proptest::collection::vec(0_usize..120, 0..12),
    ) {
        prop_assert_eq!(segments(&pieces_of(&text, &cuts)), segments(&[&text]));
    }

    #[test]
    fn speech_is_independent_of_chunks(
        text in any_text(),
        cuts in proptest::collection::vec(0_usize..240, 0..12),
    ) {
        prop_assert_eq!(with_lexicon(&pieces_of(&text, &cuts)), with_lexicon(&[text.as_str()]));
    }

    #[test]
    fn output_contains_only_letters(text in any_text(), language in any_language()) {
        // words with given phones keep their written form
        let words = normalize_text(&text, language, &Lexicon::default()).into_iter();
        for word in words.filter(|word| word.phones.is_none()) {
            let letters = word.text.chars().all(|c| {
                c.is_alphabetic() && !c.is_numeric() || matches!(c, '\u{200c}' | '\u{200d}' | '\'')
                    || unicode_normalization::char::is_combining_mark(c)
            });
            prop_assert!(letters && !word.text.is_empty(), "{:?} in {:?}", word.text, text);
        }
    }

    #[test]
    fn source_positions_are_ordered(text in any_text(), language in any_language()) {
        let length = text.chars().count() as u32;
        let mut last = 0;
        for utterance in utterances(&text, Some(language)) {
            for word in &utterance.words {
                prop_assert!(word.source.start < word.source.end && word.source.end <= length, "{:?}", word);
                prop_assert!(word.source.start >= last, "{:?}", word);
                last = word.source.start;
                prop_assert!(!word.phones.is_empty());
            }
        }
    }

    #[test]
    fn explanations_cover_the_whole_text(text in any_text(), language in any_language()) {
        let explanation = explain(&text, Settings { language: Some(language), lexicon: lexicon() });
        let visible = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let written: String = explanation.tokens.iter().map(|token| token.written.as_str()).collect();
        prop_assert_eq!(visible(&written), visible(&text));
        let mut last = 0;
        for token in &explanation.tokens {
            prop_assert!(last <= token.start && token.start < token.end, "{:?}", token);
            prop_assert_eq!(token.written.chars().count() as u32, token.end - token.start);
            let silent = matches!(token.class, Class::Silent | Class::Punctuation);
            prop_assert_eq!(token.words.is_empty(), silent, "{:?}", token);
            last = token.end;
        }
    }
}
