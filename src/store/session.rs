//! The types to which the modules of the tables add their methods: a snapshot for reading, a transaction for writing.
//! This file decides which part of the archive a caller may see: their statements find nothing else.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use rusqlite::types::FromSql;
use rusqlite::{CachedStatement, Connection, Error as Failure, OptionalExtension, Params, Row};
use serde::Serialize;

use crate::domain::routing::Sight;
use crate::store::error::Result;

/// One consistent view of the database.
pub struct Snapshot<'c> {
    pub(super) connection: &'c Connection,
    /// The departments whose reports the caller may see.
    visible: Sight,
    /// The prefix that restricts a statement to them; empty for all.
    narrowing: Arc<str>,
}

/// Tables with rows of reports, and by which column of theirs and of a report's.
pub(super) const OF_REPORTS: [(&str, &[&str], &str); 16] = [
    ("history", &["report"], "id"),
    ("messages", &["report"], "id"),
    ("answers", &["report"], "id"),
    ("consents", &["report"], "id"),
    ("comments", &["report"], "id"),
    ("masks", &["report"], "id"),
    ("snoozes", &["report"], "id"),
    ("mentions", &["report"], "id"),
    ("looks", &["report"], "id"),
    ("attachments", &["report"], "id"),
    ("deliveries", &["report"], "id"),
    ("routing_memory", &["report"], "id"),
    ("apart", &["a", "b"], "seq"),
    ("stories", &["id"], "storia"),
    ("sketches", &["report"], "seq"),
    ("batch_reports", &["seq"], "seq"),
];
/// Tables whose rows do not tell their department.
const OF_ALL: [&str; 2] = ["erased", "chat_stops"];

/// The prefix that restricts a statement to these departments: each table that it names stands for its visible rows,
/// unless it says `main.`. INSERT, UPDATE and DELETE write to the table itself, so an action looks its report up first.
/// The `+` leaves every statement its plan. Statements are kept by their whole text, as many as there is room for.
fn narrowing(visible: &Sight) -> String {
    let keys = visible.keys().iter();
    let keys: Vec<String> = keys.map(|one| format!("'{one}'")).collect();
    let keys = keys.join(", ");
    let by_department =
        ["segnalazioni", "counts"].map(|table| (table, format!("+department IN ({keys})")));
    let of_reports = OF_REPORTS.map(|(table, columns, key)| {
        let seen = columns.iter().map(|column| {
            format!(
                "EXISTS (SELECT 1 FROM segnalazioni AS seen WHERE seen.{key} = {table}.{column})"
            )
        });
        (table, seen.collect::<Vec<_>>().join(" AND "))
    });
    let of_all = OF_ALL.map(|table| (table, "0".to_owned()));
    let unseen = format!("SELECT 1 FROM json_each(views.departments) WHERE value NOT IN ({keys})");
    let views = (
        "views",
        format!("departments IS NOT NULL AND NOT EXISTS ({unseen})"),
    );
    let tables = by_department
        .into_iter()
        .chain(of_reports)
        .chain(of_all)
        .chain([views]);
    let tables = tables.map(|(table, seen)| {
        format!("{table} AS NOT MATERIALIZED (SELECT * FROM main.{table} WHERE {seen})")
    });
    let tables: Vec<_> = tables.collect();
    format!("WITH {} ", tables.join(", "))
}

/// A change in progress; also reads what it has changed so far.
pub struct Tx<'c> {
    snapshot: Snapshot<'c>,
    revision: &'c AtomicU64,
    /// Number of an epoch that is stored by now: most reports belong to the one before.
    pub(super) epoch: &'c AtomicI64,
}

/// A type that a row is read into, in the order of its columns: a tuple, or a struct listed by [`columns`].
pub(super) trait FromRow: for<'r> TryFrom<&'r Row<'r>, Error = Failure> {}

impl<T: for<'r> TryFrom<&'r Row<'r>, Error = Failure>> FromRow for T {}

/// Lists the fields of structs in the order of the columns that they are read from.
macro_rules! columns {
    ($($type:ident { $($field:ident),+ })+) => {$(
        impl TryFrom<&rusqlite::Row<'_>> for $type {
            type Error = rusqlite::Error;

            fn try_from(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
                let mut next = 0;
                $(let $field = $crate::store::session::take(row, &mut next)?;)+
                Ok(Self { $($field),+ })
            }
        }
    )+};
}

