//! What a recording says of itself, beside its rows: what was asked, where and when, what is missing. It stands as JSON in
//! the file's key-value metadata. A reader leaves fields alone that it does not know.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::schema::IDENTITIES;
use crate::catalog::event::Kind;

pub const CLOCK: &str = "CLOCK_MONOTONIC";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Meta {
    /// The record statement in canonical form.
    pub statement: String,
    /// The sets of events.
    pub sets: Vec<String>,
    /// The predicate of the record statement in canonical form; `None` when everything was recorded.
    pub filter: Option<String>,
    /// The version of schedq that wrote it.
    pub schedq: String,
    /// Of all times whose names end in `_ns`.
    pub clock: String,
    /// When the window opened.
    pub start_ns: u64,
    /// When it closed; of a recording that was not finished, the time of its last row.
    pub end_ns: u64,
    /// The wall clock minus `clock` at the start.
    pub wall_offset_ns: i64,
    /// The length that was asked for.
    pub window_ns: Option<u64>,
    /// Whether the recording was finished: its end and its losses are known.
    pub complete: bool,
    /// Why the window closed: `elapsed`, `interrupted` or `command_ended`.
    pub ended: Option<String>,
    /// Events that happened and are not here, by cause.
    pub losses: BTreeMap<String, u64>,
    /// Where the hierarchy was mounted that the paths of cgroups are in, and its version.
    pub cgroup_mount: Option<String>,
    pub cgroup_version: Option<u8>,
    /// The process of the command that was run, if there was one.
    pub child_tgid: Option<u32>,
    /// The machine in a few lines.
    #[serde(with = "pairs")]
    pub host: Vec<(String, String)>,
    /// The file's row groups, in order.
    pub groups: Vec<Group>,
}

impl Default for Meta {
    fn default() -> Meta {
        Meta {
            statement: String::new(),
            sets: vec!["sched".to_owned()],
            filter: None,
            schedq: env!("CARGO_PKG_VERSION").to_owned(),
            clock: CLOCK.to_owned(),
            start_ns: 0,
            end_ns: 0,
            wall_offset_ns: 0,
            window_ns: None,
            complete: false,
            ended: None,
            losses: BTreeMap::new(),
            cgroup_mount: None,
            cgroup_version: None,
            child_tgid: None,
            host: Vec::new(),
            groups: Vec::new(),
        }
    }
}

/// A row group: a stretch of time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Group {
    pub rows: u64,
    /// The least and the greatest `at_ns`.
    pub first_ns: u64,
    pub last_ns: u64,
    /// Rows by the word of their event; events that did not happen are left out.
    pub counts: BTreeMap<String, u64>,
    /// Whether no row is earlier than the one before it.
    #[serde(default)]
    pub in_order: bool,
    /// Tasks that are told here for the first time.
    #[serde(default)]
    pub tasks: u64,
    /// By the column's name: XXH64 of the bytes of its chunk, in hexadecimal.
    pub digests: BTreeMap<String, String>,
}

impl Group {
    pub fn count(&self, kind: Kind) -> u64 {
        self.counts.get(kind.word()).copied().unwrap_or(0)
    }

    /// Rows of any of these kinds; a bit for each.
    pub fn count_of(&self, kinds: u16) -> u64 {
        Kind::ALL.into_iter().filter(|kind| kinds & (1 << *kind as u16) != 0).map(|kind| self.count(kind)).sum()
    }
}

impl Meta {
    /// Whether no row of the whole recording is earlier than the one before it.
    pub fn in_order(&self) -> bool {
        self.groups.iter().all(|group| group.in_order) && self.groups.is_sorted_by(|a, b| a.last_ns <= b.first_ns)
    }

    pub fn rows(&self) -> u64 {
        self.groups.iter().map(|group| group.rows).sum()
    }

    pub fn count(&self, kind: Kind) -> u64 {
        self.groups.iter().map(|group| group.count(kind)).sum()
    }

    /// Rows that tell what happened: not who a task is, nor what was lost.
    pub fn events(&self) -> u64 {
        self.rows() - self.groups.iter().map(|group| group.count_of(IDENTITIES | 1 << Kind::Loss as u16)).sum::<u64>()
    }

    pub fn tasks(&self) -> u64 {
        self.groups.iter().map(|group| group.tasks).sum()
    }

    pub fn lost(&self) -> u64 {
        self.losses.values().sum()
    }

    pub fn fact(&self, name: &str) -> Option<&str> {
        self.host.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_other_versions_are_left_alone() {
        let text = r#"{"statement":"record sched to 'x.parquet'","start_ns":5,"later":{"a":[1]},"host":{"kernel":"6.1","cpus":2},
            "groups":[{"rows":3,"first_ns":5,"last_ns":7,"counts":{"switch":2,"task":1,"teleport":4},"digests":{},"new":1}]}"#;
        let meta: Meta = serde_json::from_str(text).unwrap();
        assert_eq!((meta.start_ns, meta.rows(), meta.events(), meta.complete), (5, 3, 2, false));
        assert_eq!(meta.fact("kernel"), Some("6.1"));
        assert_eq!(meta.fact("cpus"), Some("2"));
        let again: Meta = serde_json::from_str(&serde_json::to_string(&meta).unwrap()).unwrap();
        assert_eq!(again, meta);
    }
}
