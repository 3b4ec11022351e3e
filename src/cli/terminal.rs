//! Results to standard output, everything else to standard error, so that a pipe sees only data.

mod derived;

use std::io::{self, BufWriter, IsTerminal, Write};

use jiff::tz::TimeZone;

use super::args::{Args, Format};
use super::look;
use super::progress::Progress;
use super::prompted::Prompted;
use crate::diagnostic::Diagnostic;
use crate::output::file::Prepared;
use crate::output::ndjson::Label;
use crate::output::{Style, csv, diagnostic, heatmap, histogram, json, ndjson, table, taped, trust};
use crate::session::{Audience, Compared, Finished, Frame, Plan, Recorded};

pub struct Terminal {
    format: Format,
    /// As `--format` has it.
    pub(super) asked: Option<Format>,
    /// For standard output and for standard error: either may be a terminal alone.
    pub(super) out: Style,
    pub(super) err: Style,
    quiet: bool,
    pub(super) file: Option<Prepared>,
    pub(super) output: Option<std::path::PathBuf>,
    progress: Progress,
    progress_wanted: bool,
    batches: table::Batches,
    /// Some of the current result was shown by [`Audience::batch`].
    batched: bool,
    zone_known: bool,
    /// Results that are written together at the end.
    kept: Vec<(Option<String>, Frame)>,
    results: usize,
    /// Somebody is at a prompt.
    pub(super) prompted: Option<Prompted>,
}

impl Terminal {
    pub fn new(args: &Args) -> Terminal {
        let (out, err) = look::styles(args.color);
        let progress = Progress::new(err.unicode);
        let command = match &args.verb {
            Some(super::args::Verb::Run { command, .. }) => !command.is_empty(),
            _ => !args.command.is_empty(),
        };
        Terminal {
            format: args.format.unwrap_or(Format::Table),
            asked: args.format,
            out,
            err,
            quiet: args.quiet,
            file: None,
            output: args.output.clone(),
            progress,
            // A command may write to the same terminal.
            progress_wanted: !args.quiet && io::stderr().is_terminal() && !look::is_dumb() && !command,
            batches: table::Batches::that_go_on(),
            batched: false,
            zone_known: false,
            kept: Vec::new(),
            results: 0,
            prompted: None,
        }
    }

    pub fn tell(&mut self, problem: &Diagnostic) {
        self.progress.clear();
        // When standard error is gone too, there is nobody left to tell.
        let _ = writeln!(io::stderr(), "{}", diagnostic::render(problem, &self.err).trim_end());
    }

    /// A line for people beside the data.
    pub fn note(&mut self, line: &str) {
        self.progress.clear();
        let _ = writeln!(io::stderr(), "{line}");
    }

    pub fn print(&mut self, text: &str) -> io::Result<()> {
        // A quiet interval has nothing to say, not even an empty line.
        if text.is_empty() {
            return Ok(());
        }
        self.progress.clear();
        let mut out = self.outlet();
        out.write_all(text.as_bytes())?;
        if !text.ends_with('\n') {
            out.write_all(b"\n")?;
        }
        self.written(out)
    }

    /// Writes what is only complete at the end: one JSON document, or the file of `-o`.
    pub fn finish(&mut self) -> Result<(), super::Failure> {
        let kept = std::mem::take(&mut self.kept);
        if let Some(file) = &self.file {
            if !kept.is_empty() {
                let labelled: Vec<(Label<'_>, &Frame)> = kept
                    .iter()
                    .enumerate()
                    .map(|(i, (name, frame))| (name.as_deref().map_or(Label::Number(i + 1), Label::Name), frame))
                    .collect();
                file.write_all(&labelled)?;
            }
        } else if self.format == Format::Json && !kept.is_empty() {
            let frames: Vec<&Frame> = kept.iter().map(|k| &k.1).collect();
            let mut out = BufWriter::new(io::stdout().lock());
            json::write(&mut out, &frames)?;
            out.flush()?;
        }
        Ok(())
    }

    fn keep(&mut self, label: Label<'_>, frame: &Frame) {
        let name = match label {
            Label::Name(name) => Some(name.to_owned()),
            Label::Number(_) => None,
        };
        self.kept.push((name, frame.clone()));
    }

    /// The time zone of this machine, looked up once.
    fn know_zone(&mut self) {
        if !self.zone_known {
            self.out.zone = TimeZone::system();
            self.err.zone = self.out.zone.clone();
            self.zone_known = true;
        }
    }

    pub(super) fn people(&self, frame: &Frame) -> io::Result<String> {
        let made = if histogram::applies(frame) {
            histogram::render(frame, &self.out)
        } else {
            table::render(frame, &self.out)
        };
        made.map_err(io::Error::other)
    }

    /// A part of a result of which more may come: histograms each by itself, rows under one header.
    fn portion(&mut self, frame: &Frame) -> io::Result<String> {
        if histogram::applies(frame) {
            return Ok(histogram::render(frame, &self.out).map_err(io::Error::other)? + "\n");
        }
        self.batches.render(frame, &self.out).map_err(io::Error::other)
    }

    fn trust(&mut self, frame: &Frame) {
        if self.quiet && !frame.meta.has_loss() {
            return;
        }
        let lines = self.at_length(trust::lines(&frame.meta, &self.err));
        for line in lines {
            self.note(&line);
        }
    }

    /// Whether results are written together at the end.
    fn keeps_all(&self) -> bool {
        self.file.is_some() || self.format == Format::Json
    }
}

impl Audience for Terminal {
    fn wants_progress(&self) -> bool {
        self.progress_wanted
    }

