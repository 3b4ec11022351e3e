//! Signals as events. A thread of its own waits for them, so that nothing needs to look again and again.

use std::io;
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::getpid;
use signal_hook::consts::{SIGCHLD, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::session::{Events, Told, events};

/// How long a signal may go unheard (while a pipe that nobody reads blocks us, say) before it does what it always does.
const PATIENCE: Duration = Duration::from_secs(5);

/// At a prompt a second Ctrl-C abandons the query and keeps the session; these many in a row that nobody hears of end the
/// program there too.
const LAST_RESORT: u64 = 3;

/// Who listens: what a signal does that nobody hears of depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    Script,
    Prompt,
}

/// From now on SIGINT, SIGTERM and SIGCHLD come here. SIGXFSZ is taken so that a write beyond the limit of a file's size
/// fails with words instead of killing; a command that we start has it as it was.
pub fn listen(who: Listener) -> io::Result<Events> {
    let (mut teller, events) = events();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGCHLD, SIGXFSZ])?;
    thread::Builder::new().name("schedq".into()).spawn(move || {
        for signal in &mut signals {
            match signal {
                SIGCHLD => teller.child(),
                SIGXFSZ => {}
                _ => {
                    let told = teller.stop(signal);
                    if who == Listener::Prompt && signal == SIGTERM && teller.is_at_rest() {
                        wake_editor();
                    }
                    insist(signal, told, who);
                }
            }
        }
    })?;
    Ok(events)
}

/// Who ends while the terminal is raw leaves it so. The editor takes SIGINT itself while it reads, and gives the terminal
/// back then; the prompt finds that it was SIGTERM.
fn wake_editor() {
    let _ = kill(getpid(), Signal::SIGINT);
}

/// A second signal, or patience at its end, ends the program when the first one was not heard.
fn insist(signal: i32, told: Told, who: Listener) {
    let enough = if who == Listener::Prompt { LAST_RESORT } else { 1 };
    if told.unheard_before() >= enough {
        let _ = emulate_default_handler(signal);
    }
    if who == Listener::Prompt && signal == SIGINT {
        return;
    }
    let waits = move || {
        thread::sleep(PATIENCE);
        if !told.was_heard() {
            let _ = emulate_default_handler(signal);
        }
    };
    // Without a thread for it, the second signal still ends the program.
    let _ = thread::Builder::new().name("schedq".into()).spawn(waits);
}
