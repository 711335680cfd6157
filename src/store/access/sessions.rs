//! Tables `sessions` (who is logged in, by the hash of the cookie), `login_attempts` (failed logins of the last minutes, by a
//! keyed hash of the address) and `browsers` (which ones logged in before, by the hash of another cookie).
//! Must never hold a cookie's value, or anything about a reporter's connection.

use rusqlite::params;

use crate::store::error::Result;
use crate::store::session::{Snapshot, Tx, columns, rows, statements};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    pub token_hash: [u8; 32],
    pub proof: [u8; 32],
    /// Whose; `None` for the shared password.
    pub person: Option<String>,
    pub user_agent: String,
    pub created: i64,
    /// Last time a person did something, in ms.
    pub last_seen: i64,
    /// The passkey by which it began; `None` for a password.
    pub passkey: Option<String>,
}

/// An attempt to log in that failed, or has not yet proven right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginAttempt {
    /// When, in ms.
    pub at: i64,
    /// Mask of the client or of the known browser; `None` once it was forgiven.
    pub bucket: Option<[u8; 16]>,
    /// Mask of a client's IPv6 /48.
    pub network: Option<[u8; 16]>,
    /// Whose password was tried: the id of a person, empty for the shared one, `None` for an account that does not exist.
    pub account: Option<String>,
    pub known: bool,
}

columns! {
    SessionRow { token_hash, proof, person, user_agent, created, last_seen, passkey }
    LoginAttempt { at, bucket, network, account, known }
}

impl Snapshot<'_> {
    statements! {
        /// One whose proof is damaged is none, as one whose proof is wrong.
        find session(token_hash: &[u8; 32]) -> Option<SessionRow> =
            "SELECT token_hash, proof, person, user_agent, created, last_seen, passkey FROM sessions \
            WHERE token_hash = ?1 AND length(proof) = 32";
        /// Sessions of a person, or of the shared password; the latest used first.
        list sessions_of(person: Option<&str>) -> Vec<SessionRow> =
            "SELECT token_hash, proof, person, user_agent, created, last_seen, passkey FROM sessions \
            WHERE person IS ?1 AND length(proof) = 32 AND length(token_hash) = 32 ORDER BY last_seen DESC, created DESC";
        value session_count() -> i64 = "SELECT count(*) FROM sessions";
        list login_attempts() -> Vec<LoginAttempt> =
            "SELECT at, bucket, network, account, known FROM login_attempts ORDER BY at";
        /// Whether the browser of this hash logged in to an account before, to any where none is named, and is still known.
        value knows_browser(hash: &[u8; 32], account: Option<&str>, now: i64) -> bool =
            "SELECT EXISTS (SELECT 1 FROM browsers WHERE token_hash = ?1 AND (?2 IS NULL OR account = ?2) AND until > ?3)";
        /// When an unknown browser logged in, in ms, which this session was not told yet.
        find_value newcomer(token_hash: &[u8; 32]) -> Option<i64> =
            "SELECT newcomer FROM sessions WHERE token_hash = ?1 AND newcomer IS NOT NULL";
    }
}

