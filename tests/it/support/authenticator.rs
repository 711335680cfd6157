//! An authenticator of passkeys with its browser, as far as a server sees them: it makes keys (P-256, attestation 'none') and answers
//! questions, and lies where a test has it lie.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{DerSignature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::http::{Answer, Client};
use super::panel::Editor;
use super::people::WORD;

const PRESENT: u8 = 0x01;
const VERIFIED: u8 = 0x04;
const WITH_KEY: u8 = 0x40;
const EXTENDED: u8 = 0x80;
/// Extensions in the data of a new key, as a security key writes them (CBOR): `credProtect` 3, `hmac-secret` true.
const OF_NEW: &[u8] = b"\xa2\x6bcredProtect\x03\x6bhmac-secret\xf5";

pub fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn decoded(text: &Value) -> Vec<u8> {
    let text = text.as_str().expect("a text");
    URL_SAFE_NO_PAD.decode(text).expect("base64url")
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("random bytes");
    bytes
}

/// A key of one person at one host.
#[derive(Clone)]
struct Held {
    id: Vec<u8>,
    key: SigningKey,
    user: Vec<u8>,
    host: String,
    /// What it computes (PRF) with.
    secret: [u8; 32],
}

/// The newest key answers.
#[derive(Clone)]
pub struct Authenticator {
    held: Vec<Held>,
    /// Whether it says that it verified its owner.
    pub verifies: bool,
    /// Whether it knows the extension `prf`.
    pub computes: bool,
    /// Bytes of `hmac-secret` that stand in its data, sealed for the browser, as those of a security key do; 0 for none.
    pub extends: u8,
    /// Counts its answers; `None` for one that is synchronised, and says 0.
    pub counter: Option<u32>,
    /// The origin of the page that asks.
    pub origin: String,
    /// In the place of the host that is asked for.
    pub host: Option<String>,
}

/// An authenticator's answer, and what it computed.
#[derive(Clone)]
pub struct Answered {
    pub answer: Value,
    pub opens: Option<String>,
}

impl Authenticator {
    pub fn at(origin: &str) -> Self {
        Self {
            held: Vec::new(),
            verifies: true,
            computes: true,
            extends: 0,
            counter: Some(0),
            origin: origin.to_owned(),
            host: None,
        }
    }

    /// The bytes by which the newest key is named.
    pub fn handle(&self) -> Vec<u8> {
        self.held.last().expect("a key").id.clone()
    }

    /// Forgets the newest key: the one before answers.
    pub fn forget(&mut self) {
        self.held.pop();
    }

