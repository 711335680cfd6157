//! The replica on a second machine: a standby that takes over, the old machine that is refused, and what the server tells of it from
//! the words of the units. How much is lost when both server and Litestream are killed is measured by `make soak`, with the script
//! and the configuration of the package.

#![allow(
    clippy::float_cmp,
    reason = "what is counted here are small whole numbers, which a float holds exactly"
)]

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::attachments::{Files, photo};
use crate::support::backups::{self, archive, back_up};
use crate::support::chat::{Chat, Person, Reply, submit, turn};
use crate::support::disk::{mode, pieces_found, sealed_of};
use crate::support::doctor::{NAMES, ask};
use crate::support::executable::{PATH, Server, command, fails, run, serve, succeeds, text};
use crate::support::http::Client;
use crate::support::load::{Audit, Ledger, audit};
use crate::support::panel::{Editor, PASSWORD};
use crate::support::program::Program;
use crate::support::prometheus::Sheet;
use crate::support::{
    Dice, MINUTE, SECOND, assert_gone, free_port, from_environment, poll, say, wait_for,
};

const GENERATION: &str = "SELECT coalesce(max(n), 1) FROM generation";

fn tell(data: &Path, name: &str, word: &str) {
    fs::create_dir_all(data.join("replica")).expect("a folder");
    fs::write(data.join("replica").join(name), word).expect("a word");
}

/// Generation of the archive and its name.
fn own(data: &Path) -> (i64, String) {
    let turn = fs::read_to_string(data.join("replica/generazione")).expect("a turn");
    let (generation, name) = turn.trim().split_once(' ').expect("both");
    (generation.parse().expect("a number"), name.to_owned())
}

/// What the units find beside the replica: this archive at a generation.
fn see(data: &Path, generation: i64) {
    let turn = format!("{generation} {}\n", own(data).1);
    tell(data, "generazione-vista", &turn);
}

#[test]
fn a_replica_becomes_an_archive_of_its_own() {
    let mut program = archive(3);
    let (home, data) = (program.home().to_owned(), program.data().to_owned());
    program.plant(
        "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); INSERT INTO _litestream_seq VALUES (1, 1); \
         CREATE TABLE _litestream_lock (id INTEGER);",
    );
    // As Litestream and rclone leave them.
    fs::create_dir_all(data.join("allegati")).unwrap();
    fs::write(data.join("allegati/copiato"), "").unwrap();
    let copied = ["segnalazioni.db", "allegati/copiato", "allegati"];
    for name in copied {
        fs::set_permissions(data.join(name), Permissions::from_mode(0o755)).unwrap();
    }
    tell(&data, "generazione-vista", "4\n");

    let said = succeeds(&home, &["promote"], "");
    assert!(said.contains("3 segnalazioni, generazione 5"), "{said}");
    assert_eq!(program.count(GENERATION), 5);
    assert_eq!(own(&data).0, 5);
    let theirs = "SELECT count(*) FROM sqlite_schema WHERE name GLOB '_litestream*'";
    assert_eq!(program.count(theirs), 0);
    assert_eq!(
        copied.map(|name| mode(&data.join(name))),
        [0o600, 0o600, 0o700]
    );
    // It is made known.
    see(&data, 5);
    program.start_again();
    assert_eq!(program.log_in().all_ids().len(), 3);
    let refused = fails(&home, &["promote"], "");
    assert!(refused.contains("fermare prima il server"), "{refused}");
    assert_eq!(own(&data).0, 5);
}

#[test]
fn what_is_no_whole_archive_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let refused = fails(folder.path(), &["promote"], "");
    assert!(refused.contains("data"), "{refused}");
    let program = archive(2);
    program.plant("CREATE TABLE estranea (id INTEGER)");
    let refused = fails(program.home(), &["promote"], "");
    assert!(refused.contains("la copia non è integra"), "{refused}");
    assert_eq!(program.count(GENERATION), 1);
    // Nor one that the keys here are not of: nobody would get in.
    let (program, other) = (archive(1), archive(1));
    let [theirs, ours] = [&other, &program].map(|it| it.data().join("segnalazioni.key"));
    fs::copy(theirs, ours).unwrap();
    let refused = fails(program.home(), &["promote"], "");
    assert!(refused.contains("è di un altro archivio"), "{refused}");
    assert_eq!(program.count(GENERATION), 1);
}

