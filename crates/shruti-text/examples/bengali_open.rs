//! Prints the training data of the Bengali classifiers for `train/g2p/fit_bengali.py`: the intermediate form
//! (`bengali::Piece`) of each word on standard input, and the values of all features for each ambiguous letter.

use std::io::{self, BufRead, BufWriter, Write};

use shruti_text::g2p::spelling::Spelling;
use shruti_text::language::bengali::{self, Piece};

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "{}", Spelling::FEATURES.join("\t"))?;
    for line in io::stdin().lock().lines() {
        let word = line?;
        let aksharas = shruti_text::akshara::parse(&word);
        let spelling = Spelling::new(&aksharas);
        writeln!(out, "{word}")?;
        for piece in bengali::pieces(&aksharas) {
            match piece {
                Piece::Phone(phone) => writeln!(out, "={phone}")?,
                Piece::Nasal => writeln!(out, "~")?,
                Piece::Ruled(akshara, ruling) => writeln!(out, "!{akshara}\t{}", ruling.ipa())?,
                Piece::Ambiguous(akshara, kind) => {
                    let features = 0..Spelling::FEATURES.len() as u8;
                    let values: Vec<&str> = features.map(|f| spelling.value(f, akshara)).collect();
                    writeln!(out, "?{}\t{akshara}\t{}", kind.name(), values.join("\t"))?;
                }
            }
        }
        writeln!(out)?;
    }
    out.flush()
}
