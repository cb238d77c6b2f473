//! `/docs/search`: full-text search in the sections of the documentation.

use std::fmt::Write;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::markdown::{Ids, Page, escape};

/// Maximum length of a query in characters. The rest is ignored.
pub(super) const MAX_CHARS: usize = 100;
/// Maximum number of words in a query. The rest is ignored.
const MAX_WORDS: usize = 8;
/// Maximum number of sections in the result.
const MAX_RESULTS: usize = 30;
/// Approximate length of the excerpt around the first match, in bytes.
const AROUND: usize = 120;
/// Weight of a match in a heading, relative to a match in the text.
const HEADING: usize = 20;

/// Part of a page under one heading.
pub(super) struct Section {
    /// Path of the section.
    path: String,
    /// Name of the page. `title` is the heading of the section.
    page: String,
    title: String,
    /// Text without markup. `folded` is the same text with ASCII letters in lower case.
    text: String,
    folded: String,
}

/// Search index of all sections.
pub(super) struct Index(Vec<Section>);

/// Splits a page in Markdown into its sections.
pub(super) fn sections(path: &str, page: &str, markdown: &str) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    let mut ids = Ids::default();
    let mut is_heading = false;
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                is_heading = true;
                let (title, text, folded) = Default::default();
                found.push(Section { path: String::new(), page: page.to_owned(), title, text, folded });
            }
            Event::End(TagEnd::Heading(_)) => {
                is_heading = false;
                if let Some(section) = found.last_mut() {
                    section.path = format!("{path}#{}", ids.of(&section.title));
                }
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(section) = found.last_mut() {
                    if is_heading {
                        section.title.push_str(&words);
                    } else {
                        section.text.push_str(&words);
                    }
                }
            }
            Event::SoftBreak | Event::HardBreak | Event::End(_) => {
                if let Some(section) = found.last_mut().filter(|_| !is_heading) {
                    section.text.push(' ');
                }
            }
            _ => {}
        }
    }
    for section in &mut found {
        section.folded = section.text.to_ascii_lowercase();
    }
    found
}

/// Returns the search terms of a query string: the value of `q`.
pub(super) fn asked(query: &str) -> String {
    let parameter = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "q");
    parameter
        .map(|(_, words)| words.chars().filter(|c| !c.is_control()).take(MAX_CHARS).collect())
        .unwrap_or_default()
}

impl Index {
    pub(super) fn new(sections: impl Iterator<Item = Section>) -> Self {
        Self(sections.collect())
    }

    /// Returns the page with the search results.
    pub(super) fn page(&self, query: &str) -> Page {
        let words = words(query);
        let found = self.find(&words);
        let mut html = String::from("<h1>Search</h1>\n");
        let summary = match (words.is_empty(), found.len()) {
            (true, _) => "Enter search terms in the field above.".to_owned(),
            (_, 0) => format!("No results for: {}", escape(query)),
            (_, 1) => "1 result:".to_owned(),
            (_, count) if count >= MAX_RESULTS => format!("The {MAX_RESULTS} best results:"),
            (_, count) => format!("{count} results:"),
        };
        // writing to a `String` cannot fail
        let _ = writeln!(html, "<p role=\"status\">{summary}</p>\n<ol class=\"found\">");
        for section in found {
            let (path, page, title) = (&section.path, escape(&section.page), escape(&section.title));
            let excerpt = section.excerpt(&words);
            let _ =
                writeln!(html, "<li><a href=\"{path}\">{title}</a> <span>{page}</span><p>{excerpt}</p></li>");
        }
        html.push_str("</ol>\n");
        Page { title: "Search".to_owned(), sections: Vec::new(), html }
    }

    fn find(&self, words: &[Word]) -> Vec<&Section> {
        let mut found: Vec<(Score, &Section)> =
            self.0.iter().filter_map(|section| Some((section.score(words)?, section))).collect();
        // sections with equal scores stay in page order
        found.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
        found.into_iter().take(MAX_RESULTS).map(|(_, section)| section).collect()
    }
}

/// A word of a query followed by its synonyms.
type Word = Vec<String>;
/// Number of words of the query that a section contains, and weighted number of their matches.
type Score = (usize, usize);

/// Groups of synonyms.
const SYNONYMS: &str = include_str!("synonyms.tsv");

/// Splits a query into words. `OR`, an operator of other search engines, is ignored because words are always
/// alternatives.
fn words(query: &str) -> Vec<Word> {
    let terms = query.split_whitespace().filter(|word| *word != "OR").take(MAX_WORDS);
    terms.map(|word| with_synonyms(word.to_lowercase())).collect()
}

