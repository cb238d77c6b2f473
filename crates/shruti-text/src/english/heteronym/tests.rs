use super::*;

#[test]
fn files_are_valid() {
    let words = read(include_str!("../../../data/en/heteronyms.toml")).unwrap();
    for (word, readings) in &words {
        assert!(word.bytes().all(|byte| byte.is_ascii_lowercase()), "{word}");
        assert!(readings.iter().filter(|reading| reading.mixed).count() <= 1, "{word}");
        for reading in readings {
            let (phones, stresses) = read_ipa(&reading.said, first_stressed).unwrap();
            assert!(!phones.is_empty() && stresses.contains(&crate::utterance::Stress::Primary), "{word}");
            assert!(!reading.parts.is_empty(), "{word}");
        }
    }
}
