//! Values for the places of a statement, with their types in the database: a statement without a name is sent before the
//! database could tell them.

use tokio_postgres::types::{ToSql, Type};

/// Values for the places of a statement (`$1` and so on).
pub(super) type Values<'a> = &'a [&'a dyn Value];

/// A value whose type follows from its type in Rust.
pub(super) trait Value: ToSql + Sync {
    /// The type in the database.
    fn sql_type(&self) -> Type;
}

/// Types in the database for types that are no options.
trait Typed: ToSql + Sync {
    const TYPE: Type;
}

impl<T: Typed> Value for T {
    fn sql_type(&self) -> Type {
        T::TYPE
    }
}

impl<T: Typed> Typed for Option<T> {
    const TYPE: Type = T::TYPE;
}

macro_rules! typed {
    ($($rust:ty => $sql:ident),+ $(,)?) => {
        $(impl Typed for $rust {
            const TYPE: Type = Type::$sql;
        })+
    };
}

typed! {
    bool => BOOL,
    f64 => FLOAT8,
    i64 => INT8,
    &str => TEXT,
    String => TEXT,
    &[u8] => BYTEA,
    Vec<&str> => TEXT_ARRAY,
}

/// Returns values with their types.
pub(super) fn typed(values: Values<'_>) -> Vec<(&(dyn ToSql + Sync), Type)> {
    values.iter().map(|&value| (value as &(dyn ToSql + Sync), value.sql_type())).collect()
}

/// Returns values without their types.
pub(super) fn untyped(values: Values<'_>) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|&value| value as &(dyn ToSql + Sync)).collect()
}
