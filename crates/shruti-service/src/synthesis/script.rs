//! Detection of texts in an unsupported script.
//!
//! Urdu, Kashmiri and Sindhi are written in Arabic script, which is not the script of any supported language. Arabic
//! letters are skipped, so such a text would be silence, or only its few Latin words, at the price of the whole text.

use shruti_lang::Language;
use shruti_protocol::{ApiError, ErrorCode};

/// Returns an error for a text that is mostly in Arabic script, unless the request names a language.
pub(super) fn check_script(text: &str, language: Option<Language>) -> Result<(), ApiError> {
    let letters = Letters::of(text);
    if language.is_some() || letters.arabic * 2 <= letters.all {
        return Ok(());
    }
    let message = "the text is in Arabic script (such as Urdu), which is not supported; write Urdu in Devanagari, \
                   with language 'hi', or in Latin letters";
    Err(ApiError::new(ErrorCode::UnsupportedLanguage, message).with_param("text"))
}

/// Returns a warning for unsupported letters, if the text contains any.
pub fn unread_script(text: &str) -> Option<String> {
    let letters = Letters::of(text).arabic;
    (letters > 0).then(|| {
        let (noun, verb) = if letters == 1 { ("letter", "is") } else { ("letters", "are") };
        format!("{letters} {noun} of the text {verb} in Arabic script (Urdu), which is not supported")
    })
}

struct Letters {
    arabic: usize,
    all: usize,
}

impl Letters {
    fn of(text: &str) -> Self {
        let letters = || text.chars().filter(|c| c.is_alphabetic());
        Self { arabic: letters().filter(|c| is_arabic(*c)).count(), all: letters().count() }
    }
}

/// Returns whether a character is in an Arabic block (Unicode 16, blocks Arabic to Arabic Presentation Forms-B).
const fn is_arabic(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{870}'..='\u{8ff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const URDU: &str = "\u{622}\u{67e} \u{6a9}\u{6cc}\u{633}\u{6d2} \u{6c1}\u{6cc}\u{6ba}";

    #[test]
    fn rejects_arabic_text_and_reports_arabic_words() {
        let error = check_script(URDU, None).unwrap_err();
        assert_eq!((error.code, error.param.as_deref()), (ErrorCode::UnsupportedLanguage, Some("text")));
        assert!(error.message.contains("Urdu"), "{}", error.message);
        assert!(check_script(&format!("{URDU}, ok?"), None).is_err(), "mostly");
        assert_eq!(check_script(URDU, Some(Language::Hindi)), Ok(()), "the caller says how to read it");
        assert_eq!(check_script(&format!("यह उर्दू में ऐसे लिखा जाता है: {URDU}"), None), Ok(()));
        assert_eq!(check_script("12:30 !", None), Ok(()));

        assert!(unread_script(URDU).unwrap().starts_with("9 letters of the text are in Arabic script"));
        assert!(unread_script("a \u{622}").unwrap().starts_with("1 letter of the text is"));
        assert_eq!(unread_script("नमस्ते, hello"), None);
    }
}
