use crate::class::Class;
use crate::phone::to_ipa;
use crate::ssml::LONGEST_READING;
use crate::utterance::{Break, Contour, Delivery, Pause, Spoken, Weight, Word};
use crate::{Reader, Settings};
use shruti_lang::Language;

/// Reads a text that arrives in pieces and returns the output.
fn spoken<'a>(pieces: impl IntoIterator<Item = &'a str>, language: Option<Language>) -> Vec<Spoken> {
    let mut reader = Reader::new(Settings { language, ..Settings::default() });
    let mut all = Vec::new();
    for piece in pieces {
        reader.push(piece);
        all.extend(std::iter::from_fn(|| reader.next_spoken()));
    }
    reader.finish();
    all.extend(std::iter::from_fn(|| reader.next_spoken()));
    all
}

/// Returns the spoken words of a text, with `|` after each utterance, and with each pause as its length.
fn said(text: &str) -> String {
    said_in(text, Language::English)
}

fn said_in(text: &str, language: Language) -> String {
    let parts = spoken([text], Some(language)).into_iter().map(|spoken| match spoken {
        Spoken::Utterance(utterance) => {
            let words: Vec<String> = utterance.words.into_iter().map(|word| word.text).collect();
            format!("{} |", words.join(" "))
        }
        Spoken::Pause(pause) => format!("{} ms", pause.silence_ms),
    });
    parts.collect::<Vec<_>>().join(" ")
}

fn words(text: &str, language: Option<Language>) -> Vec<Word> {
    let words = spoken([text], language).into_iter().filter_map(|spoken| match spoken {
        Spoken::Utterance(utterance) => Some(utterance.words),
        Spoken::Pause(_) => None,
    });
    words.flatten().collect()
}

#[test]
fn only_text_starting_with_speak_is_ssml() {
    let marked = "a <break time='1s'/> *b* <sub alias='d'>c</sub>";
    for beginning in ["<speak>", " \n\u{feff}<speak version='1.0'>", "<speak\n>", "<speak/>"] {
        let text = format!("{beginning}{marked}");
        assert_eq!(said(&text), "a | 1000 ms b d |", "{text}");
    }
    let plain = words(marked, Some(Language::English));
    for beginning in
        ["", "<speaker>", "<speak-er>", "<Speak>", "<x><speak>", "<!-- x --><speak>", "\u{200b}<speak>"]
    {
        let text = format!("{beginning}{marked}");
        let words = words(&text, Some(Language::English));
        let texts = |words: &[Word]| words.iter().map(|word| word.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&words), texts(&plain), "{text}");
        assert!(words.iter().any(|word| word.weight == Weight::Emphasis), "Markdown: {text}");
        assert!(!spoken([text.as_str()], None).iter().any(|spoken| matches!(spoken, Spoken::Pause(_))));
    }
}

#[test]
fn breaks_become_pauses() {
    let cases = [
        ("<speak>one<break time='250ms'/>two", "one | 250 ms two |", "within a sentence"),
        ("<speak>one<break/>two", "one | 400 ms two |", "a medium one"),
        ("<speak>one<break strength='none'/> two", "one two |", "none"),
        ("<speak><break time='2s'/>one", "2000 ms one |", "before the first word"),
        ("<speak>one.<break time='2s'/></speak>", "one | 2000 ms", "behind the last"),
        ("<speak>one<break time='1s'></break>two", "one | 1000 ms two |", "with a closing tag"),
        ("<speak>one<break time='1s'/><break time='2s'/>two", "one | 1000 ms 3000 ms two |", "two add up"),
        (
            "<speak>one<break time='6s'/> <break time='6s'/><break time='9s'/>two",
            "one | 6000 ms 10000 ms two |",
            "to the longest",
        ),
        (
            "<speak>on 15 August,<break time='1s'/>1947",
            "on the fifteenth of august | 1000 ms nineteen forty seven |",
            "at once",
        ),
    ];
    for (text, wanted, why) in cases {
        assert_eq!(said(text), wanted, "{why}: {text}");
    }
    let many = format!("<speak>a{}b", "<break time='9999h'/>".repeat(10_000));
    assert_eq!(said(&many), "a | 10000 ms b |");
}

#[test]
fn break_releases_preceding_text() {
    let mut reader = Reader::new(Settings { language: Some(Language::English), ..Settings::default() });
    reader.push("<speak>one<break time='1s'/>");
    assert!(
        matches!(reader.next_spoken(), Some(Spoken::Utterance(one)) if one.contour == Contour::Continuation)
    );
    assert_eq!(reader.next_spoken(), Some(Spoken::Pause(Pause { silence_ms: 1_000, char_end: 28 })));
    assert_eq!(reader.next_spoken(), None);
}

