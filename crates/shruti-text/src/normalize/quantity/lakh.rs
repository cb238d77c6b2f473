//! The letter L after a number, which means lakh or litres.

use super::currency;
use crate::data::keywords::Kinds;
use crate::normalize::evidence::weight;
use crate::normalize::number::numeral::Numeral;
use crate::normalize::number::span;
use crate::normalize::scan::Scan;

/// Returns whether the L after the number at `at` means lakh: a word about money is nearer than any word about a
/// volume, or there is no word about a volume and the number is a price or the preceding part of the sentence is about
/// money.
pub(crate) fn is_lakh(scan: &Scan<'_>, at: usize) -> bool {
    let money = |place: usize| scan.names(place).has(Kinds::AMOUNT) || currency::is_sign(scan, place);
    let poured = |place: usize| scan.names(place).has(Kinds::VOLUME);
    let volume = nearest(scan, at, poured);
    nearest(scan, at, money) > volume.max(weight::LITRE)
        || volume == 0 && (scan.sentence_context.is_about_money || is_price(scan, at) || is_slab(scan, at))
}

/// Returns whether the number at `at` is the price of a measure of land or of mass: 2 बीघा का 15 L.
fn is_price(scan: &Scan<'_>, at: usize) -> bool {
    let number = &scan.data.number;
    at > 1 && scan.is_one_of(&number.price_words, at - 1) && scan.is_one_of(&number.sold_by, at - 2)
}

/// Returns whether the number at `at` and the L after it are an income to which a rate applies: 2.5L to 5L is 5%,
/// Above 10L - 30%.
fn is_slab(scan: &Scan<'_>, at: usize) -> bool {
    let amount = |at: usize| {
        let end = at + Numeral::read(scan, at)?.items;
        (scan.latin(end) == Some("L")).then_some(end + 1)
    };
    let Some(mut end) = amount(at) else { return false };
    let mut limited = at > 0 && scan.is_one_of(&scan.data.context.before_limit, at - 1);
    if (scan.is_one_of(&scan.data.date.span_words, end) || span::is_dash(scan, end))
        && let Some(last) = amount(end + 1)
    {
        end = last;
        limited = true;
    }
    // a sign may also follow the size of an article for sale: Coke 2L - 10%
    let signed = limited && matches!(scan.sign(end), Some(':' | '-' | '–' | '=' | '@'));
    let links = signed || scan.names(end).has(Kinds::LINK);
    let rate = Numeral::read(scan, end + 1).map(|rate| end + 1 + rate.items).filter(|_| links);
    // a word may follow the share of a volume: 2L is 20% of the tank
    rate.is_some_and(|sign| scan.is_sign(sign, '%') && !scan.is_word(sign + 1))
}

/// Returns the weight of the nearest item that satisfies `is_kind`, or 0 if there is no such item. The weight decreases
/// with each word in between.
pub(crate) fn nearest(scan: &Scan<'_>, at: usize, is_kind: impl Fn(usize) -> bool) -> i32 {
    let places = at.saturating_sub(NEAR_MEASURE)..(at + NEAR_MEASURE).min(scan.items.len());
    let score = |place: usize| {
        let between = if place < at { place + 1..at } else { at + 1..place };
        let words = between.filter(|&place| scan.is_word(place)).count();
        weight::NEAR + weight::DISTANCE * i32::try_from(words).unwrap_or(i32::from(i16::MAX))
    };
    places.filter(|&place| is_kind(place)).map(score).max().unwrap_or(0)
}

/// Number of items before and after a number that are searched for words about money or a volume.
const NEAR_MEASURE: usize = 10;
