//! Search over the whole archive, which lies sealed on the disk (PRODUCT.md §6). The contact fields are kept folded in memory
//! while the vault is unlocked. The index is built in the background, newest reports first, and brought up to the caller's
//! snapshot at each search, so that every listed report is found. Accounts are opened and folded anew for each search, unless a
//! sealed signature excludes the report. Must never write anything but signatures and sketches, nor keep the index beyond the locking of the
//! vault.

mod archive;
mod contacts;
mod index;
mod pages;
mod same_reporter;
mod signatures;
mod signing;
mod stories;

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use memchr::memmem::Finder;
use parking_lot::{Mutex, RwLock};

use crate::actions::{Error, Result};
use crate::domain::fields::phone_digits;
use crate::domain::routing::Sight;
use crate::domain::text;
use crate::store::{self, ListFilter, ListPage, Place, SeqRange, Snapshot, Store};
use crate::vault::{Vault, VaultError};

pub use archive::{ReportReader, RowWithKey, open_each, parallel_in_order};
pub use stories::Near;

use archive::{PART_BYTES, Part, indexed, read_part};
use contacts::ContactHasher;
use index::{Index, SEGMENT_ROWS, Segment};
use pages::{MatchPages, MatchSource};
use same_reporter::{IsVisible, SameReporterMarks};
use stories::Stories;

/// Characters of an id, and of its beginning in lists.
const ID: usize = 36;
const SHORT_ID: usize = 8;
/// Words of a passage before the one that was found.
const WORDS_BEFORE: usize = 6;

/// A text as it is compared: folded, without apostrophes, which people leave out.
fn form(text: &str) -> String {
    let mut form = text::fold(text);
    form.retain(|character| character != '\'');
    form
}

#[derive(Clone)]
pub struct Terms {
    /// Every word of one of these must be found: of what was typed, or of the stored digits of a number typed with separators
    /// or prefix.
    ways: Vec<Vec<Finder<'static>>>,
    /// The typed text, if it may be an id or the beginning of one.
    id: Option<String>,
    in_text: bool,
}

impl Terms {
    /// The text as typed, with `in_text` in accounts too. `None` when there is nothing to search for.
    pub fn new(typed: &str, in_text: bool) -> Option<Self> {
        let line = form(&text::clean_line(typed));
        let mut words: Vec<&str> = line.split_whitespace().collect();
        // The longest word excludes most.
        words.sort_by_key(|word| Reverse(word.len()));
        let digits = phone_digits(typed).filter(|digits| *digits != line);
        let digits: Vec<&str> = digits.iter().map(String::as_str).collect();
        let ways = [words, digits].into_iter().filter(|way| !way.is_empty());
        let finder = |word: &str| Finder::new(word).into_owned();
        let ways = ways.map(|way| way.into_iter().map(finder).collect());
        let ways: Vec<Vec<_>> = ways.collect();
        let id = Some(typed.trim().to_ascii_lowercase()).filter(|id| may_be_id(id));
        (!ways.is_empty()).then_some(Self { ways, id, in_text })
    }

    /// The part of an account, on one line, with one of the words; `None` if its beginning shows one already.
    pub fn passage(&self, account: &str, characters: usize) -> Option<String> {
        let line = text::clean_line(account);
        let found = |text: &str| {
            let text = form(text);
            let mut words = self.ways.iter().flatten();
            words.any(|word| word.find(text.as_bytes()).is_some())
        };
        if found(&text::excerpt(&line, characters)) {
            return None;
        }
        let words: Vec<&str> = line.split(' ').collect();
        let at = words.iter().position(|word| found(word))?;
        let from = at.saturating_sub(WORDS_BEFORE);
        let passage = text::excerpt(&words[from..].join(" "), characters);
        Some(format!("…{passage}"))
    }

    pub fn in_text(&self) -> bool {
        self.in_text
    }

    fn found_in(&self, folded: &[u8]) -> bool {
        let found = |word: &Finder<'_>| word.find(folded).is_some();
        self.ways.iter().any(|way| way.iter().all(found))
    }
}

