//! Paths for the ids of cgroups, looked up as soon as an id is met: the group may be gone a moment later.

use std::collections::{HashMap, HashSet};

use crate::catalog::event::{Identity, NO_CGROUP};
use crate::host::cgroup::{self, Hierarchy};
use crate::source::live::paths;

pub struct Cgroups {
    hierarchy: Option<Hierarchy>,
    /// As found in the hierarchy so far; a group of which nobody speaks is not told.
    paths: HashMap<u64, String>,
    told: HashSet<u64>,
}

impl Cgroups {
    pub fn of(hierarchy: Option<Hierarchy>) -> Cgroups {
        let paths = hierarchy.as_ref().map(cgroup::paths).unwrap_or_default();
        Cgroups { hierarchy, paths, told: HashSet::new() }
    }

    /// Tells the paths of groups that these identities are the first to speak of.
    pub fn tell(&mut self, identities: &[Identity], to: &mut Vec<(u64, String)>) {
        let mut looked = false;
        for id in identities.iter().map(|identity| identity.cgroup).filter(|id| *id != NO_CGROUP) {
            if !self.told.insert(id) {
                continue;
            }
            // One walk finds all groups that were born meanwhile.
            if !self.paths.contains_key(&id) && !looked {
                looked = true;
                self.paths.extend(self.hierarchy.as_ref().map(cgroup::paths).unwrap_or_default());
            }
            to.push((id, self.paths.get(&id).cloned().unwrap_or_else(|| paths::gone(id))));
        }
    }
}
