//! Results that no window gave: of SQL, of `compare`, of `env`; and results that are shown again.

use std::io::{self, BufWriter, Write};

use super::Terminal;
use crate::cli::args::Format;
use crate::output::ndjson::Label;
use crate::output::{csv, ndjson, table};
use crate::session::{Compared, Frame};

impl Terminal {
    pub(super) fn tell_derived(&mut self, label: Label<'_>, frame: &Frame) -> io::Result<()> {
        if self.keeps_all() || self.format != Format::Table {
            self.plain(label, frame)?;
        } else {
            let text = self.fitted(label, frame)?;
            self.print(&text)?;
        }
        // It has no window of its own to tell of, but what its tables lack it lacks too.
        if frame.meta.has_loss() {
            self.trust(frame);
        } else if !self.quiet {
            frame.meta.notes.iter().for_each(|note| self.note(&format!("note: {note}")));
        }
        Ok(())
    }

    pub(super) fn tell_compared(&mut self, label: Label<'_>, comparison: &Compared<'_>) -> io::Result<()> {
        if self.keeps_all() || self.format != Format::Table {
            return self.plain(label, comparison.frame);
        }
        let lines = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let rows = comparison.frame.first_rows(comparison.told);
        let table = match comparison.told {
            0 => String::new(),
            _ => self.fitted(label, &rows)? + "\n",
        };
        self.print(&format!("{}\n{table}{}", lines(comparison.before), lines(comparison.after)))
    }

    pub(super) fn tell_environment(&mut self, name: &str, frame: &Frame, short: bool) -> io::Result<()> {
        if self.keeps_all() || self.format != Format::Table {
            return self.plain(Label::Name(name), frame);
        }
        let text = match short {
            true => format!("{name}\n{}\n", table::render(frame, &self.out).map_err(io::Error::other)?),
            false => format!("{name}: {} rows, see show {name}\n", frame.data.height()),
        };
        self.print(&text)
    }

    /// A frame in the form of the command line, all of it.
    pub(super) fn plain(&mut self, label: Label<'_>, frame: &Frame) -> io::Result<()> {
        self.progress.clear();
        if self.keeps_all() {
            self.keep(label, frame);
            return Ok(());
        }
        let mut out = BufWriter::new(self.outlet());
        match self.format {
            Format::Ndjson => ndjson::write(&mut out, frame, label)?,
            Format::Csv => {
                if self.results > 0 {
                    out.write_all(b"\n")?;
                }
                csv::write(&mut out, frame, true)?;
                self.results += 1;
            }
            Format::Table | Format::Json => out.write_all(self.people(frame)?.as_bytes())?,
        }
        out.flush()?;
        let out = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        self.written(out)
    }
}
