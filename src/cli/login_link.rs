//! `segnalazioni login-link`: a link for one login from a browser that is not known yet, for when a flood of guesses shuts those
//! out. Must never let a person in without the password, nor leave the token anywhere but on the operator's terminal.

use anyhow::{Context, Result, ensure};
use clap::Args;

use super::{CommonFlags, leave_upgrade_to_server, load, say};
use crate::actions::Act;
use crate::actions::access::login_limit::issue_link;
use crate::backup::open;
use crate::clock::Clock;
use crate::domain::person;
use crate::http::{BASE, LINK, new_cookie};
use crate::newsroom::Newsroom;
use crate::store::{Holder, holder};
use crate::vault::{KeyFile, Secret32};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: CommonFlags,
    /// Per chi accede con un nome utente [predefinito: la password della redazione]
    #[arg(long, value_name = "NOME")]
    user: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let config = load(&arguments.common)?;
    let now = Clock::System.now_ms();
    ensure!(
        KeyFile::find(&config.key_file)?.is_some(),
        "il file delle chiavi {} non c'è: un link vale solo con quello del server",
        config.key_file.display()
    );
    leave_upgrade_to_server(&config)?;
    let Newsroom { store, vault } = open::open(&config, now, Box::new(|| ()))?;
    ensure!(
        store.read(|snapshot| snapshot.credential())?.is_some(),
        "la password non è ancora stata impostata"
    );
    let account = match arguments.user.as_deref().map(person::user) {
        None => String::new(),
        Some(user) => {
            let found = store.read(move |snapshot| snapshot.person_of(&user))?;
            found.context("non c'è nessuno con questo nome utente")?.id
        }
    };
    let (token, hash) = new_cookie(&vault, LINK, Secret32::random()?.expose());
    store.write(move |tx| issue_link(&Act::unattended(tx, &vault, now), &hash, &account))?;
    let origin = match holder(&config.data_dir)? {
        Holder::Server(served) => served.origin,
        Holder::Free | Holder::Other => config.origin(config.listen),
    };
    say(&format!("{origin}{BASE}/login#{token}"))?;
    say("Vale per un accesso entro 30 minuti, con la password.")
}
