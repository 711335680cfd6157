//! Siege mode (PRODUCT.md §10): watches how much arrives, keeps when the mode was on, and sets near copies aside.
//! Must never refuse a report, nor hold its text: only hashes of an account are remembered, in memory.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use parking_lot::Mutex;

use crate::actions::archive::sealing::{open_report, or_stand_in};
use crate::actions::desk::edit_reports::present;
use crate::actions::{Act, Error, Result};
use crate::clock::start_of_today;
use crate::domain::calendar::local_date;
use crate::domain::declare::names;
use crate::domain::report::{Report, own_words};
use crate::domain::siege::Watch;
use crate::domain::siege::crowd::{Crowd, SetAside, Sketch};
use crate::domain::siege::own_words::GroupWords;
use crate::store::{self, Action, Cause, ListFilter, Snapshot, Store};
use crate::vault::Vault;

const RECENT_MS: i64 = 10 * 60_000;

pub struct Siege {
    /// Whether the mode is on. Outside of a siege a report costs no more than this question.
    on: AtomicBool,
    /// When (ms) the siege began.
    since: AtomicI64,
    watch: Mutex<Watch>,
    crowd: Mutex<Crowd>,
}

/// The present: the time in ms, the local day, and the number of reports a day above which a siege begins.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub now: i64,
    pub day: Date,
    pub most: u32,
}

impl Moment {
    pub fn new(now: i64, zone: &TimeZone, most: u32) -> Self {
        let day = local_date(now, zone);
        Self { now, day, most }
    }
}

impl Siege {
    pub fn resume(store: &Store, now: i64, zone: &TimeZone) -> Result<Self> {
        let midnight = start_of_today(now, zone);
        let (on, since, today, recent) = store.read(move |snapshot| {
            let recent = ListFilter {
                since: Some(now - RECENT_MS),
                ..ListFilter::default()
            };
            let today = snapshot.received(midnight..i64::MAX)?;
            let (on, since) = (snapshot.siege()?, snapshot.siege_since()?);
            Ok::<_, Error>((on, since, today, snapshot.report_count(&recent)?))
        })?;
        let [today, recent] = [today, recent].map(|n| n.try_into().unwrap_or(u32::MAX));
        let watch = Watch::resumed(on, local_date(now, zone), today, recent, now);
        Ok(Self {
            on: AtomicBool::new(on.is_some()),
            since: AtomicI64::new(since.unwrap_or_default()),
            watch: Mutex::new(watch),
            crowd: Mutex::default(),
        })
    }

    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Whether the siege began after a time (ms).
    pub fn began_after(&self, moment: i64) -> bool {
        self.since.load(Ordering::Relaxed) >= moment
    }

    pub fn load_bits(&self, at: Moment) -> u32 {
        self.watch.lock().load_bits(at.now, at.most)
    }

    /// Remembers an account that is stored; returns the reports that must be set aside with it.
    pub fn remember(&self, id: &str, account: &str, now: i64) -> Option<SetAside> {
        let sketch = Sketch::of(&own_words(account));
        self.crowd.lock().remember(id, sketch, self.is_on(), now)
    }

    pub fn take_back(&self, aside: &SetAside) {
        self.crowd.lock().take_back(aside);
    }

    pub fn clear(&self, group: Option<i64>) {
        self.crowd.lock().clear(group);
    }

    pub fn arrived(&self, at: Moment) -> bool {
        self.turned(at, |watch| watch.arrived(at.day, at.now, at.most))
    }

    pub fn review(&self, at: Moment) -> bool {
        self.turned(at, |watch| watch.review(at.day, at.now, at.most))
    }

    fn turned(&self, at: Moment, step: impl FnOnce(&mut Watch) -> bool) -> bool {
        let watch = &mut *self.watch.lock();
        let turned = step(watch);
        if turned {
            self.since.store(at.now, Ordering::Relaxed);
            let cause = watch.on.map(|cause| cause.as_str());
            self.on.store(cause.is_some(), Ordering::Relaxed);
            tracing::warn!(
                cause,
                "siege mode {}",
                if cause.is_some() { "begins" } else { "ends" }
            );
        }
        turned
    }

    pub fn record_mode(&self, store: &Store, now: i64) -> Result<()> {
        let on = self.watch.lock().on;
        if store.read(|snapshot| snapshot.siege())?.is_some() != on.is_some() {
            store.write(move |tx| tx.put_siege(on, now))?;
        }
        Ok(())
    }
}

/// Counts a report that arrived during a siege.
pub fn count_report(act: &Act<'_>) -> Result<()> {
    Ok(act.tx.count_in_siege(1, 0, 0)?)
}

