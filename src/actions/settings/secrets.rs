//! Sections of the settings with secrets beside them (the mail server's password, the webhook's keys): saved and tried, the
//! secrets kept, read back, and sealed anew after a restore on another machine or for another key pair (PRODUCT.md §4).
//! Must never answer a client with a stored secret, nor let one go to another server than the one it was entered for.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use crate::actions::access::log_access::Action;
use crate::actions::archive::authenticity::{Trust, guard};
use crate::actions::settings::sections::{Sectioned, load, log_change, preview, store_section};
use crate::actions::{Act, Error, Result};
use crate::domain::delivery::Kind;
use crate::domain::invalid::Invalid;
use crate::domain::routing::Department;
use crate::domain::settings::{Email, System};
use crate::domain::text::char_count;
use crate::store::{SecretName, SecretRow, Snapshot};
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
/// the newsroom's pair after that was replaced. Anybody can seal to that pair: what only it opens is taken where the archive came
/// from elsewhere (`held`), and is used when somebody has confirmed where it goes. What else does not open is forgotten, for it
/// would show as set and be of no use.
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
        match opened {
            Ok(plaintext) => keep(act, name, &text(&plaintext)?, row.until)?,
            Err(VaultError::Locked) => return Err(VaultError::Locked.into()),
            Err(error) => {
                tracing::error!(name = name.as_str(), %error, "a secret of the settings cannot be opened any more");
                act.tx.drop_secret(name)?;
            }
        }
    }
    Ok(())
}

fn text(bytes: &[u8]) -> Result<Zeroizing<String>> {
    let text = std::str::from_utf8(bytes).map_err(|_| VaultError::Damaged)?;
    Ok(Zeroizing::new(text.to_owned()))
}

const SECRET_MAX: usize = 1_000;
/// How long the signing key before the present one goes on signing, in ms.
const ROTATION_MS: i64 = 24 * 60 * 60 * 1000;
const SIGNING_PREFIX: &str = "whsec_";

/// A section with a secret that clients write and never read.
pub trait Integration: Sectioned + PartialEq {
    /// Key of the secret in a body.
    const KEY: &'static str;
    const SECRET: SecretName;
    /// Whether it travels in a header of HTTP, which carries visible ASCII only.
    const IN_HEADER: bool;
    /// Keys of the answer that say what is set; in a body they change nothing.
    const READ_ONLY: &'static [&'static str];
    /// Who is shown the secret: when this changes, the stored one is dropped.
    fn audience(&self) -> String;
    /// What else goes when the audience changes. It never travels: what was made before there was any belongs to the first.
    const DROPPED_WITH: &'static [SecretName] = &[];
    /// What decides whether and where its messages go: when this changes, what did not arrive is worth another try.
    fn way(&self) -> String;
    /// The messages that can be sent with it.
    fn kinds(&self) -> &'static [Kind];
    /// What is missing for what the section switches on; it may be tried without.
    fn missing(&self) -> Option<Invalid> {
        None
    }
}

impl Integration for Email {
    const KEY: &'static str = "smtpPassword";
    const SECRET: SecretName = SecretName::SmtpPassword;
    const IN_HEADER: bool = false;
    const READ_ONLY: &'static [&'static str] = &["smtpPasswordSet"];
    fn audience(&self) -> String {
        let (host, port, user) = (&self.smtp_host, self.smtp_port, &self.smtp_username);
        // A host has no blank, a port neither.
        format!("{host} {port} {user}")
    }
    fn way(&self) -> String {
        let to = Department::ALL.map(|department| self.address_of(department));
        let how = (self.smtp_secure, self.email_auto_send, &self.email_from);
        format!("{} {how:?} {to:?}", self.audience())
    }
    fn kinds(&self) -> &'static [Kind] {
        match (self.smtp_host.is_empty(), self.email_auto_send) {
            (true, _) => &[],
            (false, true) => &[Kind::Email, Kind::Message, Kind::Reply, Kind::Confirmation],
            (false, false) => &[Kind::Reply, Kind::Confirmation],
        }
    }
}

impl Integration for System {
    const KEY: &'static str = "webhookApiKey";
    const SECRET: SecretName = SecretName::WebhookApiKey;
    const IN_HEADER: bool = true;
    const READ_ONLY: &'static [&'static str] = &["webhookApiKeySet", "webhookSecretSet"];
    fn audience(&self) -> String {
        self.webhook_url.clone()
    }
    fn way(&self) -> String {
        format!("{} {}", self.enable_webhook, self.webhook_url)
    }
    fn kinds(&self) -> &'static [Kind] {
        let on = self.enable_webhook && !self.webhook_url.is_empty();
        if on { &[Kind::Webhook] } else { &[] }
    }
    const DROPPED_WITH: &'static [SecretName] =
        &[SecretName::WebhookSecret, SecretName::WebhookSecretBefore];
    fn missing(&self) -> Option<Invalid> {
        let lacks = self.enable_webhook && self.webhook_url.is_empty();
        lacks.then(|| Invalid::new("webhookUrl", "empty", "Webhook non configurato"))
    }
}

enum Change {
    Keep,
    Clear,
    Replace(Zeroizing<String>),
}

