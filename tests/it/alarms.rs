//! The rules of alarm and the dashboard that are handed out, in a Prometheus of Debian that reads the program.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use form_urlencoded::byte_serialize;
use serde_json::Value;

use crate::support::executable::text;
use crate::support::http::Client;
use crate::support::program::Program;
use crate::support::wait_for;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("packaging/examples")
        .join(name)
}

/// Stopped when it goes out of scope.
struct Prometheus {
    process: Child,
    client: Client,
    _folder: tempfile::TempDir,
}

impl Prometheus {
    /// One that reads this address each second.
    fn reading(target: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let rules = example("segnalazioni.rules.yml");
        let config = format!(
            "global: {{ scrape_interval: 1s, evaluation_interval: 1s }}\nrule_files: ['{}']\n\
             scrape_configs: [{{ job_name: segnalazioni, static_configs: [{{ targets: ['{target}'] }}] }}]\n",
            rules.display()
        );
        fs::write(folder.path().join("prometheus.yml"), config).expect("written");
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = free.local_addr().expect("an address");
        drop(free);
        let process = Command::new("prometheus")
            .arg("--config.file=prometheus.yml")
            .arg("--storage.tsdb.path=data")
            .arg(format!("--web.listen-address={address}"))
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("prometheus: `make soak` installs Debian's package");
        let prometheus = Self {
            process,
            client: Client::new(address),
            _folder: folder,
        };
        wait_for("Prometheus", || {
            let answer = prometheus.client.request("GET", "/-/ready").try_send();
            answer.ok().filter(|answer| answer.status == 200)
        });
        prometheus
    }

    fn ask(&self, path: &str) -> Value {
        self.client.page(path).expect(200).json()["data"].clone()
    }

    fn rules(&self) -> Vec<Value> {
        let groups = self.ask("/api/v1/rules")["groups"].clone();
        groups[0]["rules"].as_array().expect("rules").clone()
    }

    /// Waits for a value of this expression.
    fn answers(&self, expression: &str) {
        let query: String = byte_serialize(expression.as_bytes()).collect();
        wait_for(expression, || {
            let result = self.ask(&format!("/api/v1/query?query={query}"))["result"].clone();
            result
                .as_array()
                .filter(|found| !found.is_empty())
                .map(|_| ())
        });
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        self.process.kill().expect("it can be killed");
        self.process.wait().expect("it ends");
    }
}

/// What the panels of the dashboard ask.
fn expressions() -> Vec<String> {
    let dashboard = fs::read(example("segnalazioni.dashboard.json")).expect("a file");
    let dashboard: Value = serde_json::from_slice(&dashboard).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels").iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().expect("targets"));
    let asked = targets.map(|target| target["expr"].as_str().expect("a text"));
    asked
        .map(|asked| asked.replace("$redazione", ".*"))
        .collect()
}

#[test]
#[ignore = "soak"]
fn prometheus_takes_the_rules_and_answers_the_dashboard() {
    let checked = Command::new("promtool")
        .args(["check", "rules"])
        .arg(example("segnalazioni.rules.yml"))
        .output()
        .expect("promtool: `make soak` installs Debian's prometheus");
    assert!(checked.status.success(), "{}", text(&checked.stderr));

    let mut program = Program::start_with(&[("SEGNALAZIONI_METRICS_LISTEN", "127.0.0.1:0")]);
    program.set_up();
    program.report(1);
    program.running().back_up().expect("a backup");
    // As the units of a replica leave word.
    let replica = program.data().join("replica");
    fs::create_dir(&replica).expect("made");
    fs::write(replica.join("copiata"), "2026-03-10T08:59:00Z\n").expect("written");
    let url = program.running().metrics_url().expect("it is measured");
    let target = url
        .trim_start_matches("http://")
        .trim_end_matches("/metrics");
    let prometheus = Prometheus::reading(target);
    let expressions = expressions();
    assert!(expressions.len() >= 12, "{expressions:?}");
    for expression in &expressions {
        prometheus.answers(expression);
    }
    let healthy = wait_for("the rules", || {
        let rules = prometheus.rules();
        rules
            .iter()
            .all(|rule| rule["health"] == "ok")
            .then_some(rules)
    });
    assert_eq!(healthy.len(), 7);
    let quiet = healthy.iter().all(|rule| rule["state"] == "inactive");
    assert!(quiet, "{healthy:#?}");
    // The control: an alarm that should, stirs.
    program.stop();
    wait_for("the alarm", || {
        let absent = prometheus.rules().remove(0);
        (absent["state"] == "pending").then_some(())
    });
}
