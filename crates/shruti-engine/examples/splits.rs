//! Synthesises lists of sentences in one piece and in random pieces, and reports differences in the samples and the
//! word marks.
//!
//! `cargo run --release -p shruti-engine --example splits -- FOLDER [SPLITS] [SEED]`: the folder contains
//! `<language>.txt` files with one sentence per line. Each sentence is tested unchanged and with random markup
//! inserted. Both texts are split `SPLITS` times into random pieces and once into characters.

use std::path::Path;
use std::task::{Context, Poll, Waker};

use fastrand::Rng;
use shruti_engine::{Chunk, Engine, Request, WordMark};
use shruti_lang::Language;
use shruti_voice::ParametricBackend;
use shruti_voice::Voice;

/// Markup, punctuation and numbers that people and language models put between words.
const STREWN: [&str; 16] = [
    " **",
    "** ",
    " <b>",
    "</b> ",
    "\n\n- ",
    "\r\n",
    " 😀 ",
    " ₹1,25,000.50 ",
    " 10:30 ",
    " https://a.in/b?c=d ",
    "<br/>",
    " [x](http://y.z/(a)) ",
    " &amp; ",
    " Dr. ",
    " 15/08/2024 ",
    "… ",
];

/// Output of a stream.
#[derive(Default)]
struct StreamOutput {
    samples: Vec<i16>,
    marks: Vec<WordMark>,
}

impl StreamOutput {
    fn append(&mut self, chunk: Chunk) {
        self.samples.extend(chunk.samples);
        self.marks.extend(chunk.marks);
    }
}

fn speak<'a>(
    engine: &Engine,
    request: &Request,
    pieces: impl Iterator<Item = &'a str>,
) -> Result<StreamOutput, Box<dyn std::error::Error>> {
    let mut speech = engine.speak(request.clone())?;
    let mut output = StreamOutput::default();
    let mut context = Context::from_waker(Waker::noop());
    for piece in pieces {
        speech.push(piece)?;
        // each piece is processed as far as possible before the next one is pushed
        while !speech.wants_text() {
            match speech.poll_next(&mut context) {
                Poll::Ready(chunk) => {
                    output.append(chunk.ok_or("the stream ended before the end of the text")??);
                }
                Poll::Pending => std::thread::yield_now(),
            }
        }
    }
    speech.finish();
    while let Some(chunk) = speech.blocking_next() {
        output.append(chunk?);
    }
    Ok(output)
}

/// Returns a mark without closing punctuation. A mark includes only the closing punctuation that had arrived when the
/// mark was created, so its punctuation depends on how the text is split.
fn settled(mark: &WordMark) -> WordMark {
    let text = mark.text.trim_end_matches(|c: char| ".,;:?!…।॥۔\"'”’»)]}*_~`".contains(c)).to_owned();
    let closing = (mark.text.chars().count() - text.chars().count()) as u32;
    WordMark { text, char_end: mark.char_end - closing, ..mark.clone() }
}

fn difference(expected: &StreamOutput, other: &StreamOutput) -> Option<String> {
    if expected.samples != other.samples {
        let at = expected.samples.iter().zip(&other.samples).take_while(|(a, b)| a == b).count();
        return Some(format!("the samples differ from {} ms onwards", at / 24));
    }
    let differ = expected.marks.iter().zip(&other.marks).find(|(a, b)| settled(a) != settled(b));
    let counts = (expected.marks.len(), other.marks.len());
    (differ.is_some() || counts.0 != counts.1).then(|| format!("the marks differ, {counts:?}: {differ:?}"))
}

/// Returns the sentence with markup inserted between its words, and occasionally inside them.
fn strewn(sentence: &str, lots: &mut Rng) -> String {
    let mut text = String::new();
    for c in sentence.chars() {
        let between = c == ' ' && lots.u32(0..4) == 0 || lots.u32(0..60) == 0;
        if between {
            text.push_str(STREWN[lots.usize(0..STREWN.len())]);
        } else {
            text.push(c);
        }
    }
    text
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("the folder of sentences is missing")?;
    let splits: usize = arguments.next().map_or(Ok(4), |splits| splits.parse())?;
    let mut lots = Rng::with_seed(arguments.next().map_or(Ok(1), |seed| seed.parse())?);
    let engine = Engine::builder().backend(ParametricBackend::new()).max_speeches(4).build()?;
    let (mut cases, mut failures) = (0_u64, 0_u64);
    for language in Language::ALL {
        let path = Path::new(&folder).join(format!("{language}.txt"));
        let (mut texts, mut compared, mut failed, mut samples) = (0_u64, 0_u64, 0_u64, 0_u64);
        for sentence in std::fs::read_to_string(&path)?.lines() {
            for text in [sentence.to_owned(), strewn(sentence, &mut lots)] {
                let voice = Voice::ALL[lots.usize(0..Voice::ALL.len())];
                let emitted = lots.bool().then_some(language);
                let request = Request { language: emitted, ..Request::new(voice.name()) };
                let expected = speak(&engine, &request, std::iter::once(text.as_str()))?;
                texts += 1;
                for split in 0..=splits {
                    let mut cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
                    if split < splits {
                        lots.shuffle(&mut cuts);
                        cuts.truncate(lots.usize(1..=12).min(cuts.len()));
                        cuts.sort_unstable();
                    }
                    cuts.push(text.len());
                    let mut from = 0;
                    let pieces = cuts.iter().map(|&to| &text[std::mem::replace(&mut from, to)..to]);
                    let split = speak(&engine, &request, pieces)?;
                    compared += 1;
                    samples += split.samples.len() as u64;
                    if let Some(difference) = difference(&expected, &split) {
                        failed += 1;
                        println!("{language} cut at {cuts:?}: {difference}\n  {text:?}");
                    }
                }
            }
        }
        println!(
            "{language}: {texts} texts, {compared} splits, {:.0} s of speech, {failed} failures",
            samples as f64 / 24_000.0
        );
        (cases, failures) = (cases + compared, failures + failed);
    }
    println!("{cases} splits, {failures} failures");
    Ok(())
}
