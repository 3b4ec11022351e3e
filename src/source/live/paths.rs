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
    /// The hierarchy that the scan speaks of, if it speaks of cgroups.
    pub fn of(scan: &Scan) -> HostPaths {
        let all = cgroup::hierarchies();
        let named = scan.clauses.iter().flat_map(|c| &c.terms).find_map(|t| match &t.test {
            Test::Under(path) | Test::CgroupEqual(path) | Test::CgroupNotEqual(path) => {
                cgroup::resolve(path, &all).ok().map(|g| g.v1)
            }
            _ => None,
        });
        let hierarchy = match named {
            Some(false) => all.iter().find(|h| !h.v1),
            _ => cgroup::cpu_hierarchy(&all),
        };
        HostPaths { hierarchy: hierarchy.cloned(), known: HashMap::new() }
    }
}

impl Paths for HostPaths {
    /// Read anew when an id is unknown, since groups are born while a query runs. One that is gone keeps its id, so that
    /// it is never taken for another.
    fn path(&mut self, id: u64) -> String {
        if !self.known.contains_key(&id) {
            if let Some(hierarchy) = &self.hierarchy {
                for (id, path) in cgroup::paths(hierarchy) {
                    self.known.entry(id).or_insert(path);
                }
            }
            self.known.entry(id).or_insert_with(|| format!("(gone: cgroup id {id})"));
        }
        self.known[&id].clone()
    }
}
