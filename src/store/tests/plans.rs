//! The plans of the store's own statements: none walks a table that grows with the archive, but for those whose very task that
//! is. They are read from the sources, so that a new statement is looked at too. Must never leave one out that it cannot fill in.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, StatementStatus, ToSql};

use crate::domain::routing::Department;
use crate::store::connection::{known_version, schema_of_version};
use crate::store::list_filter::ListFilter;

/// Tables that grow with what is reported. The others have a row for each setting, state or place, or are kept short.
const GROWING: [&str; 9] = [
    "arrivals",
    "chat_stops",
    "corrections",
    "deliveries",
    "epochs",
    "erased",
    "history",
    "routing_lessons",
    "segnalazioni",
];

/// Files that work on whole databases, none of which is served meanwhile.
const OFFLINE: [&str; 2] = ["copies.rs", "replace.rs"];

/// How statements end that walk a whole table because that is what they are for.
const WHOLE: [&str; 11] = [
    // A file of every report, and how many rows it will have.
    "FROM segnalazioni WHERE ?1 IS NULL AND ?3 IS NULL AND ?2 IS NULL ORDER BY seq DESC",
    "SELECT count(*) FROM segnalazioni WHERE ?1 IS NULL AND ?3 IS NULL AND ?2 IS NULL",
    // A restore compares every id with the whole ledger.
    "SELECT id FROM segnalazioni",
    "SELECT trace, at, cause FROM erased ORDER BY trace",
    // Only where a key pair was given up; a key an hour.
    "WHERE e.key_id = p.key_id) ORDER BY created DESC",
    "ON p.key_id = e.key_id WHERE p.active = 0",
    "ON p.key_id = e.key_id WHERE p.active = 0 ORDER BY s.seq DESC",
    "FROM epochs WHERE key_id = ?1 ORDER BY id LIMIT ?2",
    // What staff corrected: all of it is learnt from.
    "SELECT count(*) FROM corrections",
    "SELECT report FROM corrections ORDER BY at DESC, report LIMIT ?1",
    "DELETE FROM corrections",
];

/// Parents of whom no row is ever deleted.
const LASTING: [&str; 2] = ["epochs", "key_pairs"];