#[test]
fn a_machine_that_was_replaced_does_not_start() {
    let mut program = archive(1);
    let data = program.data().to_owned();
    tell(&data, "generazione-vista", "0\n");
    program.start_again();
    program.stop();
    let refused = || {
        let Err(refused) = program.try_start() else {
            panic!("it serves an archive that another machine has taken over")
        };
        format!("{refused:#}")
    };
    see(&data, 2);
    let said = refused();
    assert!(
        said.contains("un'altra macchina ha preso il posto"),
        "{said}"
    );
    // Another archive's replica, of whatever generation.
    tell(&data, "generazione-vista", "1 altro.1\n");
    let said = refused();
    assert!(
        said.contains("nel deposito c'è un altro archivio"),
        "{said}"
    );
    see(&data, 2);
    // Nor does an empty one found an archive beside the replica's.
    let (fresh, line) = (
        tempfile::tempdir().unwrap(),
        ["serve", "--listen", "127.0.0.1:0"],
    );
    tell(
        &fresh.path().join("data"),
        "generazione-vista",
        "1 altro.1\n",
    );
    fails(fresh.path(), &line, "");
    assert!(!fresh.path().join("data/segnalazioni.db").exists());
    // The way back.
    succeeds(program.home(), &["promote"], "");
    assert_eq!(own(&data).0, 3);
    program.start_again();
}

/// What a captive portal, a full disk or a typing hand leaves is not an empty depot.
#[test]
fn a_word_of_the_depot_that_cannot_be_read_starts_no_server() {
    let mut program = archive(1);
    let (home, data) = (program.home().to_owned(), program.data().to_owned());
    see_nothing(&data);
    let name = own_after_start(&mut program).1;
    let long = format!("1 {}", "a".repeat(100_000));
    let unreadable = [
        "<!DOCTYPE html>\n<html><head><title>Accesso alla rete</title></head></html>\n",
        "",
        "\n",
        "uno\n",
        "-1\n",
        "+1\n",
        "1.5\n",
        "9223372036854775808 x.1\n",
        "1 due parole\n",
        "1\n2\n",
        "1 \u{1b}[31m\n",
        &long,
    ];
    for word in unreadable {
        tell(&data, "generazione-vista", word);
        let Err(refused) = program.try_start() else {
            panic!("it starts beside {word:.40}")
        };
        let said = format!("{refused:#}");
        assert!(
            said.contains("non si legge") && said.contains("RISERVA.md"),
            "{said}"
        );
        assert!(!said.contains("html") && said.len() < 400, "{said}");
        // Nor is another archive made of what may be older.
        let refused = fails(&home, &["promote"], "");
        assert!(refused.contains("non si legge"), "{refused}");
        // While one runs, it is told.
        ask(command(&home, &["doctor", "--json"])).1.says(
            "riserva",
            "attenzione",
            "non si è potuto controllare",
        );
    }
    fs::write(data.join("replica/generazione-vista"), b"\xff\xfe1\0").unwrap();
    assert!(program.try_start().is_err());
    // The last number there is: nothing comes after it.
    tell(
        &data,
        "generazione-vista",
        &format!("9223372036854775807 {name}\n"),
    );
    let refused = fails(&home, &["promote"], "");
    assert!(
        refused.contains("9223372036854775807") && refused.contains("RISERVA.md"),
        "{refused}"
    );
    assert_eq!(program.count(GENERATION), 1);
    see(&data, 1);
    program.start_again();
}

/// As where the units have not reached the depot.
fn see_nothing(data: &Path) {
    fs::create_dir_all(data.join("replica")).expect("a folder");
}

fn own_after_start(program: &mut Program) -> (i64, String) {
    program.start_again();
    program.stop();
    own(program.data())
}

/// As the weekly rehearsal calls it where systemd hands the key file over: there is none beside the copy.
#[test]
fn a_rehearsal_knows_whether_the_keys_of_a_credential_are_those_of_the_copy() {
    let (program, other) = (archive(2), archive(1));
    let place = tempfile::tempdir().unwrap();
    let credentials = place.path().join("credentials");
    fs::create_dir(&credentials).unwrap();
    let rehearse = |keys: &Program| {
        let copy = place.path().join("prova");
        fs::remove_dir_all(&copy).ok();
        fs::create_dir(&copy).unwrap();
        fs::copy(
            program.data().join("segnalazioni.db"),
            copy.join("segnalazioni.db"),
        )
        .unwrap();
        fs::copy(
            keys.data().join("segnalazioni.key"),
            credentials.join("segnalazioni.key"),
        )
        .unwrap();
        let mut promote = command(place.path(), &["promote", "--data-dir", "prova"]);
        promote.env("CREDENTIALS_DIRECTORY", &credentials);
        run(promote, "")
    };
    let output = rehearse(&program);
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stdout).contains("2 segnalazioni"));
    let output = rehearse(&other);
    assert!(
        text(&output.stderr).contains("è di un altro archivio"),
        "{output:?}"
    );
}

