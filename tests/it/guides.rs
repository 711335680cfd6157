//! What the guides tell people to type, typed: each command of README, AVVIO and GESTIONE that a scratch folder can stand for, and
//! each call of API.md. What cannot be run here is named, with where it is.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::attachments::photo;
use crate::support::chat::{Chat, GRAVE, Person, Reply, submit, turn};
use crate::support::executable::{self, installation, run, text};
use crate::support::panel::PASSWORD;
use crate::support::program::Program;

/// Commands that are run elsewhere, by their beginning, and where.
const ELSEWHERE: &str = r#"
curl -fLO https://segnalazioni.example.org/ => a placeholder of who releases
echo 'segnalazioni ssh-ed25519 => packaging::what_is_handed_out_is_signed
ssh-keygen -Y verify => packaging::what_is_handed_out_is_signed
sha256sum --check --ignore-missing => packaging::what_is_handed_out_is_signed
apt-get install ./segnalazioni_ => tools/dist-test.sh
apt-get install tor => tools/test.sh
make serve => it serves until it is stopped; fresh_clone.rs
make test => this is it
install -D -m 0644 /usr/share/doc/segnalazioni/examples/porte-basse.conf => tools/dist-test.sh
systemctl daemon-reload => tools/dist-test.sh
systemctl restart segnalazioni => tools/dist-test.sh
systemctl stop segnalazioni => tools/dist-test.sh
systemctl start segnalazioni => tools/dist-test.sh
systemctl enable --now segnalazioni@cronaca => tools/dist-test.sh
cp /usr/share/doc/segnalazioni/examples/backup.cron => tools/dist-test.sh
adduser --system => tools/dist-test.sh
cat >/etc/segnalazioni/cronaca.toml => tools/dist-test.sh
/usr/lib/segnalazioni/tutte => tools/dist-test.sh
install -D -m 0600 /var/lib/segnalazioni/segnalazioni.key => tools/dist-test.sh
chmod 0700 /etc/credstore => tools/dist-test.sh
systemd-run --quiet --pipe => tools/dist-test.sh
runuser -u segnalazioni-cronaca => tools/dist-test.sh
runuser -u segnalazioni -- segnalazioni status => status_command.rs, beside a server
podman  => tools/dist-test.sh, with buildah
install -o root -g segnalazioni -m 0640 "$RENEWED => certbot; tls.rs replaces the files
echo 'd /run/segnalazioni => needs Debian's tor running; onion.rs
systemd-tmpfiles --create => needs Debian's tor running; onion.rs
mkdir -p /etc/systemd/system/segnalazioni.service.d => needs Debian's tor running; onion.rs
printf '[Service]\nReadWritePaths => needs Debian's tor running; onion.rs
echo '/run/segnalazioni/onion.sock => needs AppArmor
apparmor_parser => needs AppArmor
"#;

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect(name)
}

/// The commands in the blocks of a document: continued lines and texts given to a command belong to it, comments do not.
fn commands(document: &str) -> Vec<String> {
    let mut found = Vec::new();
    let all = read(document);
    for block in all.split("```sh\n").skip(1) {
        let block = block.split("```").next().expect("its text");
        let mut lines = block.lines();
        while let Some(line) = lines.next() {
            let mut command = line.trim().to_owned();
            while command.ends_with('\\') || command.ends_with("\"questions\":[") {
                let more = lines.next().expect("more").trim();
                command = command.trim_end_matches('\\').to_owned() + more;
            }
            if command.ends_with("<<'FINE'") {
                let _ = lines.by_ref().find(|line| line.trim() == "FINE");
            }
            if !command.is_empty() && !command.starts_with('#') {
                found.push(command);
            }
        }
    }
    found
}

/// A folder in which `segnalazioni` and `runuser` are found, and the guides' paths lie.
struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Self {
        let folder = installation();
        let home = folder.path();
        fs::create_dir_all(home.join("bin")).expect("made");
        symlink(executable::PATH, home.join("bin/segnalazioni")).expect("linked");
        let runuser = "#!/bin/sh\n# -u USER -- COMMAND...\nshift 3\nexec \"$@\"\n";
        fs::write(home.join("bin/runuser"), runuser).expect("written");
        let may_run = fs::Permissions::from_mode(0o755);
        fs::set_permissions(home.join("bin/runuser"), may_run).expect("set");
        fs::write(home.join("config.toml"), "").expect("written");
        executable::succeeds(home, &["backup", "--output", "FILE"], "");
        Self(folder)
    }

    fn types(&self, command: &str) -> Output {
        let home = self.0.path();
        let path = std::env::var("PATH").expect("a path");
        let here = home.join("config.toml");
        let here = here.to_str().expect("a text");
        let asks = ["reset-password", "rekey"]
            .iter()
            .any(|verb| command.contains(verb))
            && !command.contains("--generate")
            && !command.contains("--stdin");
        let typed = command.split("  #").next().expect("a command");
        let typed = typed.replace("/etc/segnalazioni/config.toml", here);
        let mut shell = Command::new("sh");
        executable::confine(&mut shell, home);
        // Where it asks a person, who is none, it reads.
        let typed = typed + if asks { " --stdin" } else { "" };
        let path = format!("{}:{path}", home.join("bin").display());
        shell.args(["-c", &typed]).env("PATH", path);
        run(shell, &format!("{PASSWORD}\n"))
    }
}