/// Saves a section; answers with it, and with the messages that are worth another try because of what changed.
pub fn save<T: Integration>(
    act: &Act<'_>,
    body: Map<String, Value>,
) -> Result<(T, &'static [Kind])> {
    let before = load::<T>(act)?;
    let (after, change): (T, Change) = read(act, body)?;
    // Settings out of a file may lack it: they do not keep anything else from being changed.
    if let Some(missing) = after.missing().filter(|_| before.missing().is_none()) {
        return Err(missing.into());
    }
    let moved = before.audience() != after.audience();
    let mended = before.way() != after.way() || !matches!(change, Change::Keep);
    match change {
        Change::Replace(value) => keep(act, T::SECRET, &value, None)?,
        Change::Clear => act.tx.drop_secret(T::SECRET)?,
        Change::Keep if moved => act.tx.drop_secret(T::SECRET)?,
        Change::Keep => {}
    }
    if moved && !before.audience().is_empty() {
        for name in T::DROPPED_WITH {
            act.tx.drop_secret(*name)?;
        }
    }
    store_section(act, &after)?;
    log_change::<T>(act)?;
    let kinds = if mended { after.kinds() } else { &[] };
    Ok((after, kinds))
}

/// A section as a form has it, unsaved.
pub struct Draft<T> {
    pub section: T,
    /// The secret to try it with: the one in the form, else the stored one where the form means the server that it was
    /// entered for.
    pub secret: Option<Zeroizing<String>>,
    /// Whether the form means the server that is saved, and nobody has to confirm first that it is the right one.
    pub same_audience: bool,
    /// The messages that are worth another try once it works: none unless it is what is saved.
    pub mended: &'static [Kind],
}

pub fn draft<T: Integration>(
    snapshot: &Snapshot<'_>,
    vault: &Vault,
    now: i64,
    body: Map<String, Value>,
) -> Result<Draft<T>> {
    let confirmed = guard(snapshot, vault)? == Trust::Integro;
    let saved = load::<T>(snapshot)?;
    let (section, change): (T, Change) = read(snapshot, body)?;
    let same_audience = confirmed && saved.audience() == section.audience();
    let kept = confirmed && matches!(change, Change::Keep) && saved == section;
    let secret = match change {
        Change::Replace(value) => Some(value),
        Change::Keep if same_audience => recall(snapshot, vault, now, T::SECRET)?,
        Change::Keep | Change::Clear => None,
    };
    Ok(Draft {
        mended: if kept { section.kinds() } else { &[] },
        section,
        secret,
        same_audience,
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
    act.log(Action::SettingsChanged, None)?;
    Ok(secret)
}

/// Takes the webhook's signing keys away: its calls are not signed any more.
pub fn drop_signing_keys(act: &Act<'_>) -> Result<()> {
    act.tx.drop_secret(SecretName::WebhookSecret)?;
    act.tx.drop_secret(SecretName::WebhookSecretBefore)?;
    act.log(Action::SettingsChanged, None)
}

/// Forgets signing keys past their end.
pub fn drop_expired_secrets(act: &Act<'_>) -> Result<()> {
    Ok(act.tx.drop_expired_secrets(act.now)?)
}

/// The section and the secret of a body; every refusal of both at once.
fn read<T: Integration>(
    snapshot: &Snapshot<'_>,
    mut body: Map<String, Value>,
) -> Result<(T, Change)> {
    let mut refusals = Vec::new();
    for key in T::READ_ONLY {
        if !matches!(body.remove(*key), None | Some(Value::Null | Value::Bool(_))) {
            refusals.push(Invalid::new(*key, "type", "Deve essere vero o falso."));
        }
    }
    let change = match body.remove(T::KEY) {
        None | Some(Value::Null) => Change::Keep,
        Some(Value::String(value)) if value.is_empty() => Change::Clear,
        Some(Value::String(value)) => {
            refusals.extend(check_secret::<T>(&value));
            Change::Replace(Zeroizing::new(value))
        }
        Some(_) => {
            refusals.push(Invalid::new(T::KEY, "type", "Deve essere un testo."));
            Change::Keep
        }
    };
    match preview(snapshot, body) {
        Ok(section) if refusals.is_empty() => Ok((section, change)),
        Ok(_) => Err(Error::Invalid(refusals)),
        Err(Error::Invalid(others)) => {
            refusals.extend(others);
            Err(Error::Invalid(refusals))
        }
        Err(other) => Err(other),
    }
}

/// A secret goes into one line of a protocol.
fn check_secret<T: Integration>(value: &str) -> Option<Invalid> {
    let field = T::KEY;
    if char_count(value) > SECRET_MAX {
        let message = format!("Testo troppo lungo: al massimo {SECRET_MAX} caratteri.");
        return Some(Invalid::new(field, "long", message));
    }
    if value.chars().any(char::is_control) {
        let message = "Non può contenere a capo né altri caratteri di controllo.";
        return Some(Invalid::new(field, "control", message));
    }
    let carried = !T::IN_HEADER || value.bytes().all(|byte| byte.is_ascii_graphic());
    (!carried).then(|| {
        let message =
            "Può contenere solo lettere non accentate, cifre e segni della tastiera, senza spazi.";
        Invalid::new(field, "format", message)
    })
}
