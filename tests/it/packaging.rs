//! Manual pages and completions: made of the command line itself, checked in, and equal to it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap_complete::{Shell, generate};
use clap_mangen::Man;

use crate::support::executable::text;

/// Set by `make manuals`: writes what the test would compare.
const UPDATE: &str = "UPDATE_MANUALS";

/// Headings that the library knows in English only, in the language of the rest.
const HEADINGS: [(&str, &str); 4] = [
    (".SH NAME", ".SH NOME"),
    (".SH SYNOPSIS", ".SH SINTASSI"),
    (".SH DESCRIPTION", ".SH DESCRIZIONE"),
    (".SH Comandi", ".SH COMANDI"),
];

/// What every page ends with.
const CODA: &str = r#".SH FILE
.TP
\fI/etc/segnalazioni/config.toml\fR
La configurazione del pacchetto: il servizio la usa da solo, gli altri comandi con \fB\-\-config\fR. Ogni chiave vi è spiegata.
.TP
\fI/var/lib/segnalazioni\fR
La cartella dei dati del pacchetto: archivio, copie di sicurezza e file delle chiavi.
.SH AMBIENTE
.TP
\fBSEGNALAZIONI_\fR\fICHIAVE\fR
Una chiave della configurazione, in maiuscolo: \fBSEGNALAZIONI_LISTEN\fR vale più di \fIlisten\fR nel file, e meno di \fB\-\-listen\fR.
.SH "STATO D'USCITA"
0 se tutto è andato bene, 1 per un errore (una riga sullo standard error), 2 per una riga di comando sbagliata.
"#;

fn packaging() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging")
}

/// The pages of a command and of those below it, by file name.
fn pages(command: &clap::Command, found: &mut BTreeMap<String, String>) {
    for below in command.get_subcommands() {
        pages(below, found);
    }
    let page = Man::new(command.clone());
    let name = page.get_filename();
    // The library leaves out an empty date, and everything behind it moves up.
    let title = name.trim_end_matches(".1").to_uppercase();
    let mut roff = format!(".TH {title} 1 \"\" segnalazioni Segnalazioni\n").into_bytes();
    let mut parts = vec![Man::render_name_section, Man::render_synopsis_section];
    parts.extend([Man::render_description_section, Man::render_options_section]);
    if command.has_subcommands() {
        parts.push(Man::render_subcommands_section);
    }
    for part in parts {
        part(&page, &mut roff).expect("rendered");
    }
    let mut lines: Vec<&str> = text(&roff).lines().collect();
    for line in &mut lines {
        if let Some((_, ours)) = HEADINGS.iter().find(|(theirs, _)| theirs == line) {
            *line = ours;
        }
    }
    found.insert(name, lines.join("\n") + "\n" + CODA);
}

fn completion(shell: Shell) -> String {
    let mut made = Vec::new();
    generate(
        shell,
        &mut segnalazioni::testing::command(),
        "segnalazioni",
        &mut made,
    );
    text(&made).to_owned()
}

/// Everything that is made of the command line, by path below `packaging`.
fn made() -> BTreeMap<String, String> {
    let mut manuals = BTreeMap::new();
    let mut command = segnalazioni::testing::command();
    command.build();
    pages(&command, &mut manuals);
    let mut all: BTreeMap<String, String> = manuals
        .into_iter()
        .map(|(name, page)| (format!("man/{name}"), page))
        .collect();
    for (name, shell) in [
        ("segnalazioni.bash", Shell::Bash),
        ("_segnalazioni", Shell::Zsh),
        ("segnalazioni.fish", Shell::Fish),
    ] {
        all.insert(format!("completions/{name}"), completion(shell));
    }
    all
}

fn present() -> Vec<String> {
    let mut names: Vec<String> = ["completions", "man"]
        .into_iter()
        .flat_map(|folder| {
            let files = fs::read_dir(packaging().join(folder)).expect("a folder");
            files.map(move |file| {
                let name = file.expect("an entry").file_name();
                format!("{folder}/{}", name.to_string_lossy())
            })
        })
        .collect();
    names.sort();
    names
}

#[test]
fn manual_pages_and_completions_are_those_of_the_command_line() {
    let made = made();
    if std::env::var_os(UPDATE).is_some() {
        for folder in ["completions", "man"] {
            let folder = packaging().join(folder);
            if folder.exists() {
                fs::remove_dir_all(&folder).expect("removed");
            }
            fs::create_dir_all(&folder).expect("made");
        }
        for (name, content) in &made {
            fs::write(packaging().join(name), content).expect("written");
        }
    }
    assert_eq!(present(), made.keys().cloned().collect::<Vec<_>>());
    for (name, content) in made {
        let lies = fs::read_to_string(packaging().join(&name)).expect("a text");
        assert!(
            lies == content,
            "packaging/{name} is not what the command line says: run `make manuals`"
        );
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).expect(name)
}

