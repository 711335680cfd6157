//! The key file against real folders: what it holds, who may read it, and what happens when writing is interrupted.

use std::fs;
use std::io::{Read, Seek};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
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
    let newsroom = NewsroomCopy::new(keypair::generate().unwrap().0);
    KeyFile {
        newsroom: Some(newsroom),
        ..KeyFile::generate().unwrap()
    }
}

fn same(one: &KeyFile, two: &KeyFile) -> bool {
    let id = |file: &KeyFile| file.newsroom.as_ref().map(|copy| copy.private.key_id());
    one.operational.ct_eq(&two.operational) && id(one) == id(two)
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

fn put(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn the_format_is_the_pinned_one() {
    let file = KeyFile::parse(PINNED).unwrap();
    assert_eq!(
        hex::encode(file.operational.expose()),
        hex::encode((0..32).collect::<Vec<u8>>())
    );
    let copy = file.newsroom.as_ref().unwrap();
    assert_eq!(copy.key_id, copy.private.key_id());
    assert_eq!(*file.format(), format!("{HEADER}{PINNED}"));
}

#[test]
fn keys_survive_the_disk() {
    let (folder, path) = folder();
    for file in [KeyFile::generate().unwrap(), with_newsroom()] {
        file.save(&path).unwrap();
        assert!(same(&KeyFile::load(&path).unwrap(), &file));
        assert_eq!(names(&folder), ["segnalazioni.key"]);
    }
}

#[test]
fn a_missing_file_is_made_once() {
    let (folder, path) = folder();
    assert!(matches!(
        KeyFile::load(&path),
        Err(KeyFileError::Missing { .. })
    ));
    let made = KeyFile::load_or_create(&path).unwrap();
    assert!(made.newsroom.is_none());
    assert!(same(&KeyFile::load_or_create(&path).unwrap(), &made));
    assert_eq!(names(&folder), ["segnalazioni.key"]);
}

#[test]
fn who_made_a_file_is_told_and_nobody_else() {
    let (folder, path) = folder();
    assert!(KeyFile::create_where_missing(&path).unwrap());
    let made = KeyFile::load(&path).unwrap();
    assert!(!KeyFile::create_where_missing(&path).unwrap());
    assert!(same(&KeyFile::load(&path).unwrap(), &made));
    let link = folder.path().join("altrove.key");
    std::os::unix::fs::symlink(folder.path().join("manca"), &link).unwrap();
    assert!(matches!(
        KeyFile::create_where_missing(&link),
        Err(KeyFileError::NotAFile { .. })
    ));
}

#[test]
fn of_two_that_start_together_both_have_the_same_keys() {
    let (folder, path) = folder();
    let start = std::sync::Barrier::new(4);
    let files: Vec<KeyFile> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    KeyFile::load_or_create(&path).unwrap()
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(files.iter().all(|file| same(file, &files[0])));
    assert_eq!(names(&folder), ["segnalazioni.key"]);
}

#[test]
fn creating_never_replaces_a_file() {
    let (folder, path) = folder();
    let file = with_newsroom();
    file.save(&path).unwrap();
    assert!(!disk::create(&path, b"other").unwrap());
    assert!(same(&KeyFile::load(&path).unwrap(), &file));
    assert_eq!(names(&folder), ["segnalazioni.key"]);
}

#[test]
fn only_the_owner_can_read_what_is_written() {
    let (_folder, path) = folder();
    KeyFile::load_or_create(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    with_newsroom().save(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
}

/// The umask belongs to the whole process, so a process of its own changes it.
#[test]
fn the_umask_changes_nothing() {
    let (_, here) = module_path!().split_once("::").unwrap();
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--ignored",
            "--exact",
            &format!("{here}::under_every_umask"),
        ])
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && shown.contains("1 passed"),
        "{shown}"
    );
}

#[test]
#[ignore = "changes the umask of its process: the_umask_changes_nothing runs it in one of its own"]
fn under_every_umask() {
    let (_folder, path) = folder();
    for umask in [0o000, 0o022, 0o077, 0o777] {
        let before = rustix::process::umask(rustix::fs::Mode::from_raw_mode(umask));
        with_newsroom().save(&path).unwrap();
        let replaced = fs::metadata(&path).unwrap().mode();
        fs::remove_file(&path).unwrap();
        KeyFile::load_or_create(&path).unwrap();
        let created = fs::metadata(&path).unwrap().mode();
        rustix::process::umask(before);
        assert_eq!(
            (replaced & 0o7777, created & 0o7777),
            (0o600, 0o600),
            "{umask:o}"
        );
    }
}

#[test]
fn a_file_others_can_reach_is_refused() {
    let (_folder, path) = folder();
    with_newsroom().save(&path).unwrap();
    for mode in [0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o644, 0o666] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let error = KeyFile::load(&path).unwrap_err();
        assert!(matches!(error, KeyFileError::TooOpen { .. }), "{mode:o}");
        let text = error.to_string();
        assert!(
            text.contains(&format!("permessi 0{mode:o}"))
                && text.contains(&format!("«chmod 600 {}»", path.display())),
            "{text}"
        );
        assert!(matches!(
            KeyFile::load_or_create(&path),
            Err(KeyFileError::TooOpen { .. })
        ));
    }
    for mode in [0o600, 0o400] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        KeyFile::load(&path).unwrap();
    }
}

