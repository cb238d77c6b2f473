use shruti_lang::Language;

use crate::utterance::{Break, Contour, Utterance, Weight};
use crate::{Reader, Settings};

/// Returns the utterances of a text that arrives in pieces.
fn read(pieces: &[&str], language: Language) -> Vec<Utterance> {
    let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
    let mut all = Vec::new();
    for piece in pieces {
        reader.push(piece);
        all.extend(std::iter::from_fn(|| reader.next_utterance()));
    }
    reader.finish();
    all.extend(std::iter::from_fn(|| reader.next_utterance()));
    all
}

/// Returns the words with a mark for each break: `,` for a phrase boundary, `|` for a group of digits, `/` for a
/// breath, `;` for any longer pause. Each word in focus is between asterisks, and each other word from within
/// parentheses is between parentheses.
fn marked(text: &str, language: Language) -> String {
    let mut line = String::new();
    for word in read(&[text], language).iter().flat_map(|utterance| &utterance.words) {
        let around = match (word.weight, word.aside) {
            (Weight::Focus, _) => ["*", "*"],
            (_, true) => ["(", ")"],
            _ => ["", ""],
        };
        line.extend([around[0], &word.text, around[1]]);
        line.push_str(match word.break_after {
            Break::None => " ",
            Break::Phrase => ", ",
            Break::Group => " | ",
            Break::Breath => " / ",
            Break::Comma | Break::Clause | Break::Sentence | Break::Paragraph => "; ",
        });
    }
    line.trim_end().to_owned()
}

fn contour(text: &str, language: Language) -> Contour {
    read(&[text], language).last().unwrap().contour
}

/// Checks the contour of each question. Lines have the form `code: question`, with a language code.
fn check(questions: &str, expected: Contour) {
    for line in questions.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (code, question) = line.split_once(": ").unwrap();
        let language = Language::from_code(code).unwrap();
        assert_eq!(contour(question, language), expected, "{line}");
    }
}

#[test]
fn detects_yes_no_questions() {
    check(
        "hi: आप घर पर हैं?
         hi: क्या आप घर पर हैं?
         hi: वे लोग पहुँच गए क्या?
         hi: तो क्या मैं कल आऊँ?
         hi: तुम आओगे न?
         mr: तुम्ही उद्या येणार का?
         mr: गाडी निघाली का?
         bn: আপনি কি কাল আসবেন?
         bn: মা ফিরেছেন কি?
         gu: શું તમે આવશો?
         gu: કામ પતી ગયું શું?
         pa: ਕੀ ਤੁਸੀਂ ਠੀਕ ਹੋ?
         pa: ਉਹ ਆ ਗਿਆ ਹੈ ਕੀ?
         or: ସେ ଆସିବେ କି?
         or: ଆପଣ କଣ ଓଡ଼ିଶାରେ ରହନ୍ତି?
         ta: அவர் வந்தாரா?
         te: మీరు ఇంటికి వెళ్ళారా?
         kn: ನೀವು ಊಟ ಮಾಡಿದಿರಾ?
         ml: അവൻ വന്നോ?
         en: Are you there?
         en: You have eaten, haven't you?
         hi: Are you coming home?",
        Contour::YesNoQuestion,
    );
}

#[test]
fn ignores_embedded_question_words() {
    check(
        "hi: क्या आपको मालूम है कि दफ़्तर कहाँ है?
         hi: आप बता सकते हैं यह कैसे चलता है?
         hi: दुकान कब खुलती है याद है?
         mr: तुम्हाला माहीत आहे का तो कुठे राहतो?
         mr: ती कधी येणार सांगू शकाल?
         bn: তুমি কি জানো সে কোথায় থাকে?
         bn: ডাক্তার কখন বসেন বলতে পারবেন?
         gu: તમને યાદ છે આપણે ક્યાં મળ્યા હતા?
         pa: ਤੁਹਾਨੂੰ ਪਤਾ ਹੈ ਉਹ ਕਿੱਥੇ ਗਿਆ?
         or: ଆପଣ ଜାଣନ୍ତି କି ସେ କେଉଁଠି ରହନ୍ତି?
         ta: அவர் எங்கே இருக்கிறார் என்று தெரியுமா?
         ta: உங்களுக்குத் தெரியுமா அவர் எப்போது வருவார்?
         te: ఆయన ఎక్కడ ఉంటారో తెలుసా?
         kn: ಅವರು ಎಲ್ಲಿದ್ದಾರೆ ಎಂದು ತಿಳಿದಿದೆಯೇ?
         ml: അവൻ എവിടെയാണെന്ന് അറിയാമോ?
         en: Can you tell me what the time is?
         en: Do you remember who called?
         en: So you know where he lives?
         en: Hello Ravi, could you explain why it failed?",
        Contour::YesNoQuestion,
    );
}