fn with_synonyms(word: String) -> Word {
    let groups = SYNONYMS.lines().filter(|line| !line.starts_with('#'));
    let group = groups.map(|line| line.split('\t')).find(|group| group.clone().any(|known| known == word));
    let others = group.into_iter().flatten().filter(|known| *known != word).map(str::to_owned).collect();
    [vec![word], others].concat()
}

impl Section {
    /// Returns the score of a section, or `None` if it contains none of the words. A match of the word itself counts
    /// twice as much as a match of a synonym.
    fn score(&self, words: &[Word]) -> Option<Score> {
        let title = self.title.to_lowercase();
        let count = |word: &String| {
            HEADING * title.matches(word.as_str()).count()
                + self.folded.matches(word.as_str()).count().min(HEADING - 1)
        };
        let counts = words.iter().map(|word| {
            let others: usize = word.iter().skip(1).map(count).sum();
            2 * word.first().map(count).unwrap_or_default() + others
        });
        let counts: Vec<usize> = counts.filter(|count| *count > 0).collect();
        (!counts.is_empty()).then(|| (counts.len(), counts.iter().sum()))
    }

    /// Returns an excerpt around the first match, and marks the match. Matches of the words themselves are
    /// preferred to those of synonyms.
    fn excerpt(&self, words: &[Word]) -> String {
        let find = |word: &String| Some((self.folded.find(word.as_str())?, word.len()));
        let written = words.iter().filter_map(|word| word.first()).filter_map(find).min();
        let place = written.or_else(|| words.iter().flatten().filter_map(find).min());
        let (at, length) = place.unwrap_or_default();
        let from = self.text.floor_char_boundary(at.saturating_sub(AROUND / 2));
        let to = self.text.ceil_char_boundary((at + length + AROUND).min(self.text.len()));
        let (before, rest) = self.text[from..to].split_at(at - from);
        let (word, after) = rest.split_at(length);
        let marked = if word.is_empty() { String::new() } else { format!("<mark>{}</mark>", escape(word)) };
        let dots = |is_cut| if is_cut { "… " } else { "" };
        let (first, last) = (dots(from > 0), dots(to < self.text.len()));
        format!("{first}{}{marked}{} {last}", escape(before.trim_start()), escape(after.trim_end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Page\nAbout *pauses*.\n## Barge-in\nThe user speaks & `cancel` stops it.\n\
        ## Pauses\nनमस्ते, a pause <b>.\n## Pauses\nmore pauses: pause, pause\n";

    fn index() -> Index {
        Index::new(sections("/docs/a", "A", TEXT).into_iter())
    }

    fn paths(query: &str) -> Vec<String> {
        index().find(&words(query)).iter().map(|section| section.path.clone()).collect()
    }

    #[test]
    fn sections_with_all_words_are_found_headings_first() {
        assert_eq!(paths("pause"), ["/docs/a#pauses-1", "/docs/a#pauses", "/docs/a#page"]);
        assert_eq!(paths("Cancel user"), ["/docs/a#barge-in"]);
        assert_eq!(paths("नमस्ते"), ["/docs/a#pauses"]);
        assert!(paths("").is_empty() && paths("xylophone").is_empty());
    }

    #[test]
    fn sections_with_all_words_precede_those_with_some() {
        assert_eq!(paths("cancel pause")[0], "/docs/a#pauses-1");
        assert_eq!(paths("pause cancel user")[0], "/docs/a#barge-in", "two of the three");
        assert_eq!(paths("cancel OR pause"), paths("cancel pause"));
        assert_eq!(paths("cancel pause").len(), 4);
    }

    #[test]
    fn a_word_finds_its_synonyms() {
        assert_eq!(paths("interrupt"), ["/docs/a#barge-in"]);
        assert_eq!(paths("Interruption"), ["/docs/a#barge-in"]);
        let mut seen = std::collections::BTreeSet::new();
        for line in SYNONYMS.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.contains('\t'), "{line}");
            for word in line.split('\t') {
                assert!(seen.insert(word) && word == word.to_lowercase().trim(), "{word}");
            }
        }
    }

    #[test]
    fn excerpts_are_plain_text() {
        let html = index().page("STOPS <script>").html;
        assert!(!html.contains("<script"), "{html}");
        let html = index().page("stops").html;
        assert!(html.contains("&amp; cancel <mark>stops</mark> it."), "{html}");
        let html = index().page("नमस्ते").html;
        assert!(html.contains("<mark>नमस्ते</mark>, a pause"), "{html}");
        let html = index().page("cancel").html;
        assert!(html.contains("&amp; <mark>cancel</mark> stops"), "as it was written: {html}");
        for query in ["", "q=", "q=%FF%00", "q=a&q=b", "x"] {
            index().page(&asked(query));
        }
        assert_eq!(asked("q=barge%20in+now"), "barge in now");
        assert_eq!(asked(&format!("q={}", "अ".repeat(500))).chars().count(), MAX_CHARS);
    }
}
