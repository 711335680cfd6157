//! The executable: parse, dispatch, exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    segnalazioni::cli::main()
}
