//! Says in Italian what is wrong with a command line.
//! Must never repeat what may have been meant as a secret: a word that nothing asked for is not shown.

use std::error::Error as _;
use std::process::ExitCode;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::complain;

const WRONG: u8 = 2;

/// Answers a command line without a command: with the help or the version where asked for, else with what is wrong.
pub(super) fn answer(error: &Error) -> ExitCode {
    let code = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
        // No command at all: the help says which there are.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => ExitCode::from(WRONG),
        _ => {
            complain(&format!(
                "{}\nPer l'aiuto: segnalazioni --help, oppure segnalazioni <COMANDO> --help",
                describe(error)
            ));
            return ExitCode::from(WRONG);
        }
    };
    // A pipe that was closed early has read what it wanted.
    let _ = error.print();
    code
}

fn describe(error: &Error) -> String {
    let named = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let argument = named(ContextKind::InvalidArg);
    match error.kind() {
        ErrorKind::UnknownArgument if argument.starts_with('-') => {
            // The value that was glued to it is not shown.
            let option = argument.split('=').next().unwrap_or_default();
            format!("opzione sconosciuta «{option}»")
        }
        ErrorKind::UnknownArgument | ErrorKind::TooManyValues => {
            "c'è un argomento in più, che questo comando non prevede".to_owned()
        }
        ErrorKind::InvalidSubcommand => {
            let wanted = named(ContextKind::InvalidSubcommand);
            format!("comando sconosciuto «{wanted}»")
        }
        ErrorKind::InvalidValue if named(ContextKind::InvalidValue).is_empty() => {
            format!("manca il valore di «{argument}»")
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            // The message of the option's own parser.
            let reason = error.source().map(|reason| format!(": {reason}"));
            let reason = reason.unwrap_or_default();
            format!("valore non valido per «{argument}»{reason}")
        }
        ErrorKind::MissingRequiredArgument => format!("manca «{argument}»"),
        ErrorKind::ArgumentConflict => match named(ContextKind::PriorArg) {
            prior if prior.is_empty() || prior == argument => {
                format!("«{argument}» si può dare una volta sola")
            }
            prior => format!("«{argument}» non si può usare insieme a «{prior}»"),
        },
        _ => "riga di comando non valida".to_owned(),
    }
}
