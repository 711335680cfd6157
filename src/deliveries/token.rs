//! Tokens that take the place of a password at a mail server, asked for by the secret of an application (OAuth 2.0, client
//! credentials: RFC 6749 §4.4).
//! It must never put a secret, a token or the provider's own words into a failure or a log.

use form_urlencoded::Serializer;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use ureq::http::StatusCode;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;
use zeroize::Zeroizing;

use super::policy::{self, OutboundPolicy};
use crate::domain::delivery::Failure;
use crate::domain::settings::TokenRequest;
use crate::domain::text::is_listed;

/// As much of an answer as is read: a token has some 2 KiB.
const ANSWER_MAX: u64 = 64 * 1024;
/// How long before its end a token is not used any more, in ms: a mail may take a minute, and the other side's clock may be ahead.
const MARGIN_MS: i64 = 5 * 60_000;
/// The words of the errors whose name is shown (RFC 6749 §5.2, and those of Microsoft).
const NAMED: &str = "invalid_request|invalid_client|invalid_grant|unauthorized_client|unsupported_grant_type|invalid_scope|\
                     invalid_resource|invalid_tenant|access_denied|interaction_required";
/// The words of errors that pass.
const PASSING: &str = "temporarily_unavailable|server_error";
/// One that passes though its word does not say so: too many requests.
const THROTTLED: u32 = 50_196;

/// Why Microsoft hands out no token, by the number of its error (`AADSTS…`), and what an administrator does. Each needs a person.
/// Source: <https://learn.microsoft.com/entra/identity-platform/reference-error-codes>.
const REFUSALS: [(u32, &str); 19] = [
    (7_000_215, WRONG_SECRET),
    (50_012, WRONG_SECRET),
    (
        7_000_222,
        "Il segreto è scaduto: in Entra, «Certificati e segreti», creane uno nuovo, copia la colonna «Valore» e salvalo in «Server di posta»: le email ferme \
         partono da sé.",
    ),
    (700_016, UNKNOWN_APPLICATION),
    (70_001, UNKNOWN_APPLICATION),
    (7_000_216, NO_SECRET),
    (7_000_218, NO_SECRET),
    (
        7_000_229,
        "L'applicazione non è attiva in questa organizzazione: in Entra, «Autorizzazioni API», concedi il consenso \
         dell'amministratore. Poi premi «Test Email».",
    ),
    (
        7_000_112,
        "L'applicazione è disattivata: in Entra, «Applicazioni aziendali», «Proprietà», consenti l'accesso agli utenti. Poi premi \
         «Test Email».",
    ),
    (90_002, UNKNOWN_TENANT),
    (900_023, UNKNOWN_TENANT),
    (
        50_194,
        "Al posto dell'organizzazione c'è un nome che vale per tutte: in Entra, «Panoramica» dell'applicazione, copia «ID della \
         directory (tenant)».",
    ),
    (90_023, MALFORMED),
    (9_002_313, MALFORMED),
    (
        500_011,
        "L'organizzazione non ha Exchange Online, oppure l'ambito è di un altro cloud: controlla tenant e ambito in «Server di posta».",
    ),
    (
        1_002_012,
        "L'ambito non è adatto: lascialo vuoto in «Server di posta».",
    ),
    (
        70_011,
        "L'ambito non è adatto: lascialo vuoto in «Server di posta».",
    ),
    (53_003, CONDITIONAL),
    (530_004, CONDITIONAL),
];
const NO_SECRET: &str = "Il segreto non è arrivato: inseriscilo di nuovo in «Server di posta».";
const MALFORMED: &str = "La richiesta non è nella forma che quell'indirizzo vuole: in «Server di posta» controlla ID applicazione, \
                         segreto e «Indirizzo dei token», che di solito resta vuoto.";
const CONDITIONAL: &str = "Una regola di accesso condizionale lo vieta: chi amministra Entra permetta l'accesso a questa applicazione \
                           dall'indirizzo di questo server. Poi premi «Test Email».";
const WRONG_SECRET: &str = "Il segreto non è giusto: in Entra, «Certificati e segreti», creane uno nuovo, copia la colonna «Valore» \
                            (non «ID segreto») e salvalo in «Server di posta»: le email ferme partono da sé.";
const UNKNOWN_APPLICATION: &str = "L'applicazione non c'è in questa organizzazione: in Entra, «Panoramica» dell'applicazione, copia \
                                   «ID applicazione (client)» e «ID della directory (tenant)».";
const UNKNOWN_TENANT: &str = "L'organizzazione non esiste: in Entra, «Panoramica» dell'applicazione, copia «ID della directory \
                              (tenant)».";

/// Where a mail server's tokens come from.
#[derive(Clone)]
pub struct Grant {
    pub request: TokenRequest,
    pub policy: OutboundPolicy,
}

impl Grant {
    /// The token that is kept for this secret, while it lasts.
    pub(super) fn kept(&self, secret: &str) -> Option<Zeroizing<String>> {
        self.policy.tokens.kept(self.named(secret))
    }

