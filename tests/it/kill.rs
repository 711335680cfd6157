//! Ends that nobody chose: `kill -9` and SIGTERM while reporters are at it. What was acknowledged is there afterwards,
//! once (PRODUCT.md §3).

use std::path::Path;
use std::thread;

use rusqlite::{Connection, OpenFlags};

use crate::support::chat::{Reply, turn};
use crate::support::disk;
use crate::support::executable::{Server, installation};
use crate::support::load::{Audit, Ledger, audit};
use crate::support::panel::{Editor, PASSWORD};
use crate::support::{from_environment, wait_for};

const CLIENTS: usize = 8;
/// Kills; `make soak` has more, as many as `ROUNDS` in the environment says.
const ROUNDS: usize = 5;

/// The database of a server that runs, to look at.
fn live(folder: &Path) -> Connection {
    let path = folder.join("data/segnalazioni.db");
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("a database")
}

/// Lets reporters at the server until so many reports are acknowledged, then does `end` in the middle of it.
fn under_load(server: Server, ledger: &Ledger, enough: usize, end: impl FnOnce(Server)) {
    let client = server.client();
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| ledger.tell_stories(&client));
        }
        let counted = || (ledger.count() >= enough).then_some(());
        wait_for("the reports", counted);
        end(server);
    });
}

#[test]
fn no_acknowledged_report_is_lost_or_doubled_over_some_kills() {
    killed(ROUNDS);
}

#[test]
#[ignore = "soak"]
fn no_acknowledged_report_is_lost_or_doubled_over_many_kills() {
    killed(from_environment("ROUNDS", 200));
}

fn killed(rounds: usize) {
    let folder = installation();
    let data = folder.path().join("data");
    let ledger = Ledger::default();
    let mut acknowledged = 0;
    Server::start(folder.path()).log_in().expects_a_flood();
    for round in 0..rounds {
        let server = Server::start(folder.path());
        let intact: String = live(folder.path())
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .expect("an answer");
        assert_eq!(intact, "ok", "round {round}");
        // Not always at the same stage: a few reports, or many.
        let enough = acknowledged + 5 + 7 * (round % 4);
        under_load(server, &ledger, enough, Server::kill);
        acknowledged = ledger.count();
    }
    let server = Server::start(folder.path());
    let client = server.client();
    let editor = Editor::log_in(&client, PASSWORD);
    let all = ledger.acknowledged();
    assert!(all.len() >= rounds * 5);
    assert_eq!(audit(&all, &editor.all_ids()), Audit::default());

    // Whoever got no answer asks again, as the page does: each has one report in the end, stored before or not.
    let repeated: Vec<String> = ledger
        .unanswered()
        .iter()
        .map(|(token, text)| {
            Reply::of(&turn(&client, token, text))
                .report_id
                .expect("a report")
        })
        .collect();
    let everything = [all.clone(), repeated].concat();
    assert_eq!(audit(&everything, &editor.all_ids()), Audit::default());

    // The control: the same check on the same server sees a report that was never acknowledged, and one that a careless
    // store has lost.
    let never = "00000000-0000-4000-8000-000000000000".to_owned();
    let with_never = [everything, vec![never.clone()]].concat();
    assert_eq!(audit(&with_never, &editor.all_ids()).lost, [never]);
    server.kill();
    let victim = all[all.len() / 2].clone();
    let remove = "DELETE FROM segnalazioni WHERE id = ?1";
    let removed = disk::database(&data).execute(remove, [&victim]);
    assert_eq!(removed, Ok(1));
    let server = Server::start(folder.path());
    let stored = server.log_in().all_ids();
    assert_eq!(audit(&all, &stored).lost, std::slice::from_ref(&victim));
    let twice = [stored.clone(), vec![stored[0].clone()]].concat();
    assert_eq!(audit(&[], &twice).doubled, [stored[0].clone()]);
}

#[test]
fn a_polite_stop_under_load_ends_and_keeps_every_word() {
    let folder = installation();
    let ledger = Ledger::default();
    Server::start(folder.path()).log_in().expects_a_flood();
    under_load(Server::start(folder.path()), &ledger, 20, |mut server| {
        server.terminate();
        let status = server.ended();
        assert_eq!(status.code(), Some(0), "{}", server.errors());
        assert_eq!(server.errors(), "", "nothing to complain about");
    });
    // The database was closed.
    assert!(!folder.path().join("data/segnalazioni.db-wal").exists());
    let server = Server::start(folder.path());
    let editor = server.log_in();
    let (all, stored) = (ledger.acknowledged(), editor.all_ids());
    assert_eq!(audit(&all, &stored), Audit::default());
    for id in &all {
        assert_eq!(editor.report(id)["stato"], "Nuova");
    }
}