/// The statements of the sources, each once with every part that its placeholders stand for.
fn statements() -> BTreeSet<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/store");
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let source = path.extension().is_some_and(|extension| extension == "rs");
        if source && name != "tests.rs" && !OFFLINE.contains(&name) {
            found.extend(statements_of(&fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

fn statements_of(source: &str) -> Vec<String> {
    let comment = |line: &&str| !line.trim_start().starts_with("//");
    let program = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let code: Vec<&str> = program.lines().filter(comment).collect();
    let code = code.join("\n").replace("\\\n", "\u{0}");
    let mut found = Vec::new();
    let mut constants = Vec::new();
    // Outside and inside of quotes in turns; there is no quote within a statement.
    let mut before = "";
    for (number, text) in code.split('"').enumerate() {
        if number % 2 == 0 {
            before = text;
            continue;
        }
        let parts = text.split('\u{0}').enumerate();
        let text: String = parts
            .map(|(number, part)| if number == 0 { part } else { part.trim_start() })
            .collect();
        if let Some((_, rest)) = before.rsplit_once("const ")
            && let Some(name) = rest.trim_end().strip_suffix(": &str =")
        {
            constants.push((format!("{{{name}}}"), text.clone()));
        }
        let begins = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "];
        // A probe's table is there only as long as the probe.
        if begins.iter().any(|word| text.starts_with(word)) && !text.contains(" probe ") {
            found.push(text);
        }
    }
    let fill = |text: String| {
        constants
            .iter()
            .fold(text, |text, (name, value)| text.replace(name, value))
    };
    found.into_iter().map(fill).flat_map(variants).collect()
}

/// A statement with each of the parts that are put in when it runs.
fn variants(statement: String) -> Vec<String> {
    let parts: Vec<(&str, Vec<String>)> = vec![
        ("{filter}", texts(&["d.state = ?1", "?1 IS NULL"])),
        (
            "{which}",
            texts(&[
                "INDEXED BY deliveries_under_way WHERE kind = ?2 AND destination = ?1 AND under_way = (SELECT \
                 under_way FROM deliveries INDEXED BY deliveries_under_way WHERE kind = ?2 AND destination = ?1 AND \
                 under_way IS NOT NULL ORDER BY id LIMIT 1) ORDER BY id",
                "INDEXED BY deliveries_lists WHERE state = 'pending' AND kind = 'email' AND destination = ?1 AND \
                 doubt = ?2 ORDER BY id",
                "WHERE id IN (SELECT id FROM deliveries INDEXED BY deliveries_lists WHERE state = 'pending' AND kind \
                 = 'email' AND destination = ?1 AND doubt IS NULL AND most = ?2 ORDER BY next_at > ?4, attempts, id \
                 LIMIT ?3) ORDER BY id",
                "INDEXED BY deliveries_lists WHERE state = 'pending' AND kind = 'email' AND destination = ?1 AND \
                 doubt IS NULL AND most IS NULL ORDER BY id LIMIT ?2",
                "INDEXED BY deliveries_calls WHERE state = 'pending' AND kind = 'webhook' AND destination = ?1 AND \
                 (next_at <= ?2 OR next_at > ?2 + ?3) ORDER BY attempts, next_at, id LIMIT 1",
            ]),
        ),
        (
            "{bound}",
            texts(&[
                "seq < ?4 ORDER BY seq DESC",
                "seq > ?4 ORDER BY seq",
                "seq >= ?4 ORDER BY seq",
            ]),
        ),
        (
            "ORDER BY seq {}",
            texts(&["ORDER BY seq DESC", "ORDER BY seq ASC"]),
        ),
        (
            "{} AND (?2 IS NULL OR",
            filters()
                .iter()
                .map(|filter| format!("{} AND (?2 IS NULL OR", filter.kind_condition()))
                .collect(),
        ),
        (
            "{} AND ?2 IS NULL",
            filters()
                .iter()
                .map(|filter| format!("{} AND ?2 IS NULL", filter.kind_condition()))
                .collect(),
        ),
        ("{}", filters().iter().map(ListFilter::condition).collect()),
    ];
    let mut all = vec![statement];
    for (place, values) in &parts {
        let put_in = |one: String| -> Vec<String> {
            if one.contains(place) {
                values
                    .iter()
                    .map(|value| one.replace(place, value))
                    .collect()
            } else {
                vec![one]
            }
        };
        all = all.into_iter().flat_map(put_in).collect();
    }
    all
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Every kind of filter.
fn filters() -> Vec<ListFilter> {
    let mut all = Vec::new();
    for stato in [None, Some("Nuova".to_owned())] {
        for department in [None, Some(Department::Sanita)] {
            for since in [None, Some(0)] {
                all.push(ListFilter {
                    stato: stato.clone(),
                    department,
                    since,
                });
            }
        }
    }
    all
}

/// The tables that a plan walks from end to end, those of its triggers included.
fn walks(connection: &Connection, statement: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in plan_of(connection, statement) {
        // An index that is made for the statement is a walk too.
        let made = line
            .strip_prefix("SEARCH ")
            .filter(|rest| rest.contains(" AUTOMATIC "));
        if let Some(rest) = line.strip_prefix("SCAN ").or(made) {
            found.push(table_of(statement, rest.split(' ').next().unwrap_or(rest)));
        }
    }
    found
}

/// The lines of a plan.
fn plan_of(connection: &Connection, statement: &str) -> Vec<String> {
    let mut plan = connection
        .prepare(&format!("EXPLAIN QUERY PLAN {statement}"))
        .unwrap_or_else(|error| panic!("{error}: {statement}"));
    let mut rows = plan.raw_query();
    let mut lines = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        // Between the programs of triggers there are rows without a word.
        lines.extend(row.get::<_, Option<String>>(3).unwrap());
    }
    lines
}

/// The table behind a name, which may be another one that the statement gives it.
fn table_of(statement: &str, name: &str) -> String {
    let words = statement.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let words: Vec<&str> = words
        .filter(|word| !word.is_empty() && *word != "AS")
        .collect();
    let given = words
        .windows(2)
        .find(|pair| pair[1] == name && GROWING.contains(&pair[0]));
    given.map_or(name, |pair| pair[0]).to_owned()
}

fn schema() -> Connection {
    let connection = schema_of_version(known_version()).unwrap();
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_TRIGGER_EQP, true)
        .unwrap();
    connection
}

#[test]
fn no_statement_walks_a_table_that_grows() {
    let connection = schema();
    let statements = statements();
    assert!(statements.len() > 150, "{}", statements.len());
    let (mut walking, mut meant) = (Vec::new(), BTreeSet::new());
    for statement in statements {
        let walked = walks(&connection, &statement);
        if walked.iter().any(|table| GROWING.contains(&table.as_str())) {
            match WHOLE.iter().find(|end| statement.ends_with(**end)) {
                Some(end) => meant.extend([*end]),
                None => walking.push((walked, statement)),
            }
        }
    }
    assert!(walking.is_empty(), "{walking:#?}");
    assert!(meant.contains(WHOLE[0]), "{meant:?}");
}

/// How statements end that read all that an index finds and put it in order, because there is never much of it.
const SORTED: [&str; 4] = [
    // What the next fourteen days erase, in the order in which it goes.
    "ORDER BY goes_at, seq LIMIT ?5",
    // One list of a mail, which is no longer than its limit.
    "ORDER BY id LIMIT 1) ORDER BY id",
    "attempts, id LIMIT ?3) ORDER BY id",
    // Counts of what a limit was put to before.
    "ORDER BY id LIMIT ?2) GROUP BY kind",
];

/// Whether a plan puts rows of a table that grows in order after it has read them all, whatever limit the statement has.
fn sorts(connection: &Connection, statement: &str) -> bool {
    let plan = plan_of(connection, statement);
    let grows = |line: &String| {
        let name = line
            .strip_prefix("SEARCH ")
            .and_then(|rest| rest.split(' ').next());
        name.is_some_and(|name| GROWING.contains(&table_of(statement, name).as_str()))
    };
    plan.iter()
        .any(|line| line.starts_with("USE TEMP B-TREE FOR "))
        && plan.iter().any(grows)
}

#[test]
fn no_statement_reads_more_than_its_limit_to_put_it_in_order() {
    let connection = schema();
    let limited = statements()
        .into_iter()
        .filter(|one| one.contains(" LIMIT "));
    let (mut sorting, mut meant) = (Vec::new(), BTreeSet::new());
    for statement in limited.filter(|statement| sorts(&connection, statement)) {
        match SORTED.iter().find(|end| statement.ends_with(**end)) {
            Some(end) => meant.extend([*end]),
            None => sorting.push(statement),
        }
    }
    assert!(sorting.is_empty(), "{sorting:#?}");
    assert_eq!(meant.len(), SORTED.len(), "{meant:?}");
}

/// A database in which so many mails and so many calls of the webhook wait, and for longer one of each for another address.
fn outbox_of(many: u32) -> Connection {
    let connection = schema();
    connection
        .execute_batch("PRAGMA foreign_keys = OFF; BEGIN")
        .unwrap();
    for number in 0..=many {
        let destinations = match number {
            0 => [("email", "old@b.it"), ("webhook", "https://old.it")],
            _ => [("email", "a@b.it"), ("webhook", "https://b.it")],
        };
        for (kind, destination) in destinations {
            let name = format!("{kind}{number}");
            connection
                .execute(
                    "INSERT INTO deliveries (report, kind, destination, message_id, created, since, next_at, body) \
                     VALUES (?3, ?1, ?2, ?3, ?4, ?4, ?4, x'00')",
                    (kind, destination, name, number),
                )
                .unwrap();
        }
    }
    connection.execute_batch("COMMIT").unwrap();
    connection
}

/// Steps that SQLite's machine takes for a statement, the one among these that holds this text.
fn steps(among: &BTreeSet<String>, text: &str, many: u32, values: &[&dyn ToSql]) -> i32 {
    let statement = among.iter().find(|one| one.contains(text)).expect(text);
    let connection = outbox_of(many);
    let mut prepared = connection.prepare(statement).unwrap();
    let mut rows = prepared.query(values).unwrap();
    while rows.next().unwrap().is_some() {}
    drop(rows);
    prepared.get_status(StatementStatus::VmStep)
}

#[test]
fn what_waits_by_the_thousand_is_asked_for_in_no_more_steps() {
    let all = statements();
    let (few, many) = (50, 2_000);
    let questions: [(&str, &[&dyn ToSql]); 7] = [
        ("SELECT min(destination)", &[&"email", &""]),
        (
            "SELECT (SELECT min(next_at)",
            &[&"webhook", &"https://b.it"],
        ),
        (
            "SELECT (SELECT min(next_at)",
            &[&"webhook", &"https://old.it"],
        ),
        ("SELECT under_way FROM", &[&"a@b.it", &"email"]),
        (
            "attempts, next_at, id LIMIT 1",
            &[&"https://b.it", &9_000, &0],
        ),
        ("most IS NULL ORDER BY id", &[&"a@b.it", &10]),
        ("most = ?2 ORDER BY", &[&"a@b.it", &4, &4, &9_000]),
    ];
    for (text, values) in questions {
        let taken = steps(&all, text, few, values);
        assert!(taken > 5, "{text}: {taken}");
        assert_eq!(steps(&all, text, many, values), taken, "{text}");
    }
    // The control: what has to look at all of it takes more steps.
    let lists: &[&dyn ToSql] = &[&"a@b.it", &9_000, &0];
    let walked = [few, many].map(|waiting| steps(&all, "GROUP BY doubt", waiting, lists));
    assert!(walked[1] > 10 * walked[0], "{walked:?}");
}

#[test]
fn a_row_that_goes_finds_what_belongs_to_it() {
    let connection = schema();
    let rows = |sql: &str| -> Vec<(String, String, String)> {
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap();
        rows.map(|row| row.unwrap()).collect()
    };
    let found = rows(
        "SELECT t.name, k.\"table\", k.\"from\" FROM sqlite_schema t, pragma_foreign_key_list(t.name) k WHERE t.type = 'table'",
    );
    assert!(found.len() > 5, "{found:?}");
    for (table, parent, column) in found {
        let first = format!(
            "SELECT t.name, i.name, c.name FROM sqlite_schema t, pragma_index_list(t.name) i, pragma_index_info(i.name) c \
             WHERE t.name = '{table}' AND c.seqno = 0 AND c.name = '{column}' AND i.partial = 0"
        );
        let lasts = LASTING.contains(&parent.as_str());
        assert!(lasts || !rows(&first).is_empty(), "{table}.{column}");
    }
    for statement in statements() {
        for parent in LASTING {
            assert!(!statement.starts_with(&format!("DELETE FROM {parent}")));
        }
    }
}

#[test]
fn the_rules_see_what_breaks_them() {
    let source = "const WHAT: &str = \"d.id\";\n// \"SELECT 1\"\nlet sql = format!(\n    \"SELECT {WHAT} FROM deliveries AS d \\\n     \
                  WHERE d.attempts > 3\");\n#[cfg(test)]\nmod tests { \"SELECT 2\" }";
    let found = statements_of(source);
    assert_eq!(
        found,
        ["SELECT d.id FROM deliveries AS d WHERE d.attempts > 3"]
    );
    let connection = schema();
    assert_eq!(walks(&connection, &found[0]), ["deliveries"]);
    assert!(walks(&connection, "SELECT 1 FROM deliveries d WHERE d.id = 3").is_empty());
    connection
        .execute_batch(
            "CREATE TRIGGER slow AFTER INSERT ON erased BEGIN DELETE FROM history WHERE kind = 'note'; END",
        )
        .unwrap();
    let insert = "INSERT INTO erased (trace, at, cause) VALUES (?1, ?2, ?3)";
    assert_eq!(walks(&connection, insert), ["history"]);
}
