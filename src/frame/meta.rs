//! What stands beside the data: the question, the window, and how far the answer can be trusted. Its serialised form is
//! the `meta` of JSON documents and of the key `schedq` in parquet files.

use serde::{Deserialize, Serialize};

use super::{Built, ColumnKind, FrameColumn, Measured, Scale};
use crate::catalog::Kind;
use crate::lang::ast::Stat;
use crate::plan::Plan;
use crate::source::{Ended, Outcome};

/// Raised when a reader of the serialised form would misunderstand it.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    pub schema_version: u32,
    /// In canonical form.
    pub query: String,
    /// Nanoseconds since the epoch; RFC 3339 when serialised.
    #[serde(rename = "started", with = "instant")]
    pub started_ns: i64,
    /// The window's true length.
    pub window_ns: u64,
    #[serde(with = "ended")]
    pub ended: Ended,
    pub rows_seen: u64,
    /// Rows that passed all of `where`.
    pub rows_matched: u64,
    /// Everything that the answer lacks: the sum of `loss`.
    pub lost: u64,
    /// Losses by cause; those that did not happen are there with 0.
    #[serde(with = "causes")]
    pub loss: Vec<Cause>,
    /// What was left out by rule and is no loss.
    #[serde(with = "causes")]
    pub set_aside: Vec<Cause>,
    /// Waits that had not ended when the window did.
    pub open: u64,
    /// The unit of the measure that `totals` and `groups` sum: `ns`, or nothing.
    pub measure_unit: Option<String>,
    /// Over everything matched, before `having` and `top`.
    pub totals: Totals,
    /// For a lone histogram: its groups in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Totals>,
    /// Sentences for people.
    pub notes: Vec<String>,
    #[serde(with = "pairs")]
    pub host: Vec<(String, String)>,
    pub columns: Vec<ColumnMeta>,
}

