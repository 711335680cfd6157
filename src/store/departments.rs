//! Table `departments`. Must never delete a row: what was says its key for good.

use rusqlite::params;

use super::error::{Error, Result};
use super::session::{Snapshot, Tx, array, columns, rows, statements};
use crate::domain::routing::{Department, DepartmentKey, Departments, Matter};

struct DepartmentRow {
    key: DepartmentKey,
    name: String,
    email: String,
    keywords: String,
    matter: Option<Matter>,
    gone: bool,
}

columns! {
    DepartmentRow { key, name, email, keywords, matter, gone }
}

impl Snapshot<'_> {
    pub fn departments(&self) -> Result<Departments> {
        let sql = "SELECT key, name, email, keywords, matter, gone IS NOT NULL FROM departments ORDER BY place, key";
        let rows: Vec<DepartmentRow> = self.list(sql, [])?;
        let (gone, present): (Vec<_>, _) = rows.into_iter().partition(|row| row.gone);
        let present = present.into_iter().map(|row| Department {
            key: row.key,
            name: row.name,
            email: row.email,
            keywords: row.keywords,
            matter: row.matter,
        });
        let gone = gone.into_iter().map(|row| (row.key, row.name)).collect();
        Departments::of(present, gone).ok_or_else(|| Error::Damaged("departments".to_owned()))
    }
}

impl Snapshot<'_> {
    statements! {
        /// Where the reports of a department go that was removed.
        find_value heir(key: DepartmentKey) -> Option<DepartmentKey> =
            "SELECT heir FROM departments WHERE key = ?1 AND heir IS NOT NULL";
        value has_department(key: DepartmentKey) -> bool =
            "SELECT EXISTS (SELECT 1 FROM departments WHERE key = ?1 AND gone IS NULL)";
        /// Reports in departments that were removed: their ids, and who removed the department.
        list left_behind(limit: usize as rows) -> Vec<(String, Option<String>)> =
            "SELECT s.id, d.remover FROM departments AS d JOIN segnalazioni AS s ON s.department = d.key \
            WHERE d.gone IS NOT NULL LIMIT ?1";
    }
}

impl Tx<'_> {
    statements! {
        /// Behind all others.
        revised insert_department(one: &Department) =
            "INSERT INTO departments (key, name, email, keywords, matter, place) \
            VALUES (?1, ?2, ?3, ?4, ?5, (SELECT max(place) + 1 FROM departments))",
            [one.key, one.name, one.email, one.keywords, one.matter];
        revised change_department(one: &Department) =
            "UPDATE departments SET name = ?2, email = ?3, keywords = ?4, matter = ?5 WHERE key = ?1",
            [one.key, one.name, one.email, one.keywords, one.matter];
        revised put_place(key: DepartmentKey, place: usize as rows) = "UPDATE departments SET place = ?2 WHERE key = ?1";
        /// Sets address and keywords.
        revised put_desk(desk: &Department) =
            "UPDATE departments SET email = ?2, keywords = ?3 WHERE key = ?1 AND (email, keywords) <> (?2, ?3)",
            [desk.key, desk.email, desk.keywords];
    }

    /// The department of a callout is no question: its versions are not rewritten by it.
    pub fn callouts_follow(&self, key: DepartmentKey, heir: DepartmentKey) -> Result<()> {
        self.execute(
            "UPDATE callout_versions SET body = json_set(body, '$.department', ?2) WHERE json_extract(body, '$.department') = ?1",
            params![key, heir],
        )?;
        self.execute(
            "UPDATE callouts SET department = ?2, revision = revision + 1 WHERE department = ?1",
            params![key, heir],
        )
    }

    /// In the place of those that there are; one that `all` does not name counts as removed.
    pub fn put_departments(&self, all: &Departments, now: i64) -> Result<()> {
        let named: Vec<DepartmentKey> = all.keys().collect();
        self.revised(
            "UPDATE departments SET gone = ?2, heir = 'generale', email = '' \
            WHERE gone IS NULL AND key NOT IN (SELECT value FROM json_each(?1))",
            params![array(&named), now],
        )?;
        for (place, one) in all.iter().enumerate() {
            self.revised(
                "INSERT INTO departments (key, name, email, keywords, matter, place) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
                ON CONFLICT (key) DO UPDATE SET name = ?2, email = ?3, keywords = ?4, matter = ?5, place = ?6, \
                gone = NULL, heir = NULL, remover = NULL",
                params![one.key, one.name, one.email, one.keywords, one.matter, rows(place)],
            )?;
        }
        for (key, name) in all.gone() {
            self.revised(
                "INSERT INTO departments (key, name, place, gone, heir) VALUES (?1, ?2, 0, ?3, 'generale') \
                ON CONFLICT (key) DO UPDATE SET name = ?2, gone = ?3, heir = 'generale'",
                params![key, name, now],
            )?;
        }
        Ok(())
    }

    /// Departments whose heir it was get its heir.
    pub fn remove_department(
        &self,
        key: DepartmentKey,
        heir: DepartmentKey,
        now: i64,
        remover: Option<&str>,
    ) -> Result<()> {
        self.revised(
            "UPDATE departments SET gone = ?3, heir = ?2, remover = ?4, email = '' WHERE key = ?1",
            params![key, heir, now, remover],
        )?;
        self.execute(
            "UPDATE departments SET heir = ?2 WHERE heir = ?1",
            params![key, heir],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn a_new_archive_begins_with_the_six() {
        let store = Store::in_memory().unwrap();
        let found = store.read(|snapshot| snapshot.departments()).unwrap();
        assert_eq!(found, Departments::default());
    }
}
