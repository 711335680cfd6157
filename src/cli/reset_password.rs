//! `segnalazioni reset-password`: sets a new password from the server's own command line, whether the server runs or not.
//! Must never take the password as an argument, nor print one that it did not make up itself.

use std::io::{BufRead, IsTerminal, Read};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;

use super::{CommonFlags, leave_upgrade_to_server, load, reports, say};
use crate::actions::access::set_password::{self, NewPassword};
use crate::actions::archive::authenticity::{fits, take_over};
use crate::actions::archive::seal_archive::open_with_code;
use crate::actions::people::roster::reset;
use crate::actions::settings::sections::{self, clear_allowed_ips};
use crate::actions::{Act, Error};
use crate::backup::begin_anew;
use crate::backup::open;
use crate::clock::Clock;
use crate::config::Config;
use crate::domain::person;
use crate::domain::settings::System;
use crate::newsroom::Newsroom;
use crate::store::{self, PersonRow, lock_opening, look};
use crate::vault::{KeyFile, PasswordParams, RecoveryCode, Secret32};

/// Longest standard input that is read, in bytes: a password and a recovery code.
const STDIN_BYTES: u64 = 8 * 1024;
/// Some editors put it before the first line.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// Letters of a generated password: no two of them look alike. 32 letters carry 5 bits each.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// Letters in a group of a generated password, and groups: 25 letters, 125 bits.
const GROUP: usize = 5;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: CommonFlags,
    #[command(flatten)]
    source: PasswordSource,
    /// Ricomincia con un archivio vuoto e mette da parte quello di prima, che resta sigillato: quando la modalità sigillata è
    /// attiva e si sono persi password e codice di recupero. A server fermo
    #[arg(long)]
    abandon: bool,
    /// Toglie anche l'elenco degli indirizzi ammessi, se ha chiuso fuori tutti
    #[arg(long)]
    clear_allowed_ips: bool,
    /// La password di una persona, di cui toglie anche il secondo fattore e le passkey [predefinita: quella della redazione]
    #[arg(long, value_name = "NOME", conflicts_with = "abandon")]
    user: Option<String>,
}

/// How the password is given; without either it is asked for on the terminal.
#[derive(Debug, Args)]
pub(super) struct PasswordSource {
    /// Legge la password dallo standard input (prima riga; sulla seconda il codice di recupero, se serve)
    #[arg(long, conflicts_with = "generate")]
    stdin: bool,
    /// Inventa una password e la mostra
    #[arg(long)]
    generate: bool,
}

type TypedSecrets = (String, Option<String>);

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let config = load(&arguments.common)?;
    let now = Clock::System.now_ms();
    if arguments.abandon {
        return abandon(arguments, &config, now);
    }
    leave_upgrade_to_server(&config)?;
    let (newsroom, _) = open::open_even_altered(&config, now, Box::new(|| ()))?;
    let altered = is_altered(&newsroom)?;
    refuse_foreign_keys(&newsroom)?;
    let person = person(arguments, &newsroom, altered)?;
    let system = match newsroom.store.read(sections::load) {
        read if altered => or_default(read)?,
        read => read?,
    };
    let own = person.as_ref().map(|row| [row.name.as_str(), &row.user]);
    let own = own.as_ref().map_or(&[][..], |own| own);
    let (password, typed) = ask_password(&arguments.source, &system, own)?;
    let copied = newsroom.vault.is_unlocked();
    unlock(&newsroom, &config, typed, altered)?;
    let lift = arguments.clear_allowed_ips;
    if let Some(row) = person {
        print_password(&arguments.source, &password)?;
        let passkeys = save(newsroom, now, &password, move |act, password| {
            if lift {
                clear_allowed_ips(act)?;
            }
            reset(act, &row.id, password)
        })?;
        return say_of_passkeys(passkeys);
    }
    let credential = newsroom.store.read(|snapshot| snapshot.credential())?;
    // A first set-up, or a code that may not open anything any more.
    let new_code = credential.is_none() || (altered && copied);
    let code = new_code.then(RecoveryCode::generate).transpose()?;
    // Shown before they count: what could not be shown must not be what opens the reports.
    print_password(&arguments.source, &password)?;
    code.as_ref().map_or(Ok(()), print_code)?;
    let was_off = save(newsroom, now, &password, move |act, password| {
        save_shared(act, password, code.as_ref(), lift, altered)
    })?;
    print_notes(altered, was_off)
}

