//! Sections of the settings with secrets beside them (the mail server's password, the webhook's keys): saved and tried, the
//! secrets kept, read back, and sealed anew after a restore on another machine or for another key pair (PRODUCT.md §12).
//! Must never answer a client with a stored secret, nor let one go to another server than the one it was entered for.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use crate::actions::archive::authenticity::{Trust, guard};
use crate::actions::outbox::channel::{CHANNELS, Channel, Connecting, Connections, connecting};
use crate::actions::settings::sections::{load, log_change, preview, store_section};
use crate::actions::{Act, Error, Result};
use crate::domain::delivery::{DeliveryKind, SecretName};
use crate::domain::invalid::Invalid;
use crate::domain::text::char_count;
use crate::store::{Action, SecretRow, Snapshot};
use crate::vault::{Secret32, Vault, VaultError};

const TABLE: &str = "secrets";

/// Keeps a secret; from `until` on, if given, it counts no more.
pub fn keep(act: &Act<'_>, name: SecretName, value: &str, until: Option<i64>) -> Result<()> {
    let (id, plaintext) = (name.as_str(), value.as_bytes());
    let row = SecretRow {
        operational: act.vault.seal_operational(TABLE, id, plaintext)?,
        newsroom: act.vault.seal_to_newsroom(TABLE, id, plaintext)?,
        key_id: act.vault.key_id(),
        until,
    };
    Ok(act.tx.put_secret(name, &row, act.now)?)
}

pub fn recall(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    now: i64,
    name: SecretName,
) -> Result<Option<Zeroizing<String>>> {
    let row = snapshot.secret(name)?;
    let Some(row) = row.filter(|row| row.until.is_none_or(|until| now < until)) else {
        return Ok(None);
    };
    let opened = vault.open_operational(TABLE, name.as_str(), &row.operational)?;
    Ok(Some(text(&opened)?))
}

/// The keys that sign the calls of the webhook: the present one and, for a day, the one before.
pub fn signing_keys(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    now: i64,
) -> Result<Vec<Zeroizing<String>>> {
    let names = [SecretName::WebhookSecret, SecretName::WebhookSecretBefore];
    let mut keys = Vec::new();
    for name in names {
        keys.extend(recall(snapshot, vault, now, name)?);
    }
    Ok(keys)
}

/// Seals anew what one of today's keys does not open: under the operational key after a restore on another machine, to
/// the newsroom's pair after that was replaced. Sealing to that pair takes no secret: what only it opens is taken where the archive
/// came from elsewhere (`held`), and is used once its destination is confirmed. What else does not open is forgotten, for it would
/// show as set and be of no use.
pub fn refresh(act: &Act<'_>, held: bool) -> Result<()> {
    let vault = act.vault;
    for name in SecretName::ALL {
        let Some(row) = act.secret(name)? else {
            continue;
        };
        let here = vault.open_operational(TABLE, name.as_str(), &row.operational);
        if here.is_ok() && row.key_id == vault.key_id() {
            continue;
        }
        let opened = match here {
            Err(_) if held => vault.open_from_newsroom(TABLE, name.as_str(), &row.newsroom),
            here => here,
        };
        keep_opened(act, name, opened, row.until)?;
    }
    Ok(())
}

/// Seals anew, for the keys of an act, what those of another vault open.
pub(in crate::actions) fn carry(act: &Act<'_>, from: &Vault) -> Result<()> {
    for name in SecretName::ALL {
        if let Some(row) = act.secret(name)? {
            let opened = from.open_operational(TABLE, name.as_str(), &row.operational);
            let opened =
                opened.or_else(|_| from.open_from_newsroom(TABLE, name.as_str(), &row.newsroom));
            keep_opened(act, name, opened, row.until)?;
        }
    }
    Ok(())
}

fn keep_opened(
    act: &Act<'_>,
    name: SecretName,
    opened: std::result::Result<Zeroizing<Vec<u8>>, VaultError>,
    until: Option<i64>,
) -> Result<()> {
    match opened {
        Ok(plaintext) => keep(act, name, &text(&plaintext)?, until),
        Err(VaultError::Locked) => Err(VaultError::Locked.into()),
        Err(error) => {
            tracing::error!(name = name.as_str(), %error, "a secret of the settings cannot be opened any more");
            Ok(act.tx.drop_secret(name)?)
        }
    }
}