#[test]
fn detects_question_words_in_any_position() {
    check(
        "hi: आप कैसे हैं?
         hi: आपका पता क्या है?
         hi: क्या हो रहा है?
         hi: यह क्या?
         hi: और क्या?
         hi: क्या करेंगे?
         bn: আপনার কি লাগবে?
         hi: आप क्या जानते हैं?
         hi: क्या तुम कल कहाँ थे?
         hi: ये आपसे किसने कहा कि वह जानता है?
         mr: तुम्ही का येणार?
         mr: तुझं नाव काय?
         bn: তোমার নাম কি?
         bn: কি খবর?
         bn: আপনি কি চান?
         bn: আপনি কী খাবেন?
         gu: આ શું છે?
         gu: શું ચાલે છે?
         pa: ਤੇਰਾ ਨਾਮ ਕੀ ਹੈ?
         or: ଏହା କଣ?
         or: ତୁମେ କଣ କରୁଛ?
         ta: உங்கள் ஊரெது?
         ta: எங்கள் கடை எங்கே?
         te: మీరేం చేస్తున్నారు?
         te: ఇదేమిటి?
         te: ఎలా?
         kn: ನಿಮ್ಮ ಊರೇನು?
         kn: ಅದ್ಯಾಕೆ?
         ml: പേരെന്താണ്?
         ml: വിലയെത്രയാണ്?
         en: Where are you?
         en: In which city do you live?
         en: It costs how much?
         en: What do you know?",
        Contour::WhQuestion,
    );
}

#[test]
fn detects_alternative_questions() {
    check(
        "hi: चाय लेंगे या कॉफ़ी?
         hi: आप आएँगे या नहीं?
         mr: चहा की कॉफी?
         mr: बसने जाणार की गाडीने?
         bn: চা না কফি?
         bn: আজ যাবেন নাকি কাল?
         gu: ચા કે કોફી?
         gu: તમે આવશો કે નહીં?
         pa: ਚਾਹ ਜਾਂ ਕੌਫ਼ੀ?
         or: ଚା ନା କଫି?
         ta: இன்றா நாளையா?
         ta: டீ வேண்டுமா அல்லது காபி வேண்டுமா?
         te: టీనా కాఫీనా?
         te: రేపు వస్తావా ఎల్లుండి వస్తావా?
         te: అన్నం తిన్నావా లేదా?
         te: ఇది నిజమా కాదా?
         kn: ಇವತ್ತಾ ನಾಳೆಯಾ?
         kn: ಊಟ ಮಾಡಿದ್ಯಾ ಇಲ್ವಾ?
         kn: ದೋಸೆ ಬೇಕಾ ಇಡ್ಲಿ ಬೇಕಾ?
         ml: ചായയോ കാപ്പിയോ?
         ml: ഇന്നാണോ അതോ നാളെയാണോ?
         en: Tea or coffee?
         en: Are you coming or not?",
        Contour::AlternativeQuestion,
    );
    check(
        "en: Do you want tea or something?
         hi: क्या आपको पता है वह आएगा या नहीं?
         gu: તેણે કહ્યું કે તે આવશે?
         te: మీరు కూడా చాలా బాగా పాడతారా?
         te: నువ్వు సినిమా చూశావా?
         te: మీ ఖాతా తెరిచారా?
         te: ఇంకా రాలేదా?
         te: ఏమైనా కావాలా?
         kn: ನೀವು ಸಿನಿಮಾ ನೋಡಿದ್ರಾ?
         kn: ನಾನೇ ಬರಬೇಕಾ?
         kn: ತುಂಬಾ ದೂರವಾ?
         kn: ಇನ್ನೂ ಬಂದಿಲ್ವಾ?",
        Contour::YesNoQuestion,
    );
}

