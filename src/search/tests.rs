//! Search against its definition: what it finds is what a plain look at every report finds, whatever is typed, and
//! whatever happens to the archive and the vault meanwhile.

mod house;

use std::sync::atomic::AtomicI64;

use proptest::prelude::*;

use super::*;
use crate::actions::submit_report::{Submission, submit_report};
use crate::domain::care::Concern;
use crate::domain::report::Stato;
use crate::domain::routing::{Department, Routing};
use crate::vault::{KeyFile, keypair};
use house::{House, Put, everything, ids, numbered, report};

/// Texts of few letters, so that needles meet them, with all that folding is about.
const TEXT: &str = "[abAB èÈ'’`%_0-3@.]{0,6}|[aeè\u{300}\u{301}É’🚒👩\u{200D}ßİ]{1,4}|.{0,5}";

prop_compose! {
    fn any_report()(nome in TEXT, cognome in TEXT, email in TEXT, telefono in "3[0-9]{9}|[0-9]{0,3}", account in TEXT)
        -> crate::domain::report::Report {
        report(&nome, &cognome, &email, &telefono, &account)
    }
}

prop_compose! {
    fn anything()(
        report in any_report(),
        stato in any_stato(),
        department in any_department(),
        urgente in proptest::option::of(proptest::sample::select(Concern::ALL.to_vec())),
    ) -> Put {
        Put { report, stato, department, urgente }
    }
}

fn any_department() -> impl Strategy<Value = Department> {
    proptest::sample::select(Department::ALL.to_vec())
}

