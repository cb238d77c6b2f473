//! Joining of text pieces from clients that cut a text into sentences and drop the space between them.

/// Joiner that restores the space that such a client dropped. Without the space, `ready.` and `It` would be read as
/// a web address.
///
/// A space is inserted only before a letter and after a piece that looks like a sentence. The pieces of other
/// clients do not change: a token of a language model does not contain several words, and the continuation
/// of a number starts with a digit.
#[derive(Debug, Default)]
pub(crate) struct Joining {
    /// Whether the last piece with text looked like a sentence: several words that end with `.`, `!` or `?`.
    is_sentence: bool,
}

impl Joining {
    /// Returns a piece, with a space before it if necessary.
    pub(crate) fn append(&mut self, mut piece: String) -> String {
        if self.is_sentence && piece.starts_with(char::is_alphabetic) {
            piece.insert(0, ' ');
        }
        if !piece.is_empty() {
            self.is_sentence =
                piece.trim_start().contains(char::is_whitespace) && piece.ends_with(['.', '!', '?']);
        }
        piece
    }

    /// Starts a new text, so that the next piece is not joined to the previous one.
    pub(crate) fn begin(&mut self) {
        self.is_sentence = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(pieces: &[&str]) -> String {
        let mut joining = Joining::default();
        pieces.iter().map(|piece| joining.append((*piece).to_owned())).collect()
    }

    #[test]
    fn sentences_are_separated() {
        let cases: [(&[&str], &str); 6] = [
            (&["Your order is ready.", "It will come today."], "Your order is ready. It will come today."),
            (&["यह ठीक है!", "और वह?", "वह भी है."], "यह ठीक है! और वह? वह भी है."),
            (&["Is it ready? ", "It is."], "Is it ready? It is."),
            (&["It is ready.", "", "Go there."], "It is ready. Go there."),
            (&["यह ठीक है।", "वह भी।"], "यह ठीक है।वह भी।"),
            (&[" Two words.", "It is."], " Two words. It is."),
        ];
        for (pieces, text) in cases {
            assert_eq!(joined(pieces), text);
        }
        let mut joining = Joining::default();
        joining.append("It is ready.".to_owned());
        joining.begin();
        assert_eq!(joining.append("It is.".to_owned()), "It is.");
    }

    #[test]
    fn other_splits_leave_a_text_unchanged() {
        for text in ["Version 3.5 of example.com costs Rs. 1,25,000 today!", "नमस्ते! आप कैसे हैं?"]
        {
            for (at, _) in text.char_indices() {
                let (one, other) = text.split_at(at);
                let is_address = one.ends_with("example.");
                assert_eq!(joined(&[one, other]) == text, !is_address, "{one}|{other}");
            }
            let letters: Vec<String> = text.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(joined(&letters), text);
            assert_eq!(joined(&text.split_inclusive(' ').collect::<Vec<_>>()), text);
        }
    }
}
