//! Lines of text to spoken words, one line each: `echo 'कुल ₹1,25,000' | cargo run --example normalize -- hi`.

use std::io::{BufRead, BufWriter, Write, stdin, stdout};

use shruti_protocol::Language;

fn main() -> std::io::Result<()> {
    let language = std::env::args().nth(1).and_then(|code| Language::from_code(&code));
    let mut out = BufWriter::new(stdout().lock());
    for line in stdin().lock().lines() {
        let line = line?;
        writeln!(out, "{line}\t{}", shruti_text::normalize_line(&line, language))?;
    }
    out.flush()
}
