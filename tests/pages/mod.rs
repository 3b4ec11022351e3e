//! The manual page and the completions, in the programs that read them.

mod completions;
mod manual;

use std::process::Command;

/// Whether a program is there.
fn has(program: &str) -> bool {
    Command::new("sh").args(["-c", &format!("command -v {program}")]).output().is_ok_and(|ran| ran.status.success())
}
