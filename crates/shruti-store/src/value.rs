//! Values in the form that both databases share, and the tally of a table's rows for comparison.

use std::error::Error;

use bytes::BytesMut;
use rusqlite::types::{ToSqlOutput, Value as SqliteValue, ValueRef};
use sha2::{Digest, Sha256};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::error::StoreError;

/// Value of a column in the form that is copied and compared. A Boolean value is the integer 0 or 1, as in SQLite.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

impl TryFrom<ValueRef<'_>> for Value {
    type Error = StoreError;

    fn try_from(value: ValueRef<'_>) -> Result<Self, StoreError> {
        Ok(match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(number) => Self::Integer(number),
            ValueRef::Real(number) => Self::Real(number),
            ValueRef::Text(text) => match std::str::from_utf8(text) {
                Ok(text) => Self::Text(text.to_owned()),
                Err(error) => return Err(StoreError::Unreadable(format!("a text: {error}"))),
            },
            ValueRef::Blob(bytes) => Self::Bytes(bytes.to_vec()),
        })
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(SqliteValue::Null),
            Self::Integer(number) => ToSqlOutput::Owned(SqliteValue::Integer(*number)),
            Self::Real(number) => ToSqlOutput::Owned(SqliteValue::Real(*number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

type Fault = Box<dyn Error + Sync + Send>;

impl<'a> FromSql<'a> for Value {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Fault> {
        Ok(match *kind {
            Type::INT8 => Self::Integer(i64::from_sql(kind, raw)?),
            Type::BOOL => Self::Integer(bool::from_sql(kind, raw)?.into()),
            Type::FLOAT8 => Self::Real(f64::from_sql(kind, raw)?),
            Type::TEXT => Self::Text(String::from_sql(kind, raw)?),
            Type::BYTEA => Self::Bytes(Vec::from_sql(kind, raw)?),
            _ => return Err(format!("no column has the type {kind}").into()),
        })
    }

    fn from_sql_null(_kind: &Type) -> Result<Self, Fault> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        is_known(kind)
    }
}

impl ToSql for Value {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Fault> {
        match (self, kind) {
            (Self::Null, _) => Ok(IsNull::Yes),
            (Self::Integer(flag @ 0..=1), &Type::BOOL) => (*flag == 1).to_sql(kind, out),
            (Self::Integer(number), &Type::INT8) => number.to_sql(kind, out),
            (Self::Real(number), &Type::FLOAT8) => number.to_sql(kind, out),
            (Self::Text(text), &Type::TEXT) => text.to_sql(kind, out),
            (Self::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(kind, out),
            // the message omits the value, which may be an e-mail address
            _ => Err(format!("a value does not fit a column of the type {kind}").into()),
        }
    }

    fn accepts(kind: &Type) -> bool {
        is_known(kind)
    }

    to_sql_checked!();
}

fn is_known(kind: &Type) -> bool {
    [Type::INT8, Type::BOOL, Type::FLOAT8, Type::TEXT, Type::BYTEA].contains(kind)
}

/// Number of rows of a table, and a SHA-256. The hash covers all rows in the order of their key, followed by the last
/// row number if the table numbers its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Number of rows.
    pub rows: u64,
    /// Hash. It is equal in both databases if the rows and the last row number are the same.
    pub digest: [u8; 32],
}

/// Accumulator for a [`Tally`].
#[derive(Default)]
pub(crate) struct Counter {
    rows: u64,
    digest: Sha256,
}

impl Counter {
    pub(crate) fn add(&mut self, row: &[Value]) {
        self.rows += 1;
        for value in row {
            // the type and the length are hashed too, so that different rows never give the same bytes
            let mut add = |kind: u8, bytes: &[u8]| {
                self.digest.update([kind]);
                self.digest.update((bytes.len() as u64).to_be_bytes());
                self.digest.update(bytes);
            };
            match value {
                Value::Null => add(0, &[]),
                Value::Integer(number) => add(1, &number.to_be_bytes()),
                Value::Real(number) => add(2, &number.to_be_bytes()),
                Value::Text(text) => add(3, text.as_bytes()),
                Value::Bytes(bytes) => add(4, bytes),
            }
        }
    }

    /// Returns the tally. `last_number` is the last number that the table has assigned to a row, if the table numbers
    /// its rows.
    pub(crate) fn finish(mut self, last_number: Option<i64>) -> Tally {
        if let Some(last) = last_number {
            self.add(&[Value::Integer(last)]);
            self.rows -= 1;
        }
        Tally { rows: self.rows, digest: self.digest.finalize().into() }
    }
}
