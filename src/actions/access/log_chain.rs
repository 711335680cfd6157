//! The access log as chains, one for each kind of record: an entry has a MAC over itself and the one before, and where each chain
//! begins and ends is kept apart under one MAC more. So what another program removes, alters, inserts or cuts off is seen.
//! Must never make a broken chain whole again: only emptying the log begins anew.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::actions::Act;
use crate::store::{AccessEntry, ChainedEntry, Error, LogKind, Result, Snapshot, Tx};
use crate::vault::{Stamp, is_mark};

const ENTRY: &str = "access log entry";
const ENDS: &str = "access log ends";
/// Entries kept of each kind (source of the figure: PRODUCT.md §7).
const KEEP: i64 = 1_000;
/// Entries of a kind that go by age in one transaction.
const STEP: usize = 100;

/// The entries that are kept of a kind: those behind number `gone`, up to `last`.
#[derive(Default, Serialize, Deserialize)]
struct Ends {
    gone: i64,
    last: i64,
    /// MACs of the entries with these two numbers.
    #[serde(with = "hex")]
    before: [u8; 32],
    #[serde(with = "hex")]
    tip: [u8; 32],
}

#[derive(Default, Serialize, Deserialize)]
struct Chains {
    /// Name of the operational key that the MACs are of.
    key: String,
    ends: BTreeMap<LogKind, Ends>,
    /// Whether this program wrote them.
    #[serde(skip)]
    own: bool,
}

/// Where a chain is broken.
pub struct Break {
    /// `None` where no entry is wrong, and the ends are.
    pub kind: Option<LogKind>,
    /// When the last sound entry before was made, in ms.
    pub after: Option<i64>,
}

impl Ends {
    /// The entries of a chain, from its beginning up to the first that is not this program's.
    fn sound<'e>(
        &self,
        stamp: &Stamp,
        kind: LogKind,
        entries: impl Iterator<Item = &'e ChainedEntry>,
    ) -> impl Iterator<Item = &'e ChainedEntry> {
        let (mut n, mut tip) = (self.gone, self.before);
        entries.take_while(move |row| {
            let next = n.saturating_add(1);
            let sound = row.n == next && row.mac == mark(stamp, kind, next, &tip, &row.entry);
            (n, tip) = (row.n, row.mac);
            sound
        })
    }

    /// Drops the entries up to a number; answers how many.
    fn prune(&mut self, tx: &Tx<'_>, kind: LogKind, to: i64) -> Result<usize> {
        if to <= self.gone {
            return Ok(0);
        }
        if let Some(mac) = tx.access_mac(kind, to)? {
            self.before = mac;
        }
        self.gone = to;
        tx.prune_access(kind, to)
    }
}

impl Chains {
    fn new(stamp: &Stamp) -> Self {
        Self {
            key: stamp.key_id().to_owned(),
            own: true,
            ends: BTreeMap::new(),
        }
    }

    fn read(snapshot: &Snapshot<'_>, stamp: &Stamp) -> Result<Self> {
        let Some((body, mac)) = snapshot.access_ends()? else {
            return Ok(Self::default());
        };
        Ok(Self {
            own: is_mark(&stamp.mark(ENDS, [body.as_bytes()]), &mac),
            ..serde_json::from_str(&body).unwrap_or_default()
        })
    }

    fn store(&self, tx: &Tx<'_>, stamp: &Stamp) -> Result<()> {
        let unsaid = |_| Error::Damaged("access_ends".to_owned());
        let body = serde_json::to_string(self).map_err(unsaid)?;
        // Going on with ends that another program wrote does not vouch for them.
        let mac = if self.own {
            stamp.mark(ENDS, [body.as_bytes()])
        } else {
            [0; 32]
        };
        tx.put_access_ends(&body, &mac)
    }
}

fn mark(stamp: &Stamp, kind: LogKind, n: i64, before: &[u8; 32], entry: &AccessEntry) -> [u8; 32] {
    let numbers = [n, entry.timestamp, entry.count].map(i64::to_be_bytes);
    let said = [&entry.report_id, &entry.person, &entry.who, &entry.about];
    let said = said.map(|text| text.as_deref().unwrap_or_default());
    let words = [
        kind.as_str(),
        entry.action.as_str(),
        &entry.ip,
        &entry.user_agent,
    ];
    let texts = words.into_iter().chain(said);
    let parts = numbers.iter().map(<[u8; 8]>::as_slice);
    let parts = parts.chain(texts.map(str::as_bytes));
    stamp.mark(ENTRY, parts.chain([&before[..]]))
}

