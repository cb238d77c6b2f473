//! Tokens of romanised words: groups of Latin letters such as `kh`, `aa` and `chh`.

/// Token number, less than 63.
pub(super) type Token = u8;

/// Boundary token before the first and after the last token of a word.
pub(super) const BOUNDARY: Token = 63;

const FIRST_GROUP: Token = 26;
/// Letter groups, the longest first.
const GROUPS: [&str; 22] = [
    "chh", "aa", "ee", "oo", "ii", "uu", "ai", "au", "ou", "ei", "oi", "kh", "gh", "ch", "jh", "th", "dh",
    "ph", "bh", "sh", "zh", "rh",
];

/// Returns the tokens of a word in lower-case ASCII letters; other characters are skipped.
pub(super) fn tokenize(word: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let group = (FIRST_GROUP..).zip(GROUPS).find(|(_, group)| rest.starts_with(group));
        let length = if let Some((token, group)) = group {
            tokens.push(token);
            group.len()
        } else {
            if first.is_ascii_lowercase() {
                tokens.push(first as Token - b'a');
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

/// Returns the token with this spelling, or `None` if the spelling is not exactly one token. `^` is the boundary.
pub(super) fn from_spelling(spelling: &str) -> Option<Token> {
    if spelling == "^" {
        return Some(BOUNDARY);
    }
    match tokenize(spelling).as_slice() {
        [token] => Some(*token),
        _ => None,
    }
}

/// Returns the letter of a token t, th, d, dh, n or l, without the h. Returns `None` for any other token.
pub(super) fn consonant(token: Token) -> Option<char> {
    let letter = match token.checked_sub(FIRST_GROUP) {
        Some(group) => match *GROUPS.get(usize::from(group))? {
            "th" => 't',
            "dh" => 'd',
            _ => return None,
        },
        None => char::from(b'a' + token),
    };
    matches!(letter, 't' | 'd' | 'n' | 'l').then_some(letter)
}
