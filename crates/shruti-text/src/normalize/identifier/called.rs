//! Short telephone numbers next to a word for a call or before a longer telephone number: `call 1912`, `1913 அல்லது
//! 1800-425-6151`.

use super::candidate::Candidate;
use super::{name, telephone};
use crate::class::Class;
use crate::data::keywords::{Kinds, SHORTEST_CODE};
use crate::normalize::evidence::{Reasons, weight};
use crate::normalize::number;
use crate::normalize::scan::{Reading, Scan};

/// Exclusive upper limit of the distance, in items, from a short telephone number to the word for a call after it.
const NEAR_CALL: usize = 5;
/// Maximum number of digits of a short telephone number.
const LONGEST_SHORT: usize = 5;

/// Reads `call 1912`, `1098 पर कॉल करें`, `1912ಕ್ಕೆ ಕರೆ ಮಾಡಿ`: a short telephone number next to a word for a call. In
/// India, all short numbers begin with 1, and only 100, the number of the police, ends in two zeros.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Candidate> {
    let is_short = |digits: &&str| {
        (SHORTEST_CODE..=LONGEST_SHORT).contains(&digits.len())
            && digits.starts_with('1')
            && (!digits.ends_with("00") || *digits == "100")
    };
    let digits = scan.number(at).filter(is_short)?;
    let is_call = |place: usize| scan.names(place).has(Kinds::CALL);
    let links = |place: usize| {
        scan.word(place).is_some_and(|word| scan.is_function(word) || scan.joined(place))
            || scan.names(place).has(Kinds::NUMBER.and(Kinds::VERB))
            || scan.is_sign(place, '-') && scan.joined(place) && scan.joined(place + 1)
    };
    let before = at > 0 && (is_call(at - 1) || at > 1 && links(at - 1) && is_call(at - 2));
    let after = (at + 1..at + NEAR_CALL).find(|&place| !links(place)).filter(|&place| is_call(place));
    let after = after.or_else(|| telephone_after(scan, at));
    // between a word for a call and a noun, the number is a quantity, such as the price of a call or a number of people
    // called
    let numbered =
        || scan.word(at + 1).is_some_and(|word| word.starts_with(scan.data.number.number_sign.as_str()));
    let is_counted = before && after.is_none() && scan.is_word(at + 1) && !links(at + 1) && !numbered();
    let name = if before { Some(at - 1) } else { after };
    if name.is_none() || is_counted || !name::is_eligible(scan, at) {
        return None;
    }
    let reading = Reading::new(number::one_by_one(&scan.data.number, digits), 1).of(Class::Digits);
    Some(Candidate { reading, reasons: Reasons::NAMED, score: weight::NEAR, name })
}

/// Returns the index of the telephone number that follows the number at `at` in a list: `1913 அல்லது 1800-425-6151`.
fn telephone_after(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let joins = matches!(scan.sign(at + 1), Some(',' | '/' | '&'))
        || scan.word(at + 1).is_some_and(|word| scan.spaced(at + 1) && scan.is_function(word));
    let next = at + 2;
    // the next number may have a trunk code: 1912 / 080-22954417
    let trunk = scan.number(next).is_some_and(|digits| digits.starts_with('0'));
    let is_form = |found: &Candidate| {
        found.score >= weight::FORM || trunk && found.reasons == Reasons::FORM && found.reading.items > 1
    };
    let is_telephone = joins && telephone::read(scan, next).is_some_and(|found| is_form(&found));
    is_telephone.then_some(next)
}
