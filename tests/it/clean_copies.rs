//! What clean copies of pictures cost.

use std::fs;
use std::io::Read;

use crate::attachments::report_with;
use crate::support::attachments::filled;
use crate::support::panel::Editor;
use crate::support::program::Program;

const MB: usize = 1024 * 1024;

/// A PNG file of about so many bytes.
fn png(length: usize) -> Vec<u8> {
    let chunk = |kind: &[u8], body: &[u8]| {
        let length = u32::try_from(body.len()).expect("short").to_be_bytes();
        [&length[..], kind, body, b"crc!"].concat()
    };
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &[1; 13]),
        chunk(b"tEXt", b"GPSLatitude"),
        chunk(b"IDAT", &filled(b"", length)),
        chunk(b"IEND", b""),
    ]
    .concat()
}

/// Bytes that this process, and so the program, has in memory.
fn memory() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let resident = resident.expect("a line").trim().trim_end_matches(" kB");
    resident.parse::<usize>().expect("a number") * 1024
}

/// What twenty requests for this path cost in memory, while nothing but the beginning of each answer is read.
fn cost_of_slow_readers(editor: &Editor, path: &str) -> usize {
    let before = memory();
    let lines: Vec<_> = (0..20)
        .map(|_| editor.api("GET", path).send_only())
        .collect();
    for mut line in &lines {
        let mut begun = [0; 1_024];
        line.read_exact(&mut begun).expect("an answer");
        assert!(begun.starts_with(b"HTTP/1.1 200"), "{path}");
    }
    memory().saturating_sub(before)
}

#[test]
fn slow_readers_of_clean_copies_cost_little_memory() {
    let (program, editor) = Program::with_editor();
    let picture = png(16 * MB);
    let id = report_with(&program, "foto.png", &picture);
    let path = format!("/reports/{id}/attachments/1?clean=true");
    let copy = editor.get(&path).expect(200).body;
    assert_eq!(copy.len(), picture.len() - 12 - "GPSLatitude".len());
    let cost = cost_of_slow_readers(&editor, &path);
    assert!(cost < 100 * MB, "{cost}");
}
