//! Ids of cgroups to their paths, as this machine has them now.

use std::collections::HashMap;

use crate::host::cgroup;
use crate::plan::Scan;
use crate::plan::predicate::Test;
use crate::source::decode::Paths;

/// Read when one is first needed.
pub struct HostPaths {
    hierarchy: Option<cgroup::Hierarchy>,
    known: HashMap<u64, String>,
}

impl HostPaths {
    pub fn of(scan: &Scan) -> HostPaths {
        HostPaths { hierarchy: hierarchy(scan), known: HashMap::new() }
    }
}

impl Paths for HostPaths {
    /// Read anew when an id is unknown, since groups are born while a query runs.
    fn path(&mut self, id: u64) -> String {
        if !self.known.contains_key(&id) {
            if let Some(hierarchy) = &self.hierarchy {
                for (id, path) in cgroup::paths(hierarchy) {
                    self.known.entry(id).or_insert(path);
                }
            }
            self.known.entry(id).or_insert_with(|| gone(id));
        }
        self.known[&id].clone()
    }
}

/// The hierarchy that the scan speaks of, else that of the cpu controller.
pub fn hierarchy(scan: &Scan) -> Option<cgroup::Hierarchy> {
    let all = cgroup::hierarchies();
    let named = scan.clauses.iter().flat_map(|c| &c.terms).find_map(|t| match &t.test {
        Test::Under(path) | Test::CgroupEqual(path) | Test::CgroupNotEqual(path) => {
            cgroup::resolve(path, &all).ok().map(|g| g.v1)
        }
        _ => None,
    });
    match named {
        Some(false) => all.iter().find(|h| !h.v1).cloned(),
        _ => cgroup::cpu_hierarchy(&all).cloned(),
    }
}

/// What stands for the path of a group that is gone: its id, so that it is never taken for another.
pub fn gone(id: u64) -> String {
    format!("(gone: cgroup id {id})")
}
