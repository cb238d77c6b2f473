//! Benchmarks of the whole front end on ordinary and on hostile text. The time must grow at most in proportion to the
//! length of the text.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use shruti_lang::Language;
use shruti_text::{Reader, Settings};

/// Reads a whole text; returns the number of phones, so that the compiler does not optimise the work away.
fn read(text: &str, language: Language) -> usize {
    let mut reader = Reader::new(Settings { language: Some(language), ..Settings::default() });
    reader.push(text);
    reader.finish();
    let utterances = std::iter::from_fn(|| reader.next_utterance());
    utterances.map(|utterance| utterance.words.iter().map(|word| word.phones.len()).sum::<usize>()).sum()
}

/// Returns `length` characters of text that repeats `pattern`.
fn repeated(pattern: &str, length: usize) -> String {
    pattern.chars().cycle().take(length).collect()
}

/// Returns the benchmark cases (name, language and pattern to repeat): text in several scripts, mixed and romanised
/// text, and hostile text.
fn texts() -> Vec<(&'static str, Language, &'static str)> {
    vec![
        ("hi", Language::Hindi, "मुझे 15 अगस्त 1947 को ₹1,25,000 मिले, और डॉ. राव ने 10:30 बजे फ़ोन किया। "),
        ("bn", Language::Bengali, "আমার সোনার বাংলা, আমি তোমায় ভালোবাসি। ১৯৭১ সালে ৩টি বই। "),
        ("ta", Language::Tamil, "யாதும் ஊரே யாவரும் கேளிர். 1947 ஆகஸ்ட் 15 அன்று ₹500. "),
        ("te", Language::Telugu, "నేను 5 పుస్తకాలు కొన్నాను, ధర ₹250. "),
        ("ml", Language::Malayalam, "എനിക്ക് 5 പുസ്തകങ്ങൾ വേണം, വില ₹250. "),
        ("en", Language::English, "Mr. Rao paid Rs. 1,25,000 on 15/08/2024 at 10:30 am, didn't he? "),
        ("mixed", Language::Hindi, "मेरा order 5 kg का है, aapka OTP 4582 hai, SBI. "),
        ("viramas", Language::Hindi, "क्््््््््््््््््््््््््््"),
        ("one consonant", Language::Hindi, "क"),
        ("conjuncts", Language::Hindi, "क्"),
        ("digits", Language::Hindi, "7"),
        ("grouped digits", Language::English, "1,2.3:4-5/"),
        ("deep markdown", Language::English, "[**_`<a"),
        ("open tags", Language::English, "<a "),
        ("open links", Language::English, "[a]("),
        ("quotes", Language::English, "\"'("),
        ("bidi", Language::English, "\u{202e}\u{2066}a\u{2069}"),
        ("ampersands", Language::English, "&amp"),
        ("dots", Language::English, "a.b."),
        ("latin word", Language::Hindi, "namaste"),
        ("capitals", Language::Hindi, "SBI1"),
        ("spaces", Language::Hindi, " "),
        ("emoji", Language::Hindi, "👩‍👩‍👧🏽"),
    ]
}

fn front_end(criterion: &mut Criterion) {
    for length in [5_000, 50_000] {
        let mut group = criterion.benchmark_group(format!("front end, {length} characters"));
        group.sample_size(10);
        for (name, language, pattern) in texts() {
            let text = repeated(pattern, length);
            group.throughput(Throughput::Elements(length as u64));
            group.bench_with_input(BenchmarkId::from_parameter(name), &text, |bencher, text| {
                bencher.iter(|| black_box(read(text, language)));
            });
        }
        group.finish();
    }
}

/// Benchmarks one million characters of hostile text; the time per character must be the same as for 5,000 characters.
fn hostile_megabyte(criterion: &mut Criterion) {
    const LENGTH: usize = 1_000_000;
    let mut group = criterion.benchmark_group("front end, 1000000 characters");
    group.sample_size(10);
    for (name, language, pattern) in texts() {
        if !matches!(name, "viramas" | "digits" | "deep markdown" | "open tags" | "open links" | "bidi") {
            continue;
        }
        let text = repeated(pattern, LENGTH);
        group.throughput(Throughput::Elements(LENGTH as u64));
        group.bench_with_input(BenchmarkId::from_parameter(name), &text, |bencher, text| {
            bencher.iter(|| black_box(read(text, language)));
        });
    }
    group.finish();
}

criterion_group!(benches, front_end, hostile_megabyte);
criterion_main!(benches);
