//! The key file against real folders: what it holds, who may read it, and what happens when writing is interrupted.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::PathBuf;

use tempfile::TempDir;

use super::super::keypair;
use super::*;

/// Keys 00…1f and 40…5f (clamped); ids computed with Python's `hashlib` and pyca/cryptography.
const PINNED: &str = "\
segnalazioni-key 1
operational bc75f4c4234505ff75e14ff94d74c959 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8
newsroom 67ca2ffd6fe9efab3d76e37c34990a5a QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8
";

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("segnalazioni.key");
    (folder, path)
}

fn with_newsroom() -> KeyFile {
    KeyFile {
        newsroom: Some(keypair::generate().unwrap().0),
        ..KeyFile::generate().unwrap()
    }
}

fn same(one: &KeyFile, two: &KeyFile) -> bool {
    let id = |file: &KeyFile| file.newsroom.as_ref().map(PrivateKey::key_id);
    one.operational.ct_eq(&two.operational) && id(one) == id(two)
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn put(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    allow(path, 0o600);
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn the_format_is_the_pinned_one() {
    let file = KeyFile::parse(PINNED).unwrap();
    assert_eq!(
        hex::encode(file.operational.expose()),
        hex::encode((0..32).collect::<Vec<u8>>())
    );
    assert_eq!(*file.format(), format!("{HEADER}{PINNED}"));
    let edited = format!("# nota\n\n{}\n# fine", PINNED.replace('\n', "\r\n"));
    assert!(same(&KeyFile::parse(&edited).unwrap(), &file));
}

#[test]
fn what_is_written_is_whole_and_for_the_owner_alone() {
    let (folder, path) = folder();
    for file in [KeyFile::generate().unwrap(), with_newsroom()] {
        file.save(&path, folder.path()).unwrap();
        assert!(same(&KeyFile::load(&path).unwrap(), &file));
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
        allow(&path, 0o666);
    }
    assert_eq!(names(&folder), ["segnalazioni.key"]);
}

#[test]
fn what_root_makes_belongs_to_the_owner_of_the_data() {
    const NOBODY: u32 = 65_534;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let (keys, path) = folder();
    let data = tempfile::tempdir().unwrap();
    chown(data.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    let owner = || fs::metadata(&path).unwrap().uid();
    let made = KeyFile::generate().unwrap();
    made.save(&path, data.path()).unwrap();
    assert_eq!(owner(), NOBODY);
    made.save(&path, data.path()).unwrap();
    assert_eq!(owner(), NOBODY);
    made.save(&path, keys.path()).unwrap();
    assert_eq!(owner(), 0);
}

#[test]
fn writing_sweeps_up_what_a_crash_left() {
    let (folder, path) = folder();
    let file = with_newsroom();
    let pair = file.newsroom.as_ref().unwrap().public_key();
    file.save(&path, folder.path()).unwrap();
    for _ in 0..2 {
        put(&folder.path().join(".segnalazioni.key.abc.tmp"), PINNED);
        put(&folder.path().join("altro.tmp"), "resta");
        KeyFile::remove_copy(&path, folder.path(), &pair).unwrap();
        assert_eq!(names(&folder), ["altro.tmp", "segnalazioni.key"]);
        assert!(KeyFile::load(&path).unwrap().newsroom.is_none());
    }
}

#[test]
fn a_file_others_can_reach_is_refused() {
    let (folder, path) = folder();
    with_newsroom().save(&path, folder.path()).unwrap();
    for mode in [0o640, 0o610, 0o604, 0o602, 0o666] {
        allow(&path, mode);
        let error = KeyFile::load(&path).unwrap_err();
        assert!(
            matches!(error.problem, KeyFileProblem::TooOpen { .. }),
            "{mode:o}"
        );
        let text = error.to_string();
        let advice = format!(
            "(permessi 0{mode:o}): correggi con «chmod 600 {}»",
            path.display()
        );
        assert!(text.contains(&advice), "{text}");
    }
    for mode in [0o600, 0o400] {
        allow(&path, mode);
        KeyFile::load(&path).unwrap();
    }
}

#[test]
fn links_folders_and_pipes_are_refused() {
    let (folder, path) = folder();
    let refused = || {
        let error = KeyFile::load(&path).unwrap_err();
        assert!(matches!(error.problem, KeyFileProblem::NotAFile), "{error}");
    };
    let target = folder.path().join("vero.key");
    with_newsroom().save(&target, folder.path()).unwrap();
    for target in [&target, &folder.path().join("nulla")] {
        symlink(target, &path).unwrap();
        refused();
        fs::remove_file(&path).unwrap();
    }
    fs::create_dir(&path).unwrap();
    refused();
    let error = with_newsroom().save(&path, folder.path()).unwrap_err();
    assert!(matches!(error.problem, KeyFileProblem::Io(_)), "{error}");
    fs::remove_dir(&path).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, mode).unwrap();
    refused();
}

#[test]
fn damaged_content_is_refused_with_its_line() {
    let (_folder, path) = folder();
    let lines: Vec<&str> = PINNED.lines().collect();
    let [first, operational, newsroom] = lines[..] else {
        unreachable!()
    };
    for (text, line) in [
        (String::new(), 1),
        (format!("{operational}\n"), 1),
        (format!("{first}\n"), 2),
        (format!("{first}\n{newsroom}\n"), 3),
        (
            format!("{first}\n\n# due\n{operational}\n{operational}\n"),
            5,
        ),
        (format!("{first}\n{operational}\naltro\n"), 3),
        ("a".repeat(MAX_LEN + 1), 1),
    ] {
        put(&path, &text);
        let error = KeyFile::load(&path).unwrap_err();
        assert!(
            matches!(error.problem, KeyFileProblem::Damaged(l) if l == line),
            "{text:?}: {error}"
        );
    }
    fs::write(&path, b"segnalazioni-key 1\n\xff\xfe\n").unwrap();
    let error = KeyFile::load(&path).unwrap_err();
    assert!(
        matches!(error.problem, KeyFileProblem::Damaged(_)),
        "{error}"
    );
    put(&path, &PINNED.replacen("key 1", "key 2", 1));
    let error = KeyFile::load(&path).unwrap_err();
    assert!(matches!(error.problem, KeyFileProblem::Version), "{error}");
}

#[test]
fn neither_errors_nor_debug_quote_a_key() {
    let (_folder, path) = folder();
    put(&path, &PINNED.replace("bc75", "bc76"));
    let error = KeyFile::load(&path).unwrap_err();
    let shown = format!("{error} {error:?} {:?}", KeyFile::parse(PINNED).unwrap());
    assert!(
        !shown.contains("AAECAwQF") && !shown.contains("QEFCQ0RF") && !shown.contains("[0, 1, 2"),
        "{shown}"
    );
}

/// One wrong character, anywhere, gives no keys: neither others nor the same. The one exception is meant for people: a
/// `#` before the copy leaves it out.
#[test]
fn every_altered_character_is_noticed() {
    const OTHERS: &[u8] = b"AZaz059-_ #\n";
    let copy = PINNED.find("newsroom").unwrap();
    for at in 0..PINNED.trim_end().len() {
        for other in OTHERS
            .iter()
            .filter(|other| **other != PINNED.as_bytes()[at])
        {
            let mut text = PINNED.as_bytes().to_vec();
            text[at] = *other;
            let parsed = KeyFile::parse(std::str::from_utf8(&text).unwrap());
            if (at, *other) == (copy, b'#') {
                assert!(parsed.unwrap().newsroom.is_none());
            } else {
                assert!(parsed.is_err(), "{at}: {}", char::from(*other));
            }
        }
    }
}
