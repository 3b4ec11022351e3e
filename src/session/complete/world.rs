//! What is live: results and saved queries of the session, tasks and files of the machine.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use super::super::{Session, saved, texts};
use crate::host::tasks::{self, Task};
use crate::host::{cgroup, lists};
use crate::name;

/// A result that is kept under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub name: String,
    /// Its size and its question.
    pub about: String,
    /// Its columns, and whether each holds times.
    pub columns: Vec<(String, bool)>,
}

/// What completion asks of the world.
pub trait World {
    fn frames(&self) -> Vec<Known>;
    /// Saved queries: name and what it shows.
    fn saved(&self) -> Vec<(String, String)>;
    /// What a saved query, or a file, declares with `param`.
    fn parameters(&self, query: &str) -> Vec<String>;
    fn tasks(&self) -> Vec<Task>;
    /// Paths, escaped.
    fn cgroups(&self) -> Vec<String>;
    fn cpus(&self) -> Vec<u32>;
    /// The paths that begin so, as they would be typed; folders end with `/`.
    fn files(&self, begun: &[u8]) -> Vec<Vec<u8>>;
}

/// This machine, and what a session has kept.
#[derive(Debug, Default, Clone)]
pub struct Here {
    pub frames: Vec<Known>,
}

/// What is known without looking at the machine.
pub struct Quiet<'a>(pub &'a Here);

impl World for Quiet<'_> {
    fn frames(&self) -> Vec<Known> {
        self.0.frames()
    }

    fn saved(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn parameters(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn tasks(&self) -> Vec<Task> {
        Vec::new()
    }

    fn cgroups(&self) -> Vec<String> {
        Vec::new()
    }

    fn cpus(&self) -> Vec<u32> {
        Vec::new()
    }

    fn files(&self, _: &[u8]) -> Vec<Vec<u8>> {
        Vec::new()
    }
}

impl World for Here {
    fn frames(&self) -> Vec<Known> {
        self.frames.clone()
    }

    fn saved(&self) -> Vec<(String, String)> {
        let built_in = saved::built_in().map(|(name, text)| (name.to_owned(), saved::headline(text).to_owned()));
        built_in.chain(saved::of_user().into_iter().map(|(name, _)| (name, "yours".to_owned()))).collect()
    }

    fn parameters(&self, query: &str) -> Vec<String> {
        let found = saved::find(Path::new(query)).and_then(|(name, bytes)| saved::source(name, &bytes));
        found.map(|source| texts::parameters(&source)).unwrap_or_default()
    }

    fn tasks(&self) -> Vec<Task> {
        tasks::threads()
    }

    fn cgroups(&self) -> Vec<String> {
        let all = cgroup::hierarchies();
        let mut paths: Vec<String> =
            cgroup::cpu_hierarchy(&all).map(|found| cgroup::paths(found).into_values().collect()).unwrap_or_default();
        paths.sort();
        paths
    }

    fn cpus(&self) -> Vec<u32> {
        lists::online_cpus().unwrap_or_default()
    }

    fn files(&self, begun: &[u8]) -> Vec<Vec<u8>> {
        let cut = begun.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
        let (folder, name) = begun.split_at(cut);
        let there = if folder.is_empty() { Path::new(".") } else { Path::new(OsStr::from_bytes(folder)) };
        let entries = fs::read_dir(there).into_iter().flatten().flatten();
        let mut found: Vec<Vec<u8>> = entries
            .filter_map(|entry| {
                let is_folder = entry.path().is_dir();
                let own = entry.file_name().into_vec();
                // Hidden ones only for who asks for them.
                let hidden = own.starts_with(b".") && !name.starts_with(b".");
                (own.starts_with(name) && !hidden).then(|| {
                    let slash: &[u8] = if is_folder { b"/" } else { b"" };
                    [folder, &own, slash].concat()
                })
            })
            .collect();
        found.sort();
        found
    }
}

impl Session {
    /// What completion can know of this session.
    pub fn world(&self) -> Here {
        let frame = |(name, frame): (&String, &super::super::Frame)| Known {
            name: name.clone(),
            about: format!("{} rows: {}", frame.data.height(), name::escape(frame.meta.query.as_bytes())),
            columns: frame.columns.iter().map(|c| (c.name.clone(), frame.times().any(|time| time == c.name))).collect(),
        };
        Here { frames: self.frames.iter().map(frame).collect() }
    }
}
