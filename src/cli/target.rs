//! The file of `-o`: whether it can be written and hold what will come, found out before any window starts.

use std::path::Path;

use super::args::Format;
use super::closed::stdout_was_closed;
use super::terminal::Terminal;
use crate::diagnostic::{Diagnostic, Exit};
use crate::output::file::{self, Prepared};

impl Terminal {
    /// The file's ending and `--format` must not say different things; where the ending says nothing, `--format` does.
    fn prepare(&self, path: &Path) -> Result<Prepared, Diagnostic> {
        let asked = match self.asked {
            None | Some(Format::Table) => None,
            Some(Format::Json) => Some(file::Format::Json),
            Some(Format::Ndjson) => Some(file::Format::Ndjson),
            Some(Format::Csv) => Some(file::Format::Csv),
        };
        match (asked, file::Format::from_path(path)) {
            (Some(asked), None) => file::prepare_as(path, asked),
            (Some(asked), Some(ending)) if asked != ending => {
                let path = crate::name::escape(path.as_os_str().as_encoded_bytes());
                Err(Diagnostic::new(
                    "two-formats",
                    Exit::Wrong,
                    format!("--format and the ending of '{path}' say different things"),
                )
                .help("leave --format out: the ending chooses the format"))
            }
            _ => file::prepare(path),
        }
    }

    /// Finds out before any window starts whether results can be written.
    pub fn ready(&mut self) -> Result<(), Diagnostic> {
        if let Some(path) = &self.output {
            self.file = Some(self.prepare(path)?);
        } else if stdout_was_closed() {
            return Err(Diagnostic::new(
                "output",
                Exit::Failed,
                "standard output is closed, so results have nowhere to go",
            )
            .help("give it a place, or write to a file with -o"));
        }
        Ok(())
    }

    /// Whether the file of `-o` can hold so many results: asked before any window starts.
    pub fn takes(&self, results: usize) -> Result<(), Diagnostic> {
        match (&self.file, &self.output) {
            (Some(file), Some(path)) if results > 1 && !file.format().holds_several() => {
                let path = crate::name::escape(path.as_os_str().as_encoded_bytes());
                Err(Diagnostic::new(
                    "several-results",
                    Exit::Wrong,
                    format!("'{path}' holds one result, and there are {results}"),
                )
                .help("save each result to a file of its own, or use .json or .ndjson"))
            }
            _ => Ok(()),
        }
    }
}
