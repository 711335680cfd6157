//! Search against its definition: what it finds is what a plain look at every report finds, whatever is typed, and
//! whatever happens to the archive and the vault meanwhile.

mod archive;

use proptest::prelude::*;
use sha2::{Digest, Sha256};

use super::*;
use crate::actions::Act;
use crate::actions::intake::submit_report::submit_report;
use crate::domain::report::{Report, Stato};
use crate::domain::routing::{Analysis, DepartmentKey, Departments, Matter};
use crate::domain::stories::reasons::Reasons;
use crate::search::signatures::Signatures;
use crate::vault::{KeyFile, keypair, seal_row};
use archive::{Archive, everything, ids, numbered, report, submission};

/// Texts of few letters, so that needles meet them, with all that folding is about.
const TEXT: &str = "[abAB èÈ'’`%_0-3@.]{0,6}|[aeè\u{300}\u{301}É’🚒👩\u{200D}ßİ]{1,4}|.{0,5}";

const NOTHING: IndexProgress = IndexProgress {
    ready: false,
    indexed: 0,
};

prop_compose! {
    fn any_report()(nome in TEXT, cognome in TEXT, email in TEXT, telefono in "3[0-9]{9}|[0-9]{0,3}", account in TEXT) -> Report {
        report(&nome, &cognome, &email, &telefono, &account)
    }
}

fn any_stato() -> impl Strategy<Value = Stato> {
    proptest::sample::select(Stato::ALL.to_vec())
}

fn any_department() -> impl Strategy<Value = DepartmentKey> {
    proptest::sample::select(Departments::default().keys().collect::<Vec<_>>())
}

fn anything() -> impl Strategy<Value = archive::Put> {
    (any_report(), any_stato(), any_department())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn it_finds_what_a_plain_look_finds(
        before in proptest::collection::vec(anything(), 0..20),
        after in proptest::collection::vec(anything(), 0..10),
        typed in proptest::collection::vec("[abeè'´%_@ 0-3]{1,3}|\u{301}|e\u{300}|🚒|.{1,3}", 1..8),
        stato in proptest::option::of(any_stato()),
        department in proptest::option::of(any_department()),
        urgente in proptest::option::of(any::<bool>()),
        since in proptest::option::of(990_i64..1_020),
        limit in 1_usize..7,
    ) {
        let mut archive = Archive::new();
        archive.put(before);
        archive.build();
        archive.put(after);
        let filter = ListFilter { stato, department, urgente, since, ..ListFilter::default() };
        for typed in &typed {
            archive.check(typed, &filter, limit);
            archive.check(typed, &everything(), limit);
        }
        // A needle that is there: half of somebody's name, in capitals and taken apart.
        if let Some(kept) = archive.put.last() {
            let half: String = kept.report.nome.chars().take(3).collect();
            archive.check(&half.to_uppercase(), &everything(), limit);
            archive.check(&format!("{}\u{301}", text::clean(&kept.report.cognome)), &everything(), limit);
        }
        archive.search.stop();
    }
}

#[test]
fn the_forms_of_a_letter_are_one_and_wildcards_are_letters() {
    let mut archive = Archive::new();
    let people = [
        ("Niccolò", "Città", "n.c@esempio.it", "3123456789"),
        ("NICCOLO\u{300}", "D’Amico", "a_b@esempio.it", "3333333333"),
        ("Ioana", "D'Amico", "axb@esempio.it", "3987654321"),
    ];
    let people = people.map(|(nome, cognome, email, telefono)| {
        let account = if nome == "Niccolò" {
            "Perché no, 100% vero"
        } else {
            "niente"
        };
        let report = report(nome, cognome, email, telefono, account);
        (report, Stato::Nuova, DepartmentKey::GENERALE)
    });
    archive.put(people);
    archive.build();
    let count = |typed: &str, in_text: bool| {
        let terms = Terms::new(typed, in_text).unwrap();
        archive.all(&terms, &everything()).len()
    };
    for (typed, expected) in [
        ("NICCOLÒ", 2),
        ("niccolo", 2),
        ("niccolo\u{300}", 2),
        (" Niccolò  ", 2),
        ("ò", 3),
        ("niccolo citta", 1),
        ("citta n.c@", 1),
        ("citta niccolo", 1),
        ("damico", 2),
        ("da mico ioana", 1),
        ("d'amico", 2),
        ("d’amico", 2),
        ("d´amico", 2),
        ("a_b", 1),
        ("%", 0),
        ("345678", 1),
        ("+39 312 345 6789", 1),
        ("perche", 0),
    ] {
        assert_eq!(count(typed, false), expected, "{typed}");
    }
    for (typed, expected) in [
        ("vero perche", 1),
        ("100%", 1),
        ("perche niccolo", 1),
        ("perche ioana", 0),
        ("Indirizzo", 3),
    ] {
        assert_eq!(count(typed, true), expected, "{typed}");
    }
    for blank in ["", "  ", "\u{200B}", "\u{301}"] {
        assert!(Terms::new(blank, true).is_none(), "{blank:?}");
    }
}

