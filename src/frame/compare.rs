//! Two results side by side: what of the machines differs, then how far each quantile of each group has moved.

use std::collections::HashMap;

use polars::prelude::{Column as PolarsColumn, DataFrame, IdxCa, NamedFrom, Series};

use super::cells::{Cells, Value};
use super::meta::{ColumnMeta, Meta};
use super::shift::{Run, Shift, shift};
use super::{ColumnKind, Frame, FrameColumn, FrameError, Measured, Role, Samples};
use crate::lang::ast::Stat;

/// Where the queries ask for no percentile, in millionths.
const USUAL: [u32; 4] = [500_000, 900_000, 990_000, 999_000];
/// That of all statements of one comparison together.
const CONFIDENCE: f64 = 0.95;

/// Why two results cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// The first or the second has neither a histogram nor a percentile.
    NoSamples {
        second: bool,
    },
    OtherMeasure {
        before: String,
        after: String,
    },
    OtherKeys {
        before: Vec<String>,
        after: Vec<String>,
    },
}

/// Facts that are never quite the same, and how far apart they may be.
const MEASURED: [(&str, f64); 2] = [("cpu_busy_percent", 10.0), ("cpu_steal_percent", 2.0)];

/// A fact of the machines that is not the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub name: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// A quantile that moved further than noise explains.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// `comm=nginx, cpu=1`; empty without keys.
    pub group: String,
    pub quantile: String,
    pub shift: Shift,
}

#[derive(Debug, Clone)]
pub struct Comparison {
    /// A row for each group and quantile.
    pub frame: Frame,
    /// So many of its rows, the first, are of groups of which something can be said; so many groups are of the others.
    pub told: usize,
    pub silent: usize,
    pub environment: Vec<Difference>,
    pub moved: Vec<Moved>,
    /// How many statements were made with one confidence.
    pub statements: usize,
    pub unit: Measured,
}

/// Whether they are answers of one shape, with distributions; gives these.
pub fn fit<'f>(before: &'f Frame, after: &'f Frame) -> Result<(&'f Samples, &'f Samples), Unfit> {
    let a = before.samples.as_ref().ok_or(Unfit::NoSamples { second: false })?;
    let b = after.samples.as_ref().ok_or(Unfit::NoSamples { second: true })?;
    if a.measure != b.measure || a.nanoseconds != b.nanoseconds {
        return Err(Unfit::OtherMeasure { before: a.measure.clone(), after: b.measure.clone() });
    }
    if a.keys != b.keys {
        return Err(Unfit::OtherKeys { before: a.keys.clone(), after: b.keys.clone() });
    }
    Ok((a, b))
}

/// One group: where its keys stand, and its samples in both.
struct Group {
    text: String,
    /// Of the first, or of the second where only that has it.
    row: (bool, usize),
    before: Option<Run>,
    after: Option<Run>,
}

pub fn compare(before: &Frame, after: &Frame, query: String) -> Result<Result<Comparison, Unfit>, FrameError> {
    let (a, b) = match fit(before, after) {
        Ok(both) => both,
        Err(unfit) => return Ok(Err(unfit)),
    };
    let groups = groups((before, a), (after, b))?;
    let quantiles = quantiles(a, b);
    let in_both = |group: &&Group| group.before.is_some() && group.after.is_some();
    let reaches = |run: &Option<Run>, quantile: u32| run.as_ref().is_some_and(|run| run.reaches(share(quantile)));
    let tested = |group: &Group, q: u32| reaches(&group.before, q) && reaches(&group.after, q);
    let statements: usize =
        groups.iter().filter(in_both).map(|group| quantiles.iter().filter(|q| tested(group, **q)).count()).sum();
    let confidence = 1.0 - (1.0 - CONFIDENCE) / statements.max(1) as f64;

    let mut rows = Rows::default();
    let mut moved = Vec::new();
    // What can be said stands before what cannot.
    let says = |group: &&Group| quantiles.iter().any(|q| tested(group, *q));
    let (saying, silent): (Vec<&Group>, Vec<&Group>) = groups.iter().partition(says);
    let mut told = None;
    for (at, group) in saying.iter().chain(&silent).enumerate() {
        if at == saying.len() {
            told = Some(rows.verdict.len());
        }
        let (Some(one), Some(other)) = (&group.before, &group.after) else {
            let verdict = if group.before.is_some() { "only before" } else { "only after" };
            rows.add(group, "", None, verdict);
            continue;
        };
        for quantile in &quantiles {
            let word = Stat::Percentile(*quantile).word();
            if !tested(group, *quantile) {
                // The usual ones are left out where they say nothing; one that was asked for is not.
                if !a.quantiles.is_empty() || !b.quantiles.is_empty() {
                    rows.add(group, &word, None, "too few");
                }
                continue;
            }
            let found = shift(one, other, share(*quantile), confidence);
            rows.add(group, &word, Some(found), if found.moved { "moved" } else { "noise" });
            if found.moved {
                moved.push(Moved { group: group.text.clone(), quantile: word, shift: found });
            }
        }
    }
    let mut meta = Meta::of_no_window(query, before.meta.started_ns, after.meta.host.clone());
    meta.lost = before.meta.lost.saturating_add(after.meta.lost);
    let frame = rows.frame(before, after, a, meta)?;
    let environment = differences(&before.meta.host, &after.meta.host);
    let told = told.unwrap_or(frame.data.height());
    Ok(Ok(Comparison { frame, told, silent: silent.len(), environment, moved, statements, unit: a.unit() }))
}

