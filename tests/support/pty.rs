//! Programs on a pseudo-terminal, which util-linux' `script` holds: what a person at a terminal would type and see.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(30);

pub const CTRL_C: &str = "\x03";
pub const CTRL_D: &str = "\x04";
pub const ENTER: &str = "\r";
pub const TAB: &str = "\t";
pub const UP: &str = "\x1b[A";

/// schedq at a prompt; killed when it is dropped.
pub struct Pty {
    script: Child,
    keys: Option<ChildStdin>,
    said: Arc<Mutex<Vec<u8>>>,
    /// How much of it was waited for.
    seen: usize,
}

/// What it shall be.
pub struct Prompt {
    command: Command,
    before: String,
    args: String,
}

impl Prompt {
    /// 80 columns, 24 lines, UTF-8, a state folder of its own.
    pub fn new(state: &Path) -> Prompt {
        let mut command = Command::new("script");
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("TERM", "xterm").env("LANG", "C.UTF-8").env("SHELL", "/bin/sh");
        command.env("XDG_CONFIG_HOME", "/nonexistent").env("HOME", "/nonexistent").env("XDG_STATE_HOME", state);
        Prompt { command, before: "stty rows 24 cols 80".into(), args: String::new() }
    }

    pub fn env(mut self, name: &str, value: &str) -> Prompt {
        self.command.env(name, value);
        self
    }

    pub fn without(mut self, name: &str) -> Prompt {
        self.command.env_remove(name);
        self
    }

    pub fn args(mut self, args: &str) -> Prompt {
        self.args = args.into();
        self
    }

    pub fn size(mut self, lines: u16, columns: u16) -> Prompt {
        self.before = format!("stty rows {lines} cols {columns}");
        self
    }

    /// Starts it and waits for its first prompt.
    #[track_caller]
    pub fn start(self) -> Pty {
        let mut pty = self.launch();
        pty.wait("schedq> ");
        pty
    }

    #[track_caller]
    pub fn launch(mut self) -> Pty {
        // What the terminal is left like is seen behind it. The shell would end with its child after a Ctrl-C.
        let line = format!(
            "trap : INT; {}; {} {}; echo \"[$?]\"; stty -a",
            self.before,
            env!("CARGO_BIN_EXE_schedq"),
            self.args
        );
        let mut script = self
            .command
            .args(["-q", "-f", "-c", &line, "/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script of util-linux");
        let said = Arc::new(Mutex::new(Vec::new()));
        let (mut out, into) = (script.stdout.take().expect("piped"), said.clone());
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = out.read(&mut buffer) {
                into.lock().expect("no panic").extend(&buffer[..count]);
            }
        });
        Pty { keys: script.stdin.take(), script, said, seen: 0 }
    }
}

impl Pty {
    pub fn send(&mut self, keys: &str) {
        let pipe = self.keys.as_mut().expect("open");
        pipe.write_all(keys.as_bytes()).expect("script reads");
        pipe.flush().expect("script reads");
    }

    /// Everything so far, as the terminal got it.
    pub fn raw(&self) -> String {
        String::from_utf8_lossy(&self.said.lock().expect("no panic")).into_owned()
    }

    fn length(&self) -> usize {
        self.said.lock().expect("no panic").len()
    }

    /// What came since the last wait, without escape sequences.
    pub fn fresh(&self) -> String {
        let said = self.said.lock().expect("no panic");
        plain(&String::from_utf8_lossy(&said[self.seen..]).replace('\r', ""))
    }

    /// Waits until a text is there that was not there at the last wait, and gives what came up to then.
    #[track_caller]
    pub fn wait(&mut self, text: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let fresh = self.fresh();
            if fresh.contains(text) {
                self.seen = self.length();
                return fresh;
            }
            assert!(Instant::now() < end, "no {text:?} in time, but\n{fresh}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// A statement, and what it said up to the next prompt.
    #[track_caller]
    pub fn ask(&mut self, statement: &str) -> String {
        self.send(statement);
        // What is typed is drawn again and again; the prompt counts that comes behind the line's end.
        thread::sleep(Duration::from_millis(50));
        self.seen = self.length();
        self.send(ENTER);
        let said = self.wait("\nschedq> ");
        said.trim_end_matches("schedq> ").trim_start_matches(['\n']).to_owned()
    }

    /// The process of schedq.
    #[track_caller]
    pub fn pid(&self) -> i32 {
        let end = Instant::now() + PATIENCE;
        loop {
            let mut open = vec![self.script.id() as i32];
            while let Some(pid) = open.pop() {
                if std::fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|comm| comm.trim() == "schedq") {
                    return pid;
                }
                let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
                open.extend(children.split_whitespace().filter_map(|child| child.parse::<i32>().ok()));
            }
            assert!(Instant::now() < end, "no schedq below script");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The terminal's device.
    #[track_caller]
    pub fn tty(&self) -> std::path::PathBuf {
        std::fs::read_link(format!("/proc/{}/fd/0", self.pid())).expect("a terminal")
    }

    /// Waits for its end: its status, and everything since the last wait. The terminal must be as it was.
    #[track_caller]
    pub fn finish(mut self) -> (i32, String) {
        let fresh = self.wait("-echoprt");
        let (said, state) = fresh.rsplit_once('[').expect("the status");
        let code = state.split(']').next().and_then(|code| code.parse().ok()).expect("the status");
        for setting in ["isig", "icanon", "echo", "icrnl", "opost"] {
            assert!(state.split_whitespace().any(|word| word == setting), "{setting} is off: {state}");
        }
        (code, said.to_owned())
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // Whatever is held by it is hung up.
        let _ = self.script.kill();
        let _ = self.script.wait();
    }
}

/// Without escape sequences.
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\x1b' => {
                if chars.next() == Some('[') {
                    chars.by_ref().find(|c| c.is_ascii_alphabetic());
                }
            }
            '\x07' => {}
            c => out.push(c),
        }
    }
    out
}

/// Whether there is a `script`; a test that cannot run without it is skipped by name.
pub fn has_script(test: &str) -> bool {
    let has = Command::new("script").arg("--version").stdout(Stdio::null()).status().is_ok();
    super::require(test, has, "`script` of util-linux")
}