#[test]
fn language_is_known_before_the_first_pause() {
    let mut reader = Reader::new(Settings::default());
    reader.push("<speak><break time='1s'/> <break time='2s'/>");
    assert_eq!(reader.next_spoken(), None, "it waits for the words");
    reader.push("नमस्ते<break/>. ");
    let pause = |silence_ms, char_end| Some(Spoken::Pause(Pause { silence_ms, char_end }));
    assert_eq!((reader.next_spoken(), reader.language()), (pause(3_000, 44), Some(Language::Hindi)));
    assert!(matches!(reader.next_spoken(), Some(Spoken::Utterance(_))));
    assert_eq!(reader.next_spoken(), pause(400, 58));

    let mut reader = Reader::new(Settings::default());
    reader.push("<speak><break time='1s'/>");
    reader.finish();
    assert_eq!((reader.next_spoken(), reader.language()), (pause(1_000, 25), Some(Language::English)));
    assert_eq!(reader.next_spoken(), None);

    let mut reader = Reader::new(Settings::default());
    reader.push("<speak xml:lang='ta'><break time='1s'/>");
    assert_eq!((reader.next_spoken(), reader.language()), (pause(1_000, 39), Some(Language::Tamil)));
}

#[test]
fn sentence_and_paragraph_elements_end_segments() {
    let parts = spoken(["<speak><p><s>one</s><s>two</s></p><p>three</p></speak>"], Some(Language::English));
    let ends: Vec<(Break, Contour, bool)> = parts
        .into_iter()
        .filter_map(|spoken| match spoken {
            Spoken::Utterance(utterance) => {
                Some((utterance.words.last()?.break_after, utterance.contour, utterance.begins_sentence))
            }
            Spoken::Pause(_) => None,
        })
        .collect();
    let sentence = (Break::Sentence, Contour::Statement, true);
    assert_eq!(ends, [sentence, sentence, (Break::Paragraph, Contour::Statement, true)]);
}

#[test]
fn collapses_white_space_and_keeps_markdown() {
    assert_eq!(said("<speak>\n  one\n\n  two\r\n\tthree\n</speak>"), "one two three |");
    assert_eq!(said("<speak>- _one_ `two` *</speak>"), "one two |");
    assert!(words("<speak>a *b* **c**", None).iter().all(|word| word.weight != Weight::Emphasis));
}

#[test]
fn say_as_determines_the_reading() {
    let cases = [
        ("characters", "", "can", "C A N |"),
        ("spell-out", "", "W3C", "W three C |"),
        ("verbatim", "", "a-b", "A dash B |"),
        ("characters", "", "10.5", "one zero dot five |"),
        ("digits", "", "1947", "one nine four seven |"),
        ("cardinal", "", "1947", "one thousand nine hundred and forty seven |"),
        ("number", "", "-12.5", "minus twelve point five |"),
        ("cardinal", "", "007", "seven |"),
        ("cardinal", "", "XIV", "fourteen |"),
        ("ordinal", "", "3", "third |"),
        ("ordinal", "", "21st", "twenty first |"),
        ("ordinal", "", "VII", "seventh |"),
        ("fraction", "", "1/5", "one fifth |"),
        ("fraction", "", "3+1/2", "three and one half |"),
        ("unit", "", "10 km", "ten kilometers |"),
        ("unit", "", "5 blobs", "five blobs |"),
        ("currency", "", "₹42.50", "forty two rupees fifty paise |"),
        ("telephone", "", "(022) 2941-1128", "zero two two two nine four one one one two eight |"),
        ("telephone", "", "+1-800-FLOWERS", "plus one eight zero zero F L O W E R S |"),
        ("time", "hms12", "2:30pm", "two thirty PM |"),
        ("date", "dmy", "10-9-1960", "the tenth of september nineteen sixty |"),
        ("date", "mdy", "10.9.1960", "october ninth nineteen sixty |"),
        ("date", "yyyymmdd", "19600910", "september tenth nineteen sixty |"),
        ("date", "dm", "10/9", "the tenth of september |"),
        ("date", "y", "1960", "nineteen sixty |"),
        ("date", "dmy", "10 Sept 1960", "the tenth of september nineteen sixty |"),
        ("date", "", "10/09/1960", "the tenth of september nineteen sixty |"),
        ("date", "dmy", "tomorrow", "tomorrow |"),
        ("expletive", "", "no 5", "no five |"),
        ("digits", "", "none", "none |"),
    ];
    for (kind, format, text, wanted) in cases {
        let marked =
            format!("<speak><say-as interpret-as='{kind}' format='{format}'>{text}</say-as></speak>");
        assert_eq!(said(&marked), wanted, "{marked}");
    }
    let hindi =
        "<speak><say-as interpret-as='digits'>१२</say-as> <say-as interpret-as='characters'>कमल</say-as>";
    assert_eq!(said_in(hindi, Language::Hindi), "एक दो क म ल |");
}

