//! The executable in a process of its own, on a port of the machine's choice. Must never outlive its handle.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};

/// An executable, and the folder in which it runs.
pub struct Installation {
    program: PathBuf,
    folder: PathBuf,
}

/// A running server; killed when it goes out of scope.
pub struct Server {
    child: Child,
    /// Kept open, because the program fails to print to a closed pipe.
    _output: BufReader<ChildStdout>,
    pub address: SocketAddr,
}

impl Installation {
    pub fn new(program: &Path, folder: &Path) -> Result<Self> {
        let program = program.canonicalize();
        Ok(Self {
            program: program.context("the executable")?,
            folder: folder.canonicalize()?,
        })
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Its name, version and commit.
    pub fn version(&self) -> Result<String> {
        let output = Command::new(&self.program).arg("--version").output()?;
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// Where it keeps its data.
    pub fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// A command that sees nothing of this process's environment but the search path.
    pub fn confined(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(&self.folder)
            .stdin(Stdio::null());
        command
    }

    /// Adds `serve` to a [`Self::confined`] command, and starts it.
    pub fn serve(&self, mut command: Command) -> Result<Server> {
        let errors = File::options()
            .create(true)
            .append(true)
            .open(self.folder.join("stderr.log"))?;
        command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]);
        command.arg(self.data()).stderr(errors);
        Server::listening(&mut command).with_context(|| self.errors())
    }

    pub fn start(&self) -> Result<Server> {
        self.serve(self.confined(&self.program))
    }

    /// What all runs wrote to standard error.
    pub fn errors(&self) -> String {
        std::fs::read_to_string(self.folder.join("stderr.log")).unwrap_or_default()
    }
}

impl Server {
    /// Starts a program, and returns once it says on its standard output where it listens.
    pub fn listening(command: &mut Command) -> Result<Self> {
        let child = command.stdout(Stdio::piped()).spawn();
        let mut child = child.context("the program does not start")?;
        let mut output = BufReader::new(child.stdout.take().context("a pipe")?);
        let address = loop {
            let mut line = String::new();
            if output.read_line(&mut line)? == 0 {
                child.wait()?;
                bail!("the program ended before it listened");
            }
            if let Some(address) = address_in(&line) {
                break address;
            }
        };
        Ok(Self {
            child,
            _output: output,
            address,
        })
    }

    /// SIGTERM, after which it must end well.
    pub fn stop(mut self) -> Result<()> {
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        let status = self.child.wait()?;
        ensure!(status.success(), "SIGTERM ended it with {status}");
        Ok(())
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn address_in(line: &str) -> Option<SocketAddr> {
    let (_, url) = line.split_once("http://")?;
    url.trim_end().split('/').next()?.parse().ok()
}
