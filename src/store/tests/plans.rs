//! What keeps deletions quick as the archive grows. Must never depend on how a statement is written.

use crate::store::connection::{known_version, schema_of_version};

/// Parents of which no row is ever deleted.
const LASTING: [&str; 2] = ["epochs", "key_pairs"];

#[test]
fn a_deleted_row_finds_its_children_by_an_index() {
    let connection = schema_of_version(known_version()).unwrap();
    let mut statement = connection
        .prepare(
            "SELECT t.name, k.\"table\", k.\"from\", EXISTS (
                 SELECT 1 FROM pragma_index_list(t.name) i JOIN pragma_index_info(i.name) c
                 WHERE c.seqno = 0 AND c.name = k.\"from\" AND i.partial = 0)
             FROM sqlite_schema t, pragma_foreign_key_list(t.name) k WHERE t.type = 'table'",
        )
        .unwrap();
    let mut rows = statement.raw_query();
    let mut found = 0;
    while let Some(row) = rows.next().unwrap() {
        let (table, parent, column): (String, String, String) =
            (row.get_unwrap(0), row.get_unwrap(1), row.get_unwrap(2));
        let indexed: bool = row.get_unwrap(3);
        assert!(
            indexed || LASTING.contains(&parent.as_str()),
            "{table}.{column}"
        );
        found += 1;
    }
    assert!(found > 3, "{found}");
}