#[test]
fn marks_question_words_and_alternatives() {
    assert_eq!(marked("यह किसका फ़ोन है?", Language::Hindi), "यह *किसका* फ़ोन है;");
    assert_eq!(marked("मीरा, where is it?", Language::Hindi), "मीरा; *where* is it;");
    assert_eq!(marked("Tea or coffee?", Language::English), "Tea, or coffee;");
    assert_eq!(marked("ചായയോ കാപ്പിയോ?", Language::Malayalam), "ചായയോ, കാപ്പിയോ;");
}

#[test]
fn particles_and_negations_set_focus() {
    for (code, text, expected) in [
        ("hi", "राम ही आया।", "*राम* ही आया;"),
        ("hi", "वह घर में भी था।", "वह *घर* में भी था;"),
        ("hi", "मैं नहीं जाऊँगा।", "मैं *नहीं* जाऊँगा;"),
        ("mr", "तो फक्त चहा पितो.", "तो फक्त *चहा* पितो;"),
        ("bn", "আমিই যাব।", "*আমিই* যাব;"),
        ("bn", "সে খাবে না।", "সে *খাবে* না;"),
        ("gu", "રમેશ જ આવ્યો.", "*રમેશ* જ આવ્યો;"),
        ("pa", "ਰਾਮ ਹੀ ਆਇਆ।", "*ਰਾਮ* ਹੀ ਆਇਆ;"),
        ("or", "ରାମ ହିଁ ଆସିଲା।", "*ରାମ* ହିଁ ଆସିଲା;"),
        ("ta", "ராமன் தான் வந்தான்.", "*ராமன்* தான் வந்தான்;"),
        ("te", "రాము మాత్రమే వచ్చాడు.", "*రాము* మాత్రమే వచ్చాడు;"),
        ("kn", "ರಾಮ ಮಾತ್ರ ಬಂದ.", "*ರಾಮ* ಮಾತ್ರ ಬಂದ;"),
        ("ml", "രാമൻ മാത്രം വന്നു.", "*രാമൻ* മാത്രം വന്നു;"),
        ("en", "He drinks only tea.", "He drinks only *tea*;"),
        ("en", "He did not come.", "He did *not* come;"),
        // a negation in a question is not in focus
        ("hi", "तुम नहीं आओगे?", "तुम नहीं आओगे;"),
    ] {
        assert_eq!(marked(text, Language::from_code(code).unwrap()), expected);
    }
}

#[test]
fn groups_digits() {
    for (code, text, expected) in [
        ("en", "My OTP is 482913.", "My OTP is four eight two | nine one three;"),
        ("en", "Call 98765 43210.", "Call nine eight seven six five | four three two one zero;"),
        ("en", "Call 9876543210.", "Call nine eight seven six five | four three two one zero;"),
        ("en", "+919876543210", "plus nine one | nine eight seven six five | four three two one zero"),
        (
            "en",
            "account number 5012 3467 8890",
            "account number five zero one two | three four six seven | eight eight nine zero,",
        ),
        ("en", "PIN 4821.", "PIN four eight two one;"),
        ("en", "seven eight seven seven eight nine", "seven eight seven | seven eight nine,"),
        ("en", "OTP 4 8 2 9 1 3.", "OTP four eight two | nine one three;"),
        ("hi", "नौ आठ चार पाँच शून्य छह", "नौ आठ चार | पाँच शून्य छह,"),
        // years, amounts, counts and ranges have no groups
        ("en", "It was built in 1947.", "It was built in nineteen forty seven;"),
        ("en", "He counted one two three four.", "He counted one two three four;"),
        ("en", "10-15 kg", "ten to fifteen kilograms,"),
    ] {
        let actual = marked(text, Language::from_code(code).unwrap());
        assert_eq!(actual.trim_end_matches(','), expected.trim_end_matches(','), "{text}");
    }
    for language in Language::ALL {
        let utterances = read(&["OTP 482913."], language);
        let places: Vec<usize> = utterances
            .iter()
            .flat_map(|utterance| &utterance.words)
            .rev()
            .enumerate()
            .filter(|(_, word)| word.break_after == Break::Group)
            .map(|(from_end, _)| from_end)
            .collect();
        assert_eq!(places, [3], "{language}");
        let amount = read(&["₹2,50,000.", "1998."], language);
        let breaks = amount.iter().flat_map(|utterance| &utterance.words).map(|word| word.break_after);
        assert!(!breaks.into_iter().any(|edge| edge == Break::Group), "{language}");
    }
}

