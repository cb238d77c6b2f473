//! Tag with its name and attributes.

use crate::entity::entity_char;

/// Tag, parsed from the text between `<` and `>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    /// Name in lower case, including its namespace prefix.
    pub(crate) name: String,
    /// Whether the tag is a closing tag: `</name>`.
    pub(crate) closes: bool,
    /// Whether the tag is an empty-element tag: `<name/>`.
    pub(crate) is_empty: bool,
    attributes: Vec<(String, String)>,
}

impl Tag {
    /// Parses a tag. Skips malformed attributes. If an attribute occurs twice, the first one takes precedence.
    pub(crate) fn parse(inside: &str) -> Self {
        let (inside, closes) = match inside.strip_prefix('/') {
            Some(rest) => (rest, true),
            None => (inside, false),
        };
        let (inside, is_empty) = match inside.strip_suffix('/') {
            Some(rest) => (rest, true),
            None => (inside, false),
        };
        let (name, mut rest) = inside.split_at(inside.find(char::is_whitespace).unwrap_or(inside.len()));
        let mut attributes = Vec::new();
        while let Some((name, value, following)) = attribute(rest) {
            attributes.push((name.to_ascii_lowercase(), decoded(value)));
            rest = following;
        }
        Self { name: name.to_ascii_lowercase(), closes, is_empty, attributes }
    }

    /// Returns the value of an attribute, trimmed.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim())
    }
}

/// Returns the next attribute: its name, its raw value, and the text after it.
fn attribute(text: &str) -> Option<(&str, &str, &str)> {
    let mut text = text;
    loop {
        let (before, after) = text.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
        let Some(quote) = quote else {
            // the value is not quoted; the next attribute may be complete
            text = after;
            continue;
        };
        let (value, following) = after[1..].split_once(quote)?;
        let name = before.split_whitespace().next_back().unwrap_or_default();
        return Some((name, value, following));
    }
}

/// Decodes the entities of an attribute value. Keeps unknown entities unchanged.
fn decoded(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        let entity =
            after.split_once(';').and_then(|(name, following)| Some((entity_char(name)?, following)));
        if let Some((c, following)) = entity {
            text.push(c);
            rest = following;
        } else {
            text.push('&');
            rest = after;
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_names_and_attributes() {
        let tag = Tag::parse("break  time = '2s' strength=\"weak\" /");
        assert_eq!((tag.name.as_str(), tag.closes, tag.is_empty), ("break", false, true));
        assert_eq!((tag.attribute("time"), tag.attribute("strength")), (Some("2s"), Some("weak")));
        let tag = Tag::parse("/PROSODY ");
        assert_eq!((tag.name.as_str(), tag.closes), ("prosody", true));
        let tag = Tag::parse("sub\nalias=\"a &amp; b &lt;c&gt; &#2325; &bogus; &\" x:y='>'");
        assert_eq!(tag.attribute("alias"), Some("a & b <c> क &bogus; &"));
        assert_eq!(tag.attribute("x:y"), Some(">"));
    }

    #[test]
    fn skips_invalid_attributes() {
        let tag = Tag::parse("p a=1 b=\"2\" c d='3' b='4' e=\"5");
        let values = ["a", "b", "c", "d", "e"].map(|name| tag.attribute(name));
        assert_eq!(values, [None, Some("2"), None, Some("3"), None]);
        assert_eq!(Tag::parse("").name, "");
        assert_eq!(Tag::parse("/").name, "");
    }
}
