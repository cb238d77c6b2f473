use super::*;

fn segments(text: &str) -> Vec<(String, Close)> {
    let mut segmenter = Segmenter::new();
    segmenter.push(text);
    segmenter.finish();
    std::iter::from_fn(|| segmenter.next_segment())
        .map(|segment| (segment.text.text, segment.close))
        .collect()
}

#[test]
fn splits_at_natural_pauses() {
    let cases: [(&str, &[&str]); 43] = [
        ("वह आया। फिर गया।", &["वह आया।", "फिर गया।"]),
        ("It is 3.14, not 3. Yes", &["It is 3.14,", "not 3.", "Yes"]),
        ("₹1,25,000 मिले", &["₹1,25,000 मिले"]),
        ("at 10:30: go", &["at 10:30:", "go"]),
        ("Dr. Rao met Mrs. Iyer. Then", &["Dr. Rao met Mrs. Iyer.", "Then"]),
        ("डॉ. राव आए. फिर", &["डॉ. राव आए.", "फिर"]),
        ("e.g. this, i.e. that", &["e.g. this,", "i.e. that"]),
        ("A. P. J. Abdul Kalam", &["A. P. J. Abdul Kalam"]),
        ("एम. के. गांधी", &["एम. के. गांधी"]),
        ("U.S.A. is big", &["U.S.A. is big"]),
        ("see https://a.in/b?c=d, then", &["see https://a.in/b?c=d,", "then"]),
        ("mail a.b@c.in now", &["mail a.b@c.in now"]),
        ("really?! \"Yes.\" he", &["really?", "!", "\"Yes.\"", "he"]),
        ("wait... what", &["wait...", "what"]),
        ("one\ntwo\n\nthree", &["one", "two", "three"]),
        ("1. apples", &["1. apples"]),
        ("10 - 15 km", &["10 - 15 km"]),
        ("he came — late", &["he came —", "late"]),
        ("he came - late", &["he came -", "late"]),
        ("well-known fact", &["well-known fact"]),
        ("on August 15, 1947 we", &["on August 15, 1947 we"]),
        ("on 15 August, 1947 we", &["on 15 August, 1947 we"]),
        ("2 अक्टूबर, 1869 को", &["2 अक्टूबर, 1869 को"]),
        ("जून, जुलाई और अगस्त", &["जून,", "जुलाई और अगस्त"]),
        ("your OTP: 4582 is", &["your OTP: 4582 is"]),
        ("सूची: आम", &["सूची:", "आम"]),
        ("14/3, मथुरा रोड", &["14/3, मथुरा रोड"]),
        ("7830 - E Parkway", &["7830 - E Parkway"]),
        ("1960s–80s music", &["1960s–80s music"]),
        ("Delhi–Mumbai train", &["Delhi–Mumbai train"]),
        ("open 9 am - 5 pm daily", &["open 9 am - 5 pm daily"]),
        ("10% – 15% off", &["10% – 15% off"]),
        ("he ran 5 km - wow", &["he ran 5 km -", "wow"]),
        ("he—she", &["he—", "she"]),
        ("Rs. 500 दिए", &["Rs. 500 दिए"]),
        ("नहीं! क्यों? हाँ; ठीक है", &["नहीं!", "क्यों?", "हाँ;", "ठीक है"]),
        ("سلام، آپ کیسے ہیں؟ ٹھیک۔ شکریہ؛ پھر", &["سلام،", "آپ کیسے ہیں؟", "ٹھیک۔", "شکریہ;", "پھر"]),
        ("add 5 kg. of rice", &["add 5 kg. of rice"]),
        ("It is 12 km. Go there", &["It is 12 km.", "Go there"]),
        ("by 11 Nov. Track it", &["by 11 Nov.", "Track it"]),
        ("on 15 Aug. Independence Day", &["on 15 Aug. Independence Day"]),
        ("on 5 Oct. Sunil left", &["on 5 Oct. Sunil left"]),
        ("  \n \n", &[]),
    ];
    for (text, wanted) in cases {
        let texts: Vec<String> = segments(text).into_iter().map(|(text, _)| text).collect();
        assert_eq!(texts, wanted, "{text}");
    }
}

#[test]
fn the_dot_of_an_abbreviation_may_end_a_sentence() {
    let ending = [
        "He earns 9% p.a. | The fund grew",
        "We sell cups, | plates, | etc. | Orders are open",
        "Call the dept. | They will help",
        "He works at Wipro Ltd. | His sister teaches",
        "Steam for 10 min. | Add salt",
        "He lives in the U.K. | She came home",
        "No. | I will stay",
        "Check your PF. | Your firm pays",
    ];
    let inner = [
        "Meet Dr. He Lin",
        "Asst. Her name",
        "Shop opp. The Oberoi",
        "A. The first label",
        "J. R. D. Tata",
        "Wipro Ltd. Mysuru",
        "1 tsp. Turmeric powder",
        "9% p.a. Home Loans",
        "at Govt. Arts College",
        "the M.Tech. course",
        "see fig. 7 below",
        "my no. is busy",
        "Approx. Price of gold",
        "the P.M. Relief fund",
        "No. Of seats left",
        "the answer no. in the box",
    ];
    for text in ending.into_iter().chain(inner) {
        let texts: Vec<String> =
            segments(&text.replace(" | ", " ")).into_iter().map(|(text, _)| text).collect();
        assert_eq!(texts.join(" | "), text);
    }
}

