//! Counts: reports by status and by quarter of an hour, each by department, kept up to date by triggers; the ends of
//! three indexes; how conversations went, by local day. Must never walk the reports, nor hold anything of a
//! conversation by which two counts could be put together to one person.

use std::ops::Range;

use crate::domain::report::Stato;
use crate::domain::routing::DepartmentKey;
use crate::store::session::{Snapshot, Tx, columns, rows, statements};

const QUARTER_MS: i64 = 900_000;

/// The promises to the reporter of a report, in ms.
#[derive(Debug, Clone, Copy)]
pub struct PromisesRow {
    /// When it was to be read.
    pub read_by: Option<i64>,
    /// When it was read.
    pub read: Option<i64>,
    /// When its outcome was to be told.
    pub told_by: Option<i64>,
    /// When its outcome was told.
    pub told: Option<i64>,
}

columns! {
    PromisesRow { read_by, read, told_by, told }
}

impl Snapshot<'_> {
    statements! {
        list status_counts() -> Vec<(Stato, i64)> = "SELECT key, sum(n) FROM counts WHERE kind = 'stato' GROUP BY key";
        values statuses_in_use() -> Vec<Stato> =
            "SELECT key FROM counts WHERE kind = 'stato' UNION SELECT stato FROM segnalazioni";
        list department_counts() -> Vec<(DepartmentKey, i64)> =
            "SELECT department, sum(n) FROM counts WHERE kind = 'stato' GROUP BY department";
        /// How many reports there are of a status, or of any, in a department, or in any.
        value counted(stato: Option<Stato>, department: Option<DepartmentKey>) -> i64 =
            "SELECT coalesce(sum(n), 0) FROM counts WHERE kind = 'stato' AND (?1 IS NULL OR key = ?1) \
            AND (?2 IS NULL OR department = ?2)";
        /// Reports received from an instant on, in ms, without end: quarters of an hour by their first instant, and how many
        /// fell in each. The instant must begin a quarter, as every local day does.
        list arrivals(since: i64) -> Vec<(i64, i64)> =
            "SELECT key * ?2, sum(n) FROM counts WHERE kind = 'quarter' AND key >= ?1 / ?2 GROUP BY key", [since, QUARTER_MS];
        /// Arrivals in a span, whose ends must begin quarters, by department.
        list arrivals_by_department(span: Range<i64>) -> Vec<(DepartmentKey, i64, i64)> =
            "SELECT department, key * ?3, n FROM counts WHERE kind = 'quarter' AND key >= ?1 / ?3 AND key < ?2 / ?3",
            [span.start, span.end, QUARTER_MS];
        /// How many reports were received in a span, in ms. Its start must begin a quarter, as every local day does.
        value received(span: Range<i64>) -> i64 =
            "SELECT (SELECT coalesce(sum(n), 0) FROM counts WHERE kind = 'quarter' AND key >= ?1 / ?3 \
            AND key < ?2 / ?3) + (SELECT count(*) FROM segnalazioni WHERE data_creazione >= ?2 / ?3 * ?3 \
            AND data_creazione < ?2 AND da_parte IS NULL)", [span.start, span.end, QUARTER_MS];
        /// How many of the reports received before an instant (ms) have no code.
        value codeless(until: i64) -> i64 = "SELECT count(*) FROM segnalazioni WHERE chiave IS NULL AND data_creazione < ?1 \
            AND da_parte IS NULL";
        /// How many of the reports received before an instant (ms) had their code used in the first days.
        value returned(until: i64) -> i64 = "SELECT count(*) FROM segnalazioni WHERE tornata = 1 AND data_creazione < ?1 \
            AND da_parte IS NULL";
        /// How many reports have been resolved and not taken up again, those archived since included.
        value resolved_count() -> i64 = "SELECT coalesce(sum(n), 0) FROM counts WHERE kind = 'risolta'";
        /// Reports that have been `Risolta` since an instant (ms) or longer and whose reporters wait for no answer: their ids, at most
        /// `limit`, longest first.
        // By the index of its own: that of the states would be taken else, and everything resolved read and sorted.
        values resolved_until(until: i64, limit: usize) -> Vec<String> =
            "SELECT id FROM segnalazioni INDEXED BY segnalazioni_da_archiviare WHERE stato = 'Risolta' AND stato_dal <= ?1 \
            AND attende IS NULL ORDER BY stato_dal LIMIT ?2", [until, rows(limit)];
        /// Conversations by question and rule, in that order, from one day (`YYYY-MM-DD`) to another.
        list chat_stops(since: &str, until: &str) -> Vec<(String, String, i64)> =
            "SELECT state, rule, sum(n) FROM chat_stops WHERE callout = '' AND day >= ?1 AND day <= ?2 GROUP BY state, rule";
        /// The latest reports that were resolved, archived since or not: when they were received and resolved, latest first. Left out
        /// is one that came back from a file without its past: when it was resolved is not known.
        list latest_resolutions(limit: usize as rows) -> Vec<(i64, i64)> =
            "SELECT data_creazione, risolta FROM (SELECT id, data_creazione, risolta FROM segnalazioni WHERE risolta IS NOT NULL \
            ORDER BY risolta DESC, seq DESC LIMIT ?1) AS s \
            WHERE EXISTS (SELECT 1 FROM history WHERE report = s.id AND kind = 'stato' AND a = 'Risolta') ORDER BY risolta DESC";
        /// When the latest opened reports of a span, urgent or not, were received and opened.
        list first_looks(span: Range<i64>, urgent: bool, limit: usize) -> Vec<(i64, i64)> =
            "SELECT data_creazione, aperta FROM segnalazioni WHERE data_creazione >= ?1 AND data_creazione < ?2 \
            AND urgente = ?3 AND aperta IS NOT NULL ORDER BY data_creazione DESC LIMIT ?4",
            [span.start, span.end, urgent, rows(limit)];
        /// Promises of the latest reports of a span (ms).
        list promises(span: Range<i64>, limit: usize) -> Vec<PromisesRow> =
            "SELECT prima_entro, (SELECT min(at) FROM history WHERE report = s.id AND (kind = 'messaggio' \
            OR kind = 'stato' AND da = 'Nuova')), esito_entro, (SELECT min(at) FROM history WHERE report = s.id \
            AND kind = 'stato' AND (a = 'Risolta' OR a = 'Archiviata')) FROM (SELECT id, prima_entro, esito_entro \
            FROM segnalazioni WHERE data_creazione >= ?1 AND data_creazione < ?2 ORDER BY data_creazione DESC LIMIT ?3) AS s",
            [span.start, span.end, rows(limit)];
        /// Open reports by age in whole days.
        list open_ages(now: i64) -> Vec<(i64, i64)> =
            "SELECT max(?1 - data_creazione, 0) / 86400000, count(*) FROM segnalazioni \
            WHERE (stato = 'Nuova' OR stato = 'In lavorazione') \
            AND da_parte IS NULL GROUP BY 1", [now];
        /// Since when (ms) the reporter waits who has waited longest for an answer.
        value first_answer() -> Option<i64> = "SELECT min(attende) FROM segnalazioni WHERE attende IS NOT NULL";
        /// How many reports staff have opened for the first time since an instant (ms).
        value opened_since(since: i64) -> i64 = "SELECT count(*) FROM segnalazioni WHERE aperta >= ?1 AND da_parte IS NULL";
        /// How many answers the newsroom has written since an instant (ms), messages to many apart.
        value answered_since(since: i64) -> i64 =
            "SELECT count(*) FROM messages WHERE author = 'redazione' AND batch IS NULL AND at >= ?1 \
            AND report NOT IN (SELECT id FROM segnalazioni WHERE da_parte IS NOT NULL) \
            AND n > coalesce((SELECT n FROM main.messages WHERE at < ?1 ORDER BY n DESC LIMIT 1), 0)";
        /// Arrival number of the report of which a promise is due next from an instant (ms) on.
        find_value next_due(from: i64) -> Option<i64> =
            "SELECT seq FROM segnalazioni WHERE scade >= ?1 AND sospetta IS NULL ORDER BY scade, seq LIMIT 1";
    }
}

