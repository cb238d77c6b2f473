//! `/docs/search`: the sections of the documents in which words stand.

use std::fmt::Write;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::markdown::{Ids, Page, escape};

/// The most characters of what is asked for; what is behind them is left out.
pub(super) const MOST_CHARS: usize = 100;
/// The most words.
const MOST_WORDS: usize = 8;
/// The most sections that are shown.
const MOST_FOUND: usize = 30;
/// About how many bytes are shown around the first word.
const AROUND: usize = 120;
/// A word in a heading counts for so many in the text.
const HEADING: usize = 20;

/// A part of a page under one heading.
pub(super) struct Section {
    /// Where it is.
    path: String,
    /// The page's name, and the heading.
    page: &'static str,
    title: String,
    /// What stands there, without marks, and the same with ASCII letters in lower case.
    text: String,
    folded: String,
}

/// All sections.
pub(super) struct Index(Vec<Section>);

/// The sections of a page in Markdown.
pub(super) fn sections(path: &str, page: &'static str, markdown: &str) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    let mut ids = Ids::default();
    let mut is_heading = false;
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                is_heading = true;
                let (title, text, folded) = Default::default();
                found.push(Section { path: String::new(), page, title, text, folded });
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

/// The words of a query string: what `q` says.
pub(super) fn asked(query: &str) -> String {
    let said = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "q");
    said.map(|(_, words)| words.chars().filter(|c| !c.is_control()).take(MOST_CHARS).collect())
        .unwrap_or_default()
}

impl Index {
    pub(super) fn new(sections: impl Iterator<Item = Section>) -> Self {
        Self(sections.collect())
    }

    /// The page with what was found.
    pub(super) fn page(&self, asked: &str) -> Page {
        let words: Vec<String> =
            asked.split_whitespace().take(MOST_WORDS).map(str::to_ascii_lowercase).collect();
        let found = self.find(&words);
        let mut html = String::from("<h1>Search</h1>\n");
        let told = match (words.is_empty(), found.len()) {
            (true, _) => "Write words into the field above.".to_owned(),
            (_, 0) => format!("Nothing has all of these: {}", escape(asked)),
            (_, 1) => "One section:".to_owned(),
            (_, count) if count >= MOST_FOUND => format!("The {MOST_FOUND} sections that say most of it:"),
            (_, count) => format!("{count} sections:"),
        };
        // writing to a string does not fail
        let _ = writeln!(html, "<p role=\"status\">{told}</p>\n<ol class=\"found\">");
        for section in found {
            let (path, page, title) = (&section.path, section.page, escape(&section.title));
            let excerpt = section.excerpt(&words);
            let _ =
                writeln!(html, "<li><a href=\"{path}\">{title}</a> <span>{page}</span><p>{excerpt}</p></li>");
        }
        html.push_str("</ol>\n");
        Page { title: "Search".to_owned(), sections: Vec::new(), html }
    }

    fn find(&self, words: &[String]) -> Vec<&Section> {
        if words.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<(usize, &Section)> =
            self.0.iter().filter_map(|section| Some((section.score(words)?, section))).collect();
        // those that say it most often first; equal ones in the order of the pages
        found.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
        found.into_iter().take(MOST_FOUND).map(|(_, section)| section).collect()
    }
}

impl Section {
    /// How much it says of the words; none where it lacks one.
    fn score(&self, words: &[String]) -> Option<usize> {
        let title = self.title.to_ascii_lowercase();
        words.iter().try_fold(0, |score, word| {
            let count = HEADING * title.matches(word.as_str()).count()
                + self.folded.matches(word.as_str()).count().min(HEADING - 1);
            (count > 0).then_some(score + count)
        })
    }

    /// What stands around the first of the words, with it marked.
    fn excerpt(&self, words: &[String]) -> String {
        let place = words.iter().filter_map(|word| Some((self.folded.find(word.as_str())?, word.len())));
        let (at, length) = place.min().unwrap_or_default();
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

    fn paths(asked: &str) -> Vec<String> {
        let words: Vec<String> = asked.split_whitespace().map(str::to_ascii_lowercase).collect();
        index().find(&words).iter().map(|section| section.path.clone()).collect()
    }

    #[test]
    fn sections_with_all_words_are_found_headings_first() {
        assert_eq!(paths("pause"), ["/docs/a#pauses-1", "/docs/a#pauses", "/docs/a#page"]);
        assert_eq!(paths("Cancel user"), ["/docs/a#barge-in"]);
        assert_eq!(paths("नमस्ते"), ["/docs/a#pauses"]);
        assert!(paths("cancel pause").is_empty() && paths("").is_empty());
    }

    #[test]
    fn what_is_shown_is_text_wherever_the_word_stands() {
        let html = index().page("STOPS <script>").html;
        assert!(!html.contains("<script"), "{html}");
        let html = index().page("stops").html;
        assert!(html.contains("&amp; cancel <mark>stops</mark> it."), "{html}");
        let html = index().page("नमस्ते").html;
        assert!(html.contains("<mark>नमस्ते</mark>, a pause"), "{html}");
        for query in ["", "q=", "q=%FF%00", "q=a&q=b", "x"] {
            index().page(&asked(query));
        }
        assert_eq!(asked("q=barge%20in+now"), "barge in now");
        assert_eq!(asked(&format!("q={}", "अ".repeat(500))).chars().count(), MOST_CHARS);
    }
}
