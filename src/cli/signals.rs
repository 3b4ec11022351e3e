//! Signals as events. A thread of its own waits for them, so that nothing needs to look again and again.

use std::io;
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::getpid;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::session::{Events, Told, ends_the_program, events, is_ignored};

/// How long a signal may go unheard (while a pipe that nobody reads blocks us, say) before it does what it always does.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often the editor is told.
const AGAIN: Duration = Duration::from_millis(20);

/// At a prompt a second Ctrl-C abandons the query and keeps the session; these many in a row that nobody hears of end the
/// program there too.
const LAST_RESORT: u64 = 3;

/// Who listens: what a signal does that nobody hears of depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    Script,
    Prompt,
}

/// From now on SIGINT, SIGTERM, SIGCHLD, and SIGHUP unless `nohup` says otherwise, come here. SIGXFSZ is taken so that a write beyond the limit of a file's size
/// fails with words instead of killing; a command that we start has it as it was.
pub fn listen(who: Listener) -> io::Result<Events> {
    let (mut teller, events) = events();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGCHLD, SIGXFSZ])?;
    if !is_ignored(SIGHUP) {
        signals.add_signal(SIGHUP)?;
    }
    thread::Builder::new().name("schedq".into()).spawn(move || {
        for signal in &mut signals {
            match signal {
                SIGCHLD => teller.child(),
                SIGXFSZ => {}
                _ => {
                    let told = teller.stop(signal);
                    if who == Listener::Prompt && ends_the_program(signal) {
                        wake_editor(told.clone());
                    }
                    insist(signal, told, who);
                }
            }
        }
    })?;
    Ok(events)
}

/// Who ends while the terminal is raw leaves it so. The editor takes SIGINT itself while it reads, and gives the terminal
/// back then; the prompt finds that it was SIGTERM. While it still is in the handler of that, a read begins anew in spite of
/// a second signal, so it is told until it has heard.
fn wake_editor(told: Told) {
    let tells = move || {
        while told.is_at_rest() && !told.was_heard() {
            thread::sleep(AGAIN);
            if told.is_at_rest() {
                let _ = kill(getpid(), Signal::SIGINT);
            }
        }
    };
    let _ = thread::Builder::new().name("schedq".into()).spawn(tells);
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
