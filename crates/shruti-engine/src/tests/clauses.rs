//! Tests with a back end that does not report word times: heard text and charges are accurate to the clause.

use std::sync::Arc;
use std::time::Duration;

use shruti_lang::Language;

use super::routes::{events, settings, text};
use super::{Counting, ManualEngine, WORD, assert_same, counted, samples};
use crate::chunk::{ClauseMark, length};
use crate::speech::Request;
use crate::turn::{Command, Conversation, CutUnit, DoneReason, Event, Target};

const TEXT: &str = "एक दो. तीन, చాలా రండి. ";

/// Creates an engine without word times, except for Hindi if `knows_hindi`.
fn manual(knows_hindi: bool) -> ManualEngine {
    let is_hindi = |language| language == Language::Hindi;
    let mut hindi =
        Counting::new(1, 1..=2_400).with_only(move |voice, language| voice == "a" && is_hindi(language));
    hindi.description.timestamps = knows_hindi;
    let mut others =
        Counting::new(1, 1..=2_400).with_only(move |voice, language| voice == "a" && !is_hindi(language));
    others.description.timestamps = false;
    ManualEngine::with([hindi, others])
}

fn chars(text: &str) -> u32 {
    text.chars().count() as u32
}

#[test]
fn chunks_carry_clause_marks_without_word_times() {
    let manual = manual(false);
    let request = Request { language: Some(Language::Hindi), ..Request::new("a") };
    let mut speech = manual.engine.speak_text(request, "एक दो.\" तीन,  चार").unwrap();
    let chunks = manual.listen(&mut speech).unwrap();
    assert_same(&samples(&chunks), &counted(&[2, 1, 1]));
    assert!(chunks.iter().all(|chunk| chunk.marks.is_empty()));
    let mut marks = Vec::new();
    for chunk in &chunks {
        let range = chunk.start..chunk.start + chunk.samples.len() as u64;
        for mark in &chunk.clauses {
            let clause = marks.len() / 2;
            let (begins, ends) = ([0, 2, 3][clause] * WORD as u64, [2, 3, 4][clause] * WORD as u64);
            match mark {
                ClauseMark::Begins { .. } => assert!(range.contains(&begins), "{clause}: {range:?}"),
                ClauseMark::Ends { .. } => assert!(range.contains(&(ends - 1)), "{clause}: {range:?}"),
            }
            marks.push(*mark);
        }
    }
    let begins = |char_end| ClauseMark::Begins { char_end };
    let ends = |end_ms, char_end| ClauseMark::Ends { end_ms, char_end };
    // the closing quotation mark belongs to the first clause
    assert_eq!(marks, [begins(7), ends(416, 7), begins(12), ends(625, 12), begins(17), ends(833, 17)]);
}

