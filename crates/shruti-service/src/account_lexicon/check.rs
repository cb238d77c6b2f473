//! Validation of a lexicon's text.

use shruti_protocol::fields::{invalid_field, quoted};
use shruti_protocol::limits::MAX_ACCOUNT_LEXICON_ENTRIES;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::MAX_LEXICON_BYTES;
use shruti_text::Lexicon;
use shruti_text::lexicon::{BadEntry, BadFile, Problem, entries};

use crate::http::errors::internal;

/// Maximum length of an error message, in characters. Messages repeat parts of the input, so a longer message is
/// truncated.
const MAX_MESSAGE_CHARS: usize = 300;

/// Returns the text of a lexicon, or an empty text if the lexicon has no entries. Returns an error if the lexicon is
/// too large or one of its entries is invalid. The text is parsed on a blocking thread.
pub(super) async fn check(toml: String) -> Result<String, ApiError> {
    tokio::task::spawn_blocking(move || checked(toml)).await.map_err(|_| internal())?
}

fn checked(toml: String) -> Result<String, ApiError> {
    if toml.len() > MAX_LEXICON_BYTES {
        let message = format!("the lexicon has {} bytes; the limit is {MAX_LEXICON_BYTES}", toml.len());
        return Err(ApiError::new(ErrorCode::BodyTooLarge, message));
    }
    let found = entries(&toml).map_err(|bad| refused(&bad))?.len();
    if found > MAX_ACCOUNT_LEXICON_ENTRIES {
        let message = format!("the lexicon has {found} entries; the limit is {MAX_ACCOUNT_LEXICON_ENTRIES}");
        return Err(invalid_field("lexicon", message));
    }
    let lexicon = Lexicon::from_toml(&toml).map_err(|bad| refused(&bad))?;
    // a lexicon with only comments and empty tables is stored as empty
    Ok(if lexicon.has_own() { toml } else { String::new() })
}

fn refused(bad: &BadFile) -> ApiError {
    let problem = match bad.problem.clone() {
        Problem::Entry(BadEntry { word, flaw }) => Problem::Entry(BadEntry { word: quoted(&word), flaw }),
        Problem::NoTable(word) => Problem::NoTable(quoted(&word)),
        Problem::UnknownTable(name) => Problem::UnknownTable(quoted(&name)),
        Problem::NotAString { word, found } => Problem::NotAString { word: quoted(&word), found },
        syntax @ Problem::Syntax(_) => syntax,
    };
    let full_message = BadFile { line: bad.line, problem }.to_string();
    let mut safe = full_message.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut message: String = safe.by_ref().take(MAX_MESSAGE_CHARS).collect();
    if safe.next().is_some() {
        message.push('…');
    }
    invalid_field("lexicon", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(toml: &str) -> ApiError {
        checked(toml.to_owned()).unwrap_err()
    }

    #[test]
    fn valid_lexicons_are_stored_verbatim() {
        let good = "# ours\n[words]\nAIIMS = \"एम्स\" # a hospital\n\n[ta]\nOoty = '/uːʈiː/'\n";
        assert_eq!(checked(good.to_owned()).unwrap(), good);
        for nothing in ["", "\n", "# none yet\n", "[words]\n", "[words]\n[ta]\n"] {
            assert_eq!(checked(nothing.to_owned()).unwrap(), "", "{nothing:?}");
        }
    }

    #[test]
    fn hostile_lexicons_get_short_errors() {
        let many: Vec<String> = (0..=MAX_ACCOUNT_LEXICON_ENTRIES).map(|at| format!("w{at}='x'")).collect();
        let many = many.join("\n");
        let long = "a".repeat(60_000);
        for (toml, says) in [
            (format!("[words]\n{many}"), "1001 entries; the limit is 1000"),
            (format!("[words]\n{long} = 'x'"), "line 2: '"),
            (format!("[words]\na = '{long}'"), "the reading has 60000 characters"),
            (format!("{long} = 1"), "line 1: '"),
            (format!("[{long}]"), "line 1: ["),
            (format!("[words]\n{long} = 1"), "must be a string"),
            ("[words]\n\"a\\u0000b\" = 'x'".to_owned(), "there is a control character in the word"),
            ("[words]\na = \"\\u001b[2J\"".to_owned(), "there is a control character in the reading"),
            ("[words]\na = 'x'\nA = 'y'".to_owned(), "is a duplicate of"),
            ("[words]\na = 'x'\na = 'y'".to_owned(), "line 3: not TOML"),
            (format!("[words]\na = {}", "[".repeat(60_000)), "not TOML"),
            (format!("[words]\na = {}1{}", "{a=".repeat(9_000), "}".repeat(9_000)), "not TOML"),
            (format!("[words]\n{}a = 'x'", "a.".repeat(30_000)), "line "),
            (format!("[{}a]", "words.".repeat(9_000)), "line "),
            ("\u{0}".to_owned(), "not TOML"),
        ] {
            let error = refused(&toml);
            assert_eq!((error.code, error.param.as_deref()), (ErrorCode::InvalidField, Some("lexicon")));
            assert!(error.message.contains(says), "{}", error.message);
            assert!(error.message.chars().count() <= MAX_MESSAGE_CHARS + 1, "{}", error.message);
            assert!(!error.message.chars().any(char::is_control), "{:?}", error.message);
        }
        assert_eq!(refused(&"#".repeat(MAX_LEXICON_BYTES + 1)).code, ErrorCode::BodyTooLarge);
    }
}