impl Tx<'_> {
    statements! {
        /// Adds `n` to the conversations of a callout, or of none, that a rule met at a question on a local day, `YYYY-MM-DD`.
        execute add_chat_stop(day: &str, callout: &str, state: &str, rule: &str, n: i64) =
            "INSERT INTO chat_stops (day, callout, state, rule, n) VALUES (?1, ?2, ?3, ?4, ?5) \
            ON CONFLICT (callout, day, state, rule) DO UPDATE SET n = n + excluded.n";
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::routing::Matter;
    use crate::store::desk::counts::*;
    use crate::store::{ChangeKind, EpochRow, Error, HistoryRow, ReportRow, Store};

    /// A store with reports that arrived at these times, ids `r0`, `r1`, …
    fn store_with(times: &[i64]) -> Store {
        let store = Store::in_memory().unwrap();
        let times = times.to_vec();
        store
            .write(move |tx| {
                tx.activate_key_pair("k", &[0; 32], 0)?;
                tx.ensure_epoch(1, || EpochRow {
                    id: 1,
                    key_id: "k".to_owned(),
                    born: 0,
                    sealed: Vec::new(),
                })?;
                for (number, at) in times.iter().enumerate() {
                    tx.insert_report(&ReportRow {
                        id: format!("r{number}"),
                        data_creazione: *at,
                        epoch: 1,
                        ..ReportRow::default()
                    })?;
                }
                Ok::<_, Error>(())
            })
            .unwrap();
        store
    }

    #[test]
    fn any_span_is_counted_exactly() {
        // Around edges of quarters, several on one instant.
        let times: Vec<i64> = (0..400)
            .map(|n| 1_800_000_000_000 + n * n * 977 % 7_000_000)
            .chain([1_800_000_900_000, 1_800_000_899_999, 1_800_000_900_000])
            .collect();
        let store = store_with(&times);
        let edges: Vec<i64> = (0..60)
            .map(|n| 1_800_000_000_000 - 100_000 + n * 123_456)
            .chain([1_800_000_900_000, i64::MAX])
            .collect();
        for from in edges.iter().map(|edge| edge / QUARTER_MS * QUARTER_MS) {
            for until in edges.iter().filter(|until| **until >= from) {
                let span = from..*until;
                let naive = times.iter().filter(|at| span.contains(at)).count();
                let counted = store.read(move |snapshot| snapshot.received(span)).unwrap();
                assert_eq!(counted, i64::try_from(naive).unwrap(), "{from} {until}");
            }
        }
    }

    fn turned(stato: Stato, at: i64) -> HistoryRow {
        HistoryRow {
            kind: ChangeKind::Stato,
            at,
            da: None,
            a: Some(stato.as_str().to_owned()),
            author: None,
        }
    }

    /// Sets the status and answers: resolved at, status since, resolved in all.
    fn moved(store: &Store, stato: Stato, at: i64) -> (Option<i64>, Option<i64>, i64) {
        store
            .write(move |tx| {
                tx.set_stato("r0", stato, at)?;
                tx.insert_history("r0", &turned(stato, at))?;
                let columns = tx.connection.query_row(
                    "SELECT risolta, stato_dal FROM segnalazioni WHERE id = 'r0'",
                    [],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )?;
                Ok::<_, Error>((columns.0, columns.1, tx.resolved_count()?))
            })
            .unwrap()
    }

    #[test]
    fn a_resolution_outlives_archiving_and_ends_with_new_work() {
        let store = store_with(&[10, 20]);
        for (stato, at, expected) in [
            (Stato::InLavorazione, 30, (None, Some(30), 0)),
            (Stato::Risolta, 40, (Some(40), Some(40), 1)),
            // Saved again without a change of status.
            (Stato::Risolta, 50, (Some(40), Some(40), 1)),
            (Stato::Archiviata, 60, (Some(40), Some(60), 1)),
            (Stato::Risolta, 70, (Some(40), Some(70), 1)),
            (Stato::InLavorazione, 80, (None, Some(80), 0)),
            // Put aside without having been resolved.
            (Stato::Archiviata, 90, (None, Some(90), 0)),
            (Stato::Risolta, 100, (Some(100), Some(100), 1)),
        ] {
            assert_eq!(moved(&store, stato, at), expected, "{at}");
        }
        let spans = store
            .read(|snapshot| snapshot.latest_resolutions(30))
            .unwrap();
        assert_eq!(spans, [(10, 100)]);
    }

    #[test]
    fn counts_are_those_of_the_reports_whatever_moves_from_desk_to_desk() {
        let times: Vec<i64> = (0..24).map(|number| number * 200_000).collect();
        let moved = store_with(&times).write(|tx| {
            for turn in 0..600 {
                let Some(row) = tx.report(&format!("r{}", turn * 7 % 24))? else {
                    continue;
                };
                let to = ReportRow {
                    stato: Stato::ALL[turn * 11 / 5 % 4],
                    department: Matter::ALL[turn * 5 % 3].key(),
                    ..row
                };
                tx.update_report(&to, 1_000)?;
                if turn % 97 == 96 {
                    tx.execute("DELETE FROM segnalazioni WHERE id = ?1", [&to.id])?;
                }
            }
            let of = |sql: &str| tx.list::<(String, String, String, i64)>(sql, []);
            let kept = of(
                "SELECT kind, CAST(key AS TEXT) AS key, department, n FROM counts \
                WHERE n > 0 OR kind = 'quarter' ORDER BY kind, key, department",
            )?;
            let counted = of(
                "SELECT 'stato' AS kind, stato AS key, department, count(*) FROM segnalazioni GROUP BY stato, department \
                UNION ALL SELECT 'quarter', CAST(data_creazione / 900000 AS TEXT), department, count(*) FROM segnalazioni \
                GROUP BY data_creazione / 900000, department UNION ALL SELECT 'risolta', '1', department, count(*) \
                FROM segnalazioni WHERE risolta IS NOT NULL GROUP BY department ORDER BY kind, key, department",
            )?;
            Ok::<_, Error>((kept, counted))
        });
        let (kept, counted) = moved.unwrap();
        assert!(counted.len() > 15, "{counted:?}");
        assert_eq!(kept, counted);
    }

    #[test]
    fn counts_go_down_with_an_erased_report() {
        let store = store_with(&[10, 20, 900_000]);
        moved(&store, Stato::Risolta, 40);
        let left = store
            .write(|tx| {
                tx.connection
                    .execute("DELETE FROM segnalazioni WHERE id = 'r0'", [])?;
                tx.connection
                    .execute("DELETE FROM segnalazioni WHERE id = 'r2'", [])?;
                Ok::<_, Error>((tx.arrivals(0)?, tx.resolved_count()?))
            })
            .unwrap();
        assert_eq!(left, (vec![(0, 1)], 0));
    }

    #[test]
    fn the_latest_come_first_and_no_more_than_asked_for() {
        let store = store_with(&[0, 1, 2, 3]);
        let found = store
            .write(|tx| {
                for (id, at) in [("r2", 50), ("r0", 70), ("r1", 60)] {
                    tx.set_stato(id, Stato::Risolta, at + 1)?;
                    tx.insert_history(id, &turned(Stato::Risolta, at + 1))?;
                }
                // When this one was resolved is not known.
                tx.set_stato("r3", Stato::Risolta, 55)?;
                let due = (tx.resolved_until(61, 9)?, tx.resolved_until(99, 1)?);
                Ok::<_, Error>((tx.latest_resolutions(3)?, due))
            })
            .unwrap();
        assert_eq!(found.0, [(0, 71), (1, 61)]);
        assert_eq!(found.1.0, ["r2", "r3", "r1"]);
        assert_eq!(found.1.1, ["r2"]);
    }

    #[test]
    fn counts_add_up_from_a_day_on() {
        let store = Store::in_memory().unwrap();
        let found = store
            .write(|tx| {
                for (day, rule, n) in [
                    ("2026-03-01", "started", 1),
                    ("2026-03-02", "started", 2),
                    ("2026-03-02", "started", 3),
                    ("2026-03-03", "started", 4),
                    ("2026-03-03", "minor", 5),
                    ("2026-03-04", "minor", 6),
                ] {
                    tx.add_chat_stop(day, "", "age_check", rule, n)?;
                }
                tx.chat_stops("2026-03-02", "2026-03-03")
            })
            .unwrap();
        let expected = [("minor", 5), ("started", 9)]
            .map(|(rule, n)| ("age_check".to_owned(), rule.to_owned(), n));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_count_without_a_day_or_of_nothing_is_refused() {
        let store = Store::in_memory().unwrap();
        for (day, n) in [("2026-3-1", 1), ("2026-03-01", 0)] {
            let refused = store.write(move |tx| tx.add_chat_stop(day, "", "age_check", "minor", n));
            assert!(refused.is_err());
        }
    }
}
