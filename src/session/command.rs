//! The command after `--`: made before the probes, held until they are attached, then let go.
//!
//! It is held by a small start-up stage of this same binary that stops itself before it becomes the command. So the
//! command keeps its standard input, its number is known before it runs, and no code runs between fork and exec.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus};

use nix::sys::signal::{Signal, kill, raise};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getppid};

use super::{Event, Events};
use crate::diagnostic::{Diagnostic, Exit};
use crate::name;

/// The first argument by which the binary knows that it is the start-up stage.
pub const HOLD: &str = "--schedq-hold-then-run";

pub struct Command {
    child: Child,
    shown: String,
    status: Option<ExitStatus>,
}

impl Command {
    /// Starts the stage and waits until it holds.
    pub fn hold(words: &[OsString]) -> Result<Command, Diagnostic> {
        let shown = name::escape(words.first().map_or(&[][..], |w| w.as_encoded_bytes()));
        let failed = |error: io::Error| {
            Diagnostic::new("command", Exit::Failed, format!("the command {shown:?} cannot be started: {error}"))
        };
        let own = std::env::current_exe().map_err(failed)?;
        let child = std::process::Command::new(own)
            .arg(HOLD)
            .arg(std::process::id().to_string())
            .args(words)
            .spawn()
            .map_err(failed)?;
        let mut made = Command { child, shown, status: None };
        let pid = Pid::from_raw(made.child.id() as i32);
        match waitpid(pid, Some(WaitPidFlag::WUNTRACED)) {
            Ok(WaitStatus::Stopped(..)) => Ok(made),
            Ok(WaitStatus::Exited(_, code)) => {
                made.status = Some(ExitStatus::from_raw(code << 8));
                Err(made.failed(format!("its start-up stage ended with status {code}")))
            }
            other => Err(made.failed(format!("its start-up stage did not hold: {other:?}"))),
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Lets it run.
    pub fn go(&mut self) -> Result<(), Diagnostic> {
        self.signal(Signal::SIGCONT).map_err(|e| self.failed(format!("it cannot be let go: {e}")))
    }

    /// Passes a signal on. One from the terminal's keyboard has reached it already; twice does no harm to a process that
    /// is about to end.
    pub fn forward(&mut self, signal: i32) {
        if let Ok(signal) = Signal::try_from(signal) {
            // It may have ended meanwhile, which is what was wanted.
            let _ = self.signal(signal);
        }
    }

    pub fn has_ended(&mut self) -> bool {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status.is_some()
    }

    /// Waits for its end, passing signals on meanwhile, and gives its status as a shell would.
    pub fn wait(mut self, events: &Events) -> u8 {
        while !self.has_ended() {
            match events.wait() {
                Ok(Event::Stop(signal)) => self.forward(signal),
                Ok(Event::Child) => {}
                // Nobody tells of its end.
                Err(_) => {
                    self.status = self.child.wait().ok();
                    break;
                }
            }
        }
        let status = self.status;
        status.map_or(1, |s| s.code().unwrap_or_else(|| 128 + s.signal().unwrap_or(0)) as u8)
    }

    fn signal(&self, signal: Signal) -> nix::Result<()> {
        kill(Pid::from_raw(self.child.id() as i32), signal)
    }

    fn failed(&self, why: String) -> Diagnostic {
        Diagnostic::new("command", Exit::Failed, format!("the command {:?} cannot be started: {why}", self.shown))
    }
}

impl Drop for Command {
    /// Held and never let go: it must not stay behind.
    fn drop(&mut self) {
        if self.status.is_none() && !self.has_ended() {
            let _ = self.signal(Signal::SIGKILL);
            let _ = self.child.wait();
        }
    }
}

/// The start-up stage: stops itself, then becomes the command. Only comes back when it could not; gives the status that a
/// shell would.
pub fn hold_then_run(words: &[OsString]) -> (u8, String) {
    let [parent, program, arguments @ ..] = words else { return (2, "no command".into()) };
    // Should schedq be killed meanwhile, nobody would ever wake this stage.
    let _ = nix::sys::prctl::set_pdeathsig(Signal::SIGKILL);
    if parent.to_str() != Some(&getppid().to_string()) {
        return (1, "schedq has ended".into());
    }
    if let Err(error) = raise(Signal::SIGSTOP) {
        return (1, format!("cannot hold: {error}"));
    }
    let _ = nix::sys::prctl::set_pdeathsig(None);
    let error = std::process::Command::new(program).args(arguments).exec();
    let code = if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
    (code, format!("{}: {error}", name::escape(program.as_encoded_bytes())))
}
