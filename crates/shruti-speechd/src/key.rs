//! Names of keys, such as `a`, `shift_a`, `control_Return` and `_`.

use shruti_lang::Language;
use shruti_screenreader::character_name;

/// Returns the SSML for a key. Modifiers and names of keys are read as words, single characters by their names.
pub(crate) fn ssml(key: &str, language: Language) -> String {
    // an underscore separates the names of the modifiers and the key; an underscore at the end is the key itself
    let (modifiers, last) = match key.strip_suffix('_') {
        Some(modifiers) => (modifiers, "_"),
        None => key.rsplit_once('_').unwrap_or(("", key)),
    };
    let words = modifiers.split('_').filter(|word| !word.is_empty()).map(|name| word(name, language));
    let words: Vec<String> = words.chain([word(last, language)]).collect();
    format!("<speak>{}</speak>", words.join(" "))
}

fn word(name: &str, language: Language) -> String {
    let escaped = name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        if let Some(name) = character_name(character, language) {
            return name;
        }
        return format!("<say-as interpret-as=\"characters\">{escaped}</say-as>");
    }
    // the names of some keys contain hyphens: KP-Enter, Page-Up, volume-down
    escaped.replace('-', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_spoken_with_their_modifiers() {
        let one = |c: &str| format!("<say-as interpret-as=\"characters\">{c}</say-as>");
        for (key, said) in [
            ("a", one("a")),
            ("shift_a", format!("shift {}", one("a"))),
            ("control_alt_Page-Up", "control alt Page Up".to_owned()),
            ("_", "underscore".to_owned()),
            ("shift__", "shift underscore".to_owned()),
            ("<", "less than".to_owned()),
        ] {
            assert_eq!(ssml(key, Language::English), format!("<speak>{said}</speak>"), "{key}");
        }
    }
}
