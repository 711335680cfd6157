//! The house rules that a compiler does not check: which way imports go, who may name which library, who may ask for the
//! time, and that every file says what it is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which of our modules each module may name besides itself (the map in `lib.rs`, from the bottom up).
const MAY_NAME: [(&str, &[&str]); 21] = [
    ("domain", &[]),
    ("clock", &[]),
    ("metrics", &[]),
    ("supervisor", &[]),
    ("vault", &["domain"]),
    ("store", &["domain"]),
    ("config", &["clock"]),
    ("tls", &["config"]),
    ("telemetry", &["config"]),
    ("actions", &["domain", "store", "vault"]),
    ("search", &["actions", "domain", "store", "vault"]),
    ("learning", &["actions", "domain", "store", "vault"]),
    (
        "courier",
        &["actions", "clock", "domain", "metrics", "store", "vault"],
    ),
    ("keeper", &["actions", "store", "vault"]),
    ("newsroom", &["actions", "config", "store", "vault"]),
    (
        "backup",
        &[
            "actions", "clock", "config", "domain", "newsroom", "store", "vault",
        ],
    ),
    (
        "doctor",
        &[
            "actions", "backup", "config", "courier", "domain", "store", "tls", "vault",
        ],
    ),
    ("demo", &["actions", "domain", "newsroom", "store", "vault"]),
    (
        "http",
        &[
            "actions", "backup", "clock", "courier", "demo", "doctor", "domain", "learning",
            "metrics", "search", "store", "tls", "vault",
        ],
    ),
    (
        "app",
        &[
            "backup",
            "clock",
            "config",
            "courier",
            "demo",
            "doctor",
            "http",
            "keeper",
            "learning",
            "metrics",
            "newsroom",
            "search",
            "store",
            "supervisor",
            "tls",
            "vault",
        ],
    ),
    (
        "cli",
        &[
            "actions",
            "app",
            "backup",
            "clock",
            "config",
            "doctor",
            "domain",
            "newsroom",
            "store",
            "telemetry",
            "tls",
            "vault",
        ],
    ),
];

/// Libraries that only these modules may name.
const ONLY: [(&str, &[&str]); 28] = [
    ("rusqlite", &["store"]),
    ("rusqlite_migration", &["store"]),
    ("axum", &["http"]),
    ("hyper", &["http"]),
    ("hyper_util", &["http"]),
    ("tower", &["http"]),
    ("tower_http", &["http"]),
    ("utoipa_axum", &["http"]),
    ("tokio", &["http", "app"]),
    ("zstd", &["backup"]),
    ("clap", &["cli"]),
    ("prometheus_client", &["metrics"]),
    ("rpassword", &["cli"]),
    ("sd_notify", &["supervisor"]),
    ("argon2", &["vault"]),
    ("chacha20poly1305", &["vault"]),
    ("hpke", &["vault"]),
    ("lettre", &["courier"]),
    ("ureq", &["courier"]),
    ("askama", &["courier"]),
    ("rustls", &["courier", "tls"]),
    ("tokio_rustls", &["http"]),
    ("x509_parser", &["tls"]),
    ("rustls_acme", &["tls"]),
    ("futures_util", &["tls"]),
    ("async_trait", &["tls"]),
    ("rustls_native_certs", &["courier"]),
    ("rust_stemmers", &["domain"]),
];

/// Calls that ask what time it is, and the files that may.
const TIME: [(&str, &[&str]); 6] = [
    ("SystemTime", &["clock.rs"]),
    ("UNIX_EPOCH", &["clock.rs"]),
    ("Timestamp::now", &["clock.rs"]),
    ("Zoned::now", &["clock.rs"]),
    // How long a request took is no time of day.
    ("Instant::now", &["http/trace.rs"]),
    // A rest after a part of a large file waits for nobody: it leaves the disk to others.
    ("thread::sleep", &["backup/steady.rs", "store/copies.rs"]),
];

/// A file of the program: its path below `src`, and its lines without comments and tests.
struct Source {
    path: String,
    code: Vec<String>,
}

impl Source {
    /// The top module it belongs to.
    fn module(&self) -> &str {
        let first = self.path.split('/').next().expect("a part");
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// First parts of the paths that begin with `crate::`, those in braces too.
    fn named_modules(&self) -> BTreeSet<String> {
        let text = self.code.join(" ");
        let mut found = BTreeSet::new();
        for (at, prefix) in text.match_indices("crate::") {
            let rest = &text[at + prefix.len()..];
            if let Some(group) = rest.strip_prefix('{') {
                let members = group.split('}').next().unwrap_or_default().split(',');
                found.extend(members.map(first_name).filter(|name| !name.is_empty()));
            } else {
                found.insert(first_name(rest));
            }
        }
        found
    }

    /// Whether the code names this, as words of their own.
    fn names(&self, word: &str) -> bool {
        let part_of_word = |character: char| character.is_alphanumeric() || character == '_';
        self.code.iter().any(|line| {
            line.match_indices(word).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                let after = line[at + word.len()..].chars().next();
                !before.is_some_and(part_of_word) && !after.is_some_and(part_of_word)
            })
        })
    }

    /// Whether the code names this library.
    fn uses(&self, library: &str) -> bool {
        self.names(&format!("use {library}"))
            || self.code.iter().any(|line| is_path_into(line, library))
    }
}