#[test]
fn a_restore_keeps_the_turn_of_this_machine() {
    let program = archive(1);
    let backup = back_up(program.home(), &[]);
    succeeds(program.home(), &["promote"], "");
    backups::restore(program.home(), &backup, &[]);
    assert_eq!(program.count(GENERATION), 2);
    // A backup of this machine gives no other one its turn.
    let (elsewhere, backup) = (tempfile::tempdir().unwrap(), back_up(program.home(), &[]));
    backups::restore(elsewhere.path(), &backup, &[]);
    let data = elsewhere.path().join("data");
    assert_eq!(crate::support::disk::count(&data, GENERATION), 1);
}

#[test]
fn how_the_replica_stands_is_told_where_there_is_one() {
    let mut program = Program::start_with(&[("SEGNALAZIONI_METRICS_LISTEN", "127.0.0.1:0")]);
    program.set_up();
    let data = program.data().to_owned();
    let alarm = |program: &Program| program.log_in().read("/system/alerts")["replica"].clone();
    let age = |program: &Program| {
        let url = program.running().metrics_url().expect("it is measured");
        let address = url
            .trim_start_matches("http://")
            .trim_end_matches("/metrics");
        let monitor = Client::new(address.parse().expect("an address"));
        Sheet::of(&monitor).find("replica_age_seconds", &[])
    };
    let doctor = |program: &Program| ask(command(program.home(), &["doctor", "--json"])).1;
    assert_eq!((alarm(&program), age(&program)), (Value::Null, None));
    assert_eq!(doctor(&program).names(), NAMES);

    fs::create_dir_all(data.join("replica")).unwrap();
    program.restart();
    assert_eq!(own(&data).0, 1);
    assert_eq!(alarm(&program), "non-verificata");
    doctor(&program).says(
        "riserva",
        "attenzione",
        "mai copiata; non si è potuto controllare",
    );
    see(&data, 1);
    assert_eq!(
        (alarm(&program), age(&program)),
        (json!("in-ritardo"), None)
    );
    doctor(&program).says("riserva", "errore", "mai copiata; il motivo");
    tell(&data, "copiata", "2026-03-10T08:59:30Z\n");
    assert_eq!((alarm(&program), age(&program)), (Value::Null, Some(30.0)));
    program.clock.advance(10 * MINUTE);
    assert_eq!(
        (alarm(&program), age(&program)),
        (json!("in-ritardo"), Some(630.0))
    );
    // The command's clock is the machine's.
    doctor(&program).says(
        "riserva",
        "errore",
        "copiata il 10/03/2026 09:59; il motivo",
    );
    see(&data, 2);
    assert_eq!(alarm(&program), "sostituita");
    doctor(&program).says("riserva", "errore", "fermare il server");
}

/// Litestream, and an S3 to replicate to.
fn tools() -> PathBuf {
    let bin = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replica-tools/bin");
    assert!(
        bin.join("litestream").exists() && bin.join("moto_server").exists(),
        "`make soak` installs them, and rclone"
    );
    bin
}

/// A process that is killed when it goes out of scope.
struct Process(Child);

impl Process {
    fn tell(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).expect("it can be told");
    }

    fn end(&mut self, signal: Signal) {
        self.tell(signal);
        self.0.wait().expect("it ends");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            self.0.kill().expect("it can be killed");
            self.0.wait().expect("it ends");
        }
    }
}

/// An S3 of this machine, and what every machine needs to reach it.
struct Depot {
    _server: Process,
    folder: TempDir,
    bin: PathBuf,
}

