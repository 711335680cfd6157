//! Puts the newsroom's logo in place, or takes it away.
//! Must never store a picture that was not looked at, nor keep an address beside a logo that did not come from it.

use sha2::{Digest as _, Sha256};

use super::log_access::Action;
use super::settings::{load, store_section};
use super::{Act, Result};
use crate::domain::image::Image;
use crate::domain::settings::System;

/// Bytes of the content's hash that name it.
const NAME_BYTES: usize = 16;

/// Takes a logo that was handed in; the address of an earlier one goes.
pub fn set_logo(act: &Act<'_>, image: &Image) -> Result<()> {
    store_logo(act, image)?;
    forget_address(act)
}

pub fn remove_logo(act: &Act<'_>) -> Result<()> {
    act.clear_logo()?;
    forget_address(act)
}

/// Once settings are saved over others (before, after): the logo of their new address comes with them, and without an address the
/// logo that came from one goes.
pub fn follow_address(
    act: &Act<'_>,
    [before, after]: [&System; 2],
    fetched: Option<&Image>,
) -> Result<()> {
    match fetched {
        Some(image) => store_logo(act, image),
        None if after.logo_url.is_empty() && !before.logo_url.is_empty() => Ok(act.clear_logo()?),
        None => Ok(()),
    }
}

/// Stores a picture under its name: 128 bits of its SHA-256, in hexadecimal.
fn store_logo(act: &Act<'_>, image: &Image) -> Result<()> {
    let name = hex::encode(&Sha256::digest(&image.bytes)[..NAME_BYTES]);
    Ok(act.put_logo(&name, image.content_type, &image.bytes, act.now)?)
}

fn forget_address(act: &Act<'_>) -> Result<()> {
    let mut system: System = load(act)?;
    if !system.logo_url.is_empty() {
        system.logo_url.clear();
        store_section(act, &system)?;
    }
    act.log(Action::SettingsChanged, None)
}