/// Whether a line holds a path that begins with this library.
fn is_path_into(line: &str, library: &str) -> bool {
    let inside = |character: char| character.is_alphanumeric() || "_:".contains(character);
    line.match_indices(&format!("{library}::"))
        .any(|(at, _)| !line[..at].chars().next_back().is_some_and(inside))
}

fn first_name(path: &str) -> String {
    let is_name = |character: &char| character.is_alphanumeric() || *character == '_';
    path.trim().chars().take_while(is_name).collect()
}

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Reads a file; what stands behind its first `#[cfg(test)]` is no part of the program.
fn read(path: &str, text: &str) -> Source {
    let code = text
        .lines()
        .take_while(|line| line.trim() != "#[cfg(test)]")
        .map(str::trim)
        .filter(|line| !line.starts_with("//"))
        .map(str::to_owned);
    Source {
        path: path.to_owned(),
        code: code.collect(),
    }
}

/// Every file of the program that is no test.
fn sources() -> Vec<Source> {
    let mut paths = Vec::new();
    rust_files(&source_folder(), &mut paths);
    assert!(
        paths.len() > 50,
        "the program is not where it is looked for"
    );
    let below = |path: &Path| {
        let path = path.strip_prefix(source_folder()).expect("below src");
        path.to_str().expect("a text").to_owned()
    };
    paths
        .iter()
        .filter(|path| {
            !path
                .file_stem()
                .is_some_and(|stem| stem.to_string_lossy().ends_with("tests"))
        })
        .map(|path| read(&below(path), &fs::read_to_string(path).expect("readable")))
        .collect()
}

/// Everything in these files that breaks a rule.
fn offences(sources: &[Source]) -> Vec<String> {
    let rules: BTreeMap<&str, &[&str]> = MAY_NAME.into_iter().collect();
    let mut found = Vec::new();
    for source in sources {
        let (path, module) = (&source.path, source.module());
        if !matches!(module, "lib" | "main") {
            let Some(allowed) = rules.get(module) else {
                found.push(format!("{path}: the module {module} is on no map"));
                continue;
            };
            for named in source.named_modules() {
                let known =
                    named == module || named == "VERSION" || allowed.contains(&named.as_str());
                if !known {
                    found.push(format!("{path} names {named}"));
                }
            }
        }
        for (library, modules) in ONLY {
            if source.uses(library) && !modules.contains(&module) {
                found.push(format!("{path} names {library}"));
            }
        }
        for (call, files) in TIME {
            if source.names(call) && !files.contains(&path.as_str()) {
                found.push(format!("{path} calls {call}"));
            }
        }
    }
    found
}

#[test]
fn imports_go_one_way_and_each_library_has_its_room() {
    assert_eq!(offences(&sources()), Vec::<String>::new());
}

#[test]
fn the_map_has_no_circle() {
    let mut below: BTreeSet<&str> = BTreeSet::new();
    for (module, may_name) in MAY_NAME {
        let known = may_name.iter().all(|name| below.contains(name));
        assert!(known, "{module} names what stands above it");
        below.insert(module);
    }
}

#[test]
fn the_rules_see_what_breaks_them() {
    for (path, text, offence) in [
        (
            "domain/report.rs",
            "use crate::store::Store;",
            "domain/report.rs names store",
        ),
        (
            "domain/report.rs",
            "use crate::{\n    domain, vault::{Vault},\n};",
            "domain/report.rs names vault",
        ),
        (
            "actions/x.rs",
            "fn f() { crate::http::state::f() }",
            "actions/x.rs names http",
        ),
        (
            "http/x.rs",
            "use rusqlite::Connection;",
            "http/x.rs names rusqlite",
        ),
        (
            "actions/x.rs",
            "async fn f() { tokio::time::sleep(x).await }",
            "actions/x.rs names tokio",
        ),
        (
            "domain/x.rs",
            "let now = Timestamp::now();",
            "domain/x.rs calls Timestamp::now",
        ),
        (
            "store/x.rs",
            "use std::time::SystemTime;",
            "store/x.rs calls SystemTime",
        ),
        (
            "models/x.rs",
            "",
            "models/x.rs: the module models is on no map",
        ),
    ] {
        assert_eq!(offences(&[read(path, text)]), [offence], "{text}");
    }
    for text in [
        "// use rusqlite::Connection;",
        "/// As `tokio::time::sleep` does.",
        "#[cfg(test)]\nuse rusqlite::Connection;",
        "let axumlike = my_tokio::f();",
    ] {
        assert_eq!(
            offences(&[read("domain/x.rs", text)]),
            Vec::<String>::new(),
            "{text}"
        );
    }
}

#[test]
fn every_file_says_what_it_is() {
    let mut paths = Vec::new();
    rust_files(&source_folder(), &mut paths);
    rust_files(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"),
        &mut paths,
    );
    for path in paths {
        let text = fs::read_to_string(&path).expect("readable");
        assert!(
            text.starts_with("//! "),
            "{} does not say what it is",
            path.display()
        );
    }
}

#[test]
fn no_file_of_the_program_is_longer_than_five_hundred_lines() {
    let mut paths = Vec::new();
    rust_files(&source_folder(), &mut paths);
    for path in paths {
        let lines = fs::read_to_string(&path).expect("readable").lines().count();
        assert!(lines <= 500, "{} has {lines} lines", path.display());
    }
}