impl Depot {
    fn open() -> Self {
        let (bin, folder, port) = (tools(), tempfile::tempdir().expect("a folder"), free_port());
        let mut moto = Command::new(bin.join("moto_server"));
        moto.args(["-p", &port.to_string()]);
        moto.stdout(Stdio::null()).stderr(Stdio::null());
        let server = Process(moto.spawn().expect("it starts"));
        let env = format!(
            "BUCKET=prova\nREMOTE=riserva:$BUCKET\nRCLONE_CONFIG_RISERVA_TYPE=s3\nRCLONE_CONFIG_RISERVA_PROVIDER=Other\n\
             RCLONE_CONFIG_RISERVA_ENDPOINT=http://127.0.0.1:{port}\nRCLONE_CONFIG_RISERVA_REGION=us-east-1\n\
             RCLONE_CONFIG_RISERVA_ACCESS_KEY_ID=a\nRCLONE_CONFIG_RISERVA_SECRET_ACCESS_KEY=b\n"
        );
        fs::write(folder.path().join("replica.env"), env).expect("written");
        File::create(folder.path().join("config.toml")).expect("written");
        let depot = Self {
            _server: server,
            folder,
            bin,
        };
        let made = || {
            let bucket = depot.rclone("mkdir \"$REMOTE\"");
            bucket.status.success().then_some(())
        };
        wait_for("the bucket", made);
        depot
    }

    fn rclone(&self, arguments: &str) -> Output {
        let mut shell = self.confined(Command::new("sh"), self.folder.path());
        let line = format!("set -a; . \"$REPLICA_ENV\"; exec rclone {arguments}");
        shell.args(["-c", &line]).stdout(Stdio::piped());
        run(shell, "")
    }

    /// A command as on a machine whose data lie in `home/data`.
    fn confined(&self, mut command: Command, home: &Path) -> Command {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = std::env::var("PATH").expect("a path");
        command
            .env_clear()
            .env("PATH", format!("{}:{path}", self.bin.display()))
            .env("REPLICA_ENV", self.folder.path().join("replica.env"))
            .env("DATA", home.join("data"))
            .env("CONFIG", self.folder.path().join("config.toml"))
            .env("PROGRAM", PATH)
            .env(
                "LITESTREAM_CONFIG",
                root.join("packaging/examples/litestream.yml"),
            )
            .env("SOCKET", home.join("litestream.sock"))
            .env("RCLONE_CONFIG", "/dev/null")
            .current_dir(home);
        command
    }

    /// The package's script; it must succeed.
    fn replica(&self, home: &Path, task: &str) -> String {
        let output = run(self.script(home, task), "");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{task}: {said}");
        text(&output.stdout).to_owned()
    }

