//! Reads what strace wrote (`-f -q -xx`), one system call after the other, in the order in which they began and ended.
//! Must never pass over a line that it does not understand.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

/// How strace announces that a call has not ended yet.
const UNFINISHED: &str = " <unfinished ...>";
/// Enough of a record's end to hold its last line.
const TAIL: i64 = 256;

/// A system call, its arguments as strace shows them.
#[derive(Debug, Clone)]
pub struct Call {
    /// Its name.
    pub name: String,
    arguments: String,
}

/// Something that happened.
#[derive(Debug)]
pub enum Moment {
    /// Bytes are about to leave through a file, pipe or socket.
    Sent {
        /// All of them.
        bytes: Vec<u8>,
    },
    /// A call began.
    Called {
        /// Which one.
        call: Call,
        /// In which thread.
        thread: u32,
    },
    /// A call ended.
    Returned {
        /// Which one.
        call: Call,
        /// In which thread.
        thread: u32,
        /// What it returned: negative when it failed.
        result: i64,
    },
}

impl Call {
    /// Whether it asks for something to be made durable.
    pub fn is_sync(&self) -> bool {
        matches!(self.name.as_str(), "fsync" | "fdatasync")
    }

    /// The arguments that are neither text nor structure, in order; a named constant is passed over.
    pub fn number(&self, position: usize) -> Result<i64> {
        let argument = self.arguments.split(", ").nth(position);
        let number = argument.and_then(|text| text.parse().ok());
        number.with_context(|| format!("no number at {position}: {self:?}"))
    }

    /// Whether one of the flags is set.
    pub fn has_flag(&self, flag: &str) -> bool {
        self.arguments
            .split([',', ' ', '|'])
            .any(|word| word == flag)
    }

    /// The texts among the arguments: file names, or what is written.
    pub fn texts(&self) -> Result<Vec<Vec<u8>>> {
        let texts = self.arguments.split('"').skip(1).step_by(2);
        texts.map(unescape).collect()
    }

    /// The file names among the arguments.
    pub fn paths(&self) -> Result<Vec<PathBuf>> {
        let texts = self.texts()?.into_iter();
        texts
            .map(|text| Ok(PathBuf::from(String::from_utf8(text)?)))
            .collect()
    }
}

/// Whether the record has its last line.
pub fn is_whole(record: &Path) -> Result<bool> {
    let mut file = File::open(record)?;
    let length = i64::try_from(file.metadata()?.len())?;
    file.seek(SeekFrom::End(-length.min(TAIL)))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let tail = String::from_utf8_lossy(&tail);
    let last = tail.trim_end().lines().next_back().unwrap_or_default();
    let of_the_program = || {
        // The first thread of a process ends last, and bears the number of the process.
        let first = first_word(&record_start(record).ok()?)?.to_owned();
        (first_word(last)? == first).then_some(())
    };
    Ok(last.contains("+++ exited with") && of_the_program().is_some())
}

fn record_start(record: &Path) -> Result<String> {
    let mut line = String::new();
    BufReader::new(File::open(record)?).read_line(&mut line)?;
    Ok(line)
}

fn first_word(line: &str) -> Option<&str> {
    line.split_whitespace().next()
}

/// Goes through the record.
pub fn moments(record: &Path, seen: &mut impl FnMut(Moment) -> Result<()>) -> Result<()> {
    let mut running: HashMap<u32, Call> = HashMap::new();
    for line in BufReader::new(File::open(record)?).lines() {
        let line = line?;
        let (thread, event) = line.split_once(' ').context("a line without a thread")?;
        let (thread, event) = (thread.parse()?, event.trim_start());
        if event.starts_with("+++") || event.starts_with("---") {
            continue;
        }
        if let Some(rest) = event.strip_prefix("<... ") {
            let call = running.remove(&thread);
            let call = call.with_context(|| format!("resumed without a start: {rest}"))?;
            returned(call, thread, rest, seen)?;
            continue;
        }
        let (name, rest) = event.split_once('(').context("a line without a call")?;
        let unfinished = rest.strip_suffix(UNFINISHED);
        // Texts are in hexadecimal: the first bracket that closes is the call's own.
        let arguments = unfinished.or_else(|| rest.split_once(')').map(|(arguments, _)| arguments));
        let call = Call {
            name: name.to_owned(),
            arguments: arguments.context("a call without an end")?.to_owned(),
        };
        called(&call, thread, seen)?;
        if unfinished.is_some() {
            running.insert(thread, call);
        } else {
            returned(call, thread, rest, seen)?;
        }
    }
    Ok(())
}

fn called(call: &Call, thread: u32, seen: &mut impl FnMut(Moment) -> Result<()>) -> Result<()> {
    if matches!(
        call.name.as_str(),
        "write" | "writev" | "sendto" | "sendmsg"
    ) {
        seen(Moment::Sent {
            bytes: call.texts()?.concat(),
        })?;
    }
    let call = call.clone();
    seen(Moment::Called { call, thread })
}

/// `…) = 42`, or `…) = -1 ENOENT (…)`; a call in which the program ended returns `?`, and is left open.
fn returned(
    call: Call,
    thread: u32,
    line: &str,
    seen: &mut impl FnMut(Moment) -> Result<()>,
) -> Result<()> {
    let (_, result) = line.split_once(')').context("a call without an end")?;
    let Some(result) = result.trim_start().strip_prefix("= ") else {
        bail!("a call without a result: {call:?}");
    };
    let word = first_word(result).unwrap_or_default();
    if word == "?" {
        return Ok(());
    }
    let result = match word.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16)?,
        None => word.parse()?,
    };
    seen(Moment::Returned {
        call,
        thread,
        result,
    })
}

/// `\x41\x42` as bytes.
fn unescape(text: &str) -> Result<Vec<u8>> {
    let digits: String = text.split("\\x").collect();
    hex::decode(&digits).with_context(|| format!("not in hexadecimal: {text}"))
}
