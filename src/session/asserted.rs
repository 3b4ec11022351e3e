//! `assert`: names and units of what is claimed, and what is said when it does not hold.

use crate::diagnostic::{Diagnostic, Exit, Source, Span};
use crate::frame::claim::{self, Claim, Given, Right, Tested, Verdict};
use crate::frame::{ColumnKind, Frame, FrameColumn, Role};
use crate::lang::ast::{self, Compare, FrameColumn as Named, List, Side, Spanned, Value, Word};
use crate::lang::format;
use crate::name;
use crate::nearest::nearest;
use crate::output::units;
use crate::plan::Params;
use crate::plan::predicate::{Glob, Order};

/// So many rows that fail are told.
const MOST_TOLD: usize = 5;

/// An assertion as it was written, with the parameters of its place.
pub struct Claimed {
    pub claim: Spanned<ast::Claim>,
    pub otherwise: Option<String>,
    pub params: Params,
    pub source: Source,
}

/// Its claim over columns of frames, each once.
pub struct Resolved<'f> {
    claim: Claim,
    columns: Vec<(&'f str, &'f Frame, &'f FrameColumn, Named)>,
}

/// The frames of which a claim speaks, in its order.
pub fn frames(claim: &ast::Claim) -> Vec<&Word> {
    fn walk<'c>(claim: &'c ast::Claim, found: &mut Vec<&'c Word>) {
        match claim {
            ast::Claim::And(parts) | ast::Claim::Or(parts) => parts.iter().for_each(|part| walk(&part.node, found)),
            ast::Claim::Not(part) => walk(&part.node, found),
            ast::Claim::Compare { left, right, .. } => {
                found.push(&left.node.frame);
                if let Side::Column(of) = &right.node {
                    found.push(&of.frame);
                }
            }
            ast::Claim::In { left, .. } | ast::Claim::Flag(left) => found.push(&left.node.frame),
        }
    }
    let mut found = Vec::new();
    walk(claim, &mut found);
    let mut seen: Vec<&str> = Vec::new();
    found.retain(|word| {
        let new = !seen.contains(&word.node.as_str());
        seen.push(&word.node);
        new
    });
    found
}

impl Claimed {
    pub fn uses(&self) -> Vec<&str> {
        frames(&self.claim.node).into_iter().map(|word| word.node.as_str()).collect()
    }

    /// Finds the columns and gives values their units.
    pub fn resolve<'f>(&self, frames: &[(&'f str, &'f Frame)]) -> Result<Resolved<'f>, Vec<Diagnostic>> {
        self.resolve_part(&self.claim, frames)
    }

    fn resolve_part<'f>(
        &self,
        part: &Spanned<ast::Claim>,
        frames: &[(&'f str, &'f Frame)],
    ) -> Result<Resolved<'f>, Vec<Diagnostic>> {
        let mut resolver = Resolver { of: self, frames, columns: Vec::new(), problems: Vec::new() };
        let claim = resolver.claim(part);
        match claim.filter(|_| resolver.problems.is_empty()) {
            Some(claim) => Ok(Resolved { claim, columns: resolver.columns }),
            None => Err(resolver.problems),
        }
    }

    /// What is to be said, if it does not hold. Claims that are joined with `and` hold each for itself, so each may be of
    /// another result.
    pub fn judge(&self, frames: &[(&str, &Frame)]) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let parts = match &self.claim.node {
            ast::Claim::And(parts) => parts.as_slice(),
            _ => std::slice::from_ref(&self.claim),
        };
        let mut failures = Vec::new();
        for part in parts {
            failures.extend(self.judge_part(part, frames)?);
        }
        Ok(failures)
    }

    fn judge_part(
        &self,
        part: &Spanned<ast::Claim>,
        frames: &[(&str, &Frame)],
    ) -> Result<Option<Diagnostic>, Vec<Diagnostic>> {
        let resolved = self.resolve_part(part, frames)?;
        let tested: Vec<Tested<'_>> =
            resolved.columns.iter().map(|(_, frame, column, _)| Tested { frame, column: &column.name }).collect();
        let verdict = claim::judge(&resolved.claim, &tested)
            .map_err(|error| vec![Diagnostic::new("assert", Exit::Failed, error.to_string())])?;
        let said = self.otherwise.clone().unwrap_or_else(|| format::claim(&part.node));
        let failed = |label: String| {
            Diagnostic::new("assertion", Exit::Assertion, format!("assertion failed: {said}")).at(
                &self.source,
                part.span,
                label,
            )
        };
        Ok(match verdict {
            Verdict::Holds => None,
            Verdict::NoRows(at) => Some(failed(format!("{} has no rows", resolved.columns[at].0))),
            Verdict::OtherRows(at) => {
                let (name, frame, ..) = &resolved.columns[at];
                let first = resolved.columns[0].0;
                let rows = frame.data.height();
                Some(failed(format!("{name} has {rows} rows")).help(format!(
                    "beside the rows of {first} only a result of one row can stand; join them first: {name}_{first} = sql select …"
                )))
            }
            Verdict::Fails { rows, of } => {
                let label = match (rows.len(), of) {
                    (1, 1) => "it does not hold".to_owned(),
                    (failing, of) => format!("it does not hold in {failing} of {} rows", units::count(of as i64)),
                };
                let mut told = failed(label);
                for row in rows.iter().take(MOST_TOLD) {
                    told = told.help(resolved.row(*row));
                }
                if rows.len() > MOST_TOLD {
                    told = told.help(format!("and {} more", rows.len() - MOST_TOLD));
                }
                Some(told)
            }
        })
    }
}