    fn script(&self, home: &Path, task: &str) -> Command {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/lib/replica");
        let mut command = self.confined(Command::new(script), home);
        command
            .arg(task)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Litestream beside the server of a machine, once it is at work.
    fn stream(&self, home: &Path) -> Process {
        let log = File::create(home.join("litestream.log")).expect("a file");
        let mut command = self.script(home, "stream");
        command.stdout(log.try_clone().expect("a file")).stderr(log);
        let process = Process(command.spawn().expect("it starts"));
        let begun = || {
            self.script(home, "round")
                .status()
                .ok()?
                .success()
                .then_some(())
        };
        let log = || fs::read_to_string(home.join("litestream.log")).unwrap_or_default();
        assert!(poll(begun).is_some(), "{}", log());
        process
    }
}

/// A report with one file.
fn report_with(client: &Client, number: usize, bytes: &[u8]) -> String {
    let chat = Chat::at_the_end(client, &Person::numbered(number));
    Files::of(client, chat.token()).attach("piazza.jpg", bytes);
    let reply = Reply::of(&turn(client, chat.token(), "no"));
    reply.report_id.expect("a report")
}

/// The server of a machine, started as its unit does.
fn start(depot: &Depot, home: &Path) -> Server {
    depot.replica(home, "check");
    Server::start(home)
}

/// The key file of one machine on another, as whoever prepares a standby lays it there.
fn lay_key(from: &Path, to: &Path) {
    fs::create_dir_all(to.join("data")).expect("a folder");
    let [keys, copied] = [from, to].map(|home| home.join("data/segnalazioni.key"));
    fs::copy(keys, copied).expect("copied");
}

/// Reporters at once, besides those with files.
const CLIENTS: usize = 3;
/// What the newest reports may be lost of.
const PROMISE: Duration = Duration::from_secs(2);

/// What the rounds came to.
#[derive(Debug, Default)]
struct Figures {
    acknowledged: usize,
    lost_within_the_promise: usize,
    oldest_lost: Duration,
    longest_return: Duration,
    refused: usize,
    files: usize,
}

/// One machine after the other is killed under load, and the next takes over: `make soak` runs 20 rounds.
#[test]
#[ignore = "soak"]
fn a_second_machine_takes_over_from_one_that_was_killed() {
    let rounds = from_environment("REPLICA_ROUNDS", 20);
    let (depot, mut dice) = (Depot::open(), Dice::thrown());
    let machines: Vec<TempDir> = (0..=rounds)
        .map(|_| tempfile::tempdir().expect("a folder"))
        .collect();
    let first = machines[0].path();
    succeeds(first, &["reset-password", "--stdin"], PASSWORD);
    let server = start(&depot, first);
    server.log_in().expects_a_flood();
    server.stop();
    let (ledger, mut figures) = (Ledger::default(), Figures::default());
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut erased: Vec<String> = Vec::new();
    for (round, pair) in machines.windows(2).enumerate() {
        let (old, new) = (pair[0].path(), pair[1].path());
        let killed = one_life(
            &depot,
            old,
            round,
            &ledger,
            &mut files,
            &mut erased,
            &mut dice,
        );

        lay_key(old, new);
        depot.replica(new, "round");
        depot.replica(new, "promote");
        let server = start(&depot, new);
        figures.longest_return = figures.longest_return.max(killed.elapsed());
        let editor = server.log_in();
        let stored = editor.all_ids();
        let early = ledger.acknowledged_by(killed.checked_sub(PROMISE).expect("a moment"));
        assert_eq!(audit(&early, &stored), Audit::default(), "round {round}");
        let lost = audit(&ledger.acknowledged(), &stored).lost;
        figures.lost_within_the_promise += lost.len();
        for id in &lost {
            let age = ledger.age_at(id, killed);
            figures.oldest_lost = figures.oldest_lost.max(age);
            ledger.strike(id);
        }
        for id in &erased {
            assert!(!stored.contains(id), "round {round}");
            assert_gone(&editor, id);
        }
        for (id, bytes) in &files {
            let opened = editor
                .get(&format!("/reports/{id}/attachments/1"))
                .expect(200);
            assert!(opened.body == *bytes, "round {round}: {id}");
        }
        figures.files = files.len();
        server.stop();

        // The old machine comes back.
        depot.replica(old, "check");
        let refused = run(serve(old), "");
        let said = text(&refused.stderr);
        assert!(
            said.contains("un'altra macchina ha preso il posto"),
            "{said}"
        );
        figures.refused += 1;
        assert!(!run(depot.script(old, "stream"), "").status.success());
        // It is a standby now.
        depot.replica(old, "round");
        figures.acknowledged = ledger.count();
        say(&format!("round {}: {figures:?}", round + 1));
    }
    assert_eq!(figures.refused, rounds);
    assert!(figures.longest_return < 5 * MINUTE);
    assert!(figures.acknowledged >= rounds * 10, "too little to lose");
}

/// A machine serves under load until it is killed with its replicator; answers when that was.
fn one_life(
    depot: &Depot,
    home: &Path,
    round: usize,
    ledger: &Ledger,
    files: &mut Vec<(String, Vec<u8>)>,
    erased: &mut Vec<String>,
    dice: &mut Dice,
) -> Instant {
    let server = start(depot, home);
    let mut replicator = depot.stream(home);
    let client = server.client();
    let editor = Editor::log_in(&client, PASSWORD);
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| ledger.tell_stories(&client));
        }
        let before = ledger.count();
        wait_for("reports", || (ledger.count() >= before + 5).then_some(()));
        let bytes = photo(100_000 + dice.within(0..400_000));
        let id = report_with(&client, 100_000 + round, &bytes);
        ledger.note(id.clone());
        files.push((id, bytes));
        let victim = report_with(&client, 200_000 + round, &photo(50_000));
        depot.replica(home, "round");
        editor.erase(&victim).expect(200);
        erased.push(victim);
        if round % 2 == 1 {
            // As its unit does after it alone was killed.
            replicator.end(Signal::KILL);
            depot.replica(home, "pause");
            thread::sleep(SECOND);
            server.hang_up();
            replicator = depot.stream(home);
        }
        // The erasure is older than the promise when they are killed, at no particular moment.
        thread::sleep(PROMISE + Duration::from_millis(100 + dice.within(0..2_000) as u64));
        let killed = Instant::now();
        server.cut_off();
        replicator.end(Signal::KILL);
        killed
    })
}

