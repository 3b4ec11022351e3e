//! The prompt on a pseudo-terminal, as a person has it.

mod completion;
mod history;
mod lines;
mod looks;
mod pipes;
mod queries;
mod wrong;

use crate::support::pty::{Prompt, has_script};

/// A prompt whose history lies in a folder that goes with the test; `None` when this machine has no `script`.
fn prompt(test: &str) -> Option<(tempfile::TempDir, Prompt)> {
    if !has_script(test) {
        return None;
    }
    let state = tempfile::tempdir().expect("a folder");
    let prompt = Prompt::new(state.path());
    Some((state, prompt))
}

/// The family with which the tests ask: the first of the catalog.
fn family() -> &'static str {
    schedq::catalog::FAMILIES[0].name
}
