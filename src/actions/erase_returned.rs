//! Erases once more what came back with a database that did not come by `restore`: put in place by hand, or by a replicator
//! (PRODUCT.md §9). Must never enter a line into the ledger before every report was compared with it: a start that is cut
//! short begins again.

use std::collections::HashMap;

use super::Result;
use super::log_access::{Action, Actor, log_access};
use crate::domain::erasure::trace;
use crate::store::{LedgerRow, Store, Tx};

/// Reports that are looked at in one reading.
const LOOKED_AT: usize = 5_000;
/// Reports that are erased, or lines entered, in one transaction.
const STEP: usize = 500;

/// Erases the reports that these lines name, which the ledger of the database lacks, and enters the lines; answers how many
/// reports there were. No lines cost nothing; otherwise the ids of all reports are read, in steps.
pub fn erase_returned(store: &Store, lines: &[LedgerRow], now: i64) -> Result<usize> {
    let named: HashMap<[u8; 32], LedgerRow> =
        lines.iter().map(|line| (line.trace, *line)).collect();
    let (mut last, mut erased) = (String::new(), 0);
    while !named.is_empty() {
        let ids = store.read(move |snapshot| snapshot.ids_behind(&last, LOOKED_AT))?;
        let Some(end) = ids.last().cloned() else {
            break;
        };
        last = end;
        let found: Vec<(String, LedgerRow)> = ids
            .into_iter()
            .filter_map(|id| named.get(&trace(&id)).map(|line| (id, *line)))
            .collect();
        for step in found.chunks(STEP) {
            let (step, first) = (step.to_vec(), erased == 0);
            erased += step.len();
            store.write(move |tx| erase(tx, &step, first.then_some(now)))?;
            store.note_erasure();
        }
    }
    for step in lines.chunks(STEP) {
        let step = step.to_vec();
        store.write(move |tx| {
            let mut entered = step.iter().map(|line| tx.enter_into_ledger(line));
            entered.try_for_each(|entered| entered)
        })?;
    }
    Ok(erased)
}

/// One step; the first of them is noted in the access log, once for all.
fn erase(tx: &Tx<'_>, found: &[(String, LedgerRow)], noted: Option<i64>) -> Result<()> {
    for (id, line) in found {
        tx.erase_report(id, line.at, line.cause)?;
    }
    match noted {
        Some(now) => log_access(tx, now, &Actor::default(), Action::ReportErased, None),
        None => Ok(()),
    }
}
