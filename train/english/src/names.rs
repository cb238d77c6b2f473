//! Model of Indian names, trained on pairs of spelling and pronunciation.

use anyhow::{Context, Result, bail};
use shruti_text::english::indian::SOUNDS;
use shruti_text::english::letter_to_sound::Model;
use shruti_text::phone::parse_ipa;

use crate::align::{Example, Graphone, align};
use crate::ngram::{self, Settings, Trained};
use crate::{edit_distance, fold_of, percent};

/// Training settings. They prune less than those for the English dictionary, because there are fewer names.
const SETTINGS: Settings = Settings { order: 7, prune: 1.5 };
/// Spellings, with their pronunciations, that are too rare in names to be learned but that every model must cover.
const RARE_LETTERS: [(&str, &str); 4] = [("qa", "kə"), ("aq", "ək"), ("laxa", "ləkʃə"), ("axa", "əksə")];
/// Number of copies of each rare spelling in the training data.
const TIMES: usize = 4;

/// Parses lines of `word<TAB>IPA`, the output of `name_pairs.py`.
pub fn read(pairs: &str) -> Result<Vec<Example>> {
    let example = |line: &str| -> Result<Example> {
        let (word, ipa) = line.split_once('\t').context("missing tab")?;
        Ok(Example { letters: word.as_bytes().to_vec(), sounds: encode(ipa)? })
    };
    pairs.lines().map(|line| example(line).with_context(|| format!("'{line}'"))).collect()
}

/// Returns the indices in [`SOUNDS`] of the sounds of an IPA string. Consonant length and nasality are encoded as
/// separate sounds after the phone.
fn encode(ipa: &str) -> Result<Vec<u8>> {
    let mut codes = Vec::new();
    for phone in parse_ipa(ipa)? {
        let own_length = phone.long && phone.is_vowel();
        let mut parts = vec![format!("{}{}", phone.symbol.ipa(), if own_length { "ː" } else { "" })];
        if phone.nasal {
            parts.push("\u{303}".to_owned());
        }
        if phone.long && !own_length {
            parts.push("ː".to_owned());
        }
        for part in parts {
            match SOUNDS.iter().position(|sound| *sound == part) {
                Some(place) => codes.push(place as u8),
                None => bail!("'{part}' is not among the sounds of Indian words"),
            }
        }
    }
    Ok(codes)
}

/// Returns the spellings of the examples.
pub fn words(examples: &[Example]) -> Vec<&str> {
    examples.iter().filter_map(|example| std::str::from_utf8(&example.letters).ok()).collect()
}

/// Trains a model on the examples that can be aligned.
pub fn train(examples: &[Example]) -> Result<Trained> {
    let mut examples = examples.to_vec();
    for (letters, ipa) in RARE_LETTERS {
        let rare = Example { letters: letters.as_bytes().to_vec(), sounds: encode(ipa)? };
        examples.extend(std::iter::repeat_n(rare, TIMES));
    }
    let aligned = align(&examples, |code| code);
    let sequences: Vec<&[Graphone]> =
        aligned.iter().flatten().filter(|a| a.regular).map(|a| a.graphones.as_slice()).collect();
    ngram::train(&sequences, SETTINGS)
}

/// Prints the accuracy of models on names that were not in their training data.
pub fn cross_validate(examples: &[Example]) -> Result<()> {
    let (mut right, mut errors, mut phones) = (0, 0, 0);
    for fold in 0..10 {
        let unseen = |example: &Example| fold_of(&String::from_utf8_lossy(&example.letters)) == fold;
        let seen: Vec<Example> = examples.iter().filter(|example| !unseen(example)).cloned().collect();
        let trained = train(&seen)?;
        let model = Model::read(&trained.bytes)?;
        for example in examples.iter().filter(|example| unseen(example)) {
            let distance = edit_distance(&example.sounds, &model.transcribe(&example.letters));
            right += usize::from(distance == 0);
            errors += distance;
            phones += example.sounds.len();
        }
    }
    println!("names not seen in training: {}", examples.len());
    println!("words right:                {:.2} %", percent(right, examples.len()));
    println!("phone errors:               {:.2} %", percent(errors, phones));
    Ok(())
}
