//! Tests of the format of cached turns.

use std::io::Cursor;

use shruti_engine::{Chunk, ClauseMark, WordMark};

use super::chunks::{read, write};

fn chunk() -> Chunk {
    let word = |text: &str, start: u32, spoken: Option<&str>| WordMark {
        text: text.to_owned(),
        start_ms: start,
        end_ms: start + 200,
        char_start: start / 100,
        char_end: start / 100 + 1,
        spoken: spoken.map(str::to_owned),
    };
    Chunk {
        samples: vec![0, 1, -1, i16::MAX, i16::MIN],
        start: 70,
        marks: vec![word("नमस्ते,", 0, None), word("₹5", 300, Some("पाँच रुपये"))],
        clauses: vec![ClauseMark::Begins { char_end: 4 }, ClauseMark::Ends { end_ms: 9, char_end: 4 }],
        extra_chars: 3,
        first_audible: Some(2),
    }
}

#[test]
fn chunks_round_trip() {
    let chunks = [chunk(), Chunk { samples: vec![7], start: 75, ..Chunk::default() }];
    let bytes: Vec<u8> = chunks.iter().flat_map(|chunk| write(chunk).unwrap()).collect();
    let mut source = Cursor::new(&bytes);
    let mut start = 70;
    for chunk in chunks {
        let before = source.position();
        let (found, length) = read(&mut source, start).unwrap();
        assert_eq!((found, length), (chunk.clone(), source.position() - before));
        start += chunk.samples.len() as u64;
    }
    assert_eq!(source.position(), bytes.len() as u64);
}

#[test]
fn damaged_chunks_are_errors() {
    let bytes = write(&chunk()).unwrap();
    for end in 0..bytes.len() {
        assert!(read(&mut Cursor::new(&bytes[..end]), 0).is_err(), "{end} bytes");
    }
    for length in [0, 4] {
        let mut oversized = bytes.clone();
        oversized[length..length + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(&mut Cursor::new(&oversized), 0).is_err());
    }
}
