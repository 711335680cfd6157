//! Settings as the panel shows them: of a secret only whether it is stored. Must never show a secret.

use crate::actions;
use crate::actions::outbox::channel::CHANNELS;
use crate::domain::settings::{Email, EmailSettings, System, SystemSettings};
use crate::store::Snapshot;

/// The keys of the stored secrets, such as `smtpPasswordSet`.
fn stored(snapshot: &Snapshot<'_>) -> actions::Result<Vec<&'static str>> {
    let mut keys = Vec::new();
    for (key, name) in CHANNELS.iter().flat_map(|channel| channel.read_only) {
        if snapshot.secret(*name)?.is_some() {
            keys.push(*key);
        }
    }
    Ok(keys)
}

pub fn shown_system(snapshot: &Snapshot<'_>, system: System) -> actions::Result<SystemSettings> {
    Ok(SystemSettings::shown(system, &stored(snapshot)?))
}

pub fn shown_email(snapshot: &Snapshot<'_>, email: Email) -> actions::Result<EmailSettings> {
    Ok(EmailSettings::shown(email, &stored(snapshot)?))
}
