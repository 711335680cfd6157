//! Words of the domain as columns hold them. A row with a word that the domain does not know is damaged.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, Null, ToSql, ToSqlOutput, ValueRef};

use super::settings::Section;
use crate::domain::asked::ConsentKind;
use crate::domain::callout::CalloutState;
use crate::domain::delivery::{DeliveryKind, DeliveryState, SecretName};
use crate::domain::label::LabelColor;
use crate::domain::message::{Author, Withdrawal};
use crate::domain::person::Role;
use crate::domain::report::{Origine, Stato};
use crate::domain::routing::{DepartmentKey, Matter, Sight};
use crate::domain::siege;
use crate::store::access::access_log::{Action, LogKind};
use crate::store::archive::erasure::Cause;
use crate::store::desk::agenda::AgendaReason;
use crate::store::desk::reports::ChangeKind;
use crate::store::session::array;

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
    ConsentKind,
    LabelColor,
    DepartmentKey,
    DeliveryKind,
    LogKind,
    Matter,
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

/// The keys as JSON; null for all departments, so that no list can come to mean all by becoming empty.
impl ToSql for Sight {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.keys() {
            [] => Null.into(),
            keys => array(keys).into(),
        })
    }
}

impl FromSql for Sight {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        if value == ValueRef::Null {
            return Ok(Self::ALL);
        }
        let keys: Vec<DepartmentKey> = serde_json::from_str(value.as_str()?)
            .map_err(|error| FromSqlError::Other(error.into()))?;
        match Self::of(&keys) {
            named if named.is_all() => Err(FromSqlError::Other("no departments".into())),
            named => Ok(named),
        }
    }
}