/// Whether a text may be an id, or the beginning of one as lists show it.
fn may_be_id(text: &str) -> bool {
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (SHORT_ID..=ID).contains(&text.len()) && text.bytes().all(harmless)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexProgress {
    pub ready: bool,
    pub indexed: u64,
}

/// Cancels searches; clones share one state.
#[derive(Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Searches with this token stop soon, without a result.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            return Err(Error::Store(store::Error::Closed));
        }
        Ok(())
    }
}

pub struct Request<'a> {
    pub terms: &'a Terms,
    pub filter: &'a ListFilter,
    pub cancel: &'a CancelToken,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    NewestFirst,
    OldestFirst,
}

impl Order {
    pub fn of(oldest_first: bool) -> Self {
        if oldest_first {
            Self::OldestFirst
        } else {
            Self::NewestFirst
        }
    }

    fn first_of(self, range: SeqRange) -> i64 {
        match self {
            Self::NewestFirst => range.newest,
            Self::OldestFirst => range.oldest,
        }
    }

    fn last_of(self, range: SeqRange) -> i64 {
        match self {
            Self::NewestFirst => range.oldest,
            Self::OldestFirst => range.newest,
        }
    }
}

pub struct Search {
    store: Arc<Store>,
    vault: Arc<Vault>,
    state: RwLock<IndexState>,
    /// Whether there is an index: the writer reads this in place of the state, which others lock.
    active: AtomicBool,
    /// Held by the search that adds new reports.
    catching_up: Mutex<()>,
    /// Held by the thread that makes signatures.
    signing: Mutex<()>,
    /// The data by which stories are found; locked after the state when both are.
    stories: Mutex<Option<Stories>>,
    /// Held by the thread that finds them.
    settling: Mutex<()>,
    hasher: ContactHasher,
    marks: Mutex<SameReporterMarks>,
    builder: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct IndexState {
    phase: IndexPhase,
    /// Grows when the index is dropped: a builder of an older generation stops.
    generation: u64,
    index: Option<Index>,
    /// Reports that were erased since the start: what was read before must not add them again.
    erased: HashSet<i64>,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum IndexPhase {
    #[default]
    Idle,
    Building,
    Ready,
    Closed,
}

impl Search {
    /// The search of this archive, empty until [`Search::follow_vault`].
    pub fn new(store: Arc<Store>, vault: Arc<Vault>) -> Arc<Self> {
        Arc::new(Self {
            store,
            vault,
            state: RwLock::default(),
            active: AtomicBool::default(),
            catching_up: Mutex::default(),
            signing: Mutex::default(),
            stories: Mutex::default(),
            settling: Mutex::default(),
            hasher: ContactHasher::default(),
            marks: Mutex::default(),
            builder: Mutex::default(),
        })
    }

    /// Builds the index when the vault is unlocked, and drops it when it is locked. The writer calls this after each change,
    /// and takes no lock of the search where nothing is to be done.
    pub fn follow_vault(self: &Arc<Self>) {
        let unlocked = self.vault.is_unlocked();
        match (unlocked, self.active.load(Ordering::Acquire)) {
            (true, false) => self.begin(),
            (false, true) => self.drop_index(IndexPhase::Idle),
            _ => {}
        }
    }

    fn begin(self: &Arc<Self>) {
        let generation = {
            let mut state = self.state.write();
            if state.phase != IndexPhase::Idle {
                return;
            }
            state.phase = IndexPhase::Building;
            self.active.store(true, Ordering::Release);
            state.generation
        };
        let search = Arc::clone(self);
        let thread = std::thread::Builder::new()
            .name("search".to_owned())
            .spawn(move || search.build(generation));
        match thread {
            Ok(thread) => *self.builder.lock() = Some(thread),
            Err(error) => {
                tracing::error!(%error, "the search index cannot be built");
                self.drop_index(IndexPhase::Idle);
            }
        }
    }

    /// Adds new reports ahead of the next search.
    pub fn catch_up(self: &Arc<Self>) -> Result<()> {
        let search = Arc::clone(self);
        self.store
            .read(move |snapshot| search.catch_up_with(snapshot))
    }

    /// Removes erased reports from the index, by their arrival numbers.
    pub fn forget(&self, erased: &[i64]) {
        let mut state = self.state.write();
        state.erased.extend(erased);
        if let Some(stories) = &mut *self.stories.lock() {
            for seq in erased {
                stories.index.forget(*seq);
            }
        }
        if let Some(index) = &mut state.index {
            index.remove(erased);
            self.marks.lock().forget();
        }
    }

    /// Whether another visible report may come from the reporter of each of these; false before the index is complete. Only results
    /// for all departments are kept, since reports move between departments.
    pub fn has_same_reporter(&self, snapshot: &Snapshot<'_>, seqs: &[i64]) -> Result<Vec<bool>> {
        let newest = seqs.iter().max().copied().unwrap_or_default();
        if self.edge().is_some_and(|(_, known)| known < newest) {
            self.catch_up_with(snapshot)?;
        }
        // The scan holds no lock: it reads a copy of the index.
        let Some(index) = self.whole_index() else {
            return Ok(vec![false; seqs.len()]);
        };
        if !snapshot.visible_departments().is_all() {
            return SameReporterMarks::default().of(&index, seqs, &|seq| is_there(snapshot, seq));
        }
        let mut marks = self.marks.lock().copy_of(seqs);
        let found = marks.of(&index, seqs, &|_| Ok(true))?;
        self.marks.lock().take_in(marks);
        Ok(found)
    }

    /// Visible reports that may come from the reporter of this one, newest first.
    pub fn same_reporter(
        &self,
        snapshot: &Snapshot<'_>,
        seq: i64,
        most: usize,
    ) -> Result<Vec<i64>> {
        self.catch_up_with(snapshot)?;
        let index = self.state.read().index.clone();
        let is_visible: IsVisible<'_> = &|seq| is_there(snapshot, seq);
        index.map_or_else(
            || Ok(Vec::new()),
            |index| same_reporter::same_reporter(&index, seq, most, is_visible),
        )
    }

    pub fn progress(&self) -> IndexProgress {
        let state = self.state.read();
        IndexProgress {
            ready: state.phase == IndexPhase::Ready,
            indexed: state.index.as_ref().map_or(0, Index::rows),
        }
    }

    /// A page of the matching reports. While the index is being built, contact fields of reports beyond it are not searched.
    pub fn page(
        &self,
        snapshot: &Snapshot<'_>,
        request: &Request<'_>,
        place: Place,
        limit: usize,
    ) -> Result<ListPage> {
        let source = if request.terms.in_text {
            MatchSource::Archive(&self.vault)
        } else {
            MatchSource::Index(self.index(snapshot)?.0)
        };
        MatchPages::new(snapshot, request, source)?.page(place, limit)
    }

    /// All matching reports. Complete also while the index is being built: every report is then opened.
    pub fn all(&self, snapshot: &Snapshot<'_>, request: &Request<'_>) -> Result<Vec<i64>> {
        let (index, complete) = self.index(snapshot)?;
        let source = if complete && !request.terms.in_text {
            MatchSource::Index(index)
        } else {
            MatchSource::Archive(&self.vault)
        };
        MatchPages::new(snapshot, request, source)?.all()
    }

    /// Drops the index and waits until no thread reads the archive for it. No search follows.
    pub fn stop(&self) {
        self.drop_index(IndexPhase::Closed);
        let builder = self.builder.lock().take();
        if builder.is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the search builder ended abnormally");
        }
    }

    /// An index that fails is dropped, and built again later.
    fn build(self: &Arc<Self>, generation: u64) {
        if let Err(error) = self.fill(generation) {
            tracing::warn!(%error, "the search index could not be built");
            if self.state.read().generation == generation {
                self.drop_index(IndexPhase::Idle);
            }
        } else {
            if let Err(error) = self.settle_stories() {
                tracing::warn!(%error, "stories were not looked for in all reports: tried again");
            }
            if let Err(error) = self.sign() {
                tracing::warn!(%error, "signatures for the search in accounts are missing: tried again");
            }
        }
    }

    /// Fills the index from the newest report to the oldest, in short snapshots, unless the generation ends.
    fn fill(&self, generation: u64) -> Result<()> {
        let top = self.store.read(|snapshot| snapshot.newest_seq())?;
        let mut goes_on = self.change(generation, |state| state.index = Some(Index::new(top)));
        let (mut range, mut unreadable) = (SeqRange::of(0, top), 0);
        while goes_on {
            let order = Order::NewestFirst;
            let Part { reports, left } =
                read_part(&self.store, &self.vault, range, order, SEGMENT_ROWS)?;
            let found = indexed(&reports, &self.hasher);
            unreadable += reports.len() - found.len();
            range = left;
            let last = range.is_empty();
            goes_on = self.change(generation, |state| {
                if let Some(index) = &mut state.index {
                    index.prepend(&found, &state.erased);
                }
                if last {
                    state.phase = IndexPhase::Ready;
                }
            }) && !last;
        }
        if unreadable > 0 {
            tracing::warn!(
                unreadable,
                "reports that cannot be opened: search does not find them"
            );
        }
        Ok(())
    }

    /// Makes missing signatures, the newest first, in one thread and while the index is ready. An erasure removes those of its
    /// block; they are made again later, not for each of many erasures.
    pub fn sign(&self) -> Result<()> {
        let Some(_only) = self.signing.try_lock() else {
            return Ok(());
        };
        let ready = || self.state.read().phase == IndexPhase::Ready;
        if !ready() {
            return Ok(());
        }
        let unsigned = signing::unsigned(&self.store, &self.vault)?;
        let mut unsigned = unsigned.into_iter().take_while(|_| ready());
        unsigned.try_for_each(|block| signing::sign(&self.store, &self.vault, block))
    }

    /// Changes the state unless the generation has ended: what was opened before a lock must not be added after it.
    fn change(&self, generation: u64, change: impl FnOnce(&mut IndexState)) -> bool {
        let mut state = self.state.write();
        let goes_on = state.generation == generation && self.vault.is_unlocked();
        if goes_on {
            change(&mut state);
        }
        goes_on
    }

    /// The index, once it is complete.
    fn whole_index(&self) -> Option<Index> {
        let state = self.state.read();
        let ready = state.phase == IndexPhase::Ready;
        state.index.clone().filter(|_| ready)
    }

    /// The segments up to this snapshot, and whether the index is complete below.
    fn index(&self, snapshot: &Snapshot<'_>) -> Result<(Vec<Arc<Segment>>, bool)> {
        if !self.vault.is_unlocked() {
            return Err(VaultError::Locked.into());
        }
        self.catch_up_with(snapshot)?;
        let state = self.state.read();
        let segments = state.index.as_ref().map(Index::segments);
        Ok((
            segments.unwrap_or_default(),
            state.phase == IndexPhase::Ready,
        ))
    }

    /// Adds all new reports, also those that the caller may not see.
    fn catch_up_with(&self, snapshot: &Snapshot<'_>) -> Result<()> {
        let snapshot = &snapshot.seeing(&Sight::ALL);
        let _turn = self.catching_up.lock();
        while let Some((generation, newest)) = self.edge() {
            let (all, range) = (ListFilter::default(), SeqRange::beyond(newest, true));
            let order = Order::OldestFirst;
            let mut reader = ReportReader::new(snapshot, &self.vault, &all, range, order)?;
            let reports = reader.next(SEGMENT_ROWS, PART_BYTES)?;
            let Some((last, _)) = reports.last() else {
                break;
            };
            let found = indexed(&reports, &self.hasher);
            let goes_on = self.change(generation, |state| {
                if let Some(index) = &mut state.index {
                    index.append(&found, last.seq, &state.erased);
                }
            });
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    /// The generation, and the newest indexed report.
    fn edge(&self) -> Option<(u64, i64)> {
        let state = self.state.read();
        let newest = state.index.as_ref()?.newest();
        Some((state.generation, newest))
    }

    fn drop_index(&self, phase: IndexPhase) {
        let mut state = self.state.write();
        if state.phase != IndexPhase::Closed {
            state.phase = phase;
            self.active.store(false, Ordering::Release);
            state.generation += 1;
            state.index = None;
            *self.stories.lock() = None;
            self.marks.lock().forget();
        }
    }
}

fn is_there(snapshot: &Snapshot<'_>, seq: i64) -> Result<bool> {
    Ok(snapshot.admits(&ListFilter::default(), seq)?)
}
