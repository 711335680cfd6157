//! Manual pages and completions: made of the command line itself, checked in, and equal to it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

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