/// The documents that the package carries.
fn packaged_documents() -> Vec<String> {
    let manifest = read("Cargo.toml");
    let assets = manifest.lines().filter_map(|line| {
        let (file, place) = line.trim().strip_prefix("[\"")?.split_once("\", \"")?;
        (file.split('.').next_back() == Some("md") && place.starts_with("usr/share/doc/"))
            .then(|| file.to_owned())
    });
    assets.collect()
}

/// How a heading is linked to.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = kept
        .chars()
        .filter(|c| c.is_alphanumeric() || " -".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Each relative link leads to a document that lies beside it, and to a heading that is there.
#[test]
fn the_documents_in_the_package_are_whole() {
    let documents = packaged_documents();
    assert_eq!(documents.len(), 4);
    let mut links = 0;
    for document in &documents {
        for link in read(document).split("](").skip(1) {
            let link = link.split_once(')').expect("its end").0;
            if link.starts_with("http") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                document.clone()
            } else {
                format!("docs/{file}")
            };
            assert!(documents.contains(&target), "{document}: {link}");
            let text = read(&target);
            let mut headings = text.lines().filter(|line| line.starts_with('#'));
            let there = heading.is_empty() || headings.any(|line| anchor(line) == heading);
            assert!(there, "{document}: {link}");
            links += 1;
        }
    }
    assert!(links > 5);
}

/// The unit of several newsrooms is the package's with other names.
#[test]
fn each_newsroom_of_several_is_served_as_the_only_one_is() {
    let settings = |name: &str| {
        let unit = read(name);
        let lines = unit.lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    let expected = settings("packaging/debian/segnalazioni.service")
        // One replica a machine.
        .replace("ExecStartPre=-/usr/lib/segnalazioni/replica check\n", "")
        .replace("ExecStartPre=-+/usr/bin/systemctl kill --kill-who=main --signal=KILL segnalazioni-replica.service\n", "")
        .replace("config.toml", "%i.toml")
        .replace("=segnalazioni\n", "=segnalazioni-%i\n")
        .replace("/var/lib/segnalazioni", "/var/lib/segnalazioni-%i")
        .replace(
            "LoadCredential=segnalazioni.key",
            "LoadCredential=segnalazioni.key:segnalazioni-%i.key",
        )
        .replace("della redazione\n", "della redazione %i\n");
    assert_eq!(settings("packaging/debian/segnalazioni@.service"), expected);
}

/// What README says to verify with, with a key of the test's own in the placeholder's stead.
#[test]
fn what_is_handed_out_is_signed_and_one_altered_byte_shows() {
    let home = tempfile::tempdir().expect("a folder");
    let (key, dist) = (home.path().join("release/key"), home.path().join("dist"));
    fs::create_dir_all(dist.join("examples")).expect("made");
    fs::write(dist.join("segnalazioni"), "program").expect("written");
    fs::write(dist.join("examples/backup.cron"), "cron").expect("written");
    let sign = || {
        let mut command = Command::new(root().join("tools/sign.sh"));
        command.arg(&dist).env("SIGNING_KEY", &key);
        let output = command.output().expect("it runs");
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout).to_owned()
    };
    let said = sign();
    assert!(said.contains("made "), "{said}");
    assert!(!sign().contains("made "), "the same key again");
    let (_, signer) = said.split_once("signed by: ").expect("a signer");
    let readme = read("README.md");
    let lines = readme.lines().filter(|line| {
        [
            "echo 'segnalazioni ssh-",
            "ssh-keygen -Y verify",
            "sha256sum --check",
        ]
        .iter()
        .any(|command| line.starts_with(command))
    });
    let commands: Vec<&str> = lines.map(|line| line.trim_end_matches(" &&")).collect();
    assert_eq!(commands.len(), 3);
    let placeholder = "segnalazioni ssh-ed25519 AAAA-the-key-of-who-releases";
    let script = commands.join(" &&\n").replace(placeholder, signer.trim());
    let verify = || {
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(&dist);
        shell.output().expect("it runs").status.success()
    };
    assert!(verify());
    for file in ["segnalazioni", "SHA256SUMS"] {
        let whole = fs::read(dist.join(file)).expect("a file");
        fs::write(dist.join(file), [&whole[..], b"\n"].concat()).expect("written");
        assert!(!verify(), "{file}");
        fs::write(dist.join(file), whole).expect("written");
    }
    assert!(verify());
}

/// Before anything is fetched, and with the sentence of README.
#[test]
fn make_serve_says_which_tools_it_lacks() {
    let few = tempfile::tempdir().expect("a folder");
    for tool in ["find", "grep", "make"] {
        let at = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(tool));
        let there = at.iter().find(|path| path.exists()).expect(tool);
        std::os::unix::fs::symlink(there, few.path().join(tool)).expect("linked");
    }
    let output = Command::new("make")
        .arg("serve")
        .current_dir(root())
        .env_clear()
        .env("PATH", few.path())
        .output()
        .expect("make");
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(
        said.starts_with("missing: cargo npm cc\nOn a Debian machine"),
        "{said}"
    );
}