#[test]
fn many_segments_are_one_archive() {
    let mut archive = Archive::new();
    let put = |number: usize| {
        let stato = match number % 500 {
            0 => Stato::Risolta,
            1..250 => Stato::InLavorazione,
            _ => Stato::Nuova,
        };
        let department = match number % 700 {
            0..400 => Matter::Sanita.key(),
            _ => Matter::Lavoro.key(),
        };
        (numbered(number), stato, department)
    };
    archive.put((0..4_300).map(put));
    archive.build();
    archive.put((4_300..4_500).map(put));
    let filter = |stato: Stato, department, since| ListFilter {
        stato: Some(stato),
        department,
        since,
        ..everything()
    };
    let filters = [
        everything(),
        filter(Stato::InLavorazione, None, Some(1_000 + 4_000)),
        filter(Stato::Archiviata, None, None),
        ListFilter {
            urgente: Some(true),
            ..everything()
        },
        filter(Stato::Nuova, Some(Matter::Lavoro.key()), Some(2_000)),
    ];
    for typed in ["dangelo", "d'angelo", "nome4096"] {
        let terms = Terms::new(typed, false).unwrap();
        for filter in &filters {
            let expected = archive.expected(typed, false, filter);
            assert_eq!(
                archive.paged(&terms, filter, 200),
                expected,
                "{typed} {filter:?}"
            );
            assert_eq!(archive.all(&terms, filter), expected, "{typed} {filter:?}");
        }
    }
    let terms = Terms::new("numero 43", true).unwrap();
    let expected = archive.expected("numero 43", true, &everything());
    assert_eq!(archive.paged(&terms, &everything(), 50), expected);
    // A short page above becomes the whole first page.
    let terms = Terms::new("rossi", false).unwrap();
    let top = archive.page(&terms, &everything(), Place::Top, 50).unwrap();
    let above = Place::Before(top.rows[3].position());
    let short = archive.page(&terms, &everything(), above, 50).unwrap();
    assert_eq!(ids(&short), ids(&top));
    assert!(!short.before && short.after);
}

#[test]
fn signatures_pass_over_only_what_cannot_match_and_go_with_what_is_erased() {
    let mut archive = Archive::new();
    archive.fill(0..4_200);
    archive.build();
    assert_eq!(unsigned(&archive), [0_i64; 0]);
    assert_eq!(candidates(&archive, "wxyz"), 0);
    assert!((1..100).contains(&candidates(&archive, "numero 777,")));
    let words = [
        "numero 777,",
        "3000000042",
        "posta17@",
        "d’àngelo",
        "zq",
        "wxyz",
    ];
    let check = |archive: &Archive| {
        for typed in words {
            archive.check(typed, &everything(), 1_000);
        }
    };
    check(&archive);

    erase(&mut archive, 777);
    archive.search.catch_up().unwrap();
    assert_eq!(
        unsigned(&archive),
        [0],
        "each erasure would have all made anew"
    );
    assert_eq!(
        candidates(&archive, "wxyz"),
        4_096,
        "nothing is known of them"
    );
    check(&archive);
    // What was made before the erasure comes too late; what nobody can open says nothing.
    let put = |archive: &Archive, reports| {
        let nonsense = vec![vec![1; 553]; store::BITS];
        let put = move |tx: &store::Tx<'_>| tx.put_signatures(0, reports, &nonsense);
        archive.store.write(put).unwrap();
    };
    put(&archive, 4_095);
    assert_eq!(unsigned(&archive), [0]);
    put(&archive, 4_094);
    assert_eq!(unsigned(&archive), [0]);
    assert_eq!(candidates(&archive, "wxyz"), 4_096);
    check(&archive);
    archive.search.sign().unwrap();
    assert_eq!(unsigned(&archive), [0_i64; 0]);
    assert_eq!(candidates(&archive, "wxyz"), 0);
    check(&archive);
}

fn unsigned(archive: &Archive) -> Vec<i64> {
    signing::unsigned(&archive.store, &archive.vault).unwrap()
}

