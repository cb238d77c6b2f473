//! Benchmarks of the latency of the first chunk and of the throughput with concurrent streams.
//!
//! In addition to criterion's figures, the benchmark prints the seconds of audio per second of wall-clock time for each
//! number of streams.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use shruti_engine::{Engine, Request, Speech};
use shruti_voice::ParametricBackend;

/// A sentence of thirteen words.
const SENTENCE: &str = "कल सुबह की गाड़ी से हम सब लोग दिल्ली घूमने जा रहे हैं।";

fn engine() -> Engine {
    let built = Engine::builder().backend(ParametricBackend::new()).max_speeches(10_000).build();
    built.expect("the built-in voices are valid")
}

fn speak(engine: &Engine, text: &str) -> Speech {
    engine.speak_text(Request::new("Ananya"), text).expect("the engine has capacity")
}

/// Measures the time from the request to the first audible sample at the listener.
fn first_chunk(criterion: &mut Criterion) {
    let engine = engine();
    let mut group = criterion.benchmark_group("first_chunk");
    let long = SENTENCE.repeat(5_000 / SENTENCE.chars().count());
    for (name, text) in [("12 words", SENTENCE), ("5000 characters", &long)] {
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|iterations| {
                let mut took = Duration::ZERO;
                for _ in 0..iterations {
                    let begun = Instant::now();
                    let mut speech = speak(&engine, black_box(text));
                    let chunk = speech.blocking_next();
                    took += begun.elapsed();
                    assert!(matches!(chunk, Some(Ok(chunk)) if chunk.first_audible.is_some()));
                    drop(speech);
                }
                took
            });
        });
    }
}

/// Measures the throughput for listeners that accept chunks as fast as they arrive.
fn throughput(criterion: &mut Criterion) {
    let engine = engine();
    let mut group = criterion.benchmark_group("throughput");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    for count in [1, 16, 128] {
        let (mut sound, mut clock) = (Duration::ZERO, Duration::ZERO);
        group.bench_function(format!("{count} speeches"), |bencher| {
            bencher.iter_custom(|iterations| {
                let mut took = Duration::ZERO;
                for _ in 0..iterations {
                    let begun = Instant::now();
                    let samples = together(&engine, count);
                    took += begun.elapsed();
                    sound += Duration::from_secs_f64(samples as f64 / 24_000.0);
                }
                clock += took;
                took
            });
        });
        let ratio = sound.as_secs_f64() / clock.as_secs_f64();
        println!("{count} speeches at once: {ratio:.0} times real time on all cores together");
    }
}

/// Reads the streams in turn, one chunk at a time, until all have ended; returns the total number of samples.
fn together(engine: &Engine, count: usize) -> usize {
    let mut speeches: Vec<Speech> = (0..count).map(|_| speak(engine, SENTENCE)).collect();
    let mut samples = 0;
    while !speeches.is_empty() {
        speeches.retain_mut(|speech| match speech.blocking_next() {
            Some(Ok(chunk)) => {
                samples += chunk.samples.len();
                true
            }
            Some(Err(fault)) => panic!("{fault}"),
            None => false,
        });
    }
    samples
}

criterion_group!(benches, first_chunk, throughput);
criterion_main!(benches);