fn any_stato() -> impl Strategy<Value = Stato> {
    proptest::sample::select(Stato::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn it_finds_what_a_plain_look_finds(
        before in proptest::collection::vec(anything(), 0..20),
        after in proptest::collection::vec(anything(), 0..10),
        typed in proptest::collection::vec("[abeè'´%_@ 0-3]{1,2}|\u{301}|e\u{300}|🚒|.{1,3}", 1..8),
        stato in proptest::option::of(any_stato()),
        department in proptest::option::of(any_department()),
        since in proptest::option::of(990_i64..1_020),
        urgente in proptest::option::of(any::<bool>()),
        limit in 1_usize..7,
    ) {
        let mut house = House::in_memory();
        house.put(before);
        house.build();
        house.put(after);
        let filter = ListFilter { stato: stato.map(|stato| stato.as_str().to_owned()), department, urgente, since };
        for typed in &typed {
            house.check(typed, &filter, limit);
            house.check(typed, &everything(), limit);
        }
        // A needle that is there: half of somebody's name, in capitals and taken apart.
        if let Some(kept) = house.put.last() {
            let half: String = kept.report.nome.chars().take(3).collect();
            house.check(&half.to_uppercase(), &everything(), limit);
            house.check(&format!("{}\u{301}", text::clean(&kept.report.cognome)), &everything(), limit);
        }
        house.search.stop();
    }
}

#[test]
fn the_forms_of_a_letter_are_one_and_wildcards_are_letters() {
    let mut house = House::in_memory();
    house.put([
        (
            report(
                "Niccolò",
                "Città",
                "n.c@esempio.it",
                "3123456789",
                "Perché no, 100% vero",
            ),
            Stato::Nuova,
        ),
        (
            report(
                "NICCOLO\u{300}",
                "D’Amico",
                "a_b@esempio.it",
                "3333333333",
                "niente",
            ),
            Stato::Nuova,
        ),
        (
            report("Ioana", "D'Amico", "axb@esempio.it", "3987654321", "niente"),
            Stato::Nuova,
        ),
    ]);
    house.build();
    let count = |typed: &str, in_text: bool| {
        let terms = Terms::new(typed, in_text).unwrap();
        house.all(&terms, &everything()).len()
    };
    for typed in [
        "niccolò",
        "NICCOLÒ",
        "niccolo",
        "niccolo\u{300}",
        " Niccolò  ",
        "iccolÒ",
        "ò",
    ] {
        let expected = if typed == "ò" { 3 } else { 2 };
        assert_eq!(count(typed, false), expected, "{typed}");
    }
    assert_eq!(count("niccolo citta", false), 1, "name and surname as one");
    assert_eq!(count("citta n.c@", false), 0, "but nothing else");
    for apostrophe in ['\'', '’', '‘', 'ʼ', '′', '`', '´'] {
        assert_eq!(
            count(&format!("d{apostrophe}amico"), false),
            2,
            "{apostrophe}"
        );
    }
    assert_eq!(
        (count("a_b", false), count("%", false), count("_", false)),
        (1, 0, 1)
    );
    assert_eq!((count("345678", false), count("3", false)), (1, 3));
    assert_eq!(
        (
            count("perche", false),
            count("perche", true),
            count("100%", true)
        ),
        (0, 1, 1)
    );
    assert_eq!(count("Indirizzo", true), 0, "the address is not searched");
    for blank in ["", "  ", "\u{200B}", "\u{301}"] {
        assert!(Terms::new(blank, true).is_none(), "{blank:?}");
    }
}

#[test]
fn many_segments_are_one_archive() {
    let mut house = House::on_disk();
    let stato = |number: usize| match number % 500 {
        0 => Stato::Risolta,
        1..250 => Stato::InLavorazione,
        _ => Stato::Nuova,
    };
    let put = |number: usize| Put {
        report: numbered(number),
        stato: stato(number),
        department: match number % 700 {
            0..400 => Department::Sanita,
            _ => Department::Lavoro,
        },
        // None in the oldest segment.
        urgente: (number > 5_000 && number.is_multiple_of(90)).then_some(Concern::Danger),
    };
    house.put((0..9_000).map(put));
    house.build();
    house.put((9_000..9_500).map(put));
    let filter = |stato: Option<Stato>, department, since| ListFilter {
        stato: stato.map(|stato| stato.as_str().to_owned()),
        department,
        urgente: None,
        since,
    };
    let urgent = |urgente, filter| ListFilter {
        urgente: Some(urgente),
        ..filter
    };
    let filters = [
        everything(),
        filter(Some(Stato::Risolta), None, None),
        filter(Some(Stato::InLavorazione), None, Some(1_000 + 4_000)),
        filter(Some(Stato::Archiviata), None, None),
        filter(None, Some(Department::Sanita), None),
        filter(Some(Stato::Nuova), Some(Department::Lavoro), Some(5_000)),
        filter(None, Some(Department::Ambiente), None),
        urgent(true, everything()),
        urgent(false, everything()),
        urgent(true, filter(Some(Stato::Nuova), None, Some(5_000))),
    ];
    for typed in ["dangelo", "d'angelo", "77", "nome4096", "posta0@"] {
        for filter in &filters {
            let terms = Terms::new(typed, false).unwrap();
            let expected = house.expected(typed, false, filter);
            let paged = house.paged(&terms, filter, 50);
            assert_eq!(paged, expected, "{typed} {filter:?}");
            assert_eq!(house.all(&terms, filter), expected, "{typed} {filter:?}");
        }
    }
    let terms = Terms::new("numero 94", true).unwrap();
    let expected = house.expected("numero 94", true, &everything());
    assert_eq!(expected.len(), 111);
    assert_eq!(house.paged(&terms, &everything(), 50), expected);
    // A short page above becomes the whole first page.
    let terms = Terms::new("rossi", false).unwrap();
    let top = house.page(&terms, &everything(), Place::Top, 50).unwrap();
    let short = house
        .page(&terms, &everything(), Place::After(top.rows[3].seq), 50)
        .unwrap();
    assert_eq!(
        (ids(&short), short.newer, short.older),
        (ids(&top), false, true)
    );
}

#[test]
fn long_accounts_are_read_in_smaller_parts() {
    let mut house = House::on_disk();
    house.put((0..400).map(|number| {
        let mut long = numbered(number);
        long.segnalazione = format!("{} {number}", "è una lunga storia ".repeat(1_000));
        (long, Stato::Nuova)
    }));
    house.build();
    house.check("storia 7", &everything(), 50);
    house.check("nome39", &everything(), 50);
}

#[test]
fn until_the_index_is_ready_a_list_says_so_and_an_export_is_complete() {
    let mut house = House::on_disk();
    house.put((0..100).map(|number| (numbered(number), Stato::Nuova)));
    let terms = Terms::new("rossi", false).unwrap();
    assert_eq!(
        house.search.progress(),
        Progress {
            ready: false,
            indexed: 0
        }
    );
    let page = house.page(&terms, &everything(), Place::Top, 50).unwrap();
    assert!(page.rows.is_empty());
    let expected = house.expected("rossi", false, &everything());
    assert_eq!(house.all(&terms, &everything()), expected);
    house.build();
    assert_eq!(
        house.search.progress(),
        Progress {
            ready: true,
            indexed: 100
        }
    );
    assert_eq!(house.paged(&terms, &everything(), 50), expected);
}

#[test]
fn what_changes_status_is_found_under_the_new_one() {
    let mut house = House::on_disk();
    house.put((0..100).map(|number| (numbered(number), Stato::Nuova)));
    house.build();
    for kept in house.put.iter_mut().skip(40).step_by(2) {
        kept.stato = Stato::Risolta;
        let id = kept.id.clone();
        let changed = house
            .store
            .write(move |tx| tx.update_report(&id, "Risolta", "generale", false, None, 9_999));
        changed.unwrap();
    }
    for stato in Stato::ALL {
        let filter = ListFilter {
            stato: Some(stato.as_str().to_owned()),
            ..everything()
        };
        house.check("rossi", &filter, 7);
    }
}

#[test]
fn locking_wipes_the_index_and_unlocking_builds_it_again() {
    let mut house = House::on_disk();
    house.put((0..5_000).map(|number| (numbered(number), Stato::Nuova)));
    house.build();
    let terms = Terms::new("nome4999", false).unwrap();
    assert_eq!(house.all(&terms, &everything()).len(), 1);
    house.vault.lock();
    house.search.follow_vault();
    assert_eq!(
        house.search.progress(),
        Progress {
            ready: false,
            indexed: 0
        }
    );
    for in_text in [false, true] {
        let terms = Terms::new("nome4999", in_text).unwrap();
        let refused = house
            .page(&terms, &everything(), Place::Top, 50)
            .unwrap_err();
        assert!(
            matches!(refused, Error::Vault(VaultError::Locked)),
            "{refused}"
        );
    }
    house.search.follow_vault();
    assert!(
        house.search.builder.lock().take().is_none(),
        "nothing to build from"
    );
    house.vault.unlock(house.private.clone()).unwrap();
    house.put([(numbered(5_000), Stato::Nuova)]);
    house.build();
    assert_eq!(house.all(&terms, &everything()).len(), 1);
    assert_eq!(house.search.progress().indexed, 5_001);
}

#[test]
fn a_builder_whose_vault_was_locked_brings_nothing_in() {
    let mut house = House::on_disk();
    house.put((0..5_000).map(|number| (numbered(number), Stato::Nuova)));
    for _ in 0..20 {
        house.search.follow_vault();
        let builder = house.search.builder.lock().take().expect("it builds");
        house.vault.lock();
        house.search.follow_vault();
        builder.join().unwrap();
        house.search.follow_vault();
        assert_eq!(
            house.search.progress(),
            Progress {
                ready: false,
                indexed: 0
            }
        );
        assert!(house.search.inner.state.read().index.is_none());
        house.vault.unlock(house.private.clone()).unwrap();
    }
    house.build();
    assert_eq!(house.search.progress().indexed, 5_000);
}

#[test]
fn what_cannot_be_opened_is_passed_over() {
    let mut house = House::on_disk();
    house.put([(numbered(1), Stato::Nuova)]);
    let (_, stranger) = keypair::generate().unwrap();
    let foreign = Vault::new(&KeyFile::generate().unwrap(), stranger).unwrap();
    let (key_id, key) = (stranger.key_id().to_string(), stranger.as_bytes().to_vec());
    let kept = house.store.write(move |tx| {
        tx.activate_key_pair(&key_id, &key, 0)?;
        let submission = Submission {
            urgente: None,
            id: "straniera".to_owned(),
            report: numbered(2),
            impronta: [0; 16],
            privacy_version: "1".to_owned(),
        };
        submit_report(tx, &foreign, 5, &submission, &Routing::default())
    });
    kept.unwrap();
    house.put([(numbered(3), Stato::Nuova)]);
    house.build();
    house.check("nome", &everything(), 10);
    assert_eq!(house.search.progress().indexed, 2);
}

#[test]
fn nobody_waits_for_what_is_unwanted() {
    let mut house = House::on_disk();
    house.put((0..10).map(|number| (numbered(number), Stato::Nuova)));
    house.build();
    let cancel = CancelToken::default();
    cancel.cancel();
    let search = Arc::clone(&house.search);
    let outcome = house.store.read(move |snapshot| {
        let request = Request {
            terms: &Terms::new("x", true).unwrap(),
            filter: &everything(),
            cancel: &cancel,
        };
        search.all(snapshot, &request)
    });
    assert!(outcome.is_err());
}

#[test]
fn a_stopped_search_stays_stopped() {
    let mut house = House::on_disk();
    house.put((0..10).map(|number| (numbered(number), Stato::Nuova)));
    house.build();
    house.search.stop();
    house.search.follow_vault();
    assert!(house.search.builder.lock().take().is_none());
    assert_eq!(
        house.search.progress(),
        Progress {
            ready: false,
            indexed: 0
        }
    );
}

/// While reports pour in and the index is being built, a search finds exactly what its own snapshot shows.
#[test]
fn a_report_that_a_list_shows_is_found() {
    let mut house = House::on_disk();
    house.put((0..4_500).map(|number| (numbered(number), Stato::Nuova)));
    house.search.follow_vault();
    let (store, search) = (Arc::clone(&house.store), Arc::clone(&house.search));
    let pouring = AtomicBool::new(true);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut rounds = 0;
                while pouring.load(Ordering::Relaxed) || rounds < 3 {
                    let (search, ready) = (Arc::clone(&search), search.progress().ready);
                    let (listed, found) = store
                        .read(move |snapshot| {
                            let request = Request {
                                terms: &Terms::new("esempio", false).unwrap(),
                                filter: &everything(),
                                cancel: &CancelToken::default(),
                            };
                            let found = search.page(snapshot, &request, Place::Top, 50)?;
                            let listed = snapshot.report_page(&everything(), Place::Top, 50)?;
                            Ok::<_, Error>((ids(&listed), ids(&found)))
                        })
                        .unwrap();
                    // Until the builder has reached them, older reports may be missing, never newer ones.
                    assert_eq!(found, listed[..found.len()]);
                    assert!(!ready || found.len() == listed.len());
                    rounds += 1;
                }
            });
        }
        let mut pouring_house = House {
            store: Arc::clone(&house.store),
            vault: Arc::clone(&house.vault),
            private: house.private.clone(),
            search: Arc::clone(&house.search),
            put: Vec::new(),
            clock: AtomicI64::new(100_000),
            _folder: None,
        };
        for number in 0..300 {
            pouring_house.put([(numbered(10_000 + number), Stato::Nuova)]);
        }
        pouring.store(false, Ordering::Relaxed);
    });
    let terms = Terms::new("esempio", false).unwrap();
    assert_eq!(house.all(&terms, &everything()).len(), 4_800);
}
