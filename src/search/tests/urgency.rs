//! What editors decide about urgency, while others search and the index is built.

use super::*;
use crate::actions::sealing::open_content;

/// Reports in the house.
const REPORTS: usize = 150;
/// Decisions.
const TURNS: usize = 60;

fn house() -> House {
    let mut house = House::on_disk();
    house.put((0..REPORTS).map(|number| Put {
        report: numbered(number),
        stato: Stato::Nuova,
        department: Department::Generale,
        urgente: number.is_multiple_of(10).then_some(Concern::Danger),
    }));
    house
}

/// The urgent of a snapshot, newest first, by the index and by a look at every report.
fn both(store: &Store, search: &Arc<Search>, vault: &Arc<Vault>) -> (Vec<i64>, Vec<i64>) {
    let (search, vault) = (Arc::clone(search), Arc::clone(vault));
    let read = store.read(move |snapshot| {
        let request = Request {
            terms: &Terms::new("", false, Some(true)).unwrap(),
            filter: &everything(),
            cancel: &CancelToken::default(),
        };
        let found = search.all(snapshot, &request)?;
        let page = search.page(snapshot, &request, Place::Top, REPORTS)?;
        let mut urgent = Vec::new();
        snapshot.each_report(&everything(), |row| {
            let content = open_content(snapshot, &vault, &row)?;
            urgent.extend(content.analysis.is_urgent().then_some(row.seq));
            Ok::<_, Error>(())
        })?;
        // A page may lack what the index has not reached yet; it never shows what is not urgent.
        for row in page.rows {
            assert!(urgent.contains(&row.seq), "{}", row.seq);
        }
        Ok::<_, Error>((found, urgent))
    });
    read.unwrap()
}

#[test]
fn each_search_shows_what_is_urgent_in_its_own_snapshot() {
    let mut house = house();
    house.build();
    let (store, search) = (Arc::clone(&house.store), Arc::clone(&house.search));
    let vault = Arc::clone(&house.vault);
    let deciding = AtomicBool::new(true);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut rounds = 0;
                while deciding.load(Ordering::Relaxed) || rounds < 3 {
                    let (found, urgent) = both(&store, &search, &vault);
                    assert_eq!(found, urgent);
                    rounds += 1;
                }
            });
        }
        for turn in 0..TURNS {
            house.turn(turn * 7 % 40);
            if turn % 15 == 0 {
                house.search.start_over();
            }
        }
        deciding.store(false, Ordering::Relaxed);
    });
    let last = house.search.builder.lock().take().expect("it built");
    last.join().expect("it ends");
    assert!(house.search.progress().ready);
    house.check("", &everything(), 11);
    house.check("rossi", &everything(), 11);
}

#[test]
fn a_search_that_began_before_a_decision_ends_as_it_began() {
    let mut house = house();
    house.build();
    let (store, search) = (Arc::clone(&house.store), Arc::clone(&house.search));
    let vault = Arc::clone(&house.vault);
    let urgent = |(found, urgent): (Vec<i64>, Vec<i64>)| {
        assert_eq!(found, urgent);
        found.len()
    };
    let before = urgent(both(&store, &search, &vault));
    let inside = store.read(move |snapshot| {
        // The snapshot is of this reading; the decision comes after it.
        snapshot.newest_seq()?;
        house.turn(0);
        let request = Request {
            terms: &Terms::new("", false, Some(true)).unwrap(),
            filter: &everything(),
            cancel: &CancelToken::default(),
        };
        Ok::<_, Error>((search.all(snapshot, &request)?.len(), house))
    });
    let (inside, house) = inside.unwrap();
    assert_eq!(inside, before);
    let after = both(&house.store, &house.search, &vault);
    assert_eq!(urgent(after), before - 1);
}

#[test]
fn nobody_opens_what_was_decided_for_a_search_that_is_unwanted() {
    let mut house = house();
    house.build();
    let all = |house: &House, cancel: CancelToken| {
        let search = Arc::clone(&house.search);
        house.store.read(move |snapshot| {
            let request = Request {
                terms: &Terms::new("", false, Some(true)).unwrap(),
                filter: &everything(),
                cancel: &cancel,
            };
            search.all(snapshot, &request)
        })
    };
    house.turn(0);
    assert!(all(&house, CancelToken::default()).is_ok());
    let cancel = CancelToken::default();
    cancel.cancel();
    assert!(all(&house, cancel).is_err());
}