/// How many reports of the first block a search in accounts opens.
fn candidates(archive: &Archive, typed: &str) -> u32 {
    let (vault, terms) = (Arc::clone(&archive.vault), Terms::new(typed, true).unwrap());
    let count = archive.store.read(move |snapshot| {
        let signatures = Signatures::of(&vault, &terms)?.expect("it is long enough");
        let candidates = signatures.candidates(snapshot, 0)?;
        Ok::<_, Error>(candidates.iter().map(|byte| byte.count_ones()).sum::<u32>())
    });
    count.unwrap()
}

/// Signatures of another version say other things by the same bits: a search that believed them would pass over reports.
#[test]
fn signatures_of_another_version_say_nothing_and_are_made_anew() {
    let mut archive = Archive::new();
    archive.fill(0..4_100);
    let key = archive.vault.derived_epoch().unwrap();
    let row = |bit: usize| seal_row(&key, "signatures", &format!("0/{bit}"), &[0; 512]).unwrap();
    let rows: Vec<_> = (0..store::BITS).map(row).collect();
    let put = move |tx: &store::Tx<'_>| tx.put_signatures(0, 4_095, &rows);
    archive.store.write(put).unwrap();
    archive.check("numero 777,", &everything(), 1_000);
    archive.build();
    assert_eq!(candidates(&archive, "wxyz"), 0, "made anew");
    archive.check("numero 777,", &everything(), 1_000);
}

/// Signatures lie on the disk: where the folding of texts or the bits change, `signatures::TABLE` must get another number.
#[test]
fn the_bits_of_a_text_are_the_pinned_ones() {
    let folded = form("È l'ÀNCORA — ẞtraße 12, 🚒 Niccolò’s");
    let bits: Vec<usize> = folded
        .as_bytes()
        .windows(3)
        .flat_map(signatures::bits)
        .collect();
    assert_eq!(signatures::TABLE, "signatures 3");
    let digest = hex::encode(Sha256::digest(format!("{bits:?}")));
    let pinned = "60f33e87c70f8e800758ace549f6a5b81a26f0b5ea7e0bb7a8051e7e9f3bb183";
    assert_eq!(digest, pinned);
}

/// Erases a report.
fn erase(archive: &mut Archive, at: usize) {
    let id = archive.put.remove(at).id;
    let erase = move |tx: &store::Tx<'_>| tx.erase_report(&id, 5, store::Cause::Request);
    let seq = archive.store.write(erase).unwrap().unwrap();
    archive.search.forget(&[seq]);
}

#[test]
fn long_accounts_are_read_in_smaller_parts() {
    let mut archive = Archive::new();
    archive.put((0..300).map(|number| {
        let mut long = numbered(number);
        long.segnalazione = format!("{} {number}", "è una lunga storia ".repeat(1_000));
        (long, Stato::Nuova, DepartmentKey::GENERALE)
    }));
    archive.build();
    let terms = Terms::new("storia 7", true).unwrap();
    let expected = archive.expected("storia 7", true, &everything());
    assert_eq!(archive.all(&terms, &everything()), expected);
}

#[test]
fn until_the_index_is_ready_a_list_says_so_and_an_export_is_complete() {
    let mut archive = Archive::new();
    archive.fill(0..100);
    let terms = Terms::new("rossi", false).unwrap();
    assert_eq!(archive.search.progress(), NOTHING);
    let page = archive.page(&terms, &everything(), Place::Top, 50).unwrap();
    assert!(page.rows.is_empty());
    let expected = archive.expected("rossi", false, &everything());
    assert_eq!(archive.all(&terms, &everything()), expected);
    archive.build();
    assert_eq!(archive.search.progress().indexed, 100);
    assert_eq!(archive.paged(&terms, &everything(), 50), expected);
}

#[test]
fn locking_drops_the_index_and_unlocking_builds_it_again() {
    let mut archive = Archive::new();
    archive.fill(0..50);
    archive.build();
    let terms = Terms::new("nome49", false).unwrap();
    assert_eq!(archive.all(&terms, &everything()).len(), 1);
    archive.vault.lock();
    archive.search.follow_vault();
    assert_eq!(archive.search.progress(), NOTHING);
    for in_text in [false, true] {
        let terms = Terms::new("nome49", in_text).unwrap();
        let refused = archive.page(&terms, &everything(), Place::Top, 50);
        let refused = refused.unwrap_err();
        assert!(
            matches!(refused, Error::Vault(VaultError::Locked)),
            "{refused}"
        );
    }
    archive.vault.unlock(archive.private.clone()).unwrap();
    archive.fill(50..51);
    archive.build();
    assert_eq!(archive.all(&terms, &everything()).len(), 1);
    assert_eq!(archive.search.progress().indexed, 51);
}

