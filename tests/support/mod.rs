//! What the tests share: running schedq and the known workloads, and what this machine can do.

pub mod cgroup;
pub mod command;
pub mod counters;
pub mod machine;
pub mod pty;
pub mod watch;
pub mod workload;

pub use command::{Output, Schedq};
pub use machine::{live_lock, require, require_bpf};
pub use workload::Workload;
