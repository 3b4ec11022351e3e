//! What this process may have.

use std::fs::File;
use std::io;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// As many open files as may be had without a right: a query takes a dozen of them, and a window may hold hundreds of
/// queries.
pub fn raise_open_files() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
    {
        // Whoever lacks files later is told so then.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

/// Whether so many files more can be opened now; other reasons to refuse one are left to whoever opens it.
pub fn has_files(count: usize) -> bool {
    let refused = |error: &io::Error| matches!(error.raw_os_error(), Some(nix::libc::EMFILE | nix::libc::ENFILE));
    let opened: Result<Vec<File>, io::Error> = (0..count).map(|_| File::open("/dev/null")).collect();
    !opened.is_err_and(|error| refused(&error))
}
