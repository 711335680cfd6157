//! Kills in the middle of a restore, and of a backup. The command runs under strace, which ends it with SIGKILL at one of the
//! steps that change something on the disk (`STEPS`), chosen by the dice over all those it takes. After each kill of a restore
//! the archive must hold the old rows or the new ones, to the last, and the next restore must succeed and leave nothing behind;
//! after each kill of a backup every file under a backup's name must be whole, and the next backup must leave nothing behind.
//! The control mixes two archives on purpose, cuts a backup short, and must be noticed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use rusqlite::types::Value;
use rusqlite::{Connection as Database, OpenFlags};
use tokio::runtime::Runtime;

use super::support::http::Connection;
use super::support::person::{finish, talk};
use super::support::server::Installation;
use super::{Dice, length_of, say};

/// Calls that change something on the disk, or make it lasting.
const STEPS: &str = "openat,mkdir,write,pwrite64,writev,ftruncate,fallocate,fchmod,chmod,fsync,fdatasync,rename,renameat,\
                     renameat2,link,linkat,unlink,unlinkat,rmdir,flock";
/// Name of the database in the data folder.
const DATABASE: &str = "segnalazioni.db";
/// Reports of the archive that is replaced, and of the one that comes.
const REPORTS: [usize; 2] = [12, 30];
/// What every scratch folder's name begins with.
const SCRATCH: &str = ".segnalazioni-";

/// Every row of every table, sessions and counted guesses aside.
type Rows = BTreeMap<String, Vec<String>>;

/// Kills so many restores, and as many backups.
pub fn run(program: &Path, kills: u64, mut dice: Dice) -> Result<()> {
    ensure!(
        Command::new("strace").arg("-V").output().is_ok(),
        "strace is needed: install Debian's package strace"
    );
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let old = House::build(&runtime, program, &folder.path().join("old"), REPORTS[0])?;
    let new = House::build(&runtime, program, &folder.path().join("new"), REPORTS[1])?;
    let backup = folder.path().join("new.backup");
    new.command(&["backup", "--output", text(&backup)?])?;
    restores(
        program,
        folder.path(),
        (&old, &new, &backup),
        kills,
        &mut dice,
    )?;
    backups(program, folder.path(), &old, kills, &mut dice)?;
    control(folder.path(), &old, &new, &backup)
}

fn restores(
    program: &Path,
    folder: &Path,
    (old, new, backup): (&House, &House, &Path),
    kills: u64,
    dice: &mut Dice,
) -> Result<()> {
    let arguments = ["restore", text(backup)?];
    let place = folder.join("restored");
    // Of a copy: whoever looks into an archive writes its log into it.
    let former = old.copied_to(program, &place)?.rows()?;
    let coming = new.rows()?;
    let steps = old.copied_to(program, &place)?.steps(&arguments)?;
    let (mut olds, mut news, mut late) = (0, 0, 0);
    for kill in 0..kills {
        let house = old.copied_to(program, &place)?;
        let step = &steps[usize::try_from(dice.below(steps.len() as u64))?];
        late += u64::from(!house.killed_at(step, &arguments)?);
        let found = house.rows()?;
        match () {
            () if found == former => olds += 1,
            () if found == coming => news += 1,
            () => bail!("restore {kill}, killed at {step:?}: a mixed archive"),
        }
        house.command(&arguments)?;
        ensure!(
            house.rows()? == coming,
            "restore {kill}: the next one failed"
        );
        house.refuse_leftovers(&house.installation.data())?;
    }
    ensure!(olds > 0 && news > 0, "kills came on one side only");
    say(&format!(
        "restore: {kills} kills over {} steps: {olds} times the old archive, {news} times the new one ({late} ended first), \
         never mixed",
        steps.len()
    ));
    Ok(())
}

