//! Tokeniser for texts: characters with their positions, and SSML tags.

use std::ops::Range;

use crate::entity::entity_char;
use crate::ssml::Tag;

/// Token of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A character and its byte range in the text; the range of an entity covers all its bytes.
    Char(char, Range<usize>),
    /// A tag, the text between its angle brackets, and its start in bytes.
    Tag(Tag, &'a str, usize),
}

/// Returns the tokens of a plain text.
pub(super) fn plain(text: &str) -> impl Iterator<Item = Token<'_>> {
    text.char_indices().map(|(at, c)| Token::Char(c, at..at + c.len_utf8()))
}

/// Returns the tokens of an SSML text, without comments, processing instructions and declarations.
pub(super) fn ssml(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    let mut cdata_end = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &text[at..];
            let c = rest.chars().next()?;
            let start = at;
            if at < cdata_end {
                if let Some(behind) = rest.strip_prefix("]]>").filter(|_| at + 3 == cdata_end) {
                    at = text.len() - behind.len();
                    continue;
                }
                at += c.len_utf8();
                return Some(Token::Char(c, start..at));
            }
            let skipped = |open: &str, close: &str| {
                let inside = rest.strip_prefix(open)?;
                Some(inside.find(close).map_or(rest.len(), |end| open.len() + end + close.len()))
            };
            match c {
                '<' if rest.starts_with("<![CDATA[") => {
                    let inside = at + "<![CDATA[".len();
                    cdata_end = text[inside..].find("]]>").map_or(text.len(), |end| inside + end + 3);
                    at = inside;
                }
                '<' => {
                    let skipped =
                        skipped("<!--", "-->").or_else(|| skipped("<?", "?>")).or_else(|| skipped("<!", ">"));
                    if let Some(length) = skipped {
                        at += length;
                    } else if let Some(inside) = tag(rest) {
                        at += inside.len() + 2;
                        return Some(Token::Tag(Tag::parse(inside), inside, start));
                    } else {
                        at += 1;
                        return Some(Token::Char('<', start..at));
                    }
                }
                '&' => {
                    let entity = rest[1..].split_once(';').filter(|(name, _)| name.len() <= LONGEST_ENTITY);
                    if let Some((c, name)) = entity.and_then(|(name, _)| Some((entity_char(name)?, name))) {
                        at += name.len() + 2;
                        return Some(Token::Char(c, start..at));
                    }
                    at += 1;
                    return Some(Token::Char('&', start..at));
                }
                _ => {
                    at += c.len_utf8();
                    return Some(Token::Char(c, start..at));
                }
            }
        }
    })
}

/// Maximum length of the name of an entity, in bytes.
const LONGEST_ENTITY: usize = 32;

/// Returns the text between the angle brackets of the tag at the start of a text, or `None` if there is no complete
/// tag.
fn tag(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('<')?;
    inside.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/').then_some(())?;
    let mut quote = None;
    for (at, c) in inside.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return Some(&inside[..at]),
            (None, '<') => return None,
            _ => {}
        }
    }
    None
}