impl Resolved<'_> {
    /// A row that fails: its keys, and the values of the columns that the claim names.
    fn row(&self, row: usize) -> String {
        let Some((_, first, ..)) = self.columns.first() else { return String::new() };
        let keys = first.columns.iter().filter(|column| matches!(column.role, Role::Key | Role::Interval(_)));
        let named = |column: &FrameColumn| {
            self.columns.iter().any(|(_, f, c, _)| std::ptr::eq(*f, *first) && c.name == column.name)
        };
        let keys = keys.filter(|column| !named(column));
        let keys: Vec<String> =
            keys.map(|column| format!("{}={}", column.name, units::exact(first, column, row))).collect();
        let values = self.columns.iter().map(|(frame, of, column, written)| {
            let row = if of.data.height() == 1 { 0 } else { row };
            format!("{frame}.{} is {}", written.column.node, units::exact(of, column, row))
        });
        let values = values.collect::<Vec<_>>().join(", ");
        if keys.is_empty() { values } else { format!("{}: {values}", keys.join(", ")) }
    }
}

struct Resolver<'c, 'f> {
    of: &'c Claimed,
    frames: &'c [(&'f str, &'f Frame)],
    columns: Vec<(&'f str, &'f Frame, &'f FrameColumn, Named)>,
    problems: Vec<Diagnostic>,
}

impl<'f> Resolver<'_, 'f> {
    fn refuse<T>(&mut self, code: &'static str, span: Span, title: String, help: String) -> Option<T> {
        let made = Diagnostic::new(code, Exit::Wrong, title).at(&self.of.source, span, "");
        self.problems.push(if help.is_empty() { made } else { made.help(help) });
        None
    }

