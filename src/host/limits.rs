//! What this process may have.

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
