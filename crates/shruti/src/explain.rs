//! The `--explain` output: the tokens of a text with their classes, words and phones.

use std::collections::HashSet;
use std::io::{self, BufRead, BufWriter, IsTerminal, Write, stdin, stdout};
use std::sync::Arc;

use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle};
use serde::Serialize;
use shruti_lang::Language;
use shruti_text::explain::{Explanation, Token, Word};
use shruti_text::latin::{Source, Why};
use shruti_text::phone::to_ipa;
use shruti_text::script::Script;
use shruti_text::{Lexicon, Settings, explain};

use crate::printable::printable;

/// Table style: a line under the header, and no other borders.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

/// Options of `normalize` and `phones` for detailed output.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct Explain {
    /// Print a table of the tokens of each line
    ///
    /// The columns are the position (the range of characters; the end is exclusive), the written form and its class,
    /// the spoken words, the language, the phones (with | between words), the rule and the reason. The rule is the data
    /// files that determined the reading, or `spelling` if the word is pronounced as it is spelled. For a word in Latin
    /// letters, the reason is the source of the reading, and how much more likely this reading is than others (natural
    /// logarithm of the ratio). For a number that may be a code, the reason is the weights of its possible readings;
    /// the largest weight decides. The reason `form` means that no other reading was considered.
    #[arg(long)]
    explain: bool,

    /// Print the same details as JSON, one object per line
    #[arg(long)]
    json: bool,
}

impl Explain {
    /// Returns whether detailed output is requested.
    const fn asked(self) -> bool {
        self.explain || self.json
    }

    /// Prints the details of one text.
    fn tell(
        self,
        out: &mut impl Write,
        text: &str,
        language: Option<Language>,
        lexicon: &Arc<Lexicon>,
    ) -> io::Result<()> {
        let explanation = explain(text, Settings { language, lexicon: Arc::clone(lexicon) });
        if self.json {
            serde_json::to_writer(&mut *out, &Told { text, explanation: &explanation })?;
            return writeln!(out);
        }
        let language = spoken_in(&explanation);
        writeln!(
            out,
            "{} ({language})\n{}\n",
            printable(text),
            table(&explanation, io::stdout().is_terminal())
        )
    }
}

/// Returns the name of the language, and the name of the script unless it is the native script of the language:
/// `Hindi`, or `Hindi, Latin script`. Returns `nothing to speak` if the text has no language.
fn spoken_in(explanation: &Explanation) -> String {
    let (Some(language), Some(script)) = (explanation.language, explanation.script) else {
        return "nothing to speak".to_owned();
    };
    let own = language.native_name().chars().find_map(Script::of);
    if own == Some(script) {
        language.name().to_owned()
    } else {
        format!("{}, {} script", language.name(), script.name())
    }
}

/// Prints `text<TAB>` and the result of `plain` for each text, or details if requested. If `texts` is empty, each line
/// of standard input is a text.
pub(crate) fn print_lines(
    texts: &[String],
    explain: Explain,
    language: Option<Language>,
    lexicon: &Arc<Lexicon>,
    plain: impl Fn(&str) -> String,
) -> anyhow::Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    let is_typed = texts.is_empty() && stdin().is_terminal();
    if is_typed {
        eprintln!("type one text per line; end with Ctrl-D");
    }
    let typed = texts.is_empty().then(|| stdin().lock().lines());
    let arguments = texts.iter().map(|text| Ok(text.clone()));
    for line in arguments.chain(typed.into_iter().flatten()) {
        let line = line?;
        if explain.asked() {
            explain.tell(&mut out, &line, language, lexicon)?;
        } else {
            writeln!(out, "{line}\t{}", plain(&line))?;
        }
        if is_typed {
            out.flush()?;
        }
    }
    Ok(out.flush()?)
}

#[derive(Serialize)]
struct Told<'a> {
    text: &'a str,
    #[serde(flatten)]
    explanation: &'a Explanation,
}