pub fn set_aside(act: &Act<'_>, aside: &SetAside) -> Result<()> {
    let since = act.siege_since()?.unwrap_or(act.now) - RECENT_MS;
    let changed = act.tx.set_aside(aside.group, &aside.ids, since)?;
    Ok(act.tx.count_in_siege(0, changed, 0)?)
}

names! {
    /// The action on reports that were set aside.
    #[schema(as = AsideAction)]
    pub enum AsideAction {
        /// They become reports like all others.
        Restore = "restore",
        /// They are archived.
        Archive = "archive",
        /// They are erased for good.
        Erase = "erase",
    }
}

/// Reports that are set aside, of one group or of all, up to the last arrival number that was shown.
#[derive(Debug, Clone, Copy)]
pub struct AsideScope {
    pub group: Option<i64>,
    pub up_to: i64,
}

/// The reports that an action on set-aside reports applies to.
pub struct AsideSelection {
    /// Arrival numbers.
    pub seqs: Vec<i64>,
    /// The number of reports left out of an erasure, because they have a sentence that no other report of their group has.
    pub left: usize,
}

/// The reports of a scope that an action applies to.
pub fn select_aside(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    action: AsideAction,
    scope: AsideScope,
) -> Result<AsideSelection> {
    let rows = snapshot.reports_aside(scope.group, scope.up_to)?;
    let all = rows.len();
    let mut seqs = Vec::with_capacity(all);
    for group in rows.chunk_by(|(one, _), (other, _)| one == other) {
        let group: Vec<i64> = group.iter().map(|(_, seq)| *seq).collect();
        if action == AsideAction::Erase {
            let words = words_of(snapshot, vault, &group)?;
            for seq in group {
                let (_, account) = account_at(snapshot, vault, seq)?;
                if words.own_sentence(&account).is_none() {
                    seqs.push(seq);
                }
            }
        } else {
            seqs.extend(group);
        }
    }
    let left = all - seqs.len();
    Ok(AsideSelection { seqs, left })
}

/// Among the newest reports of a group, the id of the one that differs most from the others, and the sentence that only
/// it contains.
pub fn most_unlike(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    group: i64,
    newest: usize,
) -> Result<Option<(String, String)>> {
    let seqs = snapshot.newest_aside(group, newest)?;
    let words = words_of(snapshot, vault, &seqs)?;
    let mut most = (0, None);
    for seq in seqs {
        let (id, account) = account_at(snapshot, vault, seq)?;
        if let Some((own, sentence)) = words.own_sentence(&account)
            && own > most.0
        {
            most = (own, Some((id, sentence.to_owned())));
        }
    }
    Ok(most.1)
}

fn words_of(snapshot: &Snapshot<'_>, vault: &Vault, seqs: &[i64]) -> Result<GroupWords> {
    let mut words = GroupWords::default();
    for seq in seqs {
        words.add(&account_at(snapshot, vault, *seq)?.1);
    }
    Ok(words)
}

/// Id and account of a report; an account that cannot be read is empty.
fn account_at(snapshot: &Snapshot<'_>, vault: &Vault, seq: i64) -> Result<(String, String)> {
    let Some(row) = snapshot.report_at(seq)? else {
        return Ok(<_>::default());
    };
    let report = or_stand_in(open_report(snapshot, vault, &row), &row.id, Report::default)?;
    Ok((row.id, own_words(&report.segnalazione).into_owned()))
}

/// The outcome of one step.
pub struct AsideStep {
    pub changed: usize,
    /// Arrival numbers of the reports that were erased.
    pub erased: Vec<i64>,
}

/// Applies an action to a step of the reports, as far as they are still set aside. Only the first step is logged, for all: ten
/// thousand entries would push everything else out of the log.
pub fn clear_aside(
    act: &Act<'_>,
    action: AsideAction,
    seqs: &[i64],
    first: bool,
) -> Result<AsideStep> {
    let ids = seqs.iter();
    let ids = ids.filter_map(|seq| act.aside_at(*seq).transpose());
    let ids: Vec<String> = ids.collect::<store::Result<_>>()?;
    if first && !ids.is_empty() {
        let logged = match action {
            AsideAction::Erase => Action::ReportErased,
            AsideAction::Restore | AsideAction::Archive => Action::ReportUpdated,
        };
        act.log(logged, None)?;
    }
    let mut erased = Vec::new();
    for id in &ids {
        act.tx
            .count_cleared(id, AsideAction::ALL.map(|one| one == action))?;
        match action {
            AsideAction::Restore => {}
            AsideAction::Archive => act.tx.archive(id, present(act, id)?.stato, act.now)?,
            AsideAction::Erase => {
                erased.extend(act.tx.erase_report(id, act.now, Cause::Request)?);
            }
        }
    }
    act.tx.take_back(&ids)?;
    let changed = ids.len();
    Ok(AsideStep { changed, erased })
}
