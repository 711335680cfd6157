//! The real executable in a process of its own: started, spoken to over its sockets and its terminal, stopped, killed.

use std::fs::File;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::http::Client;
use super::panel::{Editor, PASSWORD};
use super::{poll, wait_for};

pub const PATH: &str = env!("CARGO_BIN_EXE_segnalazioni");

/// A command of the executable, with `folder` as its working folder and nothing of this process's environment but the
/// search path.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PATH);
    confine(&mut command, folder);
    command.args(arguments);
    command
}

/// Takes the environment and the terminal away from a command.
pub fn confine(command: &mut Command, folder: &Path) {
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
}

/// `segnalazioni serve` on a free port, with its data in `folder/data`.
pub fn serve(folder: &Path) -> Command {
    command(folder, &["serve", "--listen", "127.0.0.1:0"])
}

/// Runs a command to its end with this on standard input; one that goes on instead is killed, and fails the test.
pub fn run(mut command: Command, input: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).spawn().expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A command that refuses its arguments never reads: the pipe is then closed.
    if let Err(error) = stdin.write_all(input.as_bytes()) {
        assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    }
    drop(stdin);
    let ended = poll(|| child.try_wait().expect("a state")).is_some();
    if !ended {
        child.kill().expect("it can be killed");
    }
    let output = child.wait_with_output().expect("it ends");
    assert!(ended, "it does not end by itself: {output:?}");
    output
}

/// A command that must succeed; what it printed.
pub fn succeeds(folder: &Path, arguments: &[&str], input: &str) -> String {
    let output = run(command(folder, arguments), input);
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    text(&output.stdout).to_owned()
}

pub fn fails(folder: &Path, arguments: &[&str], input: &str) -> String {
    one_line(&run(command(folder, arguments), input))
}

pub fn refusal(command: Command) -> String {
    one_line(&run(command, ""))
}

fn one_line(output: &Output) -> String {
    let (said, line) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((output.status.code(), said), (Some(1), ""));
    let told = line.starts_with("segnalazioni: ") && line.lines().count() == 1;
    assert!(told, "{line}");
    line.to_owned()
}

/// An installation whose password is set.
pub fn installation() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    succeeds(folder.path(), &["reset-password", "--stdin"], PASSWORD);
    folder
}

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("a text")
}

/// A running server; killed when it goes out of scope.
pub struct Server {
    child: Child,
    address: SocketAddr,
    output: PathBuf,
    errors: PathBuf,
}

impl Server {
    /// `segnalazioni serve` on a free port, with its data in `folder/data`.
    pub fn start(folder: &Path) -> Self {
        Self::spawn(serve(folder), folder)
    }

    /// Starts a prepared command and waits until it says where it listens.
    pub fn spawn(command: Command, folder: &Path) -> Self {
        Self::try_spawn(command, folder).unwrap_or_else(|said| panic!("it ended: {said}"))
    }

    /// The same, where it may end before; then what it said.
    pub fn try_spawn(command: Command, folder: &Path) -> Result<Self, String> {
        let errors = File::create(folder.join("stderr.log")).expect("a file");
        Self::try_spawn_to(command, folder, errors.into())
    }

    /// The same, with its errors elsewhere.
    pub fn try_spawn_to(mut command: Command, folder: &Path, to: Stdio) -> Result<Self, String> {
        let (output, errors) = (folder.join("stdout.log"), folder.join("stderr.log"));
        command
            .stdout(File::create(&output).expect("a file"))
            .stderr(to);
        let mut child = command.spawn().expect("it starts");
        let address = wait_for("the address", || {
            let ended = child.try_wait().expect("a state");
            let ended = ended.map(|_| Err(printed(&errors)));
            ended.or_else(|| address_in(&printed(&output)).map(Ok))
        })?;
        Ok(Self {
            child,
            address,
            output,
            errors,
        })
    }

    pub fn output(&self) -> String {
        printed(&self.output)
    }

    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// Somebody who logs in with the usual password.
    pub fn log_in(&self) -> Editor {
        Editor::log_in(&self.client(), PASSWORD)
    }

    pub fn session(&self, editor: &Editor) -> Editor {
        Editor::with_cookie(&self.client(), editor.cookie().to_owned())
    }

    pub fn errors(&self) -> String {
        printed(&self.errors)
    }

    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// The end of its pipe, where its errors go into one.
    pub fn pipe(&mut self) -> ChildStderr {
        self.child.stderr.take().expect("a pipe")
    }

    pub fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }

    /// `kill -9` while others use it.
    pub fn cut_off(&self) {
        kill_process(self.pid(), Signal::KILL).expect("it can be killed");
    }

    pub fn terminate(&self) {
        kill_process(self.pid(), Signal::TERM).expect("it can be told");
    }

    pub fn hang_up(&self) {
        kill_process(self.pid(), Signal::HUP).expect("it can be told");
    }

    pub fn stop(mut self) {
        self.terminate();
        assert!(self.ended().success(), "{}", self.errors());
    }

    /// Waits until it has ended by itself.
    pub fn ended(&mut self) -> ExitStatus {
        wait_for("the end of the server", || {
            self.child.try_wait().expect("a state")
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.child.kill().expect("it can be killed");
            self.child.wait().expect("it ends");
        }
    }
}

/// The first that is one: where the program is known by a name, its monitoring.
fn address_in(output: &str) -> Option<SocketAddr> {
    let mut whole = output.rsplit_once('\n')?.0.lines();
    whole.find_map(|line| line.split_once("://")?.1.split('/').next()?.parse().ok())
}

fn printed(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}
