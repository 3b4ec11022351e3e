//! Runs a program with a limit on its time, and gives back all it said.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

/// A run of schedq to be; its environment holds no colour settings and no user's configuration.
pub struct Schedq {
    command: Command,
    stdin: Option<Vec<u8>>,
    limit: Duration,
}

/// What a program said, and how it ended.
#[derive(Debug)]
pub struct Output {
    pub stdout: String,
    pub stderr: String,
    pub status: ExitStatus,
}

impl Output {
    /// The exit status, or 128 + the signal's number, as a shell has it.
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| 128 + self.status.signal().unwrap_or(0))
    }

    /// Panics with all that was said unless the program ended well.
    #[track_caller]
    pub fn success(self) -> Output {
        self.fails_with(0)
    }

    #[track_caller]
    pub fn fails_with(self, code: i32) -> Output {
        assert_eq!(self.code(), code, "exit status\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("{e}\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr))
    }
}

impl Schedq {
    pub fn new<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Schedq {
        let mut command = Command::new(env!("CARGO_BIN_EXE_schedq"));
        command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        // No configuration or saved query of whoever runs the tests.
        command.env("XDG_CONFIG_HOME", "/nonexistent").env("HOME", "/nonexistent");
        Schedq { command, stdin: None, limit: Duration::from_secs(60) }
    }

    /// `schedq -e STATEMENTS`
    pub fn eval(statements: &str) -> Schedq {
        Schedq::new(["-e", statements])
    }

    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Schedq {
        self.command.arg(arg);
        self
    }

    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Schedq {
        self.command.args(args);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Schedq {
        self.command.env(name, value);
        self
    }

    pub fn dir(mut self, dir: impl AsRef<std::path::Path>) -> Schedq {
        self.command.current_dir(dir);
        self
    }

    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Schedq {
        self.stdin = Some(text.into());
        self
    }

    pub fn limit(mut self, limit: Duration) -> Schedq {
        self.limit = limit;
        self
    }

    #[track_caller]
    pub fn run(self) -> Output {
        self.start().finish()
    }

    /// Starts it and returns while it runs.
    #[track_caller]
    pub fn start(mut self) -> Running {
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        self.command.stdin(if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() });
        let mut child = self.command.spawn().expect("schedq starts");
        if let (Some(text), Some(mut pipe)) = (self.stdin, child.stdin.take()) {
            // The program may end without reading it all.
            thread::spawn(move || pipe.write_all(&text));
        }
        let stdout = collect(child.stdout.take().expect("piped"));
        let stderr = collect(child.stderr.take().expect("piped"));
        Running { child, stdout: Some(stdout), stderr: Some(stderr), end: Instant::now() + self.limit }
    }
}

/// Runs a shell's script with a limit on its time; `$SCHEDQ` in it is the program, `$1` … are `args`.
#[track_caller]
pub fn shell(script: &str, args: &[&OsStr]) -> Output {
    let output = Command::new("timeout")
        .args(["60", "sh", "-c", script, "sh"])
        .args(args)
        .env("SCHEDQ", env!("CARGO_BIN_EXE_schedq"))
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .env("HOME", "/nonexistent")
        .stdin(Stdio::null())
        .output()
        .expect("a shell and timeout");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    assert_ne!(output.status.code(), Some(124), "not in time: {script}");
    Output { stdout: text(output.stdout), stderr: text(output.stderr), status: output.status }
}

fn collect(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe");
        bytes
    })
}

/// A schedq that runs; killed when it is dropped.
pub struct Running {
    child: Child,
    stdout: Option<JoinHandle<Vec<u8>>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
    end: Instant,
}

impl Running {
    pub fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// Waits until it holds `n` BPF links: what it attaches, it keeps as open files of that kind.
    #[track_caller]
    pub fn attached(&mut self, n: usize) {
        let folder = format!("/proc/{}/fd", self.pid());
        loop {
            let links = std::fs::read_dir(&folder).into_iter().flatten().flatten().filter(|entry| {
                std::fs::read_link(entry.path()).is_ok_and(|to| to.as_os_str().to_string_lossy().contains("bpf_link"))
            });
            let found = links.count();
            if found >= n {
                return;
            }
            let ended = self.child.try_wait().expect("a child");
            assert!(ended.is_none(), "schedq ended before it had {n} links: {ended:?}: {}", self.rest().stderr);
            assert!(Instant::now() < self.end, "schedq holds {found} BPF links, not {n}, when its time is up");
            thread::sleep(Duration::from_millis(2));
        }
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.pid()), signal).expect("schedq runs");
    }

    /// SIGINT, which ends the window, and all it said.
    #[track_caller]
    pub fn interrupt(self) -> Output {
        self.signal(Signal::SIGINT);
        self.finish()
    }

    #[track_caller]
    pub fn finish(mut self) -> Output {
        while self.child.try_wait().expect("a child").is_none() {
            if Instant::now() >= self.end {
                self.child.kill().expect("a child that runs");
                let said = self.rest();
                panic!("schedq did not end in time\nstdout:\n{}\nstderr:\n{}", said.stdout, said.stderr);
            }
            thread::sleep(Duration::from_millis(5));
        }
        self.rest()
    }

    fn rest(&mut self) -> Output {
        let status = self.child.wait().expect("a child");
        let text = |reader: Option<JoinHandle<Vec<u8>>>| {
            String::from_utf8(reader.expect("read once").join().expect("a reader")).expect("schedq's output is UTF-8")
        };
        Output { stdout: text(self.stdout.take()), stderr: text(self.stderr.take()), status }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Fails when it has ended, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
