//! The reporter's side of attachments: tus 1.0 by hand, so that a test can break off where it wants.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::http::{Answer, Client, Request};

/// Files of a conversation.
pub struct Files {
    client: Client,
}

impl Files {
    /// Those of the conversation with this token.
    pub fn of(client: &Client, conversation: &str) -> Self {
        let client = client.with("tus-resumable", "1.0.0");
        Self {
            client: client.with("x-conversation", conversation),
        }
    }

    /// A request that announces a file.
    pub fn announcing(&self, name: &str, size: usize) -> Request {
        let named = format!("filename {},filetype dGVzdA==", STANDARD.encode(name));
        let request = self.client.api("POST", "/chat/attachments");
        let request = request.header("upload-length", &size.to_string());
        request.header("upload-metadata", &named)
    }

    pub fn announce(&self, name: &str, size: usize) -> Answer {
        self.announcing(name, size).send()
    }

    /// Where the bytes of a new file go.
    pub fn begin(&self, name: &str, size: usize) -> String {
        let answer = self.announce(name, size).expect(201);
        assert_eq!(answer.header("tus-resumable"), Some("1.0.0"));
        answer.header("location").expect("a place").to_owned()
    }

    /// A request that sends these bytes.
    pub fn sending(&self, place: &str, offset: usize, bytes: &[u8]) -> Request {
        let request = self.client.request("PATCH", place);
        let request = request.header("upload-offset", &offset.to_string());
        request.body("application/offset+octet-stream", bytes)
    }

    pub fn send(&self, place: &str, offset: usize, bytes: &[u8]) -> Answer {
        self.sending(place, offset, bytes).send()
    }

    /// Begins to send what is missing of so many bytes, and hangs up behind this part.
    pub fn break_off(&self, place: &str, offset: usize, of: usize, part: &[u8]) {
        let length = (of - offset).to_string();
        let request = self.sending(place, offset, part);
        request.header("content-length", &length).send_and_hang_up();
    }

    pub fn ask(&self, place: &str) -> Answer {
        self.client.request("HEAD", place).send()
    }

    /// How much is there.
    pub fn offset(&self, place: &str) -> usize {
        let answer = self.ask(place).expect(200);
        let offset = answer.header("upload-offset").expect("an offset");
        offset.parse().expect("a number")
    }

    pub fn take_back(&self, place: &str) -> Answer {
        self.client.request("DELETE", place).send()
    }

    /// Attaches a whole file.
    pub fn attach(&self, name: &str, bytes: &[u8]) -> String {
        let place = self.begin(name, bytes.len());
        let answer = self.send(&place, 0, bytes).expect(204);
        assert_eq!(
            answer.header("upload-offset"),
            Some(&*bytes.len().to_string())
        );
        place
    }
}

/// Bytes that pass for a photo, and hold words by which they would be recognised.
pub fn photo(length: usize) -> Vec<u8> {
    filled(
        b"\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0",
        length,
    )
}

/// So many bytes behind a beginning, no two pieces alike, with words by which they would be recognised.
pub fn filled(beginning: &[u8], length: usize) -> Vec<u8> {
    let mut bytes = beginning.to_vec();
    bytes.reserve(length);
    let mut line = 0;
    while bytes.len() < length {
        bytes.extend(format!("Roccapipirozzi-{line};").into_bytes());
        line += 1;
    }
    bytes.truncate(length);
    bytes
}

/// The files of a report as the panel lists them: number, name, type, size.
pub fn listed(report: &Value) -> Vec<(i64, String, String, u64)> {
    let files = report["attachments"].as_array().expect("a list").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let one = |file: &Value| {
        let (n, size) = (file["n"].as_i64(), file["size"].as_u64());
        (
            n.expect("a number"),
            text(&file["name"]),
            text(&file["type"]),
            size.expect("a size"),
        )
    };
    files.map(one).collect()
}
