//! Signals as events. A thread of its own waits for them, so that nothing needs to look again and again.

use std::io;
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGCHLD, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::session::{Events, Told, events};

/// How long a signal may go unheard (while a pipe that nobody reads blocks us, say) before it does what it always does.
const PATIENCE: Duration = Duration::from_secs(5);

/// From now on SIGINT, SIGTERM and SIGCHLD come here. SIGXFSZ is taken so that a write beyond the limit of a file's size
/// fails with words instead of killing; a command that we start has it as it was.
pub fn listen() -> io::Result<Events> {
    let (mut teller, events) = events();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGCHLD, SIGXFSZ])?;
    thread::Builder::new().name("schedq".into()).spawn(move || {
        for signal in &mut signals {
            match signal {
                SIGCHLD => teller.child(),
                SIGXFSZ => {}
                _ => insist(signal, teller.stop(signal)),
            }
        }
    })?;
    Ok(events)
}

/// A second signal, or patience at its end, ends the program when the first one was not heard.
fn insist(signal: i32, told: Told) {
    if told.follows_unheard() {
        let _ = emulate_default_handler(signal);
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