/// Methods that are one statement each. Its values are the arguments in their order, each as `as` binds it, else the list behind it.
macro_rules! statements {
    (@found) => { () };
    (@found $found:ty) => { $found };
    (@values [$($argument:ident)*]) => { rusqlite::params![$($argument),*] };
    (@values [$($argument:ident)*] $($value:expr),+) => { rusqlite::params![$($value),+] };
    ($($(#[$about:meta])* $run:ident $name:ident($($argument:ident: $kind:ty $(as $bound:path)?),*) $(-> $found:ty)? =
        $sql:expr $(, [$($value:expr),+])?;)+) => {$(
        $(#[$about])*
        pub fn $name(&self $(, $argument: $kind)*) -> $crate::store::error::Result<statements!(@found $($found)?)> {
            $($(let $argument = $bound($argument);)?)*
            self.$run($sql, statements!(@values [$($argument)*] $($($value),+)?))
        }
    )+};
}

pub(super) use {columns, statements};

/// The next column of a row.
pub(super) fn take<T: FromSql>(row: &Row<'_>, next: &mut usize) -> rusqlite::Result<T> {
    let value = row.get(*next);
    *next += 1;
    value
}

/// Values as `json_each` reads them.
pub(super) fn array<T: Serialize>(values: &[T]) -> String {
    serde_json::to_string(values).unwrap_or_default()
}

/// A number of rows as SQLite counts them.
pub(super) fn rows(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

impl<'c> Snapshot<'c> {
    pub(super) fn new(connection: &'c Connection) -> Self {
        Self {
            connection,
            visible: Sight::ALL,
            narrowing: Arc::default(),
        }
    }

    /// This view, restricted to the reports of these departments.
    pub fn seeing(&self, visible: &Sight) -> Self {
        let narrowing = match visible {
            same if *same == self.visible => Arc::clone(&self.narrowing),
            all if all.is_all() => Arc::default(),
            some => narrowing(some).into(),
        };
        Self {
            connection: self.connection,
            visible: visible.clone(),
            narrowing,
        }
    }

    pub fn visible_departments(&self) -> &Sight {
        &self.visible
    }

    /// A statement, restricted to the rows that are in sight.
    pub(super) fn restricted<'s>(&self, sql: &'s str) -> Cow<'s, str> {
        if self.visible.is_all() {
            Cow::Borrowed(sql)
        } else {
            Cow::Owned([&*self.narrowing, sql].concat())
        }
    }

    /// The one way from a text to a statement.
    pub(super) fn prepare(&self, sql: &str) -> Result<CachedStatement<'c>> {
        Ok(self.connection.prepare_cached(&self.restricted(sql))?)
    }

    /// The only row, if there is one.
    pub(super) fn find<T: FromRow>(&self, sql: &str, values: impl Params) -> Result<Option<T>> {
        let mut statement = self.prepare(sql)?;
        let found = statement.query_row(values, |row| T::try_from(row));
        Ok(found.optional()?)
    }

    /// The only column of the only row, if there is one.
    pub(super) fn find_value<T: FromSql>(
        &self,
        sql: &str,
        values: impl Params,
    ) -> Result<Option<T>> {
        Ok(self.find::<(T,)>(sql, values)?.map(|(value,)| value))
    }

    /// The only column of the only row, which is always there.
    pub(super) fn value<T: FromSql>(&self, sql: &str, values: impl Params) -> Result<T> {
        let mut statement = self.prepare(sql)?;
        Ok(statement.query_row(values, |row| row.get(0))?)
    }

    pub(super) fn list<T: FromRow>(&self, sql: &str, values: impl Params) -> Result<Vec<T>> {
        let mut statement = self.prepare(sql)?;
        let rows = statement.query_map(values, |row| T::try_from(row))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The only column of each row.
    pub(super) fn values<T: FromSql>(&self, sql: &str, values: impl Params) -> Result<Vec<T>> {
        let mut statement = self.prepare(sql)?;
        let rows = statement.query_map(values, |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl<'c> Tx<'c> {
    pub(super) fn new(
        connection: &'c Connection,
        revision: &'c AtomicU64,
        epoch: &'c AtomicI64,
    ) -> Self {
        Self {
            snapshot: Snapshot::new(connection),
            revision,
            epoch,
        }
    }

    /// This transaction, restricted to the reports of these departments.
    pub fn seeing(&self, visible: &Sight) -> Self {
        Self {
            snapshot: self.snapshot.seeing(visible),
            ..*self
        }
    }

    /// [`super::Store::revision`], with what this transaction has changed so far.
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// Says that something changes which is kept in memory too.
    pub(super) fn revise(&self) {
        self.revision.fetch_add(1, Ordering::AcqRel);
    }
}

impl<'c> Deref for Tx<'c> {
    type Target = Snapshot<'c>;

    fn deref(&self) -> &Snapshot<'c> {
        &self.snapshot
    }
}

impl Tx<'_> {
    pub(super) fn execute(&self, sql: &str, values: impl Params) -> Result<()> {
        self.changed(sql, values).map(drop)
    }

    /// Executes a change to data that are also kept in memory.
    pub(super) fn revised(&self, sql: &str, values: impl Params) -> Result<()> {
        self.revise();
        self.execute(sql, values)
    }

    /// Runs one statement; answers how many rows it changed.
    pub(super) fn changed(&self, sql: &str, values: impl Params) -> Result<usize> {
        Ok(self.prepare(sql)?.execute(values)?)
    }

    /// Writes about what a busy minute of reports needs and takes it back: fails while the disk is full.
    pub(super) fn probe(&self) -> Result<()> {
        Ok(self.connection.execute_batch(
            "CREATE TABLE probe (filler BLOB);
             INSERT INTO probe VALUES (zeroblob(262144));
             DROP TABLE probe",
        )?)
    }
}