/// A way in which something was lost or set aside, and how often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The key in serialised form.
    pub name: String,
    /// For people.
    pub label: String,
    pub count: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Totals {
    pub count: u64,
    /// In the measure's unit; `None` when nothing was summed.
    pub sum: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnMeta {
    pub name: String,
    /// `int64`, `float64`, `bool`, `text` or `buckets`.
    #[serde(rename = "type")]
    pub data_type: String,
    /// `ns`, `epoch_ns`, `count`, `per_second`, `percent`, or nothing.
    pub unit: Option<String>,
    /// How many values are percentiles of fewer samples than they need.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rough: usize,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl ColumnMeta {
    pub fn of(column: &FrameColumn) -> Self {
        let (data_type, unit) = match column.kind {
            ColumnKind::Number => ("int64", None),
            ColumnKind::Count => ("int64", Some("count")),
            ColumnKind::YesNo => ("bool", None),
            ColumnKind::Text => ("text", None),
            ColumnKind::Duration => ("int64", Some("ns")),
            ColumnKind::Time => ("int64", Some("epoch_ns")),
            ColumnKind::Rate => ("float64", Some("per_second")),
            ColumnKind::Percent => ("float64", Some("percent")),
            ColumnKind::Decimal => ("float64", None),
            ColumnKind::Buckets(Scale::LogLinear { unit } | Scale::Linear { unit, .. }) => {
                ("buckets", (unit == Measured::Nanoseconds).then_some("ns"))
            }
        };
        Self {
            name: column.name.clone(),
            data_type: data_type.into(),
            unit: unit.map(Into::into),
            rough: column.marks.iter().filter(|m| **m == super::Mark::Rough).count(),
        }
    }
}

impl Meta {
    pub fn has_loss(&self) -> bool {
        self.lost > 0
    }
}

pub(super) fn of(plan: &Plan, outcome: &Outcome, host: &[(String, String)], built: &Built) -> Meta {
    let account = &outcome.account;
    let causes = |is_loss: bool| {
        account
            .losses
            .iter()
            .filter(|l| l.is_loss == is_loss)
            .map(|l| Cause { name: l.name.into(), label: l.label.into(), count: l.count })
            .collect()
    };
    // Without a rest of the filter the source's own figure also counts rows whose group found no room.
    let rows_matched = if plan.rest.filter.is_some() { built.totals.count } else { account.matched };
    let mut notes = outcome.notes.clone();
    notes.extend(adds_up(plan, built.totals, outcome.window.length_ns));
    Meta {
        schema_version: SCHEMA_VERSION,
        query: plan.text.clone(),
        started_ns: wall(outcome.window.start_ns, outcome.window.wall_offset_ns),
        window_ns: outcome.window.length_ns,
        ended: outcome.window.ended,
        rows_seen: account.seen,
        rows_matched,
        lost: account.lost(),
        loss: causes(true),
        set_aside: causes(false),
        open: account.open,
        measure_unit: plan.measure.filter(|m| m.kind == Kind::Duration).map(|_| "ns".into()),
        totals: built.totals,
        groups: built.groups.clone(),
        notes,
        host: host.to_vec(),
        columns: built.columns.iter().map(ColumnMeta::of).collect(),
    }
}

/// Said where a total is shown that is longer than the window it comes from.
fn adds_up(plan: &Plan, totals: Totals, window_ns: u64) -> Option<String> {
    let shown = plan.rest.stats.iter().any(|s| matches!(s.stat, Stat::Sum | Stat::Hist | Stat::HistLinear { .. }));
    let measure = plan.measure.filter(|m| m.kind == Kind::Duration && shown)?;
    (totals.sum? > window_ns)
        .then(|| format!("the total {} is longer than the window: that of tasks side by side adds up", measure.name))
}

/// CLOCK_MONOTONIC nanoseconds as nanoseconds since the epoch.
pub(super) fn wall(monotonic_ns: u64, offset_ns: i64) -> i64 {
    i64::try_from(monotonic_ns).unwrap_or(i64::MAX).saturating_add(offset_ns)
}

mod instant {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(ns: &i64, to: S) -> Result<S::Ok, S::Error> {
        let instant = jiff::Timestamp::from_nanosecond(i128::from(*ns)).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        to.collect_str(&instant)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
        let text = String::deserialize(from)?;
        let instant: jiff::Timestamp = text.parse().map_err(D::Error::custom)?;
        i64::try_from(instant.as_nanosecond()).map_err(D::Error::custom)
    }
}

mod ended {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::source::Ended;

    const WORDS: [(Ended, &str); 4] = [
        (Ended::Elapsed, "elapsed"),
        (Ended::Interrupted, "interrupted"),
        (Ended::CommandEnded, "command_ended"),
        (Ended::Complete, "complete"),
    ];

    pub fn serialize<S: Serializer>(ended: &Ended, to: S) -> Result<S::Ok, S::Error> {
        let word = WORDS.iter().find(|(e, _)| e == ended).map_or("elapsed", |(_, word)| word);
        to.serialize_str(word)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Ended, D::Error> {
        let text = String::deserialize(from)?;
        let found = WORDS.iter().find(|(_, word)| *word == text);
        found.map(|(ended, _)| *ended).ok_or_else(|| D::Error::custom(format!("unknown end '{text}'")))
    }
}

mod causes {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::{Cause, label};

    pub fn serialize<S: Serializer>(causes: &[Cause], to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(causes.iter().map(|c| (&c.name, c.count)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Cause>, D::Error> {
        let map = serde_json::Map::deserialize(from)?;
        map.into_iter()
            .map(|(name, count)| {
                let count = count.as_u64().ok_or_else(|| D::Error::custom(format!("'{name}' is no count")))?;
                Ok(Cause { label: label(&name), name, count })
            })
            .collect()
    }
}

/// The words of the catalog; the shared losses are named as they are said.
fn label(name: &str) -> String {
    let known = crate::catalog::FAMILIES.iter().flat_map(|f| f.losses).find(|l| l.name == name);
    known.map_or_else(|| name.replace('_', " "), |l| l.label.to_owned())
}

mod pairs {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(pairs: &[(String, String)], to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(pairs.iter().map(|(name, value)| (name, value)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, String)>, D::Error> {
        let map = serde_json::Map::deserialize(from)?;
        let text = |value: serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Ok(map.into_iter().map(|(name, value)| (name, text(value))).collect())
    }
}