/// Adds an entry, of now or out of another archive, to the chain of its kind, and drops the oldest of that kind beyond those that
/// are kept.
pub fn append(act: &Act<'_>, entry: &AccessEntry) -> Result<()> {
    let (stamp, kind) = (act.vault.stamp(), entry.action.kind());
    let mut chains = Chains::read(act, stamp)?;
    let ends = chains.ends.entry(kind).or_default();
    ends.last = ends.last.saturating_add(1);
    ends.tip = mark(stamp, kind, ends.last, &ends.tip, entry);
    act.tx.insert_access(kind, ends.last, entry, &ends.tip)?;
    ends.prune(act.tx, kind, ends.last.saturating_sub(KEEP))?;
    chains.store(act.tx, stamp)
}

/// Drops entries that were made before a moment (ms), the oldest of each kind; answers how many. One that is not this program's
/// stays, with those behind it: the age that it tells is not believed.
pub(in crate::actions) fn drop_before(act: &Act<'_>, moment: i64) -> Result<usize> {
    let stamp = act.vault.stamp();
    let (mut chains, mut dropped) = (Chains::read(act, stamp)?, 0);
    for (kind, ends) in &mut chains.ends {
        let oldest = act.oldest_access(*kind, STEP)?;
        let sound = ends.sound(stamp, *kind, oldest.iter());
        let old = sound.take_while(|row| row.entry.timestamp < moment).last();
        let to = old.map_or(ends.gone, |row| row.n);
        dropped += ends.prune(act.tx, *kind, to)?;
    }
    if dropped > 0 {
        chains.store(act.tx, stamp)?;
    }
    Ok(dropped)
}

/// Empties the log, and begins new chains.
pub(in crate::actions) fn clear(act: &Act<'_>) -> Result<()> {
    act.tx.clear_access_log()?;
    let stamp = act.vault.stamp();
    Chains::new(stamp).store(act.tx, stamp)
}

/// Begins the log of a new archive; the entries of one that comes from elsewhere are taken as they came.
pub fn adopt(tx: &Tx<'_>, stamp: &Stamp) -> Result<()> {
    if Chains::read(tx, stamp)?.key == stamp.key_id() {
        return Ok(());
    }
    take_over(tx, Chains::new(stamp), stamp)
}

/// Signs the log with another operational key. One that was broken stays so.
pub(in crate::actions) fn carry(tx: &Tx<'_>, from: &Stamp, to: &Stamp) -> Result<()> {
    let own = breaks(tx, from)?.is_empty();
    let chains = Chains {
        own,
        ..Chains::new(to)
    };
    take_over(tx, chains, to)
}

fn take_over(tx: &Tx<'_>, mut chains: Chains, stamp: &Stamp) -> Result<()> {
    for ChainedEntry {
        id, kind, entry, ..
    } in tx.chained_entries()?
    {
        let ends = chains.ends.entry(kind).or_default();
        ends.last += 1;
        ends.tip = mark(stamp, kind, ends.last, &ends.tip, &entry);
        tx.put_access_place(id, ends.last, &ends.tip)?;
    }
    chains.store(tx, stamp)
}

/// Where entries were removed, altered, inserted or cut off by something else than this program: the first place of each kind.
pub fn breaks(snapshot: &Snapshot<'_>, stamp: &Stamp) -> Result<Vec<Break>> {
    let (chains, entries) = (Chains::read(snapshot, stamp)?, snapshot.chained_entries()?);
    let none = Ends::default();
    let mut breaks = Vec::new();
    for kind in LogKind::ALL {
        let ends = chains.ends.get(&kind).unwrap_or(&none);
        let own = entries.iter().filter(|entry| entry.kind == kind);
        let (count, mut sound) = (own.clone().count(), 0);
        let last = ends.sound(stamp, kind, own).inspect(|_| sound += 1).last();
        let end = last.map_or((ends.gone, ends.before), |row| (row.n, row.mac));
        if sound < count || end != (ends.last, ends.tip) {
            breaks.push(Break {
                kind: Some(kind),
                after: last.map(|row| row.entry.timestamp),
            });
        }
    }
    if breaks.is_empty() && !chains.own {
        let (kind, after) = (None, None);
        breaks.push(Break { kind, after });
    }
    Ok(breaks)
}
