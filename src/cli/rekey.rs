//! `segnalazioni rekey`: other keys for the archive, after a theft of the key file; with the server stopped.
//! The operator knows the password before: after a crash it tells which keys are in force. Code and links are printed once they
//! count; where a crash came between, the command is given again. Must never keep one of them anywhere but on the terminal.

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use super::reset_password::{
    PasswordSource, ask_password, is_altered, print_code, print_password, say_where_off, unlock,
};
use super::{CommonFlags, load, say};
use crate::actions::Act;
use crate::actions::access::set_password::NewPassword;
use crate::actions::archive::rekey::{ComingKeys, Rekeyed, rekey};
use crate::actions::people::roster::Invitation;
use crate::actions::settings::sections;
use crate::backup::open;
use crate::clock::Clock;
use crate::config::Config;
use crate::domain::text::counted;
use crate::http::{BASE, INVITATION, new_cookie};
use crate::newsroom::{Newsroom, exchange_keys};
use crate::store::{Error, PersonRow, database_len, lock_folder, lock_opening};
use crate::vault::{
    KeyFile, PasswordParams, RecoveryCode, Secret32, Vault, invitation_key, keypair,
};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: CommonFlags,
    #[command(flatten)]
    source: PasswordSource,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let config = load(&arguments.common)?;
    let data = &config.data_dir;
    if database_len(data)? == 0 {
        open::refuse_lost(data)?;
        bail!(Error::Missing(data.display().to_string()));
    }
    let _alone = lock_folder(data)?;
    let now = Clock::System.now_ms();
    let newsroom = open::open(&config, now, Box::new(|| ()))?;
    ensure!(
        !is_altered(&newsroom)?,
        "l'archivio è stato modificato fuori dal programma: prima «segnalazioni reset-password», che lo prende com'è"
    );
    let system = newsroom.store.read(sections::load)?;
    let (password, code) = ask_password(&arguments.source, &system, &[])?;
    unlock(&newsroom, &config, code, false)?;
    let _opening = lock_opening(data)?;
    let (file, vault) = new_keys(&newsroom)?;
    let people = newsroom.store.read(|snapshot| snapshot.people())?;
    let people = people.into_iter().filter(|row| row.gone.is_none());
    let (links, invitations): (Vec<_>, Vec<_>) = people
        .map(|row| invite(&config, &vault, &row))
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .unzip();
    let coming = ComingKeys {
        password: NewPassword::derive(&password, PasswordParams::default())?,
        code: RecoveryCode::generate()?,
        vault,
        invitations,
    };
    print_password(&arguments.source, &password)?;
    let Newsroom { store, vault } = newsroom;
    let exchanged = exchange_keys(&store, &config, file, move |tx| {
        let done = rekey(&Act::unattended(tx, &vault, now), &coming)?;
        Ok((done, coming.code))
    });
    let ((done, code), left) = exchanged.context(NOT_DONE)?;
    print_outcome(&done, &code, &links).context(NOT_SHOWN)?;
    left.context(NOT_LEFT)
}

/// The keys to come: their file, and their vault, unlocked.
fn new_keys(newsroom: &Newsroom) -> Result<(KeyFile, Vault)> {
    let pair = newsroom.store.read(|snapshot| snapshot.active_key_pair())?;
    let pair = pair.context("questo archivio non ha una chiave")?;
    let (private, public) = keypair::generate()?;
    let mut file = KeyFile::generate()?;
    file.newsroom = (!pair.sealed).then(|| private.clone());
    let vault = Vault::new(&file, public)?;
    vault.unlock(private)?;
    Ok((file, vault))
}

/// What is printed of an invitation, and what is stored of it with the person's id.
fn invite(
    config: &Config,
    vault: &Vault,
    row: &PersonRow,
) -> Result<(String, (String, Invitation))> {
    let (token, token_hash) = new_cookie(vault, INVITATION, Secret32::random()?.expose());
    let slot_key = invitation_key(&token)?;
    let origin = config.origin(config.listen);
    let line = format!("{} ({}): {origin}{BASE}/invito#{token}", row.name, row.user);
    let invitation = Invitation {
        token_hash,
        slot_key,
    };
    Ok((line, (row.id.clone(), invitation)))
}

fn print_links(links: &[String]) -> Result<()> {
    if !links.is_empty() {
        say("Ogni persona sceglie di nuovo la password, entro 72 ore, con il suo link:")?;
    }
    links.iter().try_for_each(|line| say(line))
}

const LEFT: &str = "Le chiavi sono nuove: il file delle chiavi di prima non apre nulla di ciò che è nell'archivio da adesso. Chi lo ha preso \
                    legge ancora le copie che ha già: archivio, backup e riserva di allora; e chi ha preso anche quelle legge i \
                    messaggi futuri di chi ha un codice di allora.";
const DO: &str = "Da fare adesso: cambiare la password di posta e la chiave del webhook, che con quel file si leggevano; fare un backup, \
                  perché quelli di prima si aprono solo con le password e il codice di recupero di allora; portare il file delle chiavi \
                  sulla macchina di riserva.";

const NOT_DONE: &str = "le chiavi non sono cambiate: vale tutto quello di prima";
const NOT_SHOWN: &str = "le chiavi sono nuove e vale la nuova password, ma codice di recupero e link non si sono potuti mostrare: ripetere \
                         «segnalazioni rekey», in modalità sigillata dopo averla tolta nel pannello";
const NOT_LEFT: &str = "le chiavi sono nuove, ma nel file delle chiavi ci sono ancora quelle di prima, che il prossimo avvio toglie";

fn print_outcome(done: &Rekeyed, code: &RecoveryCode, links: &[String]) -> Result<()> {
    print_code(code)?;
    print_links(links)?;
    say_where_off(done.was_off)?;
    if done.passkeys > 0 {
        say(
            "Le passkey restano, e per ora non aprono le segnalazioni sigillate: dopo aver scelto la password, ognuno apre \
             l'archivio una volta con quella e accede di nuovo con la passkey.",
        )?;
    }
    if done.unreadable > 0 {
        let hours = counted(done.unreadable, "ora", "ore");
        say(&format!(
            "Le segnalazioni di {hours} non si aprivano già prima: restano illeggibili."
        ))?;
    }
    say(LEFT)?;
    say(DO)
}