/// Litestream reads at every moment, so that the log of writes is never emptied; its unit starts it anew each hour for that.
#[test]
#[ignore = "soak"]
fn what_was_erased_leaves_the_log_when_litestream_starts_anew() {
    let depot = Depot::open();
    let folder = tempfile::tempdir().expect("a folder");
    let (home, data) = (folder.path(), folder.path().join("data"));
    succeeds(home, &["reset-password", "--stdin"], PASSWORD);
    let server = start(&depot, home);
    let (client, editor) = (server.client(), server.log_in());
    editor.expects_a_flood();
    let mut replicator = depot.stream(home);
    let kept: Vec<String> = (0..20)
        .map(|number| submit(&client, &Person::numbered(number)))
        .collect();
    depot.replica(home, "round");
    let id = report_with(&client, 1_000, &photo(70_000));
    let sealed = sealed_of(&data, &id);
    let log = tempfile::tempdir().expect("a folder");
    // Pieces of the report in the log alone.
    let left = || {
        fs::copy(data.join("segnalazioni.db-wal"), log.path().join("wal")).expect("a log");
        pieces_found(log.path(), &sealed)
    };
    editor.erase(&id).expect(200);
    // Twice as long as the server's own try takes.
    thread::sleep(20 * SECOND);
    let before = left();
    assert!(
        before > 0,
        "the control: the log was emptied beside Litestream"
    );
    let begun = Instant::now();
    replicator.end(Signal::TERM);
    depot.replica(home, "pause");
    server.hang_up();
    let mut replicator = depot.stream(home);
    let pause = begun.elapsed();
    assert_eq!(left(), 0);
    // It goes on replicating, in a copy that has nothing of it.
    let later = report_with(&client, 1_001, &photo(70_000));
    depot.replica(home, "round");
    replicator.end(Signal::TERM);
    server.stop();
    let copies = depot.rclone("lsf \"$REMOTE/archivio/1\"").stdout;
    assert_eq!(text(&copies).lines().count(), 1, "{}", text(&copies));
    // What it says on stderr is mailed.
    let rehearse = || {
        let output = run(depot.script(home, "rehearse"), "");
        let said = text(&output.stderr).to_owned();
        assert!(output.status.success(), "{said}");
        said
    };
    assert_eq!(rehearse(), "");
    // A newer copy, that does not reopen.
    let spoilt = "archivio/1/9999999999/0000/0000000000000001-0000000000000001.ltx";
    let written = depot.rclone(&format!("rcat \"$REMOTE/{spoilt}\""));
    assert!(written.status.success());
    let said = rehearse();
    assert!(said.contains("non si riapre"), "{said}");
    let standby = tempfile::tempdir().expect("a folder");
    let new = standby.path();
    lay_key(home, new);
    depot.replica(new, "promote");
    let again = run(depot.script(new, "promote"), "");
    let said = text(&again.stderr);
    assert!(said.contains("è già quella in servizio"), "{said}");
    // It breaks before a first copy of its own is there: that of the generation before is taken.
    let third = tempfile::tempdir().expect("a folder");
    let (broken, new) = (new, third.path());
    lay_key(broken, new);
    depot.replica(new, "promote");
    let server = start(&depot, new);
    let expected = [kept, vec![later]].concat();
    assert_eq!(
        audit(&expected, &server.log_in().all_ids()),
        Audit::default()
    );
    let elsewhere = pieces_found(&data, &sealed);
    say(&format!(
        "pieces in the log: {before}, then 0; in all of the old data folder {elsewhere}; pause with its first round {pause:?}"
    ));
}

/// With the same keys, as the package starts one before it is made a standby.
#[test]
#[ignore = "soak"]
fn another_archive_is_refused_beside_the_replica_and_gives_way_to_it() {
    let depot = Depot::open();
    let machines = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let [home, new] = [machines[0].path(), machines[1].path()];
    succeeds(home, &["reset-password", "--stdin"], PASSWORD);
    lay_key(home, new);
    Server::start(new).stop();
    let server = start(&depot, home);
    let kept = submit(&server.client(), &Person::numbered(1));
    // Not one attachment was ever sent.
    depot.stream(home).end(Signal::TERM);
    server.stop();

    depot.replica(new, "check");
    let refused = run(serve(new), "");
    let said = text(&refused.stderr);
    assert!(said.contains("c'è un altro archivio"), "{said}");
    // Nor is one replicated whose server was running before.
    tell(&new.join("data"), "generazione", "1 altro.1\n");
    for task in ["stream", "round"] {
        let refused = run(depot.script(new, task), "");
        let said = text(&refused.stderr);
        assert!(said.contains("c'è un altro archivio"), "{said}");
    }
    fs::remove_file(new.join("data/replica/generazione")).expect("removed");
    depot.replica(new, "round");
    depot.replica(new, "promote");
    let server = start(&depot, new);
    assert_eq!(server.log_in().all_ids(), [kept]);
}