impl Tx<'_> {
    statements! {
        /// Has every session of an account be told that an unknown browser logged in to it.
        execute announce_newcomer(person: Option<&str>, now: i64) = "UPDATE sessions SET newcomer = ?2 WHERE person IS ?1";
        execute forget_newcomer(token_hash: &[u8; 32]) = "UPDATE sessions SET newcomer = NULL WHERE token_hash = ?1";
        /// Notes activity; never moves the time back.
        execute touch_session(token_hash: &[u8; 32], now: i64) =
            "UPDATE sessions SET last_seen = ?2 WHERE token_hash = ?1 AND last_seen < ?2";
        execute delete_sessions() = "DELETE FROM sessions";
        /// Ends those of a person, or of the shared password, but one; answers how many there were.
        changed delete_sessions_of(person: Option<&str>, keep: Option<&[u8; 32]>) -> usize =
            "DELETE FROM sessions WHERE person IS ?1 AND (?2 IS NULL OR token_hash <> ?2)";
        execute put_proof(token_hash: &[u8; 32], proof: &[u8; 32]) = "UPDATE sessions SET proof = ?2 WHERE token_hash = ?1";
        /// Ends the sessions that are past their end, or that a wrong clock wrote as later than `after`.
        execute delete_expired_sessions(created_before: i64, seen_before: i64, after: i64) =
            "DELETE FROM sessions WHERE created <= ?1 OR last_seen <= ?2 OR max(created, last_seen) > ?3";
        /// Counts an attempt as failed until it proves otherwise.
        execute insert_login_attempt(made: &LoginAttempt) =
            "INSERT INTO login_attempts (at, bucket, network, account, known) VALUES (?1, ?2, ?3, ?4, ?5)",
            [made.at, made.bucket, made.network, made.account, made.known];
        execute forget_login_attempts(until: i64) = "DELETE FROM login_attempts WHERE at <= ?1";
        /// Dates attempts that are later than this moment as of this moment.
        execute date_login_attempts(now: i64) = "UPDATE login_attempts SET at = ?1 WHERE at > ?1";
        /// Forgets the latest attempt of a client or known browser at an account: it proved right.
        execute forget_attempt(bucket: &[u8; 16], account: &str) =
            "DELETE FROM login_attempts WHERE id = (SELECT max(id) FROM login_attempts WHERE bucket = ?1 AND account = ?2)";
        /// Forgets whose the attempts were.
        execute forget_buckets(bucket: &[u8; 16], account: &str) =
            "UPDATE login_attempts SET bucket = NULL, network = NULL WHERE bucket = ?1 AND account = ?2";
        changed forget_browser(hash: &[u8; 32], account: &str) -> usize = "DELETE FROM browsers WHERE token_hash = ?1 AND account = ?2";
        execute forget_browsers() = "DELETE FROM browsers";
        /// Forgets those of an account but one.
        execute forget_browsers_of(account: &str, keep: Option<&[u8; 32]>) =
            "DELETE FROM browsers WHERE account = ?1 AND (?2 IS NULL OR token_hash <> ?2)";
        execute forget_old_browsers(now: i64) = "DELETE FROM browsers WHERE until <= ?1";
        changed delete_session_of(person: Option<&str>, token_hash: &[u8]) -> usize =
            "DELETE FROM sessions WHERE person IS ?1 AND token_hash = ?2";
    }

    /// Begins a session; of more than `keep` of its account the one that is idle for longest ends.
    pub fn insert_session(&self, new: &SessionRow, keep: usize) -> Result<()> {
        self.execute(
            "INSERT INTO sessions (token_hash, proof, person, user_agent, created, last_seen, passkey) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                new.token_hash,
                new.proof,
                new.person,
                new.user_agent,
                new.created,
                new.last_seen,
                new.passkey
            ],
        )?;
        self.execute(
            "DELETE FROM sessions WHERE person IS ?3 AND token_hash <> ?1 AND token_hash NOT IN
                 (SELECT token_hash FROM sessions WHERE person IS ?3 AND token_hash <> ?1
                  ORDER BY last_seen DESC, created DESC LIMIT ?2 - 1)",
            params![new.token_hash, rows(keep), new.person],
        )
    }

    /// Knows a browser, the one of the latest login from now on; of more than `keep` of an account the oldest is forgotten.
    pub fn insert_browser(
        &self,
        hash: &[u8; 32],
        account: &str,
        until: i64,
        keep: usize,
    ) -> Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO browsers (token_hash, account, until) VALUES (?1, ?2, ?3)",
            params![hash, account, until],
        )?;
        self.execute(
            "DELETE FROM browsers WHERE account = ?2 AND id <=
                 (SELECT id FROM browsers WHERE account = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?1)",
            params![rows(keep), account],
        )
    }
}