pub(super) fn is_altered(newsroom: &Newsroom) -> Result<bool> {
    let stamp = newsroom.vault.stamp().clone();
    let own = newsroom.store.read(move |snapshot| fits(snapshot, &stamp));
    Ok(!own?)
}

/// A key file that opens no report, as one from before `rekey`, must not take the place of the keys that do.
fn refuse_foreign_keys(newsroom: &Newsroom) -> Result<()> {
    let pair = newsroom.vault.key_id();
    let foreign = newsroom
        .store
        .read(move |snapshot| snapshot.is_sealed_for_others(&pair))?;
    ensure!(
        !foreign,
        "il file delle chiavi non apre nessuna segnalazione: è di un altro archivio, o di prima di «segnalazioni rekey». Rimettere \
         quello giusto; se non c'è più, togliere questo e ripetere il comando con il codice di recupero (--stdin, seconda riga)"
    );
    Ok(())
}

fn print_notes(altered: bool, was_off: bool) -> Result<()> {
    if altered {
        say(
            "L'archivio era stato modificato fuori dal programma. Email e webhook restano fermi finché una persona, nel \
             pannello, conferma dove vanno: controllare prima le impostazioni. Chi accede con un nome utente va invitato di nuovo.",
        )?;
    }
    say_where_off(was_off)
}

fn say_of_passkeys(removed: usize) -> Result<()> {
    match removed {
        0 => Ok(()),
        1 => say("La sua passkey è stata tolta: con quella non si entra più."),
        n => say(&format!(
            "Le sue {n} passkey sono state tolte: con quelle non si entra più."
        )),
    }
}

pub(super) fn say_where_off(was_off: bool) -> Result<()> {
    if was_off {
        say("La password della redazione era disattivata: ora è di nuovo attiva.")?;
    }
    Ok(())
}

/// Whose password it is; `None` for the newsroom's.
fn person(arguments: &Arguments, newsroom: &Newsroom, altered: bool) -> Result<Option<PersonRow>> {
    let Some(user) = arguments.user.as_deref().map(person::user) else {
        return Ok(None);
    };
    ensure!(
        !altered,
        "l'archivio è stato modificato fuori dal programma: eseguire prima «segnalazioni reset-password» senza --user"
    );
    let found = newsroom
        .store
        .read(move |snapshot| snapshot.person_of(&user))?;
    Ok(Some(
        found.context("non c'è nessuno con questo nome utente")?,
    ))
}

/// Settings that cannot be read return to their defaults when the password is saved.
fn or_default(read: Result<System, Error>) -> Result<System> {
    match read {
        Err(Error::Store(store::Error::Damaged(_))) => Ok(System::default()),
        read => Ok(read?),
    }
}

pub(super) fn ask_password(
    source: &PasswordSource,
    system: &System,
    own: &[&str],
) -> Result<TypedSecrets> {
    let given = if source.generate {
        (generate()?, None)
    } else if source.stdin {
        read_stdin()?
    } else {
        (read_terminal()?, None)
    };
    match set_password::check("password", &given.0, system, own) {
        Ok(()) => Ok(given),
        Err(refused) => bail!("{}", refused.message),
    }
}

fn read_terminal() -> Result<String> {
    ensure!(
        std::io::stdin().is_terminal(),
        "nessun terminale per chiedere la password: usare --stdin o --generate"
    );
    let password = rpassword::prompt_password("Nuova password: ")?;
    let again = rpassword::prompt_password("Ripeti la password: ")?;
    ensure!(password == again, "le due password sono diverse");
    Ok(password)
}

fn read_stdin() -> Result<TypedSecrets> {
    let mut lines = std::io::stdin().lock().take(STDIN_BYTES).lines();
    let mut line = || {
        let line = lines.next().transpose();
        line.map_err(|_| anyhow!("lo standard input non è testo UTF-8"))
    };
    let password = line()?.context("lo standard input è vuoto: la password va sulla prima riga")?;
    let password = password.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&password);
    Ok((password.to_owned(), line()?))
}

fn generate() -> Result<String> {
    let random = Secret32::random()?;
    let letters = |group: &[u8]| {
        let letters = group.iter().map(|byte| LETTERS[usize::from(byte % 32)]);
        letters.map(char::from).collect::<String>()
    };
    let groups: Vec<String> = random.expose().chunks_exact(GROUP).map(letters).collect();
    Ok(groups[..GROUP].join("-"))
}

