//! A sealed archive to search in, and the plain look at every report that search is measured by.

use std::sync::atomic::AtomicI64;

use tempfile::TempDir;

use crate::actions::Act;
use crate::actions::intake::submit_report::{Submission, submit_report};
use crate::domain::fields::phone_digits;
use crate::domain::report::{Origine, Report, Stato};
use crate::domain::routing::{Analysis, DepartmentKey};
use crate::search::*;
use crate::store::ReportRow;
use crate::vault::{KeyFile, PrivateKey, keypair};

/// A sealed archive, and what was put into it.
pub(super) struct Archive {
    pub(super) store: Arc<Store>,
    pub(super) vault: Arc<Vault>,
    pub(super) private: PrivateKey,
    pub(super) search: Arc<Search>,
    /// In order of arrival.
    pub(super) put: Vec<Kept>,
    clock: AtomicI64,
    _folder: TempDir,
}

/// A report as it was put into the archive.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) id: String,
    pub(super) report: Report,
    pub(super) stato: Stato,
    pub(super) department: DepartmentKey,
    /// Every third is.
    pub(super) urgente: bool,
    pub(super) at: i64,
}

/// A report to put into the archive.
pub(super) type Put = (Report, Stato, DepartmentKey);

impl Archive {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), Box::new(|| panic!("a sync failed"))).unwrap();
        let (private, public) = keypair::generate().unwrap();
        let vault = Vault::new(&KeyFile::generate().unwrap(), public).unwrap();
        vault.unlock(private.clone()).unwrap();
        let (key_id, key) = (public.key_id(), public.as_bytes().to_vec());
        store
            .write(move |tx| tx.activate_key_pair(&key_id, &key, 0))
            .unwrap();
        let (store, vault) = (Arc::new(store), Arc::new(vault));
        Self {
            search: Search::new(Arc::clone(&store), Arc::clone(&vault)),
            store,
            vault,
            private,
            put: Vec::new(),
            clock: AtomicI64::new(1_000),
            _folder: folder,
        }
    }

    pub(super) fn put(&mut self, reports: impl IntoIterator<Item = Put>) {
        let kept = reports.into_iter().map(|(report, stato, department)| {
            let at = self.clock.fetch_add(1, Ordering::SeqCst);
            Kept {
                id: uuid::Uuid::new_v4().to_string(),
                report,
                stato,
                department,
                urgente: at % 3 == 0,
                at,
            }
        });
        let kept: Vec<Kept> = kept.collect();
        self.put.extend(kept.iter().cloned());
        let vault = Arc::clone(&self.vault);
        let stored = self.store.write(move |tx| {
            kept.into_iter().try_for_each(|kept| {
                let submission = submission(&kept.id, kept.report);
                let act = Act::unattended(tx, &vault, kept.at);
                submit_report(&act, &submission, &Analysis::default())?;
                let row = ReportRow {
                    id: kept.id,
                    stato: kept.stato,
                    department: kept.department,
                    urgente: kept.urgente,
                    ..ReportRow::default()
                };
                tx.update_report(&row, kept.at)?;
                Ok::<_, Error>(())
            })
        });
        stored.unwrap();
    }

    /// Puts numbered reports in.
    pub(super) fn fill(&mut self, numbers: std::ops::Range<usize>) {
        self.put(numbers.map(|number| (numbered(number), Stato::Nuova, DepartmentKey::GENERALE)));
    }

    /// Builds the index and waits until it is ready.
    pub(super) fn build(&self) {
        self.search.follow_vault();
        let builder = self.search.builder.lock().take();
        builder.expect("it builds").join().expect("it ends");
        assert!(self.search.progress().ready);
    }

    /// What a plain look at every report finds, newest first.
    pub(super) fn expected(&self, typed: &str, in_text: bool, filter: &ListFilter) -> Vec<String> {
        let plain = |text: &str| text::fold(text).replace('\'', "");
        let line = plain(&text::clean_line(typed));
        let number = phone_digits(typed);
        let matches = |report: &Report| {
            let person = [
                &report.nome,
                &report.cognome,
                &report.email,
                &report.telefono,
                &report.indirizzo,
            ];
            let account = in_text.then_some(&report.segnalazione);
            let fields: Vec<String> = person
                .into_iter()
                .chain(account)
                .map(|field| plain(field))
                .collect();
            let stands = |word: &str| fields.iter().any(|field| field.contains(word));
            (!line.trim().is_empty() && line.split_whitespace().all(stands))
                || number.as_deref().is_some_and(stands)
        };
        let kept = self.put.iter().rev();
        kept.filter(|kept| filter.stato.is_none_or(|stato| stato == kept.stato))
            .filter(|kept| filter.department.is_none_or(|one| one == kept.department))
            .filter(|kept| filter.urgente.is_none_or(|one| one == kept.urgente))
            .filter(|kept| filter.since.is_none_or(|since| kept.at >= since))
            .filter(|kept| matches(&kept.report))
            .map(|kept| kept.id.clone())
            .collect()
    }

    /// Runs a search in a snapshot of its own.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        terms: &Terms,
        filter: &ListFilter,
        ask: impl FnOnce(&Search, &Snapshot<'_>, &Request<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (search, terms, filter) = (Arc::clone(&self.search), terms.clone(), *filter);
        self.store.read(move |snapshot| {
            let request = Request {
                terms: &terms,
                filter: &filter,
                cancel: &CancelToken::default(),
            };
            ask(&search, snapshot, &request)
        })
    }

    pub(super) fn page(
        &self,
        terms: &Terms,
        filter: &ListFilter,
        place: Place,
        limit: usize,
    ) -> Result<ListPage> {
        self.ask(terms, filter, move |search, snapshot, request| {
            search.page(snapshot, request, place, limit)
        })
    }

    /// All that is found, page by page downwards; each page upwards again must be the one before.
    pub(super) fn paged(&self, terms: &Terms, filter: &ListFilter, limit: usize) -> Vec<String> {
        let (mut found, mut place, mut above) = (Vec::new(), Place::Top, Vec::<String>::new());
        loop {
            let page = self.page(terms, filter, place, limit).unwrap();
            assert_eq!(page.before, !found.is_empty());
            if let Some(first) = page.rows.first().filter(|_| page.before) {
                let back = self.page(terms, filter, Place::Before(first.position()), limit);
                assert_eq!(ids(&back.unwrap()), above);
            }
            above = ids(&page);
            found.extend(above.iter().cloned());
            match page.rows.last().filter(|_| page.after) {
                Some(last) => place = Place::After(last.position()),
                None => return found,
            }
        }
    }

    pub(super) fn all(&self, terms: &Terms, filter: &ListFilter) -> Vec<String> {
        let ids = self.ask(terms, filter, |search, snapshot, request| {
            let seqs = search.all(snapshot, request)?;
            let rows = seqs.into_iter().map(|seq| snapshot.report_at(seq));
            let rows: Vec<_> = rows.collect::<store::Result<_>>()?;
            Ok(rows.into_iter().flatten().map(|row| row.id).collect())
        });
        ids.unwrap()
    }

    /// Compares both answers, with and without accounts, with the plain look.
    pub(super) fn check(&self, typed: &str, filter: &ListFilter, limit: usize) {
        for in_text in [false, true] {
            let Some(terms) = Terms::new(typed, in_text) else {
                continue;
            };
            let expected = self.expected(typed, in_text, filter);
            let paged = self.paged(&terms, filter, limit);
            assert_eq!(paged, expected, "{typed:?} {filter:?}");
            assert_eq!(self.all(&terms, filter), expected, "{typed:?} {filter:?}");
        }
    }
}

