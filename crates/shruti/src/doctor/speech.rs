//! Check that this machine can synthesise speech, and how fast.

use std::time::{Duration, Instant};

use shruti_engine::{Engine, Request, Seats};
use shruti_lang::{Language, SAMPLE_RATE, VoiceEngine};
use shruti_voices::builder;

use super::Setup;
use super::finding::Finding;
use crate::say::audible;

const TEXT: &str = "नमस्ते! आपका order आज शाम 5 बजे तक पहुँच जाएगा।";

/// Speed of synthesis, in seconds of speech per second on one core, below which a core cannot serve a second listener.
const LITTLE: f64 = 2.0;

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let voice_engine = setup.settings.voice_engine.unwrap_or_default();
    let spoken = builder(voice_engine).map_err(anyhow::Error::from).and_then(|builder| {
        let engine = builder.build()?;
        let (spoken, took) = speak(&engine)?;
        let seats = engine.seats().map(|seats| room(voice_engine, seats));
        Ok(std::iter::once(judge(spoken, took)).chain(seats).collect())
    });
    spoken.unwrap_or_else(|error| {
        let found = format!("synthesis failed: {error:#}");
        vec![Finding::fail(found, "please report this line as a bug")]
    })
}

/// Reports the number of concurrent conversations that the learned voices can serve. On a busy machine, the measured
/// number is too low.
fn room(voice_engine: VoiceEngine, seats: Seats) -> Finding {
    let beyond = match voice_engine {
        VoiceEngine::Auto => "further conversations use rule-based synthesis",
        VoiceEngine::Learned | VoiceEngine::Rules => "further conversations are refused as overloaded",
    };
    Finding::ok(format!("the learned voices have capacity for {} conversations; {beyond}", seats.limit))
}

/// Speaks a sentence with the default voice. Returns the duration of the speech and the time that synthesis took.
fn speak(engine: &Engine) -> anyhow::Result<(Duration, Duration)> {
    engine.warm_up()?;
    let request = Request { language: Some(Language::Hindi), ..Request::default() };
    let begun = Instant::now();
    let mut speech = engine.speak_text(request, TEXT)?;
    let (mut samples, mut is_audible) = (0, false);
    while let Some(chunk) = speech.blocking_next() {
        let chunk = chunk?.samples;
        is_audible |= audible(&chunk);
        samples += chunk.len();
    }
    anyhow::ensure!(is_audible, "the synthesised speech is silent");
    Ok((Duration::from_secs_f64(samples as f64 / f64::from(SAMPLE_RATE)), begun.elapsed()))
}

fn judge(spoken: Duration, took: Duration) -> Finding {
    let factor = spoken.as_secs_f64() / took.as_secs_f64().max(1e-6);
    let found = format!(
        "{:.1} s of speech synthesised in {:.0} ms, {factor:.0} times as fast as real time",
        spoken.as_secs_f64(),
        took.as_secs_f64() * 1_000.0
    );
    let advice = "check what else uses the processor (`top`), and that shruti was built with --release";
    match factor {
        ..1.0 => Finding::fail(format!("{found}: listeners will hear gaps"), advice),
        ..LITTLE => Finding::warn(found, advice),
        _ => Finding::ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn slower_than_real_time_is_a_failure() {
        for (took_ms, verdict) in
            [(0, Verdict::Ok), (1_500, Verdict::Ok), (2_000, Verdict::Warn), (3_001, Verdict::Fail)]
        {
            let finding = judge(Duration::from_secs(3), Duration::from_millis(took_ms));
            assert_eq!(finding.verdict, verdict, "{took_ms} ms: {}", finding.found);
        }
    }
}
