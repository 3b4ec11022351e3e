//! Cgroups of a recording: ids and paths as it tells them. A group that was removed and made anew has another id and the
//! same path; it is the same group to whoever asks by path, so that the first id stands for all of them.

use std::collections::HashMap;

use crate::catalog::event::NO_CGROUP;
use crate::catalog::task::UNDER_SLOTS;
use crate::name;
use crate::source::decode::Paths;

#[derive(Debug, Default)]
pub struct Cgroups {
    /// Where the hierarchy was mounted.
    mount: Option<String>,
    paths: HashMap<u64, String>,
    /// The id that stands for each path.
    ids: HashMap<String, u64>,
    /// The paths of `under`, in the order of their slots.
    under: Vec<String>,
}

impl Cgroups {
    pub fn new(mount: Option<&str>, under: &[String]) -> Cgroups {
        let mut made = Cgroups { mount: mount.map(str::to_owned), ..Cgroups::default() };
        made.under = under.iter().map(|path| made.recorded(path)).collect();
        made
    }

    /// The path of a group as recordings write it: below the mount point, printable, one slash between names.
    pub fn recorded(&self, asked: &str) -> String {
        let names = |path: &str| -> Vec<String> {
            path.split('/').filter(|name| !matches!(*name, "" | ".")).map(str::to_owned).collect()
        };
        let mut asked = names(asked);
        if let Some(mount) = &self.mount {
            let mount = names(mount);
            if !mount.is_empty() && asked.starts_with(&mount) {
                asked.drain(..mount.len());
            }
        }
        format!("/{}", name::escape(asked.join("/").as_bytes()))
    }

    pub fn told(&mut self, id: u64, path: &str) {
        self.ids.entry(path.to_owned()).or_insert(id);
        self.paths.insert(id, path.to_owned());
    }

    /// The id that stands for a recorded path, once one has been told.
    pub fn id(&self, path: &str) -> Option<u64> {
        self.ids.get(path).copied()
    }

    /// The id that stands for all of this one's path.
    pub fn representative(&self, id: u64) -> u64 {
        self.paths.get(&id).map_or(id, |path| self.ids[path])
    }

    /// What the slots of `under` hold for tasks of a group: 1 where it is that group or below it.
    pub fn under(&self, id: u64) -> [u64; UNDER_SLOTS.len()] {
        let mut slots = [NO_CGROUP; UNDER_SLOTS.len()];
        if let Some(path) = self.paths.get(&id) {
            for (slot, top) in slots.iter_mut().zip(&self.under) {
                if is_under(path, top) {
                    *slot = IS_UNDER;
                }
            }
        }
        slots
    }

    /// Paths that the query names and the recording does not.
    pub fn unknown<'a>(&'a self, asked: impl Iterator<Item = &'a String>) -> Vec<String> {
        let known = |path: &str| self.paths.values().any(|there| is_under(there, path));
        let mut unknown: Vec<String> = asked.filter(|path| !known(&self.recorded(path))).cloned().collect();
        unknown.sort();
        unknown.dedup();
        unknown
    }
}

/// What a slot of `under` holds where the group is below that path.
pub const IS_UNDER: u64 = 1;

fn is_under(path: &str, top: &str) -> bool {
    let top = top.trim_end_matches('/');
    path.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Paths for Cgroups {
    fn path(&mut self, id: u64) -> String {
        self.paths.get(&id).cloned().unwrap_or_else(|| format!("(gone: cgroup id {id})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_by_their_names() {
        let groups = Cgroups::new(Some("/sys/fs/cgroup/cpu"), &[]);
        for (asked, recorded) in [
            ("/", "/"),
            ("/a/b", "/a/b"),
            ("a//b/", "/a/b"),
            ("/sys/fs/cgroup/cpu", "/"),
            ("/sys/fs/cgroup/cpu/a", "/a"),
            ("/sys/fs/cgroup/cpuset/a", "/sys/fs/cgroup/cpuset/a"),
            ("/a\tb\\c", "/a\\x09b\\\\c"),
        ] {
            assert_eq!(groups.recorded(asked), recorded, "{asked}");
        }
        for (path, top, holds) in
            [("/a", "/", true), ("/", "/", true), ("/a/b", "/a", true), ("/ab", "/a", false), ("/", "/a", false)]
        {
            assert_eq!(is_under(path, top), holds, "{path} {top}");
        }
    }

    #[test]
    fn a_group_made_anew_is_the_same() {
        let mut groups = Cgroups::new(None, &["/a".into(), "/b".into()]);
        groups.told(7, "/a/x");
        groups.told(9, "/a/x");
        assert_eq!((groups.representative(9), groups.representative(8)), (7, 8));
        assert_eq!(groups.under(9), [IS_UNDER, NO_CGROUP, NO_CGROUP, NO_CGROUP]);
        assert_eq!(groups.under(8), [NO_CGROUP; 4], "its path is not known");
        assert_eq!(groups.unknown(["/a".to_owned(), "/b".to_owned()].iter()), ["/b"]);
        assert_eq!((groups.path(9), groups.path(8)), ("/a/x".into(), "(gone: cgroup id 8)".into()));
    }
}
