//! Parameters of statements.

use crate::account::AccountId;
use crate::allowance::LeaseId;
use crate::calendar::{Day, Month};
use crate::count::signed;
use crate::email::EmailAddress;
use crate::hashing::StoredPassword;
use crate::key::KeyPrefix;
use crate::secret::SecretHash;

/// Parameter of a statement, with its type in the database. `None` is `NULL`.
#[derive(Clone, Copy)]
pub(crate) enum Param<'a> {
    Bool(bool),
    Int(Option<i64>),
    Real(Option<f64>),
    Text(Option<&'a str>),
    Blob(&'a [u8]),
    /// Array in PostgreSQL, JSON array in SQLite.
    Texts(&'a [&'a str]),
}

/// Creates the parameters of a statement. The first one is `$1`.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$($crate::database::Param::from($value)),*]
    };
}
pub(crate) use params;

/// Implements the conversion of types into variants of [`Param`].
macro_rules! convert {
    ($($from:ty, $value:ident => $param:expr;)+) => {
        $(impl<'a> From<$from> for Param<'a> {
            fn from($value: $from) -> Self {
                $param
            }
        })+
    };
}

convert! {
    bool, value => Self::Bool(value);
    i64, value => Self::Int(Some(value));
    Option<i64>, value => Self::Int(value);
    u32, value => Self::Int(Some(i64::from(value)));
    Option<u32>, value => Self::Int(value.map(i64::from));
    u64, value => Self::Int(Some(signed(value)));
    Option<u64>, value => Self::Int(value.map(signed));
    Month, value => Self::Int(Some(value.0));
    Day, value => Self::Int(Some(value.0));
    LeaseId, value => Self::Int(Some(value.0));
    Option<f64>, value => Self::Real(value);
    &'a str, value => Self::Text(Some(value));
    Option<&'a str>, value => Self::Text(value);
    &'a String, value => Self::Text(Some(value));
    &'a AccountId, value => Self::Text(Some(value.as_str()));
    Option<&'a AccountId>, value => Self::Text(value.map(AccountId::as_str));
    &'a KeyPrefix, value => Self::Text(Some(value.as_str()));
    &'a EmailAddress, value => Self::Text(Some(value.as_str()));
    Option<&'a EmailAddress>, value => Self::Text(value.map(EmailAddress::as_str));
    Option<&'a StoredPassword>, value => Self::Text(value.map(|password| password.0.as_str()));
    &'a SecretHash, value => Self::Blob(&value.0);
    &'a [u8; 16], value => Self::Blob(value);
    &'a [&'a str], value => Self::Texts(value);
}