/// Creates the table. If `fitted` is true, the table fits the width of the terminal; otherwise it is as wide as its
/// content.
fn table(explanation: &Explanation, fitted: bool) -> Table {
    let mut table = Table::new();
    table.load_style(STYLE);
    if fitted {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    table.set_header(["position", "written", "class", "spoken", "language", "phones", "rule", "reason"]);
    for token in &explanation.tokens {
        table.add_row(row(token));
    }
    table
}

fn row(token: &Token) -> [String; 8] {
    let joined =
        |text_of: fn(&Word) -> String, by: &str| token.words.iter().map(text_of).collect::<Vec<_>>().join(by);
    let mut languages: Vec<&str> = token.words.iter().map(|word| word.language.code()).collect();
    languages.dedup();
    [
        format!("{}–{}", token.start, token.end),
        printable(&token.written),
        token.class.to_string(),
        joined(|word| word.text.clone(), " "),
        languages.join(" "),
        joined(|word| to_ipa(&word.phones), " | "),
        rules(token),
        reasons(token),
    ]
}

/// Returns the reasons for the reading of a number or of words in Latin letters, or `form` if a rule determined the
/// reading and no other reading was considered.
fn reasons(token: &Token) -> String {
    let of_number = token.evidence.iter().map(ToString::to_string);
    let reasons: String =
        of_number.chain(token.words.iter().filter_map(|word| word.why.as_ref()).map(because)).collect();
    let is_form = reasons.is_empty() && token.rule.is_some();
    if is_form { "form".to_owned() } else { reasons }
}

/// Returns the files that determine the reading of a token, without duplicates: `hi/normalize.toml [money],
/// hi/exceptions.tsv`. Returns `spelling` if no file contains the words: they are then pronounced as they are spelled.
fn rules(token: &Token) -> String {
    let phones = token.words.iter().filter_map(|word| word.phones_by.as_deref());
    let mut files: Vec<&str> = token.rule.as_deref().into_iter().chain(phones).collect();
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(*file));
    if files.is_empty() && !token.words.is_empty() { "spelling".to_owned() } else { files.join(", ") }
}

/// Describes the source of the reading of a word in Latin letters, and how much more likely this reading is than
/// others: `lexicon; 1.2 more likely than प्रिय; 8.0 more likely than English`.
fn because(why: &Why) -> String {
    let place = |name: &str, behind: f32| {
        let side = if behind < 0.0 { "less" } else { "more" };
        format!("; {:.1} {side} likely than {name}", behind.abs())
    };
    let source = match why.source {
        Source::List => "list",
        Source::Lexicon => "lexicon",
        Source::Spelling => "spelling",
        Source::Name => "name",
        Source::English => "English",
        Source::Letters => "letters",
    };
    let runner_up = why.runner_up.as_ref().map(|other| place(&other.text, other.behind));
    format!("{source}{}{}", runner_up.unwrap_or_default(), place("English", why.over_english))
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[test]
    fn columns_are_aligned_by_visible_width() {
        let text = "कुल ₹1,25,000 \u{202e}हुए, क्षत्रिय order 5 kg 北京";
        let explanation = explain(text, Settings { language: Some(Language::Hindi), ..Settings::default() });
        let table = table(&explanation, false).to_string();
        let widths: Vec<usize> = table.lines().map(UnicodeWidthStr::width).collect();
        assert!(widths.len() > 10 && widths.iter().all(|&width| width == widths[0]), "{widths:?}\n{table}");
        assert!(table.contains("u{202e}") && !table.contains('\u{202e}'), "{table}");
        let money = table.lines().find(|line| line.contains("1,25,000")).unwrap();
        let cells = ["4–13", "money", "एक लाख पच्चीस हज़ार रुपए", "hi", "eː k | l aː kʰ"];
        assert!(cells.iter().all(|cell| money.contains(cell)), "{money}");
    }
}