#[test]
fn inserts_breaths_in_long_segments() {
    for (code, text, expected) in [
        (
            "hi",
            "मंत्री ने कल शाम को बताया कि नई सड़क का काम अगले महीने के पहले हफ़्ते में शुरू होगा।",
            "मंत्री ने कल शाम को बताया / कि नई सड़क का काम / अगले महीने के पहले हफ़्ते में शुरू होगा;",
        ),
        (
            "en",
            "Passengers are requested to keep their tickets ready because the inspector will come to every seat.",
            "Passengers are requested to keep their tickets ready / because the inspector will come to every seat;",
        ),
        ("hi", "मैं कल सुबह घर जाऊँगा।", "मैं कल सुबह घर जाऊँगा;"),
        ("en", "The parcel was delivered on Friday.", "The parcel was delivered on Friday;"),
    ] {
        assert_eq!(marked(text, Language::from_code(code).unwrap()), expected);
    }
}

#[test]
fn does_not_divide_units() {
    // the signs become many words, with no possible boundary between any two of them
    let signs = read(&[&"≥".repeat(9)], Language::English);
    assert!(signs[0].words.len() > 40);
    let within = &signs[0].words[..signs[0].words.len() - 1];
    assert!(within.iter().all(|word| word.break_after == Break::None));
}

#[test]
fn separates_parentheses_and_quotations() {
    for (code, text, expected) in [
        ("en", "My uncle (who lives in Delhi) came.", "My uncle / (who) (lives) (in) (Delhi) / came;"),
        ("en", "He (Ravi, my son, too) came.", "He / (Ravi); (my) (son); (too) / came;"),
        ("en", "Bring (one. Then go.", "Bring / (one); Then go;"),
        ("en", "He said \"come to my house\" again.", "He said / come to my house again;"),
        ("en", "The word \"now\" is short.", "The word now is short;"),
        ("hi", "उसने कहा “मैं कल आऊँगा”।", "उसने कहा / मैं कल आऊँगा;"),
        ("bn", "অধ্যাপক (ড.) ঘোষ এলেন।", "অধ্যাপক ডক্টর ঘোষ এলেন;"),
        ("bn", "মোট আসন ১০।১২ জন।", "মোট আসন দশ, বারো জন;"),
    ] {
        assert_eq!(marked(text, Language::from_code(code).unwrap()), expected);
    }
}

#[test]
fn splits_unpunctuated_text_at_clauses_or_phrases() {
    let clause = "one two three four five six seven eight nine ten eleven twelve because ";
    let text = format!("{clause}{}", "word ".repeat(20));
    let utterances = read(&[&text], Language::English);
    assert_eq!(utterances[0].words.len(), 12);
    assert_eq!(utterances[0].words.last().unwrap().break_after, Break::Breath);
    // a flush does not end a sentence, so it adds no pause
    let mut reader = Reader::new(Settings { language: Some(Language::English), ..Settings::default() });
    reader.push("we were going home ");
    reader.flush();
    assert_eq!(reader.next_utterance().unwrap().words.last().unwrap().break_after, Break::Phrase);
}

#[test]
fn prosody_is_independent_of_text_chunks() {
    let texts = [
        (Language::Hindi, "क्या आपको पता है (अगर नहीं, तो पूछिए) कि बस कब आएगी? मेरा नंबर 98765 43210 है।"),
        (
            Language::English,
            "He said (well, shouted, really) that he would come. Tea or coffee? OTP 482913!\nNew. Two.",
        ),
    ];
    for (language, text) in texts {
        let expected = read(&[text], language);
        for at in (1..text.len()).filter(|&at| text.is_char_boundary(at)) {
            assert_eq!(read(&[&text[..at], &text[at..]], language), expected, "split at {at}");
        }
    }
}

#[test]
fn counts_sentences_per_paragraph() {
    let places: Vec<u32> = read(&["One, two. Three.\n\nFour. Five."], Language::English)
        .iter()
        .map(|utterance| utterance.sentence)
        .collect();
    assert_eq!(places, [0, 0, 1, 0, 1]);
}