#[test]
fn each_command_of_the_guides_runs_or_is_named() {
    let machine = Machine::new();
    let mut ran = 0;
    let elsewhere = ELSEWHERE.trim().lines();
    let elsewhere = elsewhere.map(|line| line.split_once(" => ").expect("a place").0);
    let mut unused: BTreeSet<&str> = elsewhere.clone().collect();
    for document in ["README.md", "docs/AVVIO.md", "docs/GESTIONE.md"] {
        for command in commands(document) {
            let known = elsewhere.clone().find(|known| command.starts_with(known));
            if let Some(known) = known {
                unused.remove(known);
                continue;
            }
            let ours = ["segnalazioni ", "runuser -u segnalazioni -- segnalazioni "];
            let is_ours = ours.iter().any(|begins| command.starts_with(begins));
            assert!(is_ours, "{document}: {command}");
            let output = machine.types(&command);
            assert!(output.status.success(), "{document}: {command}: {output:?}");
            ran += 1;
        }
    }
    assert!(ran >= 6, "{ran}");
    assert_eq!(unused, BTreeSet::new());
}

/// A command in a sentence has the options that it is said to have.
#[test]
fn each_option_that_a_guide_names_exists() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut seen = 0;
    for document in ["README.md", "docs/AVVIO.md", "docs/GESTIONE.md"] {
        for code in read(document).split('`').skip(1).step_by(2) {
            let Some((_, typed)) = code.split_once("segnalazioni ") else {
                continue;
            };
            let mut words = typed.split_whitespace();
            let verb = words.next().unwrap_or_default();
            let ours = "serve status reset-password rekey login-link backup restore verify doctor";
            if !ours.split(' ').any(|known| known == verb) {
                continue;
            }
            let help = executable::succeeds(folder.path(), &[verb, "--help"], "");
            let words = words.take_while(|word| *word != "|");
            for option in words.filter(|word| word.starts_with("--")) {
                assert!(help.contains(option), "{document}: {code}");
                seen += 1;
            }
        }
    }
    assert!(seen >= 8, "{seen}");
}

/// A terminal whose variables are those of API.md.
struct Terminal {
    folder: tempfile::TempDir,
    origin: String,
    variables: Vec<(&'static str, String)>,
}

impl Terminal {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn set(&mut self, name: &'static str, value: impl Into<String>) {
        self.variables.retain(|(known, _)| *known != name);
        self.variables.push((name, value.into()));
    }