fn text(bytes: &[u8]) -> Result<Zeroizing<String>> {
    let text = std::str::from_utf8(bytes).map_err(|_| VaultError::Damaged)?;
    Ok(Zeroizing::new(text.to_owned()))
}

const SECRET_MAX: usize = 1_000;
/// How long the signing key before the present one goes on signing, in ms.
const ROTATION_MS: i64 = 24 * 60 * 60 * 1000;
const SIGNING_PREFIX: &str = "whsec_";

/// The change to a channel's secret that a body asks for.
enum SecretChange {
    Keep,
    Clear,
    Replace(Zeroizing<String>),
}

/// A section as a body changes it, with what the body says of the secret of each of its channels.
type Changed<T> = (T, Vec<(&'static Channel, SecretChange)>);

/// Saves a section; answers with it, and with the messages that are worth another try because of what changed.
pub fn save<T: Connecting>(
    act: &Act<'_>,
    body: Map<String, Value>,
) -> Result<(T, Vec<DeliveryKind>)> {
    let stored = connecting(act)?;
    let before = Connections::of(&stored);
    let (saved, (section, changes)): (T, Changed<T>) = (load(act)?, read(act, body)?);
    let after = section.placed_in(before);
    check_fit(after, &changes)?;
    let (mut mended, mut secrets) = (Vec::new(), Vec::new());
    for (channel, change) in changes {
        // Settings out of a file may lack it: they do not keep anything else from being changed.
        let missing = (channel.missing)(after);
        if let Some(missing) = missing.filter(|_| (channel.missing)(before).is_none()) {
            return Err(missing.into());
        }
        let kept = matches!(change, SecretChange::Keep);
        if (channel.route)(before) != (channel.route)(after) || !kept {
            mended.extend((channel.usable)(after));
        }
        if !kept {
            secrets.push(channel.secret.1);
        }
        let audience = (channel.audience)(before);
        let moved = audience != (channel.audience)(after);
        change_secret(act, channel, change, moved)?;
        if moved && !audience.is_empty() {
            for name in channel.dropped_with {
                act.tx.drop_secret(*name)?;
            }
        }
    }
    store_section(act, &section)?;
    log_change(act, &saved, &section, &secrets)?;
    Ok((section, mended))
}

/// Changes the secret of a channel. One that was kept is meant for where it went: it goes with a move.
fn change_secret(
    act: &Act<'_>,
    channel: &Channel,
    change: SecretChange,
    moved: bool,
) -> Result<()> {
    match change {
        SecretChange::Replace(value) => keep(act, channel.secret.0, &value, None),
        SecretChange::Keep if !moved => Ok(()),
        SecretChange::Clear | SecretChange::Keep => Ok(act.tx.drop_secret(channel.secret.0)?),
    }
}

/// A section as a form has it, unsaved, to try a channel with.
pub struct Draft<T> {
    pub section: T,
    /// The secret to try it with: the one in the form, else the stored one where the form means the server that it was
    /// entered for.
    pub secret: Option<Zeroizing<String>>,
    /// Whether the form means the server that is saved, and that is confirmed to be the right one.
    pub same_audience: bool,
    /// The messages that are worth another try once it works: none unless it is what is saved.
    pub mended: &'static [DeliveryKind],
}

pub fn draft<T: Connecting>(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    now: i64,
    channel: &'static Channel,
    body: Map<String, Value>,
) -> Result<Draft<T>> {
    let confirmed = guard(snapshot, vault)? == Trust::Integro;
    let stored = connecting(snapshot)?;
    let saved = Connections::of(&stored);
    let (section, changes): Changed<T> = read(snapshot, body)?;
    let unsaved = section.placed_in(saved);
    check_fit(unsaved, &changes)?;
    let same_audience = confirmed && (channel.audience)(saved) == (channel.audience)(unsaved);
    let same = confirmed && section == load::<T>(snapshot)?;
    let (mut secret, mut mended): (_, &[DeliveryKind]) = (None, &[]);
    let mut changes = changes.into_iter();
    match changes.find(|(one, _)| one.secret == channel.secret) {
        Some((_, SecretChange::Replace(value))) => secret = Some(value),
        Some((_, SecretChange::Keep)) if same_audience => {
            secret = recall(snapshot, vault, now, channel.secret.0)?;
            mended = if same { (channel.usable)(unsaved) } else { &[] };
        }
        _ => {}
    }
    Ok(Draft {
        section,
        secret,
        same_audience,
        mended,
    })
}

/// Makes a new signing key for the webhook and answers with it: it is shown this once. The present one goes on signing
/// beside it for a day, so that the receiver can be changed over meanwhile.
pub fn renew_signing_key(act: &Act<'_>) -> Result<Zeroizing<String>> {
    if let Some(present) = recall(act, act.vault, act.now, SecretName::WebhookSecret)? {
        let (name, until) = (SecretName::WebhookSecretBefore, act.now + ROTATION_MS);
        keep(act, name, &present, Some(until))?;
    }
    let key = STANDARD.encode(Secret32::random()?.expose());
    let secret = Zeroizing::new(format!("{SIGNING_PREFIX}{key}"));
    keep(act, SecretName::WebhookSecret, &secret, None)?;
    act.log_about(Action::SettingsChanged, "webhookSecret")?;
    Ok(secret)
}

/// Deletes the webhook's signing keys, so that its calls are no longer signed.
pub fn drop_signing_keys(act: &Act<'_>) -> Result<()> {
    act.tx.drop_secret(SecretName::WebhookSecret)?;
    act.tx.drop_secret(SecretName::WebhookSecretBefore)?;
    act.log_about(Action::SettingsChanged, "webhookSecret")
}

/// Forgets signing keys past their end.
pub fn drop_expired_secrets(act: &Act<'_>) -> Result<()> {
    Ok(act.tx.drop_expired_secrets(act.now)?)
}

/// The section and the secrets of a body; every refusal of all at once.
fn read<T: Connecting>(
    snapshot: &Snapshot<'_>,
    mut body: Map<String, Value>,
) -> Result<Changed<T>> {
    let (mut refusals, mut changes) = (Vec::new(), Vec::new());
    let all = CHANNELS.into_iter();
    for channel in all.filter(|channel| channel.section == T::SECTION) {
        for (key, _) in channel.read_only {
            if !matches!(body.remove(*key), None | Some(Value::Null | Value::Bool(_))) {
                refusals.push(Invalid::new(*key, "type", "Deve essere vero o falso."));
            }
        }
        let key = channel.secret.1;
        let change = match body.remove(key) {
            None | Some(Value::Null) => SecretChange::Keep,
            Some(Value::String(value)) if value.is_empty() => SecretChange::Clear,
            Some(Value::String(value)) => {
                refusals.extend(check_secret(channel, &value));
                SecretChange::Replace(Zeroizing::new(value))
            }
            Some(_) => {
                refusals.push(Invalid::new(key, "type", "Deve essere un testo."));
                SecretChange::Keep
            }
        };
        changes.push((channel, change));
    }
    match preview(snapshot, body) {
        Ok(section) if refusals.is_empty() => Ok((section, changes)),
        Ok(_) => Err(Error::Invalid(refusals)),
        Err(Error::Invalid(others)) => {
            refusals.extend(others);
            Err(Error::Invalid(refusals))
        }
        Err(other) => Err(other),
    }
}

/// Refuses a secret that cannot be one of these settings.
fn check_fit(all: Connections<'_>, changes: &[(&Channel, SecretChange)]) -> Result<()> {
    for (channel, change) in changes {
        if let SecretChange::Replace(secret) = change
            && let Some(message) = (channel.unfit_secret)(all, secret)
        {
            return Err(Invalid::new(channel.secret.1, "format", message).into());
        }
    }
    Ok(())
}

/// A secret goes into one line of a protocol.
fn check_secret(channel: &Channel, value: &str) -> Option<Invalid> {
    let field = channel.secret.1;
    if char_count(value) > SECRET_MAX {
        let message = format!("Testo troppo lungo: al massimo {SECRET_MAX} caratteri.");
        return Some(Invalid::new(field, "long", message));
    }
    if value.chars().any(char::is_control) {
        let message = "Non può contenere a capo né altri caratteri di controllo.";
        return Some(Invalid::new(field, "control", message));
    }
    let carried = !channel.in_header || value.bytes().all(|byte| byte.is_ascii_graphic());
    (!carried).then(|| {
        let message =
            "Può contenere solo lettere non accentate, cifre e segni della tastiera, senza spazi.";
        Invalid::new(field, "format", message)
    })
}