#[test]
fn a_builder_whose_vault_was_locked_brings_nothing_in() {
    let mut archive = Archive::new();
    archive.fill(0..1_000);
    for _ in 0..10 {
        archive.search.follow_vault();
        let builder = archive.search.builder.lock().take().expect("it builds");
        archive.vault.lock();
        archive.search.follow_vault();
        builder.join().unwrap();
        archive.search.follow_vault();
        assert_eq!(archive.search.progress(), NOTHING);
        assert!(archive.search.state.read().index.is_none());
        archive.vault.unlock(archive.private.clone()).unwrap();
    }
    archive.build();
    assert_eq!(archive.search.progress().indexed, 1_000);
}

#[test]
fn what_cannot_be_opened_is_passed_over() {
    let mut archive = Archive::new();
    archive.fill(1..2);
    let (_, stranger) = keypair::generate().unwrap();
    let foreign = Vault::new(&KeyFile::generate().unwrap(), stranger).unwrap();
    let (key_id, key) = (stranger.key_id(), stranger.as_bytes().to_vec());
    let kept = archive.store.write(move |tx| {
        tx.activate_key_pair(&key_id, &key, 0)?;
        let submission = submission("straniera", numbered(2));
        let act = Act::unattended(tx, &foreign, 5);
        submit_report(&act, &submission, &Analysis::default())
    });
    kept.unwrap();
    archive.fill(3..4);
    archive.build();
    archive.check("nome", &everything(), 10);
    assert_eq!(archive.search.progress().indexed, 2);
}

#[test]
fn a_cancelled_search_ends_without_a_result() {
    let mut archive = Archive::new();
    archive.fill(0..10);
    archive.build();
    for in_text in [false, true] {
        let terms = Terms::new("x", in_text).unwrap();
        let outcome = archive.ask(&terms, &everything(), |search, snapshot, request| {
            let cancel = CancelToken::default();
            cancel.cancel();
            search.all(
                snapshot,
                &Request {
                    cancel: &cancel,
                    ..*request
                },
            )
        });
        assert!(outcome.is_err());
    }
}

#[test]
fn a_stopped_search_stays_stopped() {
    let mut archive = Archive::new();
    archive.fill(0..10);
    archive.build();
    archive.search.stop();
    archive.search.follow_vault();
    assert!(archive.search.builder.lock().take().is_none());
    assert_eq!(archive.search.progress(), NOTHING);
}

/// While reports pour in and the index is being built, a search finds exactly what its own snapshot shows.
#[test]
fn a_report_that_a_list_shows_is_found() {
    let mut archive = Archive::new();
    archive.fill(0..1_500);
    archive.search.follow_vault();
    let (store, search) = (Arc::clone(&archive.store), Arc::clone(&archive.search));
    let pouring = AtomicBool::new(true);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while pouring.load(Ordering::Relaxed) {
                    let (search, ready) = (Arc::clone(&search), search.progress().ready);
                    let read = store.read(move |snapshot| {
                        let request = Request {
                            terms: &Terms::new("esempio", false).unwrap(),
                            filter: &everything(),
                            cancel: &CancelToken::default(),
                        };
                        let found = search.page(snapshot, &request, Place::Top, 50)?;
                        let listed = snapshot.report_page(&everything(), Place::Top, 50)?;
                        Ok::<_, Error>((ids(&listed), ids(&found)))
                    });
                    let (listed, found) = read.unwrap();
                    // Until the builder has reached them, older reports may be missing, never newer ones.
                    assert_eq!(found, listed[..found.len()]);
                    assert!(!ready || found.len() == listed.len());
                }
            });
        }
        for number in 0..300 {
            archive.fill(10_000 + number..10_001 + number);
        }
        pouring.store(false, Ordering::Relaxed);
    });
    let terms = Terms::new("esempio", false).unwrap();
    assert_eq!(archive.all(&terms, &everything()).len(), 1_800);
}

/// The writer thread calls it after each change: a search under way must not hold it up.
#[test]
fn following_the_vault_takes_no_lock_where_nothing_is_to_be_done() {
    let mut archive = Archive::new();
    archive.put([]);
    archive.build();
    let held = archive.search.state.write();
    let marks = archive.search.marks.lock();
    std::thread::scope(|scope| {
        let (done, ended) = std::sync::mpsc::channel();
        let search = &archive.search;
        scope.spawn(move || {
            search.follow_vault();
            done.send(())
        });
        let ended = ended.recv_timeout(std::time::Duration::from_secs(20));
        drop((held, marks));
        assert!(ended.is_ok());
    });
}

