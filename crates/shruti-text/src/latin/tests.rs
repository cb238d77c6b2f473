use super::*;

#[test]
fn romanised_words_are_spelt_in_their_own_script() {
    let cases = [
        ("kya", Language::Hindi, "क्या"),
        ("nahee", Language::Hindi, "नहीं"),
        ("Swatantrata", Language::Hindi, "स्वतंत्रता"),
        ("vanakkam", Language::Tamil, "வணக்கம்"),
        ("bhārata", Language::Hindi, "भारत"),
        ("tamiḻ", Language::Tamil, "தமிழ்"),
        ("vyāghraḥ", Language::Telugu, "వ్యాఘ్రః"),
    ];
    for (word, language, native) in cases {
        assert_eq!(to_native(word, language, Romanisation::Typed), native, "{word}");
    }
}
