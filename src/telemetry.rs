//! The log for the operator: lines on stderr, as text or JSON, with times in UTC. Other crates log only from `warn` up.
//! Control characters are escaped, so that no input can forge a line (ASVS 16.4.1). Must never log what `SECURITY.md`,
//! 'Logging', keeps out: above all what a reporter typed and who calls (ASVS 16.2.5).

use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::sync::Arc;

use tracing::Subscriber;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::Registry;

use crate::config::LogFormat;

mod lines;

use lines::Lines;

/// Events of this crate, which alone follow the configured level.
const OURS: &str = "segnalazioni";

/// Lines of the process. At its end those that still wait are written, as far as they are read.
pub struct Spoken(Arc<Lines>);

impl Drop for Spoken {
    fn drop(&mut self) {
        self.0.flush();
    }
}

/// Starts logging to stderr for the whole process, panics included. Logging never waits for a reader.
pub fn init(level: LevelFilter, format: LogFormat) -> anyhow::Result<Spoken> {
    let tell = move |dropped| {
        let direct = subscriber(LevelFilter::WARN, format, io::stderr);
        tracing::subscriber::with_default(direct, || {
            tracing::warn!(dropped, "the log was not read: lines are missing");
        });
    };
    let lines = Lines::start(io::stderr(), tell)?;
    let queue = Queue(Arc::clone(&lines));
    let queued = subscriber(level, format, move || queue.clone());
    tracing::subscriber::set_global_default(queued)?;
    std::panic::set_hook(Box::new(log_panic));
    Ok(Spoken(lines))
}

/// Says lines on stdout, and neither waits for their reader nor minds that there is none: a server serves all the same.
pub fn announce(text: &str) -> io::Result<Spoken> {
    let lines = Lines::start(io::stdout(), |_| ())?;
    lines.push(text.as_bytes());
    Ok(Spoken(lines))
}

/// Says one line on stderr, and does not wait long for its reader. With stderr closed only the exit code is left to tell.
pub fn complain(line: &str) {
    if let Ok(lines) = Lines::start(io::stderr(), |_| ()) {
        lines.push(format!("{line}\n").as_bytes());
        lines.flush();
    }
}

/// Takes whole lines.
#[derive(Clone)]
struct Queue(Arc<Lines>);

impl Write for Queue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.push(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The libraries of passkeys: they call each false answer of a stranger an error, and quote it.
const PASSKEYS: &str = "webauthn";

fn subscriber<W: Write>(
    level: LevelFilter,
    format: LogFormat,
    out: impl Fn() -> W + Send + Sync + 'static,
) -> Box<dyn Subscriber + Send + Sync> {
    let filter = Targets::new()
        .with_default(level.min(LevelFilter::WARN))
        .with_target(OURS, level)
        .with_target(PASSKEYS, LevelFilter::OFF);
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(move || Escaping(out()));
    match format {
        LogFormat::Text => Box::new(Registry::default().with(lines.with_filter(filter))),
        LogFormat::Json => Box::new(Registry::default().with(lines.json().with_filter(filter))),
    }
}

/// Logs where a panic happened, and nothing of its text: the standard library quotes what a slice went wrong on.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string);
    tracing::error!(place, "internal error: the program panicked");
}