    fn progress(&mut self, elapsed_ns: u64, total_ns: Option<u64>) {
        self.progress.window(elapsed_ns, total_ns);
    }

    fn reading(&mut self, done: u64, total: u64) {
        self.progress.reading(done, total);
    }

    fn recorded(&mut self, recorded: &Recorded) -> io::Result<()> {
        let taped = recorded.taped();
        // What is lost is said even then.
        if !self.quiet || taped.lost.iter().any(|(_, count)| *count > 0) {
            for line in taped::lines(&taped, &self.err) {
                self.note(&line);
            }
        }
        Ok(())
    }

    fn keeps(&self) -> bool {
        self.keeps_all()
    }

    fn batch(&mut self, label: Label<'_>, _: &Plan, frame: &Frame) -> io::Result<()> {
        self.know_zone();
        if self.keeps() {
            return Ok(());
        }
        self.progress.clear();
        match self.format {
            Format::Table => {
                let text = self.portion(frame)?;
                self.batched = true;
                self.print(&text)
            }
            Format::Ndjson => {
                let mut out = BufWriter::new(io::stdout().lock());
                ndjson::write(&mut out, frame, label)?;
                out.flush()
            }
            // The header stands before the first rows only.
            Format::Csv => {
                let mut out = BufWriter::new(io::stdout().lock());
                csv::write(&mut out, frame, self.results == 0)?;
                self.results += 1;
                out.flush()
            }
            Format::Json => Ok(()),
        }
    }

    fn result(&mut self, result: &Finished<'_>) -> io::Result<()> {
        self.know_zone();
        self.progress.clear();
        if !result.shown {
            self.trust(result.frame);
            return Ok(());
        }
        if self.keeps() {
            self.keep(result.label, result.frame);
            self.trust(result.frame);
            return Ok(());
        }
        let rest = result.last.unwrap_or(result.frame);
        match self.format {
            Format::Table => {
                match result.last {
                    // Everything was shown already.
                    Some(last) if last.data.height() == 0 && self.batched => {}
                    Some(last) => {
                        let text = self.portion(last)?;
                        self.print(&text)?;
                    }
                    None => {
                        let text = self.fitted(result.label, result.frame)?;
                        self.print(&text)?;
                    }
                }
                self.batched = false;
                self.batches = table::Batches::that_go_on();
            }
            Format::Ndjson => {
                let mut out = BufWriter::new(io::stdout().lock());
                ndjson::write(&mut out, rest, result.label)?;
                out.flush()?;
            }
            Format::Csv => {
                let mut out = BufWriter::new(io::stdout().lock());
                let streamed = result.last.is_some() && self.results > 0;
                if !streamed && self.results > 0 {
                    out.write_all(b"\n")?;
                }
                csv::write(&mut out, rest, !streamed)?;
                self.results += 1;
                out.flush()?;
            }
            Format::Json => {}
        }
        self.trust(result.frame);
        Ok(())
    }

    fn derived(&mut self, label: Label<'_>, frame: &Frame) -> io::Result<()> {
        self.know_zone();
        self.tell_derived(label, frame)
    }

    fn compared(&mut self, label: Label<'_>, comparison: &Compared<'_>) -> io::Result<()> {
        self.know_zone();
        self.tell_compared(label, comparison)
    }

    fn environment(&mut self, name: &str, frame: &Frame, short: bool) -> io::Result<()> {
        self.know_zone();
        self.tell_environment(name, frame, short)
    }

    fn show(&mut self, name: &str, frame: &Frame, style: Option<&str>) -> io::Result<()> {
        self.know_zone();
        let mut out = BufWriter::new(self.outlet());
        match style {
            Some("json") => json::write(&mut out, &[frame])?,
            Some("csv") => csv::write(&mut out, frame, true)?,
            Some("table") => out.write_all(table::render(frame, &self.out).map_err(io::Error::other)?.as_bytes())?,
            Some("hist") if !histogram::applies(frame) => {
                self.note(&format!("{name} is no histogram: its query has other stats"));
                out.write_all(self.people(frame)?.as_bytes())?;
            }
            Some("heatmap") if heatmap::applies(frame) => {
                out.write_all(heatmap::render(frame, &self.out).map_err(io::Error::other)?.as_bytes())?;
            }
            Some("heatmap") => {
                self.note(&format!("{name} has no histogram for each interval: its query would say `hist every 1s`"));
                out.write_all(self.people(frame)?.as_bytes())?;
            }
            _ => {
                drop(out);
                return self.plain(Label::Name(name), frame);
            }
        }
        out.flush()?;
        let out = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        self.written(out)
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.print(text)
    }

    fn problem(&mut self, problem: &Diagnostic) {
        self.tell(problem);
    }
}