#[test]
fn marks_found_before_an_erasure_are_not_kept() {
    let mut marks = SameReporterMarks::default();
    let before = marks.copy_of(&[1]);
    marks.forget();
    let (mut index, mut segment) = (Index::new(0), Segment::default());
    segment.push(contacts::Contacts::numbered(1), b"");
    index.append(&segment, 1, &HashSet::new());
    for (mut found, kept) in [(before, 0), (marks.copy_of(&[1]), 1)] {
        found.of(&index, &[1], &|_| Ok(true)).unwrap();
        marks.take_in(found);
        assert_eq!(marks.len(), kept);
    }
}

/// Reports of one matter, then others.
fn put_matter(archive: &mut Archive) {
    let tell = |text: &str| {
        let report = report("Anna", "Neri", "a@esempio.it", "3123456789", text);
        (report, Stato::Nuova, Matter::Sanita.key())
    };
    archive.put([
        tell("Alla clinica Serenella il dottor Montaldo incassa in nero le ecografie, senza ricevuta."),
        tell("Il nostro autobus non passa più da tre settimane e i ragazzi vanno a piedi."),
        tell("Mia madre ha pagato in nero l'ecografia alla Serenella, al dottor Montaldo in persona."),
    ]);
}

#[test]
fn stories_are_found_kept_and_forgotten_with_the_index() {
    let mut archive = Archive::new();
    put_matter(&mut archive);
    let search = Arc::clone(&archive.search);
    let groups = |of: Option<&[i64]>| search.story_groups(of);
    let has_looked_at_all = |archive: &Archive| {
        let search = Arc::clone(&archive.search);
        let read = move |snapshot: &Snapshot<'_>| search.has_looked_at_all(snapshot);
        archive.store.read(read).unwrap()
    };
    assert!(groups(None).is_empty() && !has_looked_at_all(&archive));
    archive.build();
    assert!(has_looked_at_all(&archive));
    for (of, found) in [
        (None, vec![vec![1, 3]]),
        (Some(&[3][..]), vec![vec![1, 3]]),
        (Some(&[2]), vec![]),
    ] {
        assert_eq!(groups(of), found);
    }
    let why = archive
        .store
        .read({
            let search = Arc::clone(&archive.search);
            move |snapshot| {
                let near = |without| {
                    let near = search.story_neighbours(snapshot, 3, without, 3);
                    near.map(|near| {
                        near.nearest
                            .into_iter()
                            .map(|(seq, _)| seq)
                            .collect::<Vec<_>>()
                    })
                };
                assert_eq!(near(&[])?, [1]);
                assert!(near(&[1])?.is_empty());
                let narrow = snapshot.seeing(&Sight::of(&[Matter::Scuola.key()]));
                assert!(
                    search
                        .story_neighbours(&narrow, 3, &[], 3)?
                        .nearest
                        .is_empty()
                );
                let (narrow, _) = search.why_together(&narrow, &[1, 3], 120)?;
                assert_eq!(narrow, Reasons::default());
                search.why_together(snapshot, &[1, 3], 120)
            }
        })
        .unwrap();
    let (why, passages) = why;
    assert_eq!(why.names, ["Serenella", "Montaldo"]);
    assert_eq!(passages[&3].marks, "Serenella Montaldo");
    // Locked, nothing is left of it; unlocked again, what was kept is taken up.
    archive.vault.lock();
    archive.search.follow_vault();
    assert!(archive.search.stories.lock().is_none() && groups(None).is_empty());
    archive.vault.unlock(archive.private.clone()).unwrap();
    let kept = |archive: &Archive| {
        archive
            .store
            .read(|snapshot| snapshot.sketches(0, 9))
            .unwrap()
    };
    let before = kept(&archive);
    assert_eq!(before.len(), 3);
    archive.build();
    assert_eq!(groups(None), [[1, 3]]);
    assert_eq!(kept(&archive), before, "none was made anew");
    // Erased, a report is in no group, and the database lets go of its sketch.
    archive.search.forget(&[3]);
    assert!(groups(None).is_empty());
    // One that came since is not looked at yet.
    put_matter(&mut archive);
    assert!(!has_looked_at_all(&archive));
    archive.search.stop();
}