    /// Types a call; its status, and what it printed.
    fn types(&self, command: &str) -> (String, String) {
        let set = self.variables.iter();
        let set = set.map(|(name, value)| format!("{name}='{value}'\n"));
        let set = set.collect::<String>();
        let script = format!(
            "host={0}; api=$host/paibeta/api\njson='Content-Type: application/json'\n{set}\
             curl() {{ command curl --write-out '%{{stderr}}%{{http_code}}' \"$@\"; }}\n{command}",
            self.origin
        );
        let output = Command::new("bash")
            .args(["-c", &script])
            .current_dir(self.folder.path())
            .output()
            .expect("bash");
        let status = text(&output.stderr).to_owned();
        (status, String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn succeeds(&self, command: &str) -> String {
        let (status, printed) = self.types(command);
        assert!(status.starts_with('2'), "{command}: {status} {printed}");
        printed
    }

    fn reads(&self, command: &str) -> Value {
        serde_json::from_str(&self.succeeds(command)).expect(command)
    }
}

/// A grey square of eight pixels.
const SQUARE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAD0lEQVR42mNowAEYhpYEAILzYAEllbNjAAAAAElFTkSuQmCC";

fn terminal(program: &Program) -> Terminal {
    let folder = tempfile::tempdir().expect("a folder");
    let origin = format!("http://{}", program.client().address());
    fs::write(folder.path().join("foto.jpg"), photo(2_000)).expect("written");
    let smtp = json!({ "smtpHost": "127.0.0.1", "smtpPort": 1 });
    fs::write(folder.path().join("smtp.json"), smtp.to_string()).expect("written");
    let terminal = Terminal {
        folder,
        origin,
        variables: Vec::new(),
    };
    let (_, _) = terminal.types(&format!("printf %s {SQUARE} | base64 -d > logo.png"));
    terminal
}

/// The script of a conversation, as it stands there.
fn converse(terminal: &Terminal) -> Value {
    let guide = read("docs/API.md");
    let mut blocks = guide.split("```sh\n");
    let script = blocks.find(|block| block.starts_with("#!/bin/sh"));
    let (script, _) = script
        .and_then(|block| block.split_once("```"))
        .expect("a script");
    fs::write(terminal.path("conversazione"), script).expect("written");
    let mut shell = Command::new("sh");
    let api = format!("{}/paibeta/api", terminal.origin);
    shell
        .args(["conversazione", &api])
        .current_dir(terminal.folder.path());
    let output = shell.output().expect("sh");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// What stands for the placeholders of a call: the first words of what follows them, and what to put there.
fn filled(command: &str, ids: &[String]) -> String {
    command
        .replace("\"6f75696a-…\"", &format!("\"{}\"", ids[0]))
        .replace("\"0b54a6c2-…\"", &format!("\"{}\"", ids[1]))
        .replace("\"story\":\"…\"", "\"story\":\"'$story'\"")
        .replace(
            "\"password\":\"…\"",
            &format!("\"password\":\"{PASSWORD}\""),
        )
        .replace("\"key\":\"…\"", "\"key\":\"chiave-1\"")
        .replace(
            "\"segnalazione\":\"…\"",
            "\"segnalazione\":\"Ha telefonato e racconta di un cantiere senza protezioni.\"",
        )
        .replace("…", "Prova.")
}

/// What needs a story proposed, which takes reports that are alike.
const OF_A_PROPOSAL: &str = "/stories/proposals/$key";

#[test]
fn each_call_of_the_api_guide_is_answered_as_it_says() {
    let program = Program::start();
    let editor = program.set_up();
    editor.expects_a_flood();
    let mut terminal = terminal(&program);
    let told = converse(&terminal);
    assert_eq!(told["finished"], true, "{told}");

    let client = program.client();
    let chat = Chat::at_the_end(&client, &Person::numbered(50));
    let label = json!({ "name": "Da sentire", "color": "viola" });
    assert!(editor.post_json("/labels", &label).status < 300);
    let ids: Vec<String> = (1..=9).map(|number| program.report(number)).collect();
    // The guide's own is urgent.
    terminal.set("id", submit(&client, &Person::telling(99, GRAVE)));
    let guide = commands("docs/API.md");
    let first = guide.iter().position(|line| line.starts_with("tus="));
    let first = first.expect("files");
    let mut code = String::new();
    let (mut ran, mut free) = (0, 3);
    for command in &guide[first..] {
        let typed = command.replace("7K3QD-9XW2M-PC4TR-60VBN", &code);
        if command.starts_with("tus=") {
            terminal.set("tus", "tus-resumable: 1.0.0");
            terminal.set("mine", format!("x-conversation: {}", chat.token()));
            continue;
        }
        let typed = typed
            .replace("<id>", "$file")
            .replace("/bulk/7/", "/bulk/$batch/");
        let typed = filled(&typed, &ids[free..]);
        if command.contains(OF_A_PROPOSAL) {
            continue;
        }
        let printed = terminal.succeeds(&typed);
        ran += 1;
        let answer: Value = serde_json::from_str(&printed).unwrap_or_default();
        let member = |name: &str| answer[name].as_str().map(str::to_owned);
        let mut lines = printed.lines();
        if let Some(place) = lines.find_map(|line| line.strip_prefix("location: ")) {
            let file = place.trim().rsplit('/').next().expect("a name");
            terminal.set("file", file);
        }
        if command.contains("PATCH -H \"$tus\"") {
            let last = Reply::of(&turn(&client, chat.token(), "no"));
            code = last.receipt.expect("a code");
            // It comes back under its own name, and curl overwrites nothing.
            fs::remove_file(terminal.path("foto.jpg")).expect("removed");
        }
        if command.contains("/erasures") {
            free += 2;
        }
        if command.contains("-X DELETE $api/session") {
            terminal.succeeds(&format!(
                "curl -sS -c cookies -H \"$json\" -d '{{\"password\":\"{PASSWORD}\"}}' $api/session"
            ));
        }
        if command.contains("-X DELETE -H 'If-Match: \"3\"' $api/reports") {
            terminal.set("id", ids[1].clone());
        }
        if let Some(batch) = answer.get("batch") {
            terminal.set("batch", batch.to_string().replace('"', ""));
        }
        if command.contains("$api/stories\n") || command.ends_with("$api/stories") {
            terminal.set("story", member("id").expect("a story"));
        }
        if command.contains("\"slug\":\"posti-letto\"") {
            terminal.set("id", member("id").expect("a callout"));
        }
    }
    assert!(ran > 45, "{ran}");
    assert!(terminal.reads("curl -sS -b cookies $api/reports")["data"].is_array());
}