fn share(millionths: u32) -> f64 {
    f64::from(millionths) / 1e6
}

/// Those that either query asks for, ascending.
fn quantiles(a: &Samples, b: &Samples) -> Vec<u32> {
    let mut asked: Vec<u32> = a.quantiles.iter().chain(&b.quantiles).copied().filter(|q| *q < 1_000_000).collect();
    asked.sort_unstable();
    asked.dedup();
    if asked.is_empty() { USUAL.to_vec() } else { asked }
}

/// The groups of both, those with most samples first. Intervals of one group are its parts.
fn groups(before: (&Frame, &Samples), after: (&Frame, &Samples)) -> Result<Vec<Group>, FrameError> {
    let mut index: HashMap<String, usize> = HashMap::new();
    let mut found: Vec<(String, (bool, usize), [Vec<_>; 2])> = Vec::new();
    for (side, (frame, samples)) in [before, after].into_iter().enumerate() {
        let cells: Vec<(&str, Cells)> = samples
            .keys
            .iter()
            .map(|key| Ok((key.as_str(), Cells::of(frame.data.column(key)?)?)))
            .collect::<Result<_, FrameError>>()?;
        for sample in samples.groups.iter().filter(|sample| sample.row < frame.data.height() || cells.is_empty()) {
            let text = |(key, cells): &(&str, Cells)| format!("{key}={}", text(&cells.get(sample.row)));
            let text = cells.iter().map(text).collect::<Vec<_>>().join(", ");
            let at = *index.entry(text.clone()).or_insert_with(|| {
                found.push((text, (side == 0, sample.row), [Vec::new(), Vec::new()]));
                found.len() - 1
            });
            found[at].2[side].extend(sample.blocks.iter().cloned());
        }
    }
    let run = |blocks: &[crate::plan::histogram::Histogram]| {
        Some(Run::of(blocks)).filter(|run| !blocks.is_empty() && run.count() > 0)
    };
    let group = |(text, row, [one, other]): (String, (bool, usize), [Vec<_>; 2])| Group {
        text,
        row,
        before: run(&one),
        after: run(&other),
    };
    let mut groups: Vec<Group> = found.into_iter().map(group).collect();
    groups.retain(|group| group.before.is_some() || group.after.is_some());
    let count = |run: &Option<Run>| run.as_ref().map_or(0, Run::count);
    groups.sort_by(|a, b| {
        let sum = |group: &Group| count(&group.before) + count(&group.after);
        sum(b).cmp(&sum(a)).then_with(|| a.text.cmp(&b.text))
    });
    Ok(groups)
}

fn text(value: &Value<'_>) -> String {
    match value {
        Value::Missing | Value::Buckets(_) => String::new(),
        Value::Int(n) => n.to_string(),
        Value::Float(x) => x.to_string(),
        Value::Bool(answer) => if *answer { "yes" } else { "no" }.to_owned(),
        Value::Text(text) => (*text).to_owned(),
    }
}

