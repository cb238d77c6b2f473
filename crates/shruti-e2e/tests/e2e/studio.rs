//! Tests of `/studio` over real sockets, with the requests of a browser.

mod accounts;
mod admission;
pub(crate) mod browser;
mod deletion;
mod guard;
mod hostile;
mod keys;
mod lexicon;
mod mails;
mod operator;
mod pages;
mod promo;
mod sessions;
mod tokens;
mod usage;
mod verification;