#[test]
fn segments_report_their_end() {
    let text = "a. b? c! d, e; f\ng";
    let closes: Vec<Close> = segments(text).into_iter().map(|(_, close)| close).collect();
    let wanted = [
        Close::Sentence,
        Close::Question,
        Close::Exclamation,
        Close::Comma,
        Close::Clause,
        Close::Line,
        Close::End,
    ];
    assert_eq!(closes, wanted);
}

#[test]
fn long_segments_are_not_split_after_numbers() {
    let text = "word ".repeat(60);
    let lengths: Vec<usize> = segments(&text).iter().map(|(text, _)| text.split(' ').count()).collect();
    assert_eq!(lengths, [25, 25, 10]);
    let text = format!("{}5 kg {}", "word ".repeat(24), "word ".repeat(10));
    assert!(segments(&text)[0].0.ends_with("5 kg"), "{:?}", segments(&text)[0]);
}

#[test]
fn holds_back_undecided_text() {
    let mut segmenter = Segmenter::new();
    segmenter.push("It costs 3.");
    assert_eq!(segmenter.next_segment(), None);
    segmenter.push("5");
    assert_eq!(segmenter.next_segment(), None);
    segmenter.push(" rupees, ");
    assert_eq!(
        segmenter.next_segment().map(|segment| segment.text.text).as_deref(),
        Some("It costs 3.5 rupees,")
    );
    assert_eq!(segmenter.next_segment(), None);
}

#[test]
fn releases_decided_text() {
    for text in ["वह आया।", "really?", "जी,", "ठीक है…", "one\n"] {
        let mut segmenter = Segmenter::new();
        segmenter.push(text);
        assert!(segmenter.next_segment().is_some(), "{text}");
    }
}

#[test]
fn flush_releases_text_and_flush_words_whole_words() {
    let mut segmenter = Segmenter::new();
    segmenter.push("one two thr");
    segmenter.flush_words();
    assert_eq!(segmenter.next_segment().map(|segment| segment.text.text).as_deref(), Some("one two"));
    assert_eq!(segmenter.next_segment(), None);
    segmenter.push("ee four");
    segmenter.flush();
    assert_eq!(segmenter.next_segment().map(|segment| segment.text.text).as_deref(), Some("three four"));
    assert_eq!(segmenter.next_segment(), None);
}

#[test]
fn flush_words_treats_sentence_marks_as_final() {
    let cases = [
        ("Hello there.", Some("Hello there.")),
        ("Wait, he said...", Some("he said...")),
        ("He said \"no.\"", Some("He said \"no.\"")),
        ("यह लीजिए:", Some("यह लीजिए:")),
        ("your OTP: ", Some("your OTP:")),
        ("in June, ", Some("in June,")),
        ("It costs 3.", Some("It costs")),
        ("Ask Dr.", Some("Ask")),
        ("see www.shruti.", Some("see")),
        ("there", None),
    ];
    for (text, wanted) in cases {
        let mut segmenter = Segmenter::new();
        segmenter.push(text);
        segmenter.flush_words();
        let last = std::iter::from_fn(|| segmenter.next_segment()).last();
        assert_eq!(last.map(|segment| segment.text.text).as_deref(), wanted, "{text}");
    }
}

#[test]
fn composed_letters_cover_their_source() {
    let mut segmenter = Segmenter::new();
    segmenter.push("ক\u{9c7}\u{9be}ন");
    segmenter.finish();
    let text = segmenter.next_segment().unwrap().text;
    assert_eq!(text.text, "ক\u{9cb}ন");
    assert_eq!(text.source(0..2), 0..3);
    assert_eq!(text.source(1..3), 1..4);
}

#[test]
fn splits_endless_words_between_letters() {
    let text = "कि".repeat(1_000);
    let segments = segments(&text);
    assert!(segments.len() > 5);
    assert!(segments.iter().all(|(text, _)| text.starts_with('क') && text.ends_with('ि')));
}

#[test]
fn every_segment_is_bounded() {
    // the units are signs that join words, signs that are read as words, letters with joiners, and digits
    for unit in ["-.", "% ", "( ", "&", "क\u{200d}", "1-", "1234567890"] {
        let found = segments(&unit.repeat(5000));
        let longest = found.iter().map(|(text, _)| text.chars().count()).max().unwrap_or(0);
        assert!(longest <= 2 * MAX_CHARACTERS, "{unit}: {longest}");
    }
}
