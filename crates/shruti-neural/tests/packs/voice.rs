//! Tests of import, synthesis, chunks and word timestamps with voices that have the structure of Piper's voices.

use std::path::Path;

use crate::graph::{self, Size};
use rten_onnx::onnx::ModelProto;
use shruti_neural::{
    Chunks, ImportError, PreparedPassage, Settings, SymbolSequence, Synthesiser, import_piper,
};
use shruti_packs::Pack;
use tempfile::TempDir;

/// Imports a voice and returns its folder and pack. The folder contains the files of the voice and `packs`.
fn imported(size: Size) -> (TempDir, Pack) {
    let folder = tempfile::tempdir().unwrap();
    let pack = import(folder.path(), &graph::piper(size), size.speakers).unwrap();
    (folder, pack)
}

fn import(folder: &Path, model: &ModelProto, speakers: i64) -> Result<Pack, ImportError> {
    let file = graph::write(folder, model, speakers);
    import_piper(&folder.join("packs"), &file, &graph::options(folder, speakers))
}

fn sequence(synthesiser: &Synthesiser, text: &str) -> SymbolSequence {
    let words = text.split(' ').map(|word| word.chars().map(|letter| letter.to_string()).collect::<Vec<_>>());
    synthesiser.symbols().sequence(words).unwrap()
}

const TEXT: &str = "the same request gives the same samples in chunks of any size";

/// Returns all samples of a text, in the blocks in which the synthesiser returned them.
fn spoken(synthesiser: &Synthesiser, settings: &Settings) -> (Vec<Vec<i16>>, PreparedPassage) {
    let mut prepared = synthesiser.prepare(&sequence(synthesiser, TEXT), settings).unwrap();
    let mut blocks = Vec::new();
    while let Some(block) = synthesiser.next(&mut prepared.passage).unwrap() {
        blocks.push(block);
    }
    (blocks, prepared)
}

#[test]
fn chunked_samples_match_those_of_a_whole_run() {
    let (_folder, pack) = imported(Size::SMALL);
    assert_eq!((pack.manifest().graph.chunks().unwrap().0, pack.manifest().graph.rate()), (256, 22_050));
    let synthesiser = Synthesiser::load(&pack, 1).unwrap();
    let (expected, prepared) =
        spoken(&synthesiser, &Settings { chunks: Chunks::whole(), ..Settings::default() });
    assert_eq!(expected.len(), 1);
    assert_eq!(expected[0].len(), prepared.samples);
    assert!(expected[0].iter().any(|sample| sample.unsigned_abs() > 1_000), "it is nearly silent");
    for chunks in [Chunks::default(), Chunks::up_to(40), Chunks::of(10), Chunks::of(33)] {
        let (blocks, _) = spoken(&synthesiser, &Settings { chunks, ..Settings::default() });
        assert!(blocks.len() > 3, "{chunks:?}: {} blocks", blocks.len());
        assert_eq!(blocks.concat(), expected[0], "{chunks:?}");
    }
}

#[test]
fn less_context_than_measured_changes_the_samples() {
    let (_folder, pack) = imported(Size::SMALL);
    let path = pack.folder().join("pack.toml");
    let context = pack.manifest().graph.chunks().unwrap().1;
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace(&format!("context = {context}"), "context = 3")).unwrap();
    let pack = Pack::open(pack.folder()).unwrap();
    assert_eq!(pack.manifest().graph.chunks().unwrap().1, 3);
    let synthesiser = Synthesiser::load(&pack, 1).unwrap();
    let of = |chunks| spoken(&synthesiser, &Settings { chunks, ..Settings::default() }).0.concat();
    let (chunked, expected) = (of(Chunks::default()), of(Chunks::whole()));
    assert_eq!(chunked.len(), expected.len());
    assert_ne!(chunked, expected);
}

#[test]
fn samples_are_independent_of_threads() {
    let (_folder, pack) = imported(Size::SMALL);
    let spoken =
        |threads| spoken(&Synthesiser::load(&pack, threads).unwrap(), &Settings::default()).0.concat();
    let one = spoken(1);
    for threads in 2..=4 {
        assert_eq!(spoken(threads), one, "{threads} threads");
    }
}

#[test]
fn samples_are_reproducible_per_seed() {
    let (_folder, pack) = imported(Size::SMALL);
    let synthesiser = Synthesiser::load(&pack, 2).unwrap();
    let seeded = |seed| spoken(&synthesiser, &Settings { seed, ..Settings::default() }).0.concat();
    let first = seeded(1);
    assert_ne!(seeded(2), first);
    assert_eq!(seeded(1), first);
}

#[test]
fn words_have_the_times_of_their_frames() {
    let (_folder, pack) = imported(Size::SMALL);
    let synthesiser = Synthesiser::load(&pack, 1).unwrap();
    let settings = Settings { pause: 2_400, ..Settings::default() };
    let (blocks, prepared) = spoken(&synthesiser, &settings);
    let sequence = sequence(&synthesiser, TEXT);
    assert_eq!(prepared.words.len(), TEXT.split(' ').count());
    assert_eq!(blocks.concat().len(), prepared.samples);
    assert!(blocks.concat().ends_with(&[0; 2_400]));
    let begins: Vec<usize> = prepared
        .durations
        .iter()
        .scan(0, |sum, frames| Some(std::mem::replace(sum, *sum + frames)))
        .collect();
    for (symbols, word) in sequence.words.iter().zip(&prepared.words) {
        // a word includes its own symbols and half of the adjacent blank on each side
        let at = |frames: usize| (frames * 256) as f64 / 22_050.0 * 24_000.0;
        let (first, last) = (symbols.start, symbols.end - 1);
        let blank = |symbol: usize| at(prepared.durations[symbol]) / 2.0;
        let start = at(begins[first]) - blank(first - 1);
        let end = at(begins[last] + prepared.durations[last]) + blank(last + 1);
        assert!((word.start as f64 - start).abs() < 2.0, "{word:?} begins at {start}");
        assert!((word.end as f64 - end).abs() < 2.0, "{word:?} ends at {end}");
    }
    assert!(prepared.words.windows(2).all(|pair| pair[0].end <= pair[1].start));
}

#[test]
fn speed_changes_the_length() {
    let (_folder, pack) = imported(Size::SMALL);
    let synthesiser = Synthesiser::load(&pack, 1).unwrap();
    let length = |speed| spoken(&synthesiser, &Settings { speed, ..Settings::default() }).1.samples as f64;
    let ratio = length(0.5) / length(2.0);
    // the ratio is not exactly 4, because the duration of each symbol is rounded up to whole frames
    assert!((2.5..=4.5).contains(&ratio), "half speed is {ratio} times as long as double speed");
}

#[test]
fn speakers_of_one_graph_differ() {
    let (_folder, pack) = imported(Size { speakers: 3, ..Size::SMALL });
    let synthesiser = Synthesiser::load(&pack, 1).unwrap();
    let of = |speaker, chunks| {
        spoken(&synthesiser, &Settings { speaker: Some(speaker), chunks, ..Settings::default() }).0.concat()
    };
    assert_ne!(of(0, Chunks::default()), of(2, Chunks::default()));
    assert_eq!(of(2, Chunks::default()), of(2, Chunks::whole()));
}
