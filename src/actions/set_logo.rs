//! Puts the newsroom's logo in place, or takes it away.
//! Must never store a picture that was not looked at, nor keep an address beside a logo that did not come from it.

use sha2::{Digest as _, Sha256};

use super::Result;
use super::log_access::{Action, Actor, log_access};
use super::save_settings::store_section;
use super::settings::load;
use crate::domain::image::Image;
use crate::domain::settings::System;
use crate::store::Tx;

/// Bytes of the content's hash that name it.
const NAME_BYTES: usize = 16;

/// Takes a logo that was handed in; the address of an earlier one goes.
pub fn set_logo(tx: &Tx<'_>, now: i64, actor: &Actor, image: &Image) -> Result<()> {
    store_logo(tx, now, image)?;
    forget_address(tx, now)?;
    log_access(tx, now, actor, Action::SettingsChanged, None)
}

pub fn remove_logo(tx: &Tx<'_>, now: i64, actor: &Actor) -> Result<()> {
    tx.clear_logo()?;
    forget_address(tx, now)?;
    log_access(tx, now, actor, Action::SettingsChanged, None)
}

/// Once settings are saved over others (before, after): the logo of their new address comes with them, and without an address the
/// logo that came from one goes.
pub fn follow_address(
    tx: &Tx<'_>,
    now: i64,
    [before, after]: [&System; 2],
    fetched: Option<&Image>,
) -> Result<()> {
    match fetched {
        Some(image) => store_logo(tx, now, image),
        None if after.logo_url.is_empty() && !before.logo_url.is_empty() => Ok(tx.clear_logo()?),
        None => Ok(()),
    }
}

fn store_logo(tx: &Tx<'_>, now: i64, image: &Image) -> Result<()> {
    Ok(tx.put_logo(
        &name_of(&image.bytes),
        image.content_type,
        &image.bytes,
        now,
    )?)
}

fn forget_address(tx: &Tx<'_>, now: i64) -> Result<()> {
    let system: System = load(tx)?;
    if system.logo_url.is_empty() {
        return Ok(());
    }
    let without = System {
        logo_url: String::new(),
        ..system
    };
    store_section(tx, now, &without)
}

/// Hexadecimal name of a content, 128 bits of SHA-256.
fn name_of(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes)[..NAME_BYTES])
}