/// Escapes control characters in whole lines, as the log layer hands them over: one call an event.
struct Escaping<W>(W);

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.write_all(escaped(line).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// `line` with every control character but the line feed at its end written as `\uXXXX`, which is also how JSON writes
/// it; so are the characters that reorder or break lines on a terminal without being control characters.
fn escaped(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let body = text.strip_suffix('\n').unwrap_or(&text);
    let mut safe = String::with_capacity(text.len());
    for character in body.chars() {
        if is_unsafe(character) {
            safe.extend(format!("\\u{:04x}", u32::from(character)).chars());
        } else {
            safe.push(character);
        }
    }
    safe + &text[body.len()..]
}

/// Controls, line and paragraph separators, and bidirectional marks: all of them below U+10000.
fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::sync::{Arc, Mutex};

    /// Keeps what was written.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("unpoisoned").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(level: LevelFilter, format: LogFormat, events: impl FnOnce()) -> String {
        let kept = Kept::default();
        let writer = kept.clone();
        let subscriber = subscriber(level, format, move || writer.clone());
        tracing::subscriber::with_default(subscriber, events);
        let bytes = kept.0.lock().expect("unpoisoned").clone();
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn a_line_of_text_has_a_time_in_utc_and_its_fields() {
        let line = logged(LevelFilter::INFO, LogFormat::Text, || {
            tracing::info!(port = 8080, "in ascolto");
        });
        let (time, rest) = line.split_once(' ').expect("a time");
        assert!(
            time.ends_with('Z') && time.parse::<jiff::Timestamp>().is_ok(),
            "{line}"
        );
        assert!(
            rest.contains("INFO") && rest.ends_with("in ascolto port=8080\n"),
            "{line}"
        );
    }

    #[test]
    fn a_line_of_json_is_an_object() {
        let line = logged(LevelFilter::INFO, LogFormat::Json, || {
            tracing::warn!(text = "a\nb\u{7f}\u{9b}31m\u{202e}è", "attenzione");
        });
        assert_eq!(line.matches('\n').count(), 1);
        let object: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(object["level"], "WARN");
        assert_eq!(object["fields"]["message"], "attenzione");
        assert_eq!(object["fields"]["text"], "a\nb\u{7f}\u{9b}31m\u{202e}è");
        assert!(
            object["timestamp"]
                .as_str()
                .is_some_and(|time| time.ends_with('Z'))
        );
        assert!(!line.contains(['\u{7f}', '\u{9b}', '\u{202e}']), "{line:?}");
    }

    #[test]
    fn a_false_answer_of_a_stranger_is_no_line_of_a_library() {
        let lines = logged(LevelFilter::TRACE, LogFormat::Text, || {
            tracing::error!(target: "webauthn_rs_core::internals", "cbor_parser");
            tracing::error!(target: "hyper", "mine");
        });
        assert!(
            !lines.contains("cbor_parser") && lines.contains("mine"),
            "{lines}"
        );
    }

    #[test]
    fn nobody_can_write_a_line_of_their_own() {
        let hostile = "x\n2026-01-01T00:00:00Z INFO finto\r\x1b[31m\u{85}\u{2028}\u{202e}\0\t";
        let lines = logged(LevelFilter::INFO, LogFormat::Text, || {
            tracing::info!(display = %hostile, debug = ?hostile, text = hostile, "{hostile}");
        });
        assert!(lines.ends_with('\n'));
        let body = lines.trim_end_matches('\n');
        assert_eq!(lines.len() - body.len(), 1);
        assert_eq!(
            body.chars().find(|character| is_unsafe(*character)),
            None,
            "{lines:?}"
        );
        assert!(body.contains("x\\u000a2026"), "{lines}");
    }

    #[test]
    fn bytes_that_are_no_text_become_visible() {
        assert_eq!(escaped(b"a\xffb\n"), "a\u{fffd}b\n");
        assert_eq!(
            escaped("senza fine, è\u{1f600}".as_bytes()),
            "senza fine, è\u{1f600}"
        );
        assert_eq!(escaped(b"a\n\n"), "a\\u000a\n");
    }

    #[test]
    fn others_speak_from_warnings_up_whatever_our_level() {
        let speak = || {
            tracing::error!(target: "hyper::proto", "1");
            tracing::warn!(target: "hyper::proto", "2");
            tracing::info!(target: "hyper::proto", "3");
            tracing::trace!(target: "hyper::proto", "4");
            tracing::warn!(target: "segnalazioni::http", "5");
            tracing::info!(target: "segnalazioni::http", "6");
            tracing::debug!(target: "segnalazioni", "7");
            tracing::trace!(target: "segnalazioni::store", "8");
        };
        for (level, heard) in [
            (LevelFilter::ERROR, "1"),
            (LevelFilter::WARN, "125"),
            (LevelFilter::INFO, "1256"),
            (LevelFilter::DEBUG, "12567"),
            (LevelFilter::TRACE, "125678"),
        ] {
            let lines = logged(level, LogFormat::Text, speak);
            let said: String = lines
                .lines()
                .filter_map(|line| line.chars().last())
                .collect();
            assert_eq!(said, heard, "{level:?}");
        }
    }

    /// Run again as a child, this test panics on purpose as a careless slice of a report would.
    #[test]
    fn the_text_of_a_panic_stays_out_of_the_log() {
        const CHILD: &str = "PANIC_IN_THE_CHILD";
        const SECRET: &str = "èsegreto";
        if std::env::var_os(CHILD).is_some() {
            let _log = init(LevelFilter::TRACE, LogFormat::Text).expect("the first start");
            let end = SECRET.char_indices().count() - SECRET.chars().count() + 1;
            let _ = std::panic::catch_unwind(|| SECRET[..end].len())
                .expect_err("no boundary of a character");
            return;
        }
        let name = "the_text_of_a_panic_stays_out_of_the_log";
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args([name, "--nocapture", "--test-threads=1"])
            .env(CHILD, "1")
            .output()
            .expect("a child");
        let log = String::from_utf8(child.stderr).expect("UTF-8");
        assert!(child.status.success(), "{log}");
        assert!(
            log.contains("the program panicked") && log.contains("telemetry.rs:"),
            "{log}"
        );
        assert!(!log.contains("segreto"), "{log}");
    }
}
