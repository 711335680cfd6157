//! Words of the domain as columns hold them. A row with a word that the domain does not know is damaged.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use super::settings::Section;
use crate::domain::callout::CalloutState;
use crate::domain::delivery::{DeliveryKind, DeliveryState, SecretName};
use crate::domain::label::LabelColor;
use crate::domain::message::{Author, Withdrawal};
use crate::domain::person::Role;
use crate::domain::report::{Origine, Stato};
use crate::domain::routing::{Department, Departments};
use crate::domain::siege;
use crate::store::access::access_log::{Action, LogKind};
use crate::store::archive::erasure::Cause;
use crate::store::desk::agenda::AgendaReason;
use crate::store::desk::reports::ChangeKind;

macro_rules! word {
    ($($type:ty,)*) => {$(
        impl ToSql for $type {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                Ok(self.as_str().into())
            }
        }

        impl FromSql for $type {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                let word = value.as_str()?;
                let unknown = || FromSqlError::Other("an unknown word".into());
                Self::parse(word).ok_or_else(unknown)
            }
        }
    )*};
}

word! {
    Action,
    AgendaReason,
    Author,
    CalloutState,
    Cause,
    ChangeKind,
    LabelColor,
    Department,
    DeliveryKind,
    LogKind,
    Origine,
    Role,
    SecretName,
    Section,
    DeliveryState,
    Stato,
    siege::SiegeCause,
}

impl FromSql for Withdrawal {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Self::asked)
    }
}

impl ToSql for Departments {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.bits().into())
    }
}

impl FromSql for Departments {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let unknown = || FromSqlError::Other("unknown departments".into());
        Self::from_bits(value.as_i64()?).ok_or_else(unknown)
    }
}
