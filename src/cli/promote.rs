//! `segnalazioni promote`: on a standby, makes the replica that was restored the archive that is served from now on.

use anyhow::Result;
use clap::Args;

use super::{CommonFlags, load, reports, say};
use crate::backup::attachments::describe_missing;
use crate::backup::replica::promote;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: CommonFlags,
}

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let promoted = promote(&load(&arguments.common)?)?;
    let (count, generation) = (reports(promoted.found.reports()), promoted.generation);
    say(&format!(
        "L'archivio è pronto: {count}, generazione {generation}. La macchina di prima non partirà più quando il deposito conosce \
         questa generazione."
    ))?;
    match promoted.attachments_missing {
        0 => Ok(()),
        missing => say(&describe_missing(missing)),
    }
}
