//! Build script: stamps the build, and says what to do when the interface to embed is not built.
//! Must never download anything, nor run the interface's own build.
//!
//! Stamps, for `env!`: `BUILD_COMMIT` (short hash, or `unknown`) and `BUILD_DATE` (RFC 3339, UTC). They do not begin with
//! `SEGNALAZIONI_`: cargo passes them on to the programs it runs, where that prefix is for settings.

use std::env;
use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

type Outcome<T> = Result<T, Box<dyn Error>>;

const DIST: &str = "ui/dist";
/// Says which code lies apart from the rest.
const TEXT_ORDER: &str = "packaging/text-order.ld";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={DIST}");
    if let Err(error) = find_interface()
        .and_then(|()| stamp())
        .and_then(|()| order_text())
    {
        println!("cargo::error={error}");
    }
}

fn find_interface() -> Outcome<()> {
    for name in [
        "public.html",
        "seguito.html",
        "admin.html",
        "public.css",
        "seguito.css",
        "admin.css",
        "assets",
        "openapi.json.gz",
    ] {
        let path = Path::new(DIST).join(name);
        if !path.exists() {
            let path = path.display();
            return Err(format!("{path}: the interface is not built, run `make ui`").into());
        }
    }
    Ok(())
}

fn stamp() -> Outcome<()> {
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    let commit = git(&["rev-parse", "--short=12", "HEAD"]);
    if commit.is_some() {
        watch_head();
    }
    let epoch = match env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text
            .parse()
            .map_err(|_| format!("SOURCE_DATE_EPOCH={text}: not a number of seconds"))?,
        Err(_) => match git(&["show", "-s", "--format=%ct", "HEAD"]) {
            Some(text) => text.parse()?,
            None => SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs(),
        },
    };
    println!(
        "cargo::rustc-env=BUILD_COMMIT={}",
        commit.as_deref().unwrap_or("unknown")
    );
    println!("cargo::rustc-env=BUILD_DATE={}", rfc3339(epoch));
    Ok(())
}

/// Hands the linker the order of code, where the build is an optimised one. Segments that begin at multiples of 64 kB let what the
/// kernel maps at once be what it has read at once; in other places it maps two such pieces.
fn order_text() -> Outcome<()> {
    println!("cargo::rerun-if-changed={TEXT_ORDER}");
    if env::var("PROFILE")? == "release" {
        let root = env::var("CARGO_MANIFEST_DIR")?;
        println!("cargo::rustc-link-arg-bins=-T{root}/{TEXT_ORDER}");
        println!("cargo::rustc-link-arg-bins=-Wl,-z,max-page-size=65536");
    }
    Ok(())
}

/// Builds again after a commit or a checkout. A path that does not exist would make cargo build every time.
fn watch_head() {
    let branch = git(&["symbolic-ref", "-q", "HEAD"]);
    for name in ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        if let Some(path) =
            git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists())
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// What git says, when this folder is the root of a work tree: sources unpacked inside somebody else's have no commit.
fn git(arguments: &[&str]) -> Option<String> {
    let run = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    run(&["rev-parse", "--show-prefix"]).filter(String::is_empty)?;
    run(arguments)
}

/// Seconds since 1970-01-01 UTC as a date and time; the date by H. Hinnant's `civil_from_days`, for years from 1970 on.
fn rfc3339(epoch: u64) -> String {
    let (days, seconds) = (epoch / 86_400, epoch % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}
