//! The files that wait for their reports: when each of their conversations last said or sent something, what was dropped to make
//! room, and whether all are there that a page shows.
//! Must never be written to disk, nor tell of a file to another conversation.

use std::collections::HashMap;
use std::path::Path;

use parking_lot::Mutex;
use uuid::Uuid;

use super::problem::{ApiError, ApiResult, Kind};
use super::state::{App, Shared};
use crate::actions::intake::attachments::{drop_waiting, missing_of, name_in};
use crate::clock::Clock;
use crate::domain::retention::DAY_MS;
use crate::files::{bytes, path, sealed_len};
use crate::store::Snapshot;
use crate::vault::ReceiptCode;

/// How long a conversation keeps its files behind its last turn or byte, whoever wants room (PRODUCT.md §4).
const KEPT_MS: i64 = 60 * 60 * 1_000;
/// How often those are forgotten whose files are swept by now, in ms.
const SWEEP_MS: i64 = 60_000;

/// When conversations with files that wait were last heard, monotonic in ms, and when files were last dropped to make room.
pub struct WaitingFiles {
    clock: Clock,
    heard: Mutex<Heard>,
    dropped: Mutex<Option<i64>>,
}

#[derive(Default)]
struct Heard {
    /// By the id of the future report.
    at: HashMap<Uuid, i64>,
    swept: i64,
}

/// Which program's word an id is not names no conversation.
fn key(conversation: &str) -> Uuid {
    Uuid::parse_str(conversation).unwrap_or_default()
}

impl WaitingFiles {
    /// Of a program that starts with these conversations' files, which all count as heard.
    pub fn new(clock: Clock, known: &[String]) -> Self {
        let now = clock.steady_ms();
        let at = known.iter().map(|one| (key(one), now)).collect();
        Self {
            clock,
            heard: Mutex::new(Heard { at, swept: now }),
            dropped: Mutex::default(),
        }
    }

    /// Bytes of a conversation came.
    pub fn sent(&self, conversation: &str) {
        let now = self.clock.steady_ms();
        let heard = &mut *self.heard.lock();
        if now - heard.swept >= SWEEP_MS {
            heard.at.retain(|_, at| now - *at < DAY_MS);
            heard.swept = now;
        }
        heard.at.insert(key(conversation), now);
    }

    /// Whether any files wait.
    pub fn any(&self) -> bool {
        !self.heard.lock().at.is_empty()
    }

    /// A conversation went on; counts where it has files.
    pub fn spoke(&self, conversation: &str) {
        if let Some(at) = self.heard.lock().at.get_mut(&key(conversation)) {
            *at = self.clock.steady_ms();
        }
    }

    /// Whether a conversation was not heard for so long that its files may have to go.
    pub fn is_quiet(&self, conversation: &str) -> bool {
        let at = self.heard.lock().at.get(&key(conversation)).copied();
        at.is_none_or(|at| self.clock.steady_ms() - at >= KEPT_MS)
    }

    /// Whether files were dropped within a day to make room.
    pub fn dropped_lately(&self, now: i64) -> bool {
        self.dropped.lock().is_some_and(|at| now - at < DAY_MS)
    }
}

impl App {
    /// Files that were acknowledged had to go to make room: logs and counts it.
    pub fn note_dropped(&self, files: usize) {
        if files > 0 {
            tracing::warn!(
                files,
                "attached files that waited for their reports were dropped: there is no room for all"
            );
            *self.waiting.dropped.lock() = Some(self.clock.now_ms());
            self.metrics.dropped("room", files);
        }
    }
}

/// Refuses what is to be sent where a file that its page shows is not there: with the names, of files that are unknown their ids.
pub async fn refuse_missing(
    app: &Shared,
    receipt: &ReceiptCode,
    shown: &[String],
) -> ApiResult<()> {
    if shown.is_empty() {
        return Ok(());
    }
    let conversation = app.vault.report_of(receipt)?;
    let (id, ids, code) = (conversation.clone(), shown.to_vec(), receipt.clone());
    let looked = app.read(move |app, snapshot| {
        let missing = missing_of(snapshot, &id, &ids)?;
        let named = missing.into_iter().map(|file| {
            let name = name_in(snapshot, &id, &code, &file)?;
            Ok::<_, ApiError>((file, name))
        });
        let lost = lost_of(app.data.as_deref(), snapshot, (&id, &code), &ids)?;
        Ok::<_, ApiError>((named.collect::<ApiResult<Vec<_>>>()?, lost))
    });
    let (mut missing, lost) = looked.await?;
    for (file, _) in &lost {
        let (conversation, file) = (conversation.clone(), file.clone());
        let dropped = app.change(move |act| drop_waiting(act, &conversation, &file));
        app.metrics.dropped("damaged", dropped.await?);
    }
    missing.extend(lost);
    match missing.len() {
        0 => Ok(()),
        _ => Err(ApiError::missing(missing)),
    }
}

/// A file's id, and its name where that is known.
pub type NamedFile = (String, Option<String>);

/// Which of these files wait as whole and are not so on the disk: of a restored or copied archive, or cut by other hands.
fn lost_of(
    data: Option<&Path>,
    snapshot: &Snapshot<'_>,
    (conversation, code): (&str, &ReceiptCode),
    shown: &[String],
) -> ApiResult<Vec<NamedFile>> {
    let Some(data) = data else {
        return Ok(Vec::new());
    };
    let mut lost = Vec::new();
    for row in snapshot.whole_attachments(conversation)? {
        let there = || {
            let found = std::fs::metadata(path(data, &row.id));
            found.is_ok_and(|found| found.len() == sealed_len(bytes(row.size)))
        };
        if row.sent.is_none() && shown.contains(&row.id) && !there() {
            tracing::error!(
                id = row.id,
                "an attached file that waits for its report is not whole on the disk"
            );
            let name = name_in(snapshot, conversation, code, &row.id)?;
            lost.push((row.id, name));
        }
    }
    Ok(lost)
}

/// The same refusal where the change itself found that a file is missing, which knows no names.
pub async fn named<T>(
    app: &Shared,
    receipt: &ReceiptCode,
    shown: &[String],
    outcome: ApiResult<T>,
) -> ApiResult<T> {
    if outcome
        .as_ref()
        .is_err_and(|refused| refused.is(Kind::FILES_MISSING))
    {
        refuse_missing(app, receipt, shown).await?;
    }
    outcome
}
