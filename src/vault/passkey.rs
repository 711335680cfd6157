//! Passkeys (`WebAuthn` Level 3): questions to authenticators and their answers, by `webauthn-rs` (`decisions/0024`). What an
//! authenticator computes for the slot (PRF) is asked for here and never checked: nothing but the right one opens the slot.
//! Must never take an answer without user verification, from another origin, or whose counter went back.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;
use webauthn_rs::prelude::{
    DiscoverableAuthentication, Passkey, PasskeyRegistration, PublicKeyCredential,
    RegisterPublicKeyCredential, Webauthn, WebauthnBuilder, WebauthnError,
};

use super::{Secret32, VaultError};

/// How long a question may be answered, in ms (PRODUCT.md §20).
pub const VALID_MS: i64 = 5 * 60 * 1_000;
/// What every authenticator computes its secret of, hashed: each has a key of its own for it.
const PRF_INPUT: &[u8; 32] = b"segnalazioni: apre l'archivio, 1";

/// Where passkeys are valid: the host that they are bound to, and the origin of the pages that may ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    pub host: String,
    pub origin: String,
}

/// Whose a new passkey is to be.
pub struct Holder<'p> {
    pub id: &'p str,
    pub user: &'p str,
    pub name: &'p str,
    /// Those that they have, so that an authenticator makes no second one.
    pub handles: Vec<Vec<u8>>,
}

/// A question that waits for its answer: to log in.
pub struct LoginQuestion {
    host: String,
    site: Webauthn,
    state: DiscoverableAuthentication,
}

/// A question that waits for its answer: for a new passkey.
pub struct NewQuestion {
    site: Webauthn,
    state: PasskeyRegistration,
}

/// A passkey as it is stored.
pub struct Made {
    pub handle: Vec<u8>,
    pub credential: String,
}

/// What an authenticator answered to a login, not checked yet.
pub struct LoginAnswer(PublicKeyCredential);

/// Why an answer is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// Of another question, page or passkey, without user verification, or no answer at all.
    Wrong,
    /// Its counter is not beyond that of the last answer: there may be a copy of the authenticator.
    CounterBack,
}

impl Site {
    /// `None` where browsers make no passkeys: without encryption, or at an address without a name; and at an onion service, which
    /// is never a newsroom's first address (PRODUCT.md §20).
    pub fn at(origin: &str) -> Option<Self> {
        let url = Url::parse(origin).ok()?;
        let host = url.domain()?.to_owned();
        let safe = url.scheme() == "https" || host == "localhost";
        let safe = safe && host.rsplit('.').next() != Some("onion");
        safe.then(|| Self {
            host,
            origin: url.origin().ascii_serialization(),
        })
    }

    fn build(&self, name: &str) -> Result<Webauthn, VaultError> {
        let origin = Url::parse(&self.origin).map_err(|_| VaultError::Damaged)?;
        let valid = u64::try_from(VALID_MS).unwrap_or_default();
        let built = WebauthnBuilder::new(&self.host, &origin)
            .map(|site| site.rp_name(name).timeout(Duration::from_millis(valid)));
        built
            .and_then(WebauthnBuilder::build)
            .map_err(|_| VaultError::Damaged)
    }

    /// Asks whoever has a passkey here; the options are what browsers take as JSON.
    pub fn ask_login(&self, name: &str) -> Result<(LoginQuestion, Value), VaultError> {
        let site = self.build(name)?;
        let asked = site.start_discoverable_authentication();
        let (options, state) = asked.map_err(|_| VaultError::Damaged)?;
        let mut options = public_key(&options)?;
        options["extensions"] = json!({ "prf": prf() });
        let host = self.host.clone();
        Ok((LoginQuestion { host, site, state }, options))
    }

    /// Asks for a new passkey; the name is the product's.
    pub fn ask_new(
        &self,
        name: &str,
        holder: Holder<'_>,
    ) -> Result<(NewQuestion, Value), VaultError> {
        let site = self.build(name)?;
        let id = Uuid::parse_str(holder.id).map_err(|_| VaultError::Damaged)?;
        let asked =
            site.start_passkey_registration(id, holder.user, holder.name, Some(holder.handles));
        let (options, state) = asked.map_err(|_| VaultError::Damaged)?;
        let mut options = public_key(&options)?;
        // The library asks for one that may be found again only through a name.
        options["authenticatorSelection"]["residentKey"] = json!("required");
        options["authenticatorSelection"]["requireResidentKey"] = json!(true);
        options["extensions"]["prf"] = prf();
        if let Some(extensions) = options["extensions"].as_object_mut() {
            extensions.remove("uvm");
        }
        Ok((NewQuestion { site, state }, options))
    }
}

fn public_key(options: &impl Serialize) -> Result<Value, VaultError> {
    let mut options = serde_json::to_value(options).map_err(|_| VaultError::Damaged)?;
    Ok(options["publicKey"].take())
}

fn prf() -> Value {
    json!({ "eval": { "first": URL_SAFE_NO_PAD.encode(PRF_INPUT) } })
}