pub(super) fn submission(id: &str, report: Report) -> Submission {
    Submission {
        urgente: None,
        id: id.to_owned(),
        report,
        impronta: [0; 16],
        privacy_version: "1".to_owned(),
        receipt: None,
        origine: Origine::Chat,
        routed: None,
        callout: crate::domain::callout::CalloutAnswers::default(),
        shown: None,
    }
}

pub(super) fn report(
    nome: &str,
    cognome: &str,
    email: &str,
    telefono: &str,
    account: &str,
) -> Report {
    Report {
        nome: nome.to_owned(),
        cognome: cognome.to_owned(),
        telefono: telefono.to_owned(),
        email: email.to_owned(),
        indirizzo: "Via dell'Indirizzo 1, Roma".to_owned(),
        segnalazione: account.to_owned(),
        ..Report::default()
    }
}

pub(super) fn numbered(number: usize) -> Report {
    let cognome = if number.is_multiple_of(3) {
        "D'Àngelo"
    } else {
        "Rossi"
    };
    report(
        &format!("Nome{number}"),
        cognome,
        &format!("posta{number}@esempio.it"),
        &format!("3{number:09}"),
        &format!("Racconto numero {number}, perché è così."),
    )
}

pub(super) fn ids(page: &ListPage) -> Vec<String> {
    page.rows.iter().map(|row| row.id.clone()).collect()
}

pub(super) fn everything() -> ListFilter {
    ListFilter::default()
}