#[test]
fn unit_readings_are_separate_and_not_split() {
    let text = "<speak>on<say-as interpret-as='date' format='dmy'> 10. 9. 1960 </say-as>at <say-as interpret-as='digits'>1, 2! 3?</say-as>go";
    assert_eq!(said(text), "on the tenth of september nineteen sixty at one two three go |");
    let adjacent =
        "<speak>5<say-as interpret-as='cardinal'>7</say-as><say-as interpret-as='cardinal'>8</say-as>9";
    assert_eq!(said(adjacent), "five seven eight nine |");
}

#[test]
fn alias_replaces_the_text() {
    let text = "<speak>The <sub alias='World Wide Web &amp; co, 5'>W3</sub>is</speak>";
    assert_eq!(said(text), "The World Wide Web and co | five is |");
    let places: Vec<_> = words(text, None).into_iter().map(|word| word.source).collect();
    assert_eq!(places[1..6], vec![51..53; 5]);
    assert_eq!(said("<speak>a <sub alias=''>b</sub> <sub>c</sub> <sub alias='d'/>"), "a b c d |");
}

#[test]
fn uses_the_given_phones() {
    let ipa = |text: &str| {
        words(text, Some(Language::English)).into_iter().map(|word| to_ipa(&word.phones)).collect::<Vec<_>>()
    };
    assert_eq!(ipa("<speak><phoneme alphabet='ipa' ph='pɪˈkaːn'>pecan</phoneme>"), ["p ɪ k aː n"]);
    assert_eq!(ipa("<speak><phoneme ph='nəməsˈt̪eː'/>"), ["n ə m ə s t̪ eː"]);
    let plain = ipa("<speak>pecan");
    assert_eq!(ipa("<speak><phoneme alphabet='x-sampa' ph='pI\"kAn'>pecan</phoneme>"), plain);
    assert_eq!(ipa("<speak><phoneme alphabet='ipa' ph='çqq'>pecan</phoneme>"), plain, "no phones of ours");
}

#[test]
fn language_applies_within_its_element() {
    let of = |text: &str, language| -> Vec<(String, Language)> {
        words(text, language).into_iter().map(|word| (word.text, word.language)).collect()
    };
    let (english, hindi, tamil) = (Language::English, Language::Hindi, Language::Tamil);
    let text = "<speak>I have 5 <lang xml:lang='hi-IN'>5 रुपये</lang> 5";
    let pairs = |words: &[(&str, Language)]| -> Vec<(String, Language)> {
        words.iter().map(|&(word, language)| (word.to_owned(), language)).collect()
    };
    let wanted = [
        ("I", english),
        ("have", english),
        ("five", english),
        ("पाँच", hindi),
        ("रुपये", hindi),
        ("five", english),
    ];
    assert_eq!(of(text, Some(english)), pairs(&wanted));
    let document = "<speak xml:lang='ta-IN'>5 <s xml:lang='en-GB'>5</s> 5</speak>";
    assert_eq!(of(document, None), pairs(&[("ஐந்து", tamil), ("five", english), ("ஐந்து", tamil)]));
    assert_eq!(
        of(document, Some(hindi)),
        pairs(&[("पाँच", hindi), ("five", english), ("पाँच", hindi)]),
        "the request takes precedence"
    );
    assert_eq!(
        of("<speak xml:lang='fr-FR'>5 <lang xml:lang='de'>5</lang>", Some(hindi)),
        pairs(&[("पाँच", hindi), ("पाँच", hindi)])
    );
    let native = "<speak>नमस्ते <lang xml:lang='en-US'>नमस्ते 5</lang>";
    assert_eq!(of(native, Some(hindi)), pairs(&[("नमस्ते", hindi), ("नमस्ते", hindi), ("five", english)]));
}