fn backups(program: &Path, folder: &Path, old: &House, kills: u64, dice: &mut Dice) -> Result<()> {
    let house = old.copied_to(program, &folder.join("saved"))?;
    let shelf = house.installation.data().join("backups");
    let arguments = ["backup", "--keep", "3"];
    let former = house.rows()?;
    let steps = house.steps(&arguments)?;
    let (mut made, mut late) = (0, 0);
    for kill in 0..kills {
        let before = names(&shelf)?;
        let step = &steps[usize::try_from(dice.below(steps.len() as u64))?];
        late += u64::from(!house.killed_at(step, &arguments)?);
        for name in names(&shelf)?.iter().filter(|name| !name.starts_with('.')) {
            house
                .command(&["verify", text(&shelf.join(name))?])
                .with_context(|| {
                    format!("backup {kill}, killed at {step:?}: {name} is not whole")
                })?;
            made += u64::from(!before.contains(name));
        }
        ensure!(house.rows()? == former, "backup {kill} changed the archive");
        house.command(&arguments)?;
        house.refuse_leftovers(&shelf)?;
    }
    say(&format!(
        "backup: {kills} kills over {} steps: {made} files were made ({late} ended first), every one whole, nothing left behind",
        steps.len()
    ));
    Ok(())
}

/// What would be noticed: an archive of two halves, and a backup without its end.
fn control(folder: &Path, old: &House, new: &House, backup: &Path) -> Result<()> {
    let mixed = old.copied_to(&old.program, &folder.join("mixed"))?;
    let (former, coming) = (mixed.rows()?, new.rows()?);
    let (path, other) = (mixed.database(), new.database());
    let (mut bytes, other) = (fs::read(&path)?, fs::read(other)?);
    let half = bytes.len().min(other.len()) / 8_192 * 4_096;
    bytes.splice(half.., other[half..].iter().copied());
    fs::write(&path, bytes)?;
    let noticed = match mixed.rows() {
        Err(_) => true,
        Ok(rows) => rows != former && rows != coming,
    };
    ensure!(noticed, "the control mixed two archives unnoticed");
    let whole = fs::read(backup)?;
    let cut = folder.join("cut.backup");
    fs::write(&cut, &whole[..whole.len() / 2])?;
    ensure!(
        old.command(&["verify", text(&cut)?]).is_err(),
        "the control cut a backup unnoticed"
    );
    say("control: a mixed archive and a cut backup are noticed");
    Ok(())
}

/// An installation that has stopped.
struct House {
    program: PathBuf,
    installation: Installation,
}

/// The `when`th call of this name.
#[derive(Debug)]
struct Step {
    call: String,
    when: usize,
}

impl House {
    /// With reports of its own, part of them in its log: it was killed.
    fn build(runtime: &Runtime, program: &Path, folder: &Path, reports: usize) -> Result<Self> {
        fs::create_dir(folder)?;
        let house = Self {
            program: program.to_owned(),
            installation: Installation::new(program, folder)?,
        };
        // Without a password a restore elsewhere is refused.
        house.command(&["reset-password", "--generate"])?;
        let server = house.installation.start()?;
        runtime.block_on(async {
            let mut connection = Connection::open(server.address).await?;
            for number in 0..reports {
                let last = talk(&mut connection, number, length_of(number)).await?;
                finish(&mut connection, &last).await?;
            }
            anyhow::Ok(())
        })?;
        server.kill()?;
        Ok(house)
    }

    fn database(&self) -> PathBuf {
        self.installation.data().join(DATABASE)
    }

