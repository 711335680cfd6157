//! Puts the three screens of settings back to their defaults, the secrets of mail server and webhook included.
//! Must never touch the password, the sessions, the access log, the login attempts, or the phrases, which have a reset of
//! their own (PRODUCT.md §8).

use super::Result;
use super::log_access::{Action, Actor, log_access};
use crate::store::{SecretName, Section, Tx};

pub fn reset_settings(tx: &Tx<'_>, now: i64, actor: &Actor) -> Result<()> {
    for section in [Section::Security, Section::System, Section::Email] {
        tx.clear_settings(section)?;
    }
    for name in SecretName::ALL {
        tx.drop_secret(name)?;
    }
    tx.clear_logo()?;
    log_access(tx, now, actor, Action::SettingsChanged, None)
}
