//! Benchmarks of the real-time factor of each voice, of planning, and of the first 20 ms of an utterance.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use shruti_lang::Language;
use shruti_text::Class;
use shruti_text::phone::parse_ipa;
use shruti_text::utterance::{Break, Contour, Delivery, Utterance, Weight, Word};
use shruti_voice::{Renderer, Style, UtterancePlan, Voice, warm_up};

/// A sentence of twelve words.
const SENTENCE: &str = "mɛ̃ː aːdʒ baːzaːɾ dʒaː ɾəɦaː ɦuː ɔːɾ ʃaːm koː ɡʱəɾ ʋaːpəs aːʊ̃ːɡaː";

fn utterance() -> Utterance {
    let words: Vec<Word> = SENTENCE
        .split_whitespace()
        .map(|ipa| Word {
            text: ipa.into(),
            language: Language::Hindi,
            class: Class::Word,
            phones: parse_ipa(ipa).unwrap_or_default(),
            syllables: Vec::new(),
            source: 0..1,
            extra_chars: 0,
            weight: Weight::Content,
            break_after: Break::None,
            aside: false,
            delivery: Delivery::default(),
        })
        .collect();
    Utterance {
        index: 0,
        language: Language::Hindi,
        words,
        contour: Contour::Statement,
        begins_sentence: true,
        sentence: 0,
        source: 0..1,
    }
}

fn render(criterion: &mut Criterion) {
    warm_up();
    let utterance = utterance();
    for voice in Voice::ALL {
        let style = Style { voice, ..Style::default() };
        let plan = UtterancePlan::new(&utterance, &style);
        let mut block = [0; 480];
        let mut group = criterion.benchmark_group(voice.name());
        // One element is one sample: 24 M elements per second are 1,000 times real time.
        group.throughput(Throughput::Elements(plan.samples() as u64));
        group.bench_function("sentence", |bencher| {
            bencher.iter(|| {
                let mut renderer = Renderer::new(plan.clone());
                while renderer.render(&mut block) > 0 {}
                black_box(block[0])
            });
        });
        group.finish();
        criterion.bench_function(&format!("{voice}/first 20 ms with its plan"), |bencher| {
            bencher.iter(|| {
                let mut renderer = Renderer::new(UtterancePlan::new(&utterance, &style));
                black_box(renderer.render(&mut block))
            });
        });
        criterion.bench_function(&format!("{voice}/plan"), |bencher| {
            bencher.iter(|| UtterancePlan::new(black_box(&utterance), &style));
        });
    }
}

criterion_group!(benches, render);
criterion_main!(benches);