fn differences(before: &[(String, String)], after: &[(String, String)]) -> Vec<Difference> {
    let of = |facts: &[(String, String)], name: &str| facts.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
    let mut names: Vec<&String> = before.iter().map(|(name, _)| name).collect();
    names.extend(after.iter().map(|(name, _)| name).filter(|name| !before.iter().any(|(n, _)| n == *name)));
    let differ = |name: &String| {
        let (before, after) = (of(before, name), of(after, name));
        let within = MEASURED.iter().find(|(measured, _)| measured == name).is_some_and(|(_, within)| {
            let number = |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<f64>().ok());
            number(&before).zip(number(&after)).is_some_and(|(a, b)| (a - b).abs() <= *within)
        });
        (before != after && !within).then(|| Difference { name: name.clone(), before, after })
    };
    names.into_iter().filter_map(differ).collect()
}

/// The rows of the answer, column by column.
#[derive(Default)]
struct Rows {
    from: Vec<(bool, usize)>,
    quantile: Vec<Option<String>>,
    numbers: [Vec<Option<i64>>; 7],
    verdict: Vec<&'static str>,
}

impl Rows {
    fn add(&mut self, group: &Group, quantile: &str, found: Option<Shift>, verdict: &'static str) {
        self.from.push(group.row);
        self.quantile.push((!quantile.is_empty()).then(|| quantile.to_owned()));
        let whole = |value: f64| value.round() as i64;
        let count =
            |run: &Option<Run>| Some(run.as_ref().map_or(0, |run| i64::try_from(run.count()).unwrap_or(i64::MAX)));
        let values = [
            found.map(|found| whole(found.before)),
            found.map(|found| whole(found.after)),
            found.map(|found| whole(found.after) - whole(found.before)),
            found.and_then(|found| found.low).map(whole),
            found.and_then(|found| found.high).map(whole),
            count(&group.before),
            count(&group.after),
        ];
        self.numbers.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        self.verdict.push(verdict);
    }

    fn frame(self, before: &Frame, after: &Frame, samples: &Samples, mut meta: Meta) -> Result<Frame, FrameError> {
        let height = self.verdict.len();
        let (mut data, mut columns): (Vec<PolarsColumn>, Vec<FrameColumn>) = (Vec::new(), Vec::new());
        let mut add = |column: PolarsColumn, label: &str, kind: ColumnKind, role: Role| {
            let name = column.name().to_string();
            columns.push(FrameColumn { name, label: label.to_owned(), kind, role, marks: Vec::new() });
            data.push(column);
        };
        for key in &samples.keys {
            let both = (before.data.column(key)?.clone(), after.data.column(key)?);
            // Rows of the second frame stand behind those of the first.
            let behind = both.0.len();
            let mut all = both.0;
            all.append(both.1)?;
            let rows = self.from.iter().map(|(first, row)| (if *first { *row } else { behind + row }) as u32);
            let taken = all.take(&IdxCa::new("".into(), rows.collect::<Vec<u32>>()))?;
            let kind = before.columns.iter().find(|column| column.name == *key).map_or(ColumnKind::Text, |c| c.kind);
            add(taken, key, kind, Role::Key);
        }
        let texts = |name: &str, values: Vec<Option<&str>>| PolarsColumn::from(Series::new(name.into(), values));
        let quantile = texts("quantile", self.quantile.iter().map(Option::as_deref).collect());
        add(quantile, "quantile", ColumnKind::Text, Role::Key);
        let (unit, kind) = match samples.unit() {
            Measured::Nanoseconds => ("_ns", ColumnKind::Duration),
            Measured::Plain => ("", ColumnKind::Number),
        };
        let names = [
            (format!("before{unit}"), "before", kind),
            (format!("after{unit}"), "after", kind),
            (format!("shift{unit}"), "shift", kind),
            (format!("shift_low{unit}"), "at least", kind),
            (format!("shift_high{unit}"), "at most", kind),
            ("before_count".to_owned(), "before n", ColumnKind::Count),
            ("after_count".to_owned(), "after n", ColumnKind::Count),
        ];
        for ((name, label, kind), values) in names.iter().zip(&self.numbers) {
            add(Series::new(name.as_str().into(), values).into(), label, *kind, Role::Stat);
        }
        let verdict = texts("verdict", self.verdict.iter().map(|verdict| Some(*verdict)).collect());
        add(verdict, "verdict", ColumnKind::Text, Role::Stat);
        meta.columns = columns.iter().map(ColumnMeta::of).collect();
        meta.rows_matched = height as u64;
        Ok(Frame { data: DataFrame::new(height, data)?, columns, meta, samples: None })
    }
}
