//! Reads what strace wrote (`-f -q -xx`), one system call after the other, in the order in which they began and ended.
//! Must never pass over a line that it does not understand.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

/// How strace announces that a call has not ended yet.
const UNFINISHED: &str = " <unfinished ...>";

/// A system call, its arguments as strace shows them.
#[derive(Debug, Clone)]
pub struct Call {
    pub name: String,
    pub thread: u32,
    arguments: String,
}

#[derive(Debug)]
pub enum Moment {
    Began(Call),
    /// With what the call returned: negative when it failed.
    Ended(Call, i64),
}

impl Call {
    pub fn is_sync(&self) -> bool {
        matches!(self.name.as_str(), "fsync" | "fdatasync")
    }

    /// Whether bytes leave through a file, pipe or socket.
    pub fn is_sending(&self) -> bool {
        matches!(
            self.name.as_str(),
            "write" | "writev" | "sendto" | "sendmsg"
        )
    }

    /// The argument at this position, where it is a number.
    pub fn number(&self, position: usize) -> Option<i64> {
        self.arguments.split(", ").nth(position)?.parse().ok()
    }

    /// A number that the call must have: a length or a place in a file.
    pub fn size(&self, position: usize) -> usize {
        let number = self.number(position).expect("a number");
        usize::try_from(number).expect("not below zero")
    }

    pub fn has_flag(&self, flag: &str) -> bool {
        let mut words = self.arguments.split([',', ' ', '|']);
        words.any(|word| word == flag)
    }

    /// The bytes of the texts among the arguments: `\x41\x42`.
    fn texts(&self) -> impl Iterator<Item = Vec<u8>> {
        let texts = self.arguments.split('"').skip(1).step_by(2);
        texts.map(|text| hex::decode(text.replace("\\x", "")).expect("hexadecimal"))
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.texts().flatten().collect()
    }

    pub fn paths(&self) -> Vec<PathBuf> {
        let names = self
            .texts()
            .map(|text| String::from_utf8(text).expect("a name"));
        names.map(PathBuf::from).collect()
    }
}

pub fn moments(record: &Path, mut seen: impl FnMut(Moment)) {
    let mut running: HashMap<u32, Call> = HashMap::new();
    for line in BufReader::new(File::open(record).expect("a record")).lines() {
        let line = line.expect("a line");
        let (thread, event) = line.split_once(' ').expect("a thread");
        let (thread, event) = (thread.parse().expect("a number"), event.trim_start());
        if event.starts_with("+++") || event.starts_with("---") {
            continue;
        }
        if let Some(rest) = event.strip_prefix("<... ") {
            let call = running.remove(&thread).expect("a start");
            ended(call, rest, &mut seen);
            continue;
        }
        let (name, rest) = event.split_once('(').expect("a call");
        let unfinished = rest.strip_suffix(UNFINISHED);
        // Texts are in hexadecimal: the first bracket that closes is the call's own.
        let arguments = unfinished.or_else(|| Some(rest.split_once(')')?.0));
        let call = Call {
            name: name.to_owned(),
            thread,
            arguments: arguments.expect("an end").to_owned(),
        };
        seen(Moment::Began(call.clone()));
        if unfinished.is_some() {
            running.insert(thread, call);
        } else {
            ended(call, rest, &mut seen);
        }
    }
}

/// `…) = 42`, or `…) = -1 ENOENT (…)`; a call in which the program ended returns `?`, and is left open.
fn ended(call: Call, line: &str, seen: &mut impl FnMut(Moment)) {
    let result = line
        .split_once(')')
        .and_then(|(_, rest)| rest.trim_start().strip_prefix("= "));
    let word = result.and_then(|result| result.split_whitespace().next());
    let word = word.expect("a result");
    if word != "?" {
        let number = word
            .strip_prefix("0x")
            .map(|digits| i64::from_str_radix(digits, 16));
        let number = number.unwrap_or_else(|| word.parse());
        seen(Moment::Ended(call, number.expect("a number")));
    }
}