/// What an authenticator computed, as a browser's page sends it; `None` for anything else.
pub fn computed(text: &str) -> Option<Secret32> {
    let bytes = zeroize::Zeroizing::new(URL_SAFE_NO_PAD.decode(text).ok()?);
    Secret32::from_slice(&bytes)
}

impl NewQuestion {
    pub fn accept(&self, answer: Value) -> Result<Made, Refused> {
        let answer: RegisterPublicKeyCredential =
            serde_json::from_value(answer).map_err(|_| Refused::Wrong)?;
        let made = self.site.finish_passkey_registration(&answer, &self.state);
        let made = made.map_err(|_| Refused::Wrong)?;
        Ok(Made {
            handle: made.cred_id().clone(),
            credential: serde_json::to_string(&made).map_err(|_| Refused::Wrong)?,
        })
    }
}

impl LoginAnswer {
    pub fn read(answer: Value) -> Option<Self> {
        serde_json::from_value(answer).ok().map(Self)
    }

    pub fn handle(&self) -> &[u8] {
        self.0.get_credential_id()
    }

    /// Whether the authenticator has it for this person.
    pub fn is_of(&self, person: &str) -> bool {
        let id = self.0.get_user_unique_id().map(Uuid::from_slice);
        let id = id.and_then(Result::ok);
        id.is_some() && id == Uuid::parse_str(person).ok()
    }
}

impl LoginQuestion {
    /// Where the passkeys are valid that answer it.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Checks an answer by the passkey that is stored; answers how it is to be stored from now on, where that is another.
    pub fn accept(self, answer: &LoginAnswer, stored: &str) -> Result<Option<String>, Refused> {
        let mut passkey: Passkey = serde_json::from_str(stored).map_err(|_| Refused::Wrong)?;
        let checked = self
            .site
            .finish_discoverable_authentication_v2(&answer.0, self.state, &passkey);
        let checked = checked.map_err(|error| match error {
            WebauthnError::CredentialPossibleCompromise => Refused::CounterBack,
            _ => Refused::Wrong,
        })?;
        // The library leaves this to its policy: said once more, it cannot be lost there.
        if !checked.user_verified() {
            return Err(Refused::Wrong);
        }
        match passkey.update_credential(&checked) {
            Some(true) => serde_json::to_string(&passkey)
                .map(Some)
                .map_err(|_| Refused::Wrong),
            Some(false) => Ok(None),
            None => Err(Refused::Wrong),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkeys_need_a_name_and_encryption_or_this_machine() {
        for (origin, host) in [
            ("https://redazione.example.it", Some("redazione.example.it")),
            (
                "https://redazione.example.it:8443",
                Some("redazione.example.it"),
            ),
            ("http://localhost:8080", Some("localhost")),
            ("http://redazione.example.it", None),
            ("https://abcdefgh.onion", None),
            ("https://192.0.2.1", None),
            ("https://[2001:db8::1]", None),
            ("http://127.0.0.1:8080", None),
            ("redazione", None),
        ] {
            let site = Site::at(origin);
            assert_eq!(
                site.as_ref().map(|site| site.host.as_str()),
                host,
                "{origin}"
            );
            assert!(site.is_none_or(|site| site.origin == origin));
        }
    }

    #[test]
    fn questions_ask_for_one_that_is_found_by_itself_verifies_and_computes() {
        let site = Site::at("https://redazione.example.it").unwrap();
        let holder = Holder {
            id: "8f1f4c3a-6f43-4c6e-9d8e-1f2c3d4e5f60",
            user: "anna",
            name: "Anna Bianchi",
            handles: vec![vec![1, 2, 3]],
        };
        let (_, options) = site.ask_new("Segnalazioni", holder).unwrap();
        assert_eq!(
            options["rp"],
            json!({ "id": "redazione.example.it", "name": "Segnalazioni" })
        );
        assert_eq!(options["user"]["name"], "anna");
        let chosen = &options["authenticatorSelection"];
        assert_eq!(chosen["residentKey"], "required");
        assert_eq!(chosen["requireResidentKey"], true);
        assert_eq!(chosen["userVerification"], "required");
        assert_eq!(options["excludeCredentials"][0]["id"], "AQID");
        assert_eq!(options["timeout"], 300_000);
        let (_, again) = site.ask_login("Segnalazioni").unwrap();
        assert_eq!(again["userVerification"], "required");
        assert_eq!(again["allowCredentials"], json!([]));
        assert_eq!(again["rpId"], "redazione.example.it");
        assert_eq!(again["extensions"]["prf"], options["extensions"]["prf"]);
        assert_ne!(again["challenge"], options["challenge"]);
    }

    #[test]
    fn only_what_an_authenticator_computes_is_read_as_that() {
        assert!(computed(&URL_SAFE_NO_PAD.encode([7; 32])).is_some());
        for other in ["", "AQID", &URL_SAFE_NO_PAD.encode([7; 33]), "*"] {
            assert!(computed(other).is_none(), "{other}");
        }
    }
}