    fn claim(&mut self, claim: &Spanned<ast::Claim>) -> Option<Claim> {
        let mut all = |parts: &[Spanned<ast::Claim>]| {
            // Each part is looked at, for each may be wrong.
            let parts: Vec<Option<Claim>> = parts.iter().map(|part| self.claim(part)).collect();
            parts.into_iter().collect::<Option<Vec<Claim>>>()
        };
        match &claim.node {
            ast::Claim::And(parts) => all(parts).map(Claim::And),
            ast::Claim::Or(parts) => all(parts).map(Claim::Or),
            ast::Claim::Not(part) => self.claim(part).map(|part| Claim::Not(Box::new(part))),
            ast::Claim::Flag(column) => {
                let (at, kind) = self.column(column)?;
                match kind {
                    ColumnKind::YesNo => Some(Claim::Flag { left: at }),
                    _ => {
                        let written = format!("{}.{}", column.node.frame.node, column.node.column.node);
                        let title = format!("{written} is compared with something");
                        self.refuse(
                            "claim-wanted",
                            column.span,
                            title,
                            format!("such as `{written} < {}`", example(kind)),
                        )
                    }
                }
            }
            ast::Claim::Compare { left, op, right } => self.compare(left, op, right),
            ast::Claim::In { left, list } => {
                if let List::Param(name) = &list.node
                    && self.param(name, list.span)? == Value::Word("any".into())
                {
                    return Some(Claim::Always);
                }
                let (at, kind) = self.column(left)?;
                let any_of = match &list.node {
                    List::Ranges(ranges) => self.ranges(ranges, kind, list.span)?,
                    List::Values(values) => {
                        let given: Vec<Option<Given>> =
                            values.iter().map(|value| self.given(&value.node, value.span, kind)).collect();
                        given.into_iter().collect::<Option<Vec<Given>>>()?
                    }
                    List::Param(name) => match self.param(name, list.span)? {
                        Value::Ranges(ranges) => self.ranges(&ranges, kind, list.span)?,
                        value => vec![self.given(&value, list.span, kind)?],
                    },
                };
                Some(Claim::In { left: at, any_of })
            }
        }
    }

    fn compare(&mut self, left: &Spanned<Named>, op: &Spanned<Compare>, right: &Spanned<Side>) -> Option<Claim> {
        let given = match &right.node {
            Side::Value(Value::Param(name)) => match self.param(name, right.span)? {
                Value::Word(word) if word == "any" => return Some(Claim::Always),
                // Text that came from a command line without quotes.
                Value::Word(word) => Side::Value(Value::Text(word.into_bytes())),
                value => Side::Value(value),
            },
            side => side.clone(),
        };
        let (at, kind) = self.column(left)?;
        if kind == ColumnKind::YesNo {
            let title = "a yes/no column stands alone".to_owned();
            let written = format!("{}.{}", left.node.frame.node, left.node.column.node);
            return self.refuse("flag-alone", op.span, title, format!("write `{written}`, or `not {written}`"));
        }
        let Some(order) = Order::of(op.node) else {
            return match (&given, kind) {
                (Side::Value(Value::Text(bytes)), ColumnKind::Text) => {
                    Some(Claim::Like { left: at, glob: Glob(bytes.clone()) })
                }
                _ => {
                    self.refuse("like", op.span, "`~` compares texts".into(), "write `FRAME.COLUMN ~ 'nginx*'`".into())
                }
            };
        };
        let right = match given {
            Side::Value(value) => Right::Given(self.given(&value, right.span, kind)?),
            Side::Column(of) => {
                let (other, unit) = self.column(&Spanned::new(of, right.span))?;
                if family(kind) != family(unit) {
                    let title = format!("{} and {} cannot be compared", noun(kind), noun(unit));
                    return self.refuse("units", right.span, title, String::new());
                }
                Right::Column(other)
            }
        };
        Some(Claim::Compare { left: at, order, right })
    }

    fn param(&mut self, name: &str, span: Span) -> Option<Value> {
        match self.of.params.get(name) {
            Some(value) => Some(value.clone()),
            None => {
                let known: Vec<&str> = self.of.params.keys().map(String::as_str).collect();
                let help = match nearest(name, known) {
                    Some(near) => format!("did you mean ${near}?"),
                    None => format!("declare it: param {name} = VALUE"),
                };
                self.refuse("unknown-param", span, format!("there is no parameter ${name}"), help)
            }
        }
    }

    /// The column's number, and what it holds.
    fn column(&mut self, wanted: &Spanned<Named>) -> Option<(usize, ColumnKind)> {
        let Named { frame, column } = &wanted.node;
        let (name, of) = *self.frames.iter().find(|(name, _)| *name == frame.node)?;
        let word = column.node.as_str();
        let by_name = of.columns.iter().find(|known| known.name == word);
        let found = by_name.or_else(|| of.columns.iter().find(|known| known.label.replace(' ', "_") == word));
        let Some(found) = found else {
            let there: Vec<&str> = of.columns.iter().map(|known| known.name.as_str()).collect();
            let help = match nearest(word, there.iter().copied()) {
                Some(near) => format!("did you mean {name}.{near}?"),
                None => format!("it has {}", there.join(", ")),
            };
            return self.refuse("unknown-column", column.span, format!("{name} has no column {word}"), help);
        };
        if matches!(found.kind, ColumnKind::Buckets(_)) {
            let help = "ask the query for a percentile, and compare that".to_owned();
            return self.refuse("claim-buckets", wanted.span, format!("{name}.{word} is a histogram"), help);
        }
        let at = self.columns.iter().position(|(known, _, column, _)| *known == name && column.name == found.name);
        let at = at.unwrap_or_else(|| {
            self.columns.push((name, of, found, wanted.node.clone()));
            self.columns.len() - 1
        });
        Some((at, found.kind))
    }

