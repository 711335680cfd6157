//! The command line: one file a subcommand. Silent on success unless asked, one clear line on failure (PRODUCT.md §15).
//! Must never take a secret as an argument: the process list shows those to everybody.

mod backup;
mod doctor;
mod login_link;
mod promote;
mod rekey;
mod reset_password;
mod restore;
mod serve;
mod status;
mod verify;
mod wrong;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{ArgAction, CommandFactory, Parser, Subcommand};
use jiff::Timestamp;

use crate::config::{CommonFlags, Config, Flags};
use crate::domain::calendar::shown;
use crate::domain::system_error::in_italian;
use crate::domain::text::counted;
use crate::store::{Error, Holder, holder, upgrade_of};
use crate::telemetry;

const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (",
    env!("BUILD_COMMIT"),
    ", ",
    env!("BUILD_DATE"),
    ")"
);

const HELP: &str = "{about-with-newline}\nUso: {usage}\n\n{all-args}{after-help}";

/// Riceve segnalazioni dal pubblico in una chat e le fa lavorare alla redazione in un pannello
#[derive(Debug, Parser)]
#[command(
    name = "segnalazioni",
    version,
    long_version = LONG_VERSION,
    help_template = HELP,
    override_usage = "segnalazioni <COMANDO> [OPZIONI]",
    subcommand_help_heading = "Comandi",
    next_help_heading = "Opzioni",
    disable_help_subcommand = true,
    disable_help_flag = true,
    disable_version_flag = true,
    after_help = "L'aiuto di un comando: segnalazioni help <COMANDO>\n\
                  Ogni impostazione si può dare anche in config.toml o in una variabile SEGNALAZIONI_*: \
                  vedi config.example.toml."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Mostra questo aiuto
    #[arg(short, long, action = ArgAction::Help, global = true)]
    help: Option<bool>,
    /// Mostra la versione
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Avvia il server: la chat per il pubblico e il pannello per la redazione
    #[command(help_template = HELP, override_usage = "segnalazioni serve [OPZIONI]", next_help_heading = "Opzioni")]
    Serve(serve::Arguments),
    /// Dice in una schermata come sta l'installazione: server, segnalazioni di oggi, consegne, backup, certificato, spazio
    #[command(help_template = HELP, override_usage = "segnalazioni status [OPZIONI]", next_help_heading = "Opzioni")]
    Status(doctor::Arguments),
    /// Imposta una nuova password del pannello, anche a server acceso o su una cartella vuota
    #[command(help_template = HELP, override_usage = "segnalazioni reset-password [OPZIONI]", next_help_heading = "Opzioni")]
    ResetPassword(reset_password::Arguments),
    /// Fa un link per un accesso da un browser nuovo, quando troppi tentativi altrui bloccano il login
    #[command(help_template = HELP, override_usage = "segnalazioni login-link [OPZIONI]", next_help_heading = "Opzioni")]
    LoginLink(login_link::Arguments),
    /// Salva una copia dell'archivio, anche a server acceso
    #[command(help_template = HELP, override_usage = "segnalazioni backup [OPZIONI]", next_help_heading = "Opzioni")]
    Backup(backup::Arguments),
    /// Rimette l'archivio di un backup al posto di quello presente, che viene conservato; a server fermo
    #[command(help_template = HELP, override_usage = "segnalazioni restore [OPZIONI] <FILE>", next_help_heading = "Opzioni")]
    Restore(restore::Arguments),
    /// Controlla un backup da cima a fondo, senza toccare nulla
    #[command(help_template = HELP, override_usage = "segnalazioni verify [OPZIONI] <FILE>", next_help_heading = "Opzioni")]
    Verify(verify::Arguments),
    /// Fa della copia arrivata su questa macchina di riserva l'archivio da servire; quella di prima poi non parte più
    #[command(help_template = HELP, override_usage = "segnalazioni promote [OPZIONI]", next_help_heading = "Opzioni")]
    Promote(promote::Arguments),
    /// Sostituisce tutte le chiavi dell'archivio, dopo un furto del file delle chiavi; a server fermo
    #[command(help_template = HELP, override_usage = "segnalazioni rekey [OPZIONI]", next_help_heading = "Opzioni")]
    Rekey(rekey::Arguments),
    /// Controlla l'installazione: permessi, archivio, chiavi, spazio, orologio, posta, webhook, certificato, backup
    #[command(help_template = HELP, override_usage = "segnalazioni doctor [OPZIONI]", next_help_heading = "Opzioni")]
    Doctor(doctor::Arguments),
}

/// The command line as data: what manual pages and completions are made of.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program; the exit code is 0 on success, 1 on failure, 2 for a wrong command line.
pub fn main() -> ExitCode {
    // Whatever is created belongs to its owner alone.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    if let Err(error) = keep_memory_private() {
        complain(&format!("la memoria del processo non è protetta: {error}"));
    }
    let given = match Cli::try_parse_from(asked()) {
        Ok(given) => given,
        Err(error) => return wrong::answer(&error),
    };
    let done = match given.command {
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::ResetPassword(arguments) => reset_password::run(&arguments),
        Command::LoginLink(arguments) => login_link::run(&arguments),
        Command::Backup(arguments) => backup::run(&arguments),
        Command::Restore(arguments) => restore::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Promote(arguments) => promote::run(&arguments),
        Command::Rekey(arguments) => rekey::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line, with the causes behind it.
            complain(&format!("{error:#}").replace(['\n', '\r'], " "));
            ExitCode::FAILURE
        }
    }
}

/// A server of the version before would go on in an archive that it does not know.
fn leave_upgrade_to_server(config: &Config) -> Result<()> {
    let held = |folder| Ok::<_, Error>(!matches!(holder(folder)?, Holder::Free));
    ensure!(
        upgrade_of(&config.data_dir).is_none() || !held(&config.data_dir)?,
        "l'archivio è di una versione precedente e un server lo sta usando: riavviare prima il server"
    );
    Ok(())
}

/// Keys and reports are in memory: no core is dumped, and no other process of the same user may read it (ASVS 13.2.2).
fn keep_memory_private() -> rustix::io::Result<()> {
    use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)
}

/// The command line; `help` and `help COMMAND` as everybody tries them.
fn asked() -> Vec<OsString> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("--help".into());
    }
    words
}

fn complain(text: &str) {
    telemetry::complain(&format!("segnalazioni: {}", in_italian(text)));
}

fn load(common: &CommonFlags) -> Result<Config> {
    let common = common.clone();
    load_with(&Flags {
        common,
        ..Flags::default()
    })
}

fn load_with(flags: &Flags) -> Result<Config> {
    // A working folder that was removed, or lies outside of a container, has no name; where all paths are whole none is needed.
    let here = std::env::current_dir().unwrap_or_else(|_| ".".into());
    Config::load(flags, std::env::vars_os(), &here)
}

/// ' del 20/01/2025 11:00', in the newsroom's time zone; nothing where the moment is not known.
fn made_on(at: Option<Timestamp>, config: &Config) -> String {
    at.map_or_else(String::new, |at| {
        format!(" del {}", shown(at, &config.time_zone))
    })
}

fn reports(count: i64) -> String {
    counted(count, "segnalazione", "segnalazioni")
}

fn say(line: &str) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{}", in_italian(line))?)
}
