//! Whether standard output was closed when the program was started (`schedq … >&-`).
//!
//! Rust opens /dev/null in place of a closed standard stream before `main`, after which a closed one can no longer be told
//! from one that a person sent to /dev/null. So the question is asked earlier, when the dynamic linker initializes the
//! program. One of two files with `unsafe`.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

extern "C" fn look() {
    // SAFETY: asks for the flags of a descriptor that may or may not exist, and touches no memory.
    if unsafe { nix::libc::fcntl(nix::libc::STDOUT_FILENO, nix::libc::F_GETFD) } == -1 {
        CLOSED.store(true, Ordering::Relaxed);
    }
}

// SAFETY: an entry of this section is a function without arguments that is called once, before `main`; `look` needs
// nothing of Rust's runtime.
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

pub fn stdout_was_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}
