//! The `--lexicon` flag: readings of words, given individually or in a file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use shruti_lang::Language;
use shruti_text::Lexicon;
use shruti_text::lexicon::{Entry, entries};

/// Readings given to a command.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Readings {
    /// Override the reading of a word with a respelling or with IPA between slashes; or load the entries of a TOML file
    /// in the format of `serve --lexicon`. Repeatable; words override files, and later files override earlier ones
    #[arg(long = "lexicon", value_name = "WORD=READING|FILE", value_parser = parse)]
    given: Vec<Given>,
}

/// Value of one occurrence of the flag.
#[derive(Clone, Debug, PartialEq)]
enum Given {
    Word(Entry),
    File(Vec<Entry>),
}

fn parse(argument: &str) -> Result<Given, String> {
    const FORM: &str = "write WORD=READING, such as AIIMS=एम्स or Shruti=/ʃɾʊt̪iː/, or the name of a TOML file";
    let Some((word, reading)) = argument.split_once('=') else {
        let source = std::fs::read_to_string(argument).map_err(|error| format!("{error}; {FORM}"))?;
        let entries = entries(&source).and_then(|entries| Lexicon::from_toml(&source).map(|_| entries));
        return entries.map(Given::File).map_err(|bad| bad.to_string());
    };
    if word.is_empty() || reading.is_empty() {
        return Err(FORM.to_owned());
    }
    Lexicon::new([(word, reading)]).map_err(|bad| bad.to_string())?;
    let (word, reading) = (word.to_owned(), reading.to_owned());
    Ok(Given::Word(Entry { language: None, word, reading, line: 0 }))
}

impl Readings {
    /// Returns the entries in order of increasing priority: files, then individual words.
    fn in_order(&self) -> impl Iterator<Item = &[Entry]> {
        let files = self.given.iter().filter_map(|given| match given {
            Given::File(entries) => Some(entries.as_slice()),
            Given::Word(_) => None,
        });
        let words = self.given.iter().filter_map(|given| match given {
            Given::Word(entry) => Some(std::slice::from_ref(entry)),
            Given::File(_) => None,
        });
        files.chain(words)
    }

    /// Builds the lexicon for a text that is processed locally.
    pub(crate) fn lexicon(&self) -> anyhow::Result<Arc<Lexicon>> {
        let mut combined = Arc::<Lexicon>::default();
        for entries in self.in_order() {
            let mut lexicon = Lexicon::default();
            for entry in entries {
                lexicon.insert(entry.language, &entry.word, &entry.reading)?;
            }
            combined = Arc::new(lexicon.with_fallback(combined));
        }
        Ok(combined)
    }

    /// Returns the entries that apply to a text in `language`, for a request to a server, because a request cannot
    /// limit an entry to a language. Fails if `language` is `None` and an entry applies to only one language.
    pub(crate) fn for_server(&self, language: Option<Language>) -> anyhow::Result<BTreeMap<String, String>> {
        let mut words = BTreeMap::new();
        for entries in self.in_order() {
            let (own, everywhere): (Vec<_>, Vec<_>) =
                entries.iter().partition(|entry| entry.language.is_some());
            if let (Some(Entry { language: Some(only), word, .. }), None) = (own.first(), language) {
                bail!("the lexicon has '{word}' only for {}: set the text's --language", only.name());
            }
            let own = own.into_iter().filter(|entry| entry.language == language);
            words.extend(
                everywhere.into_iter().chain(own).map(|entry| (entry.word.clone(), entry.reading.clone())),
            );
        }
        Ok(words)
    }
}

/// Maximum size of a server's lexicon file, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Reads the lexicon of a server from the given file.
pub(crate) fn of_server(path: &Path) -> anyhow::Result<Lexicon> {
    let name = || format!("lexicon {}", path.display());
    let source = shruti_http::read_file(path, MAX_BYTES).with_context(name)?;
    let source = String::from_utf8(source).with_context(name)?;
    Lexicon::from_toml(&source).with_context(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readings(words: &[&str]) -> Readings {
        Readings { given: words.iter().map(|word| parse(word).unwrap()).collect() }
    }

    #[test]
    fn words_override_files_and_a_language_overrides_all_languages() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ours.toml");
        std::fs::write(&file, "[words]\na = 'file'\nb = 'file'\nc = 'file'\n[ta]\nb = 'tamil'\n").unwrap();
        let readings = readings(&["c=word", file.to_str().unwrap()]);
        let tamil = readings.for_server(Some(Language::Tamil)).unwrap();
        let entries: Vec<(&str, &str)> =
            tamil.iter().map(|(word, reading)| (word.as_str(), reading.as_str())).collect();
        assert_eq!(entries, [("a", "file"), ("b", "tamil"), ("c", "word")]);
        let message =
            |language| shruti_text::normalize_line("a b c", Some(language), &readings.lexicon().unwrap());
        assert_eq!(
            (message(Language::Tamil).as_str(), message(Language::Hindi).as_str()),
            ("file tamil word", "file file word")
        );
        let error = readings.for_server(None).unwrap_err().to_string();
        assert_eq!(error, "the lexicon has 'b' only for Tamil: set the text's --language");
    }

    #[test]
    fn invalid_input_gets_specific_errors() {
        assert!(parse("AIIMS").unwrap_err().contains("write WORD=READING"));
        assert!(parse("=x").is_err() && parse("x=").is_err());
        assert!(parse("x=/%/").unwrap_err().starts_with("'x': the reading between slashes is not IPA: '%'"));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ours.toml");
        std::fs::write(&file, "[words]\n\nAIIMS = '/e/'\nx = '/'").unwrap();
        let wanted = "line 4: 'x': the reading contains neither a letter nor a digit";
        assert_eq!(parse(file.to_str().unwrap()).unwrap_err(), wanted);
        let error = format!("{:#}", of_server(&file).unwrap_err());
        assert!(error.ends_with(&format!("ours.toml: {wanted}")), "{error}");
    }
}