#[test]
fn prosody_and_emphasis_apply_to_their_words() {
    let text = "<speak>a <prosody rate='slow' pitch='+2st'>b <prosody volume='-6dB'>c</prosody> d</prosody> e</speak>";
    let deliveries: Vec<Delivery> =
        words(text, Some(Language::English)).into_iter().map(|word| word.delivery).collect();
    let plain = Delivery::default();
    let slow = Delivery { rate: 0.75, pitch: 2.0, ..plain };
    assert_eq!(deliveries, [plain, slow, Delivery { volume: -6.0, ..slow }, slow, plain]);
    let weight = |level: &str| {
        let text = format!("<speak>we <emphasis level='{level}'>never</emphasis> eat</speak>");
        let word = words(&text, Some(Language::English)).swap_remove(1);
        (word.weight, word.delivery != plain)
    };
    assert_eq!(weight("strong"), (Weight::Emphasis, true));
    assert_eq!(weight("moderate"), (Weight::Emphasis, false));
    assert_eq!(weight("none"), (Weight::Content, false));
    assert_eq!(weight("reduced"), (Weight::Content, true));
}

#[test]
fn ignores_other_elements() {
    let cases = [
        ("<speak><audio src='a.mp3'><desc>a bell</desc>ding</audio> <mark name='here'/>dong", "ding dong |"),
        ("<speak><metadata><x>no</x><break/></metadata>yes<meta name='a'/><lexicon uri='b'/>", "yes |"),
        (
            "<speak><voice name='Joanna'>a <amazon:effect name='whispered'>bee</amazon:effect></voice>",
            "a bee |",
        ),
        ("<speak><mstts:express-as style='sad'>a</mstts:express-as><google:style name='x'>b", "ab |"),
        ("<speak><w role='x'>read</w> <token>it</token><foo>now</foo>", "read it now |"),
        ("<speak>a<!-- <break/> > -- -->b<?x <break/> ?>c", "abc |"),
        ("<speak>a <![CDATA[<b> & ]] > ]]>c", "a b and greater than c |"),
        (
            "<speak>a<!DOCTYPE x [<!ENTITY lol \"]>\"> <!ENTITY lol2 '&lol;&lol;'>]>b &lol2;",
            "ab and lol two |",
        ),
        ("<speak>&lt;break/&gt; &amp; &#2325; &bogus; &#x0;", "break slash and क and bogus |"),
        ("<speak>a</speak> b <speak>c</speak>", "a | b | c |"),
    ];
    for (text, wanted) in cases {
        assert_eq!(said(text), wanted, "{text}");
    }
}

#[test]
fn recovers_from_invalid_markup() {
    let cases = [
        (
            "<speak>one <prosody rate='slow'>two</lang></x> three",
            "one two three |",
            "closing tags of nothing",
        ),
        ("<speak>5 < 6 and a <", "five less than six and a less than |", "a bare bracket"),
        ("<speak>a <break time='1s' b", "a break time equals one second b |", "a tag that does not end"),
        ("<speak>a <say-as interpret-as='digits'>12 two", "a twelve two |", "a reading that does not end"),
        (
            "<speak>a <say-as interpret-as='digits'>12 <p>b</p></say-as>c",
            "a twelve | b | c |",
            "an element within a reading",
        ),
        ("<speak>a <sub alias='x'>two <break time='1s'/>c", "a two | 1000 ms c |", "a break within an alias"),
        ("<speak><desc>a</speak>b", "b |", "a silent element that does not end"),
    ];
    for (text, wanted, why) in cases {
        assert_eq!(said(text), wanted, "{why}: {text}");
    }
    let long = "a ".repeat(LONGEST_READING);
    let text = format!("<speak><sub alias='x'>{long}</sub>b");
    assert_eq!(words(&text, Some(Language::English)).len(), LONGEST_READING + 1, "an alias of a long text");
    let address = "x".repeat(5_000);
    let text = format!("<speak>a <audio src='https://a.in/?b=>{address}'/>two");
    assert_eq!(said(&text), "a two |", "a long address");
}

#[test]
fn depth_is_bounded() {
    let slow = "<prosody rate='slow'>";
    let deep = 100_000;
    let text = format!("<speak>{}a{}<s>b</s>", slow.repeat(deep), "</prosody>".repeat(deep));
    let words = words(&text, Some(Language::English));
    assert_eq!((words[0].delivery.rate, words[1].delivery.rate), (0.5, 1.0));
}

#[test]
fn reports_token_classes() {
    let text = "<speak><say-as interpret-as='cardinal'>5</say-as><phoneme ph='aː'>b</phoneme>";
    let classes: Vec<Class> =
        words(text, Some(Language::English)).into_iter().map(|word| word.class).collect();
    assert_eq!(classes, [Class::Cardinal, Class::Lexicon]);
}