    /// The same files in another folder, made anew.
    fn copied_to(&self, program: &Path, place: &Path) -> Result<Self> {
        if place.exists() {
            fs::remove_dir_all(place)?;
        }
        fs::create_dir(place)?;
        let installation = Installation::new(program, place)?;
        fs::create_dir(installation.data())?;
        for entry in fs::read_dir(self.installation.data())? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                fs::copy(entry.path(), installation.data().join(entry.file_name()))?;
            }
        }
        Ok(Self {
            program: program.to_owned(),
            installation,
        })
    }

    /// Runs a command that must succeed.
    fn command(&self, arguments: &[&str]) -> Result<()> {
        let mut command = self.installation.confined(&self.program);
        let output = self.told(&mut command, arguments).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{arguments:?}: {said}");
        Ok(())
    }

    fn told<'c>(&self, command: &'c mut Command, arguments: &[&str]) -> &'c mut Command {
        command
            .args(arguments)
            .arg("--data-dir")
            .arg(self.installation.data())
            .stdout(Stdio::null())
    }

    /// strace with these options, before the executable.
    fn strace(&self, options: &[&str]) -> Command {
        let mut strace = self.installation.confined(Path::new("strace"));
        strace.args(["-f", "-qq"]).args(options).arg(&self.program);
        strace.stderr(Stdio::null());
        strace
    }

    /// Every step that a command takes, in order; it is run to its end.
    fn steps(&self, arguments: &[&str]) -> Result<Vec<Step>> {
        let record = self.installation.data().with_file_name("steps.strace");
        let traced = format!("trace={STEPS}");
        let mut strace = self.strace(&["-e", &traced, "-o", text(&record)?]);
        let status = self.told(&mut strace, arguments).status()?;
        ensure!(status.success(), "{arguments:?} under strace: {status}");
        let mut counted: BTreeMap<String, usize> = BTreeMap::new();
        let mut steps = Vec::new();
        for line in fs::read_to_string(&record)?.lines() {
            let call = line
                .split_once(' ')
                .and_then(|(_, call)| call.trim().split_once('('));
            let Some((call, _)) = call.filter(|(call, _)| !call.starts_with('<')) else {
                continue;
            };
            let when = counted.entry(call.to_owned()).or_default();
            *when += 1;
            steps.push(Step {
                call: call.to_owned(),
                when: *when,
            });
        }
        ensure!(steps.len() > 50, "only {} steps were seen", steps.len());
        Ok(steps)
    }

    /// Runs a command and kills it at a step; `false` when it had ended by then.
    fn killed_at(&self, step: &Step, arguments: &[&str]) -> Result<bool> {
        let traced = format!("trace={}", step.call);
        let inject = format!("inject={}:signal=SIGKILL:when={}", step.call, step.when);
        let mut strace = self.strace(&["-e", &traced, "-e", &inject, "-o", "/dev/null"]);
        let status = self.told(&mut strace, arguments).status()?;
        // strace ends as what it watched did.
        let killed = status.signal() == Some(9) || status.code() == Some(128 + 9);
        ensure!(killed || status.success(), "{arguments:?} failed: {status}");
        Ok(killed)
    }

    /// Every row, read as the server would: what SQLite was at when it was killed is finished or taken back.
    fn rows(&self) -> Result<Rows> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let database = Database::open_with_flags(self.database(), flags)?;
        let verdict: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        ensure!(verdict == "ok", "integrity_check: {verdict}");
        let mut names = database.prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('sessions', 'login_attempts')",
        )?;
        let names: Vec<String> = names
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        names
            .into_iter()
            .map(|name| {
                let mut all = database.prepare(&format!("SELECT * FROM {name}"))?;
                let columns = all.column_count();
                let rows = all.query_map([], |row| {
                    let values: rusqlite::Result<Vec<Value>> =
                        (0..columns).map(|column| row.get(column)).collect();
                    Ok(format!("{:?}", values?))
                })?;
                Ok((name, rows.collect::<rusqlite::Result<_>>()?))
            })
            .collect()
    }

    /// Nothing that was being made may stay.
    fn refuse_leftovers(&self, folder: &Path) -> Result<()> {
        let left = names(folder)?;
        let left: Vec<&String> = left
            .iter()
            .filter(|name| name.starts_with(SCRATCH))
            .collect();
        ensure!(left.is_empty(), "left behind: {left:?}");
        Ok(())
    }
}

fn names(folder: &Path) -> Result<Vec<String>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect()
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a path that is no text")
}
