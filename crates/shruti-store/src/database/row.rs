//! Rows that statements return.

use crate::account::AccountId;
use crate::allowance::LeaseId;
use crate::calendar::{Day, Month};
use crate::count::unsigned;
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::hashing::StoredPassword;
use crate::key::KeyPrefix;
use crate::promo::PromoBeginning;
use crate::secret::SecretHash;

/// Row of either database. Columns are identified by name, and `None` is `NULL`. Callers use `get` and `optional`.
pub(crate) trait Row {
    /// Returns the value of an integer column.
    fn int(&self, column: &str) -> Result<Option<i64>, StoreError>;
    /// Returns the value of a floating-point column.
    fn real(&self, column: &str) -> Result<Option<f64>, StoreError>;
    /// Returns the value of a Boolean column.
    fn boolean(&self, column: &str) -> Result<Option<bool>, StoreError>;
    /// Returns the value of a text column.
    fn text(&self, column: &str) -> Result<Option<&str>, StoreError>;
    /// Returns the value of a binary column.
    fn blob(&self, column: &str) -> Result<Option<&[u8]>, StoreError>;
}

impl dyn Row + '_ {
    /// Returns the value of a column. Fails if the value is `NULL`.
    pub(crate) fn get<T: Column>(&self, column: &str) -> Result<T, StoreError> {
        T::read(self, column)?.ok_or_else(|| StoreError::Unreadable(format!("NULL in the column {column}")))
    }

    /// Returns the value of a column, or `None` for `NULL`.
    pub(crate) fn optional<T: Column>(&self, column: &str) -> Result<Option<T>, StoreError> {
        T::read(self, column)
    }
}

/// Type to which the value of a column can be converted.
pub(crate) trait Column: Sized {
    /// Reads a column.
    fn read(row: &dyn Row, column: &str) -> Result<Option<Self>, StoreError>;
}

/// Implements [`Column`] for types that are converted from the result of a [`Row`] method.
macro_rules! column {
    ($($type:ty, $method:ident, $value:ident => $result:expr;)+) => {
        $(impl Column for $type {
            fn read(row: &dyn Row, column: &str) -> Result<Option<Self>, StoreError> {
                row.$method(column)?.map(|$value| $result).transpose()
            }
        })+
    };
}

column! {
    i64, int, value => Ok(value);
    u64, int, value => Ok(unsigned(value));
    u32, int, value => u32::try_from(value).map_err(|_| StoreError::Unreadable(format!("the count {value}")));
    Month, int, value => Ok(Self(value));
    Day, int, value => Ok(Self(value));
    LeaseId, int, value => Ok(Self(value));
    f64, real, value => Ok(value);
    bool, boolean, value => Ok(value);
    String, text, value => Ok(value.to_owned());
    AccountId, text, value => Ok(Self(value.to_owned()));
    KeyPrefix, text, value => Ok(Self(value.to_owned()));
    PromoBeginning, text, value => Ok(Self(value.to_owned()));
    StoredPassword, text, value => Ok(Self(value.to_owned()));
    EmailAddress, text, value =>
        value.parse().map_err(|error| StoreError::Unreadable(format!("an e-mail address {error}")));
    SecretHash, blob, value => value
        .try_into()
        .map(Self)
        .map_err(|_| StoreError::Unreadable("a hash of another length".to_owned()));
}