/// Brings the private key, which every new password must open: from the key file, else from the recovery code. A key file that
/// lost its copy gets it back, unless the archive is sealed by choice or altered.
pub(super) fn unlock(
    newsroom: &Newsroom,
    config: &Config,
    code: Option<String>,
    altered: bool,
) -> Result<()> {
    if newsroom.vault.is_unlocked() {
        return Ok(());
    }
    let code = match code {
        Some(code) => code,
        None if std::io::stdin().is_terminal() => {
            rpassword::prompt_password("Codice di recupero: ")?
        }
        None => bail!(
            "il file delle chiavi non ha la chiave della redazione: serve il codice di recupero (--stdin, seconda riga)"
        ),
    };
    let code = RecoveryCode::parse(&code)?;
    let pair = newsroom.store.read(|snapshot| snapshot.active_key_pair())?;
    let pair = pair.context("questo archivio non ha una chiave")?;
    let vault = Arc::clone(&newsroom.vault);
    let private = newsroom
        .store
        .read(move |snapshot| open_with_code(snapshot, &vault, &code))?;
    newsroom.vault.unlock(private.clone())?;
    if !pair.sealed && !altered {
        let _alone = lock_opening(&config.data_dir)?;
        KeyFile::restore_copy(&config.key_file, &config.data_dir, private)?;
    }
    Ok(())
}

/// Puts the archive aside that no key opens any more, and begins anew with other keys.
fn abandon(arguments: &Arguments, config: &Config, now: i64) -> Result<()> {
    let closed = begin_anew::take(config)?;
    let system = look(&config.data_dir, sections::load).map(Option::unwrap_or_default);
    let system = or_default(system)?;
    let (password, _) = ask_password(&arguments.source, &system, &[])?;
    let code = RecoveryCode::generate()?;
    print_password(&arguments.source, &password)?;
    print_code(&code)?;
    let password = NewPassword::derive(&password, PasswordParams::default())?;
    let lift = arguments.clear_allowed_ips;
    let aside = begin_anew::begin_anew(config, &closed, now, password, code, lift)?;
    if closed.present.sealed {
        say(
            "La modalità sigillata ora è disattivata: il file delle chiavi apre le segnalazioni nuove. Si riattiva nel pannello.",
        )?;
    }
    let (count, aside) = (reports(closed.present.reports), aside.display());
    say(&format!(
        "L'archivio di prima ({count}) è in {aside}. Se si ritrova il codice di recupero, «segnalazioni restore --force \
         {aside}» lo rimette al suo posto. Le password di posta e webhook vanno inserite di nuovo."
    ))
}

fn save<T: Send + 'static>(
    newsroom: Newsroom,
    now: i64,
    password: &str,
    work: impl FnOnce(&Act<'_>, &NewPassword) -> Result<T, Error> + Send + 'static,
) -> Result<T> {
    let Newsroom { store, vault } = newsroom;
    let password = NewPassword::derive(password, PasswordParams::default())?;
    Ok(store.write(move |tx| work(&Act::unattended(tx, &vault, now), &password))?)
}

/// Answers whether the newsroom's password was switched off.
fn save_shared(
    act: &Act<'_>,
    password: &NewPassword,
    code: Option<&RecoveryCode>,
    clear_allow_list: bool,
    altered: bool,
) -> Result<bool, Error> {
    if altered {
        take_over(act)?;
        sections::clear_unreadable(act)?;
    }
    if clear_allow_list {
        clear_allowed_ips(act)?;
    }
    match code {
        Some(code) if !altered => set_password::set_up(act, password, code).map(|()| false),
        Some(code) => {
            set_password::put_code(act, code)?;
            set_password::replace(act, password)
        }
        None => set_password::replace(act, password),
    }
}

/// Shows a password that was made up.
pub(super) fn print_password(source: &PasswordSource, password: &str) -> Result<()> {
    if source.generate {
        say(&format!("Password: {password}"))?;
    }
    Ok(())
}

pub(super) fn print_code(code: &RecoveryCode) -> Result<()> {
    say(&format!("Codice di recupero: {code}"))?;
    say(
        "Conservalo lontano dal server: riapre le segnalazioni se si perdono la password e il file delle chiavi. Non verrà mostrato di nuovo.",
    )
}