    fn ranges(&mut self, ranges: &[(u32, u32)], kind: ColumnKind, span: Span) -> Option<Vec<Given>> {
        match kind {
            ColumnKind::Number | ColumnKind::Count => {
                Some(ranges.iter().map(|(low, high)| Given::Range((*low).into(), (*high).into())).collect())
            }
            kind => {
                let title = format!("{} is compared with other values than whole numbers", noun(kind));
                self.refuse("units", span, title, format!("such as `in ({})`", example(kind)))
            }
        }
    }

    /// A value in the column's unit.
    fn given(&mut self, value: &Value, span: Span, kind: ColumnKind) -> Option<Given> {
        let decimal = |text: &str| text.parse::<f64>().ok().map(Given::Float);
        let fits = match (kind, value) {
            (ColumnKind::Duration, Value::Duration(ns)) => i64::try_from(*ns).ok().map(Given::Int),
            (ColumnKind::Number | ColumnKind::Count | ColumnKind::Time, Value::Int(n)) => Some(Given::Int(*n)),
            (ColumnKind::Rate | ColumnKind::Percent | ColumnKind::Decimal, Value::Int(n)) => {
                Some(Given::Float(*n as f64))
            }
            (ColumnKind::Number | ColumnKind::Count, Value::Decimal(text)) => decimal(text),
            (ColumnKind::Rate | ColumnKind::Percent | ColumnKind::Decimal, Value::Decimal(text)) => decimal(text),
            (ColumnKind::Percent, Value::Percent(text)) => decimal(text),
            (ColumnKind::Text, Value::Text(bytes)) => Some(Given::Text(name::escape(bytes))),
            _ => None,
        };
        if fits.is_some() {
            return fits;
        }
        let help = match (kind, value) {
            (ColumnKind::Duration, Value::Int(n)) => format!("it needs a unit, such as `{n}ms`: ns, us, ms, s, m or h"),
            (ColumnKind::Text, Value::Word(word)) => format!("text stands in quotes: `'{word}'`"),
            _ => format!("such as `{}`", example(kind)),
        };
        let title = format!("{} is not compared with `{}`", noun(kind), format::value(value));
        self.refuse("units", span, title, help)
    }
}

/// Kinds whose values can be compared with each other.
fn family(kind: ColumnKind) -> u8 {
    match kind {
        ColumnKind::Number | ColumnKind::Count | ColumnKind::Decimal => 0,
        ColumnKind::Duration => 1,
        ColumnKind::Time => 2,
        ColumnKind::Rate => 3,
        ColumnKind::Percent => 4,
        ColumnKind::Text => 5,
        ColumnKind::YesNo => 6,
        ColumnKind::Buckets(_) => 7,
    }
}

fn noun(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Number | ColumnKind::Decimal => "a number",
        ColumnKind::Count => "a count",
        ColumnKind::YesNo => "a yes/no column",
        ColumnKind::Text => "a text",
        ColumnKind::Duration => "a duration",
        ColumnKind::Time => "a time",
        ColumnKind::Rate => "a rate",
        ColumnKind::Percent => "a percentage",
        ColumnKind::Buckets(_) => "a histogram",
    }
}

fn example(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Duration => "5ms",
        ColumnKind::Text => "'nginx'",
        ColumnKind::Percent => "12.5%",
        ColumnKind::Rate | ColumnKind::Decimal => "12.5",
        ColumnKind::Time => "1767225600000000000",
        _ => "100",
    }
}