#[test]
fn links_folders_and_pipes_are_refused() {
    let (folder, path) = folder();
    let target = folder.path().join("vero.key");
    with_newsroom().save(&target).unwrap();
    symlink(&target, &path).unwrap();
    assert!(matches!(
        KeyFile::load(&path),
        Err(KeyFileError::NotAFile { .. })
    ));
    assert!(matches!(
        KeyFile::load_or_create(&path),
        Err(KeyFileError::NotAFile { .. })
    ));
    fs::remove_file(&path).unwrap();
    symlink(folder.path().join("nulla"), &path).unwrap();
    assert!(matches!(
        KeyFile::load_or_create(&path),
        Err(KeyFileError::NotAFile { .. })
    ));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(
        KeyFile::load(&path),
        Err(KeyFileError::NotAFile { .. })
    ));
    assert!(matches!(
        with_newsroom().save(&path),
        Err(KeyFileError::Io { .. })
    ));
    fs::remove_dir(&path).unwrap();
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        &path,
        rustix::fs::Mode::from_raw_mode(0o600),
    )
    .unwrap();
    assert!(matches!(
        KeyFile::load(&path),
        Err(KeyFileError::NotAFile { .. })
    ));
    fs::remove_file(&path).unwrap();
    assert_eq!(names(&folder), ["vero.key"]);
}

#[test]
fn a_folder_that_is_not_there_is_an_error_with_its_cause() {
    let (folder, _) = folder();
    let path = folder.path().join("manca").join("segnalazioni.key");
    let error = KeyFile::load_or_create(&path).unwrap_err();
    let source = std::error::Error::source(&error)
        .unwrap()
        .downcast_ref::<io::Error>()
        .unwrap();
    assert_eq!(source.kind(), io::ErrorKind::NotFound);
    assert!(matches!(
        with_newsroom().save(Path::new("/")),
        Err(KeyFileError::Io { .. })
    ));
}

#[test]
fn the_old_content_is_overwritten() {
    let (_folder, path) = folder();
    with_newsroom().save(&path).unwrap();
    let mut old = fs::File::open(&path).unwrap();
    KeyFile::generate().unwrap().save(&path).unwrap();
    let mut content = Vec::new();
    old.rewind().unwrap();
    old.read_to_end(&mut content).unwrap();
    assert!(content.len() > PINNED.len());
    assert!(content.iter().all(|byte| *byte == 0));
}

#[test]
fn what_cannot_be_overwritten_is_reported_and_not_destroyed() {
    let (folder, path) = folder();
    let old = with_newsroom();
    old.save(&path).unwrap();
    let copy = folder.path().join("copia.key");
    fs::hard_link(&path, &copy).unwrap();
    let new = KeyFile::generate().unwrap();
    assert!(matches!(
        new.save(&path),
        Err(KeyFileError::NotWiped { .. })
    ));
    assert!(same(&KeyFile::load(&path).unwrap(), &new));
    assert!(same(&KeyFile::load(&copy).unwrap(), &old));
}

#[test]
fn saving_sweeps_up_what_a_crash_left() {
    let (folder, path) = folder();
    let left = folder.path().join(".segnalazioni.key.0123456789abcdef.tmp");
    put(&left, PINNED);
    put(&folder.path().join("altro.tmp"), "resta");
    let mut open = fs::File::open(&left).unwrap();
    with_newsroom().save(&path).unwrap();
    let mut kept = names(&folder);
    kept.sort();
    assert_eq!(kept, ["altro.tmp", "segnalazioni.key"]);
    let mut content = Vec::new();
    open.read_to_end(&mut content).unwrap();
    assert_eq!(content, vec![0; PINNED.len()]);
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
        ("# solo un commento\n".to_owned(), 2),
        ("segnalazioni\n".to_owned(), 1),
        (format!("segnalazioni-key\n{operational}\n"), 1),
        (format!("{operational}\n"), 1),
        (format!("{first}\n"), 2),
        (format!("{first}\n{newsroom}\n"), 3),
        (
            format!("{first}\n\n# due\n{operational}\n{operational}\n"),
            5,
        ),
        (
            format!("{first}\n{operational}\n{newsroom}\n{newsroom}\n"),
            4,
        ),
        (format!("{first}\n{operational}\naltro\n"), 3),
        (format!("{first}\n{operational} \n"), 2),
        (format!("{first}\n {operational}\n"), 2),
        (
            format!(
                "{first}\n{}\n",
                operational.replace("operational", "newsroom")
            ),
            2,
        ),
        (
            format!(
                "{first}\n{operational}\n{}\n",
                newsroom.replace("newsroom", "operational")
            ),
            3,
        ),
        (
            format!(
                "{first}\n{operational}\n{}\n",
                &newsroom[..newsroom.len() - 1]
            ),
            3,
        ),
        ("a".repeat(MAX_LEN + 1), 1),
    ] {
        put(&path, &text);
        let error = KeyFile::load(&path).unwrap_err();
        assert!(
            matches!(error, KeyFileError::Damaged { line: l, .. } if l == line),
            "{text:?}: {error}"
        );
    }
    fs::write(&path, b"segnalazioni-key 1\n\xff\xfe\n").unwrap();
    assert!(matches!(
        KeyFile::load(&path),
        Err(KeyFileError::Damaged { .. })
    ));
}

#[test]
fn a_later_version_is_named_as_such() {
    let (_folder, path) = folder();
    put(&path, &PINNED.replacen("key 1", "key 2", 1));
    assert!(matches!(
        KeyFile::load(&path),
        Err(KeyFileError::Version { .. })
    ));
}

#[test]
fn people_may_add_comments_and_windows_line_ends() {
    let text = format!("# nota\n\n{}\n# fine", PINNED.replace('\n', "\r\n"));
    assert!(same(
        &KeyFile::parse(&text).unwrap(),
        &KeyFile::parse(PINNED).unwrap()
    ));
}

#[test]
fn neither_errors_nor_debug_quote_a_key() {
    let (_folder, path) = folder();
    let damaged = PINNED.replace("bc75", "bc76");
    put(&path, &damaged);
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
    const OTHERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_ #\n";
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