#[test]
fn cancel_cuts_at_a_clause_and_charges_begun_clauses() {
    for knows_hindi in [false, true] {
        // texts that have been heard completely, each with the sample at which it ends
        let mut ends =
            vec![(0, ""), (2 * WORD, "एक दो."), (3 * WORD, "एक दो. तीन,"), (5 * WORD, TEXT.trim_end())];
        // texts that are charged, each with the sample at which its last clause or word begins
        let mut begins = vec![(0, "एक दो."), (2 * WORD, "एक दो. तीन,"), (3 * WORD, TEXT.trim_end())];
        if knows_hindi {
            ends.insert(1, (WORD, "एक"));
            begins.splice(..1, [(0, "एक"), (WORD, "एक दो.")]);
        }
        let mut lengths = Vec::new();
        for steps in 0..40 {
            let manual = manual(knows_hindi);
            let mut conversation = Conversation::new(Arc::clone(&manual.engine), settings());
            conversation.handle(text(TEXT), Duration::ZERO);
            let mut emitted = Vec::new();
            for _ in 0..steps {
                if !manual.step() {
                    manual.engine.step_of(1);
                }
                emitted.extend(events(&mut conversation));
            }
            let sent: usize = emitted.iter().map(sound).sum();
            let target = Target::Turn("t".into());
            let cancel = Command::Cancel { target, played: Some(Duration::from_secs(10)), id: None };
            conversation.handle(cancel, Duration::ZERO);
            let answer = events(&mut conversation);
            let [Event::Cancelled { heard, unheard_text, chars: charged, .. }] = &answer[..] else {
                panic!("{answer:?}")
            };
            let expected = ends.iter().rfind(|(end, _)| *end <= sent).unwrap().1;
            assert_eq!(heard.text, expected, "{steps} steps, {sent} samples");
            assert_eq!(heard.text.clone() + unheard_text, TEXT);
            let paid = begins.iter().rfind(|(begin, _)| *begin < sent).map_or("", |(_, text)| text);
            assert_eq!(*charged, chars(paid), "{sent} samples");
            let has_clauses = sent > if knows_hindi { 3 * WORD } else { 0 };
            let cut_at = if has_clauses { CutUnit::Clause } else { CutUnit::Word };
            assert_eq!(heard.cut_at, cut_at, "{sent} samples");
            assert_eq!(
                emitted.iter().any(|event| matches!(event, Event::Words { .. })),
                knows_hindi && sent > 0
            );
            assert_eq!((manual.engine.stats().active, manual.run_dry()), (0, 0));
            lengths.push(sent);
        }
        assert!(lengths.first() == Some(&0) && lengths.last() == Some(&(5 * WORD)), "{lengths:?}");
    }
}

fn sound(event: &Event) -> usize {
    match event {
        Event::Audio { samples, .. } => samples.len(),
        _ => 0,
    }
}

#[test]
fn clause_ending_with_a_chunk_is_heard() {
    // a chunk (480, 960, 1,440, 1,920 and then always 2,400 samples) ends exactly where the twelfth word ends
    let clause = ["एक"; 12].join(" ") + ".";
    let manual = manual(false);
    let mut conversation = Conversation::new(Arc::clone(&manual.engine), settings());
    conversation.handle(text(&(clause.clone() + " दो")), Duration::ZERO);
    let mut sent = 0;
    while manual.run_dry() > 0 {
        sent += events(&mut conversation).iter().map(sound).sum::<usize>();
    }
    assert_eq!(sent, 12 * WORD);
    let played = Some(length(sent));
    conversation.handle(Command::Cancel { target: Target::Current, played, id: None }, Duration::ZERO);
    let answer = events(&mut conversation);
    let [Event::Cancelled { heard, unheard_text, .. }] = &answer[..] else { panic!("{answer:?}") };
    assert_eq!((heard.text.as_str(), unheard_text.as_str()), (clause.as_str(), " दो"));
}

#[test]
fn complete_turn_is_charged_and_heard_completely() {
    let manual = manual(false);
    let mut conversation = Conversation::new(Arc::clone(&manual.engine), settings());
    conversation.handle(text(TEXT), Duration::ZERO);
    conversation.handle(Command::End { turn: None }, Duration::ZERO);
    let mut emitted = Vec::new();
    while manual.run_dry() > 0 {
        emitted.extend(events(&mut conversation));
    }
    let Some(Event::Done { chars: charged, reason, .. }) = emitted.last() else { panic!("{emitted:?}") };
    assert_eq!((*charged, *reason), (chars(TEXT.trim()), DoneReason::Complete));
    let target = Target::Turn("t".into());
    let cancel = Command::Cancel { target, played: Some(Duration::from_secs(10)), id: None };
    conversation.handle(cancel, Duration::ZERO);
    let answer = events(&mut conversation);
    let [Event::Cancelled { heard, chars, .. }] = &answer[..] else { panic!("{answer:?}") };
    assert_eq!((heard.text.as_str(), heard.cut_at, *chars), (TEXT, CutUnit::Clause, 0));
}