    /// Another person's name on the newest key.
    pub fn belongs_to(&mut self, user: &[u8]) {
        self.held.last_mut().expect("a key").user = user.to_vec();
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let challenge = &options["challenge"];
        let origin = &self.origin;
        json!({ "type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false })
            .to_string()
            .into_bytes()
    }

    /// The data of the authenticator, up to the counter.
    fn data(&mut self, host: &str, flags: u8) -> Vec<u8> {
        let host = self.host.as_deref().unwrap_or(host);
        let verified = if self.verifies { VERIFIED } else { 0 };
        let mut data = Sha256::digest(host.as_bytes()).to_vec();
        let extended = if self.extends > 0 { EXTENDED } else { 0 };
        data.push(PRESENT | verified | extended | flags);
        self.counter = self.counter.map(|counter| counter + 1);
        data.extend(self.counter.unwrap_or_default().to_be_bytes());
        data
    }

    /// `navigator.credentials.create()`.
    pub fn create(&mut self, options: &Value) -> Answered {
        let key = SigningKey::from_slice(&random::<32>()).expect("a key");
        let host = options["rp"]["id"].as_str().expect("a host").to_owned();
        let held = Held {
            id: random::<32>().to_vec(),
            user: decoded(&options["user"]["id"]),
            secret: random(),
            host: host.clone(),
            key,
        };
        let point = held.key.verifying_key().to_sec1_point(false);
        let mut data = self.data(&host, WITH_KEY);
        data.extend([0; 16]);
        data.extend([0, 32]);
        data.extend(&held.id);
        // The key as CBOR (COSE): EC2, ES256, P-256, x and y.
        data.extend([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32]);
        data.extend(point.x().expect("x").as_slice());
        data.extend([0x22, 0x58, 32]);
        data.extend(point.y().expect("y").as_slice());
        if self.extends > 0 {
            data.extend(OF_NEW);
        }
        let length = u8::try_from(data.len()).expect("short");
        let attested = [
            &b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"[..],
            &[length],
            &data,
        ];
        let answer = json!({
            "id": encoded(&held.id), "rawId": encoded(&held.id), "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": { "credProps": { "rk": true }, "prf": { "enabled": self.computes } },
            "response": {
                "attestationObject": encoded(attested.concat()),
                "clientDataJSON": encoded(self.client_data("webauthn.create", options)),
                "transports": ["internal"],
            },
        });
        let opens = self.computed(&held, options);
        self.held.push(held);
        Answered { answer, opens }
    }

    fn computed(&self, held: &Held, options: &Value) -> Option<String> {
        let asked = &options["extensions"]["prf"]["eval"]["first"];
        let mut mac = Hmac::<Sha256>::new_from_slice(&held.secret).expect("a key");
        mac.update(&decoded(asked));
        self.computes.then(|| encoded(mac.finalize().into_bytes()))
    }

    /// `navigator.credentials.get()`.
    pub fn get(&mut self, options: &Value) -> Answered {
        assert_eq!(options["userVerification"], "required");
        let held = self.held.last().expect("a key").clone();
        let mut data = self.data(&held.host, 0);
        if self.extends > 0 {
            data.extend(b"\xa1\x6bhmac-secret\x58");
            data.push(self.extends);
            data.extend(vec![0xab; usize::from(self.extends)]);
        }
        let client = self.client_data("webauthn.get", options);
        let signed = [&data[..], &Sha256::digest(&client)].concat();
        let signature: DerSignature = held.key.sign(&signed);
        let answer = json!({
            "id": encoded(&held.id), "rawId": encoded(&held.id), "type": "public-key",
            "clientExtensionResults": {},
            "response": {
                "authenticatorData": encoded(&data), "clientDataJSON": encoded(&client),
                "signature": encoded(signature.as_bytes()), "userHandle": encoded(&held.user),
            },
        });
        let opens = self.computed(&held, options);
        Answered { answer, opens }
    }
}

/// A browser at `localhost`, where passkeys are valid without a public address; and an authenticator there.
pub fn at_localhost(client: &Client) -> (Client, Authenticator) {
    let host = format!("localhost:{}", client.address().port());
    let authenticator = Authenticator::at(&format!("http://{host}"));
    (client.with("host", &host), authenticator)
}

pub fn ask_for_new(editor: &Editor) -> Value {
    editor.post_and_read("/account/passkeys/question", &json!({ "password": WORD }))
}

pub fn answer_new(editor: &Editor, question: &Value, answered: &Answered, name: &str) -> Answer {
    let body = json!({
        "question": question["question"], "answer": answered.answer, "opens": answered.opens, "name": name
    });
    editor.post_json("/account/passkeys", &body)
}

/// Adds a passkey; answers it.
pub fn add(editor: &Editor, authenticator: &mut Authenticator, name: &str) -> Value {
    let question = ask_for_new(editor);
    let answered = authenticator.create(&question["options"]);
    let added = answer_new(editor, &question, &answered, name);
    added.expect(201).json()
}

pub fn ask(client: &Client) -> Value {
    client.post_and_read("/session/passkey/question", &json!({}))
}

pub fn answer(client: &Client, question: &Value, answered: &Answered) -> Answer {
    let body = json!({
        "question": question["question"], "answer": answered.answer, "opens": answered.opens
    });
    client.post_json("/session/passkey", &body)
}

pub fn try_log_in_by(client: &Client, authenticator: &mut Authenticator) -> Answer {
    let question = ask(client);
    let answered = authenticator.get(&question["options"]);
    answer(client, &question, &answered)
}

pub fn log_in_by(client: &Client, authenticator: &mut Authenticator) -> Editor {
    Editor::of(client, &try_log_in_by(client, authenticator).expect(204))
}

/// Nobody is let in; one sentence for all reasons.
#[track_caller]
pub fn turned_away(answer: &Answer) {
    let told = answer.problem(401, "passkey-non-valida");
    assert_eq!(
        told["detail"],
        "Questa passkey non è valida qui: riprova, o accedi con la password."
    );
}
