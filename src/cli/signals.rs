//! Signals as events. A thread of its own waits for them, so that nothing needs to look again and again.

use std::io;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use signal_hook::consts::{SIGCHLD, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::session::Event;

/// From now on SIGINT, SIGTERM and SIGCHLD come here.
pub fn listen() -> io::Result<Receiver<Event>> {
    let (to, from) = channel();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGCHLD])?;
    thread::Builder::new().name("schedq".into()).spawn(move || {
        for signal in &mut signals {
            let event = if signal == SIGCHLD { Event::Child } else { Event::Stop(signal) };
            if to.send(event).is_err() {
                return;
            }
        }
    })?;
    Ok(from)
}
