//! `compare`: the machines first, then what has moved.

use std::path::PathBuf;

use super::steps::Scope;
use crate::diagnostic::{Diagnostic, Exit, Source, Span};
use crate::frame::Frame;
use crate::frame::compare::{self, Comparison, Difference, Moved, Unfit};
use crate::frame::{FrameError, Measured};
use crate::name;
use crate::output::units;

pub use crate::output::load::readable;

/// So many quantiles that moved are told in words; the table has all.
const MOST_TOLD: usize = 6;

/// A result that is compared.
pub enum Side {
    Frame(String),
    File(PathBuf),
}

pub struct Both {
    pub before: Side,
    pub after: Side,
    pub source: Source,
    /// Of both.
    pub span: Span,
}

/// What is said of a comparison beside its table.
pub struct Words {
    pub before: Vec<String>,
    pub after: Vec<String>,
}

impl Side {
    /// What is known of it before anything runs: of a file nothing, for it may be written until then.
    pub(super) fn schema(&self, scope: &Scope<'_>) -> Option<Frame> {
        match self {
            Side::Frame(name) => scope.schema(name),
            Side::File(_) => None,
        }
    }

    /// Of a frame its name.
    fn name(&self) -> &str {
        match self {
            Side::Frame(name) => name,
            Side::File(_) => "",
        }
    }

    /// As it was written, for people.
    pub fn shown(&self) -> String {
        match self {
            Side::Frame(name) => name.clone(),
            Side::File(path) => format!("'{}'", name::escape(path.as_os_str().as_encoded_bytes())),
        }
    }
}

impl Both {
    pub fn uses(&self) -> Vec<&str> {
        let frame = |side: &'_ Side| matches!(side, Side::Frame(_));
        [&self.before, &self.after].into_iter().filter(|side| frame(side)).map(Side::name).collect()
    }

    /// Whether they are of one shape.
    pub fn fit(&self, before: &Frame, after: &Frame) -> Result<(), Diagnostic> {
        compare::fit(before, after).map(|_| ()).map_err(|unfit| self.unfit(&unfit))
    }

    pub fn compare(&self, before: &Frame, after: &Frame) -> Result<Comparison, Diagnostic> {
        let query = format!("compare {} {}", self.before.shown(), self.after.shown());
        let failed = |error: FrameError| Diagnostic::new("compare", Exit::Failed, error.to_string());
        let mut made = compare::compare(before, after, query).map_err(failed)?.map_err(|unfit| self.unfit(&unfit))?;
        let words = self.words(&made, before, after);
        made.frame.meta.notes = words.before.into_iter().chain(words.after).collect();
        Ok(made)
    }

    fn unfit(&self, unfit: &Unfit) -> Diagnostic {
        let made = |title: String| Diagnostic::new("compare", Exit::Wrong, title).at(&self.source, self.span, "");
        let list = |keys: &[String]| if keys.is_empty() { "nothing".to_owned() } else { keys.join(", ") };
        let (before, after) = (self.before.shown(), self.after.shown());
        match unfit {
            Unfit::NoSamples { second } => {
                let which = if *second { &after } else { &before };
                made(format!("{which} holds no distribution"))
                    .help("compare results of queries with `hist` or a percentile, such as `p50, p99`")
            }
            Unfit::OtherMeasure { before: one, after: other } => {
                made(format!("{before} is of {one}, {after} of {other}"))
                    .help("only results of one measure can be compared")
            }
            Unfit::OtherKeys { before: one, after: other } => {
                made(format!("{before} is grouped by {}, {after} by {}", list(one), list(other)))
                    .help("ask both with the same `by`")
            }
        }
    }

    pub fn words(&self, made: &Comparison, before: &Frame, after: &Frame) -> Words {
        let (one, other) = (&before.meta.query, &after.meta.query);
        let mut first = environment(&made.environment);
        if one != other {
            first.push(format!("question: {one} → {other}"));
        }
        let mut last = Vec::new();
        if made.silent > 0 {
            let groups = if made.silent == 1 { "one group".to_owned() } else { format!("{} groups", made.silent) };
            last.push(format!("{groups} more: only in one of both, or of too few samples (all are in json and csv)"));
        }
        last.push(verdict(made));
        for moved in made.moved.iter().take(MOST_TOLD) {
            last.push(format!("  {}", told(moved, made.unit)));
        }
        if made.moved.len() > MOST_TOLD {
            last.push(format!("  and {} more", made.moved.len() - MOST_TOLD));
        }
        if !made.moved.is_empty() && made.environment.iter().any(|one| one.name.starts_with("cpu_")) {
            last.push("the CPUs were not equally busy, which may be the reason: repeat both".to_owned());
        }
        for (frame, side) in [(before, &self.before), (after, &self.after)] {
            if frame.meta.has_loss() {
                last.push(format!("{} lacks something: {} lost", side.shown(), units::count(frame.meta.lost as i64)));
            }
        }
        Words { before: first, after: last }
    }
}

fn environment(differences: &[Difference]) -> Vec<String> {
    if differences.is_empty() {
        return vec!["environment: the same".to_owned()];
    }
    let value = |value: &Option<String>| value.as_deref().map_or("(none)".to_owned(), |v| name::escape(v.as_bytes()));
    let line = |one: &Difference| format!("environment: {} {} → {}", one.name, value(&one.before), value(&one.after));
    differences.iter().map(line).collect()
}

fn verdict(made: &Comparison) -> String {
    let statements = match made.statements {
        0 => return "too few samples to tell whether anything moved".to_owned(),
        1 => "one quantile".to_owned(),
        n => format!("{n} quantiles"),
    };
    match made.moved.len() {
        0 => format!("nothing moved: noise explains every shift ({statements}, 95 % for all together)"),
        n => format!("{n} of {statements} moved further than noise explains (95 % for all together):"),
    }
}

/// `comm=ticker p99: 1.2ms → 3.1us, down 1.1969ms (at least 1.1ms, at most 1.25ms)`
fn told(moved: &Moved, unit: Measured) -> String {
    let shown = |value: f64| match unit {
        Measured::Nanoseconds => units::duration(value.round() as i64, &units::plain()),
        Measured::Plain => units::count(value.round() as i64),
    };
    let shift = moved.shift;
    let distance = shift.after - shift.before;
    let (least, most) = match distance > 0.0 {
        true => (shift.low, shift.high),
        false => (shift.high.map(|high| -high), shift.low.map(|low| -low)),
    };
    let bound = |word: &str, value: Option<f64>| value.map(|value| format!("{word} {}", shown(value.max(0.0))));
    let bounds: Vec<String> = bound("at least", least).into_iter().chain(bound("at most", most)).collect();
    let group = if moved.group.is_empty() { String::new() } else { format!("{} ", moved.group) };
    let direction = if distance > 0.0 { "up" } else { "down" };
    format!(
        "{group}{}: {} → {}, {direction} {} ({})",
        moved.quantile,
        shown(shift.before),
        shown(shift.after),
        shown(distance.abs()),
        bounds.join(", ")
    )
}