    /// Asks for a new token, and keeps it.
    pub(super) fn fetch(&self, secret: &str) -> Result<Zeroizing<String>, Failure> {
        let tokens = &self.policy.tokens;
        let asked = tokens.now_ms();
        let (status, body) = self.ask(secret)?;
        let Granted { token, lasts_ms } = verdict(status, &body)?;
        tokens.keep(self.named(secret), &token, asked + lasts_ms - MARGIN_MS);
        Ok(token)
    }

    /// A name for what it is asked for with.
    fn named(&self, secret: &str) -> [u8; 32] {
        let mut digest = Sha256::new();
        let TokenRequest {
            url,
            client_id,
            scope,
        } = &self.request;
        for part in [url, client_id, scope, secret] {
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
        digest.finalize().into()
    }

    fn ask(&self, secret: &str) -> Result<(StatusCode, Zeroizing<Vec<u8>>), Failure> {
        let explained = |error: ureq::Error| policy::explain(&error, "dei token");
        let form = Serializer::new(String::new())
            .append_pair("grant_type", "client_credentials")
            .append_pair("client_id", &self.request.client_id)
            // Copied from a page, it may bring a blank along.
            .append_pair("client_secret", secret.trim())
            .append_pair("scope", &self.request.scope)
            .finish();
        let form = Zeroizing::new(form);
        let connector = DefaultConnector::new();
        let agent = self.policy.agent(connector, DefaultResolver::default());
        let mut answer = agent
            .post(&self.request.url)
            .header("content-type", "application/x-www-form-urlencoded")
            .header("accept", "application/json")
            .send(form.as_bytes())
            .map_err(explained)?;
        let body = answer.body_mut().with_config().limit(ANSWER_MAX);
        match body.read_to_vec() {
            Ok(body) => Ok((answer.status(), Zeroizing::new(body))),
            Err(ureq::Error::BodyExceedsLimit(_)) => Err(unreadable(answer.status())),
            Err(error) => Err(explained(error)),
        }
    }
}

struct Granted {
    token: Zeroizing<String>,
    lasts_ms: i64,
}

/// An answer, of a success or an error.
#[derive(Deserialize)]
struct Answered {
    access_token: Option<String>,
    /// In seconds.
    expires_in: Option<Value>,
    error: Option<String>,
    error_codes: Option<Value>,
}

/// A number; some write it as a text.
fn number(value: &Value) -> Option<u32> {
    match value {
        Value::String(text) => text.parse().ok(),
        number => number
            .as_u64()
            .map(|number| u32::try_from(number).unwrap_or(u32::MAX)),
    }
}

fn verdict(status: StatusCode, body: &[u8]) -> Result<Granted, Failure> {
    let waits = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS];
    if waits.contains(&status) || status.is_server_error() {
        return Err(busy(status));
    }
    let answered: Option<Answered> = serde_json::from_slice(body).ok();
    match answered {
        Some(Answered {
            access_token: Some(token),
            expires_in,
            ..
        }) if status.is_success() && is_token(&token) => Ok(Granted {
            token: Zeroizing::new(token),
            lasts_ms: lasts_ms(expires_in.as_ref()),
        }),
        Some(Answered {
            error: Some(error),
            error_codes,
            ..
        }) => {
            let codes = error_codes.as_ref().and_then(Value::as_array);
            let codes: Vec<u32> = codes.into_iter().flatten().filter_map(number).collect();
            Err(refusal(status, &error, &codes))
        }
        _ => Err(unreadable(status)),
    }
}

/// It becomes part of one line of the conversation with the mail server.
fn is_token(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic())
}

/// One of which it is not said how long it lasts is not kept.
fn lasts_ms(expires_in: Option<&Value>) -> i64 {
    i64::from(expires_in.and_then(number).unwrap_or_default()) * 1_000
}

/// Why no token is handed out.
fn refusal(status: StatusCode, error: &str, codes: &[u32]) -> Failure {
    if is_listed(PASSING, error) || codes.contains(&THROTTLED) {
        return busy(status);
    }
    let known = |(code, does): &(u32, &'static str)| codes.contains(code).then_some((*code, *does));
    if let Some((code, does)) = REFUSALS.iter().find_map(known) {
        return Failure::permanent(format!(
            "Microsoft 365 non dà il token (AADSTS{code}). {does}"
        ));
    }
    if let Some(code) = codes.first() {
        return Failure::permanent(format!(
            "Microsoft 365 non dà il token (AADSTS{code}). Che cosa vuol dire sta in \
             https://login.microsoftonline.com/error?code={code}; poi premi «Test Email»."
        ));
    }
    let named = if is_listed(NAMED, error) {
        error
    } else {
        "errore"
    };
    Failure::permanent(format!(
        "Il server dei token rifiuta la richiesta ({named}, HTTP {}). Controlla in «Server di posta» tenant, ID \
         dell'applicazione, segreto e ambito.",
        status.as_u16()
    ))
}

fn busy(status: StatusCode) -> Failure {
    Failure::passing(format!(
        "Il server dei token per ora non ne dà (HTTP {}).",
        status.as_u16()
    ))
}

/// A page of a network in between, or another address than one of tokens.
fn unreadable(status: StatusCode) -> Failure {
    Failure::passing(format!(
        "All'indirizzo dei token risponde qualcosa che non ne dà (HTTP {}): controllalo in «Server di posta», e se la rete \
         filtra le pagine web.",
        status.as_u16()
    ))
}
