//! What each cgroup may have of the CPUs, and what its quota has taken from it so far.

use std::fs;
use std::path::{Path, PathBuf};

use super::cgroup::Hierarchy;
use crate::name;

/// One cgroup of the hierarchy that holds the cpu controller. What its files do not say is missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Quota {
    /// Below the mount, printable.
    pub path: String,
    /// In each period it may run so long, on all CPUs together; missing without a quota.
    pub quota_us: Option<i64>,
    pub period_us: Option<i64>,
    /// Its share beside its siblings: 1 to 10,000, by default 100 (`cpu.weight`); on version 1 `cpu.shares`, by default 1024.
    pub weight: Option<i64>,
    /// Periods in which it ran, and in how many of them it was throttled.
    pub periods: Option<i64>,
    pub throttled: Option<i64>,
    pub throttled_ns: Option<i64>,
    pub tasks: Option<i64>,
}

/// Every group, by path.
pub fn all(hierarchy: &Hierarchy) -> Vec<Quota> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = vec![hierarchy.mount.clone()];
    while let Some(folder) = open.pop() {
        let below = folder.strip_prefix(&hierarchy.mount).unwrap_or(&folder);
        let path = format!("/{}", name::escape(below.as_os_str().as_encoded_bytes()));
        found.push(read(&folder, path, hierarchy.v1));
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        open.extend(entries.flatten().filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path()));
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn read(folder: &Path, path: String, v1: bool) -> Quota {
    let text = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let int = |name: &str| text(name).and_then(|text| text.trim().parse::<i64>().ok());
    let (quota_us, period_us) = match v1 {
        true => (int("cpu.cfs_quota_us").filter(|quota| *quota >= 0), int("cpu.cfs_period_us")),
        false => text("cpu.max").map_or((None, None), |text| limits(&text)),
    };
    let stat = text("cpu.stat").unwrap_or_default();
    let of = |key: &str| stat.lines().find_map(|line| line.strip_prefix(key)?.trim().parse::<i64>().ok());
    let ns = of("throttled_time ").or_else(|| of("throttled_usec ").map(|us| us.saturating_mul(1000)));
    Quota {
        path,
        quota_us,
        period_us,
        weight: int(if v1 { "cpu.shares" } else { "cpu.weight" }),
        periods: of("nr_periods "),
        throttled: of("nr_throttled "),
        throttled_ns: ns,
        tasks: text("cgroup.procs").map(|text| text.lines().count() as i64),
    }
}

/// `max 100000`, `50000 100000`
fn limits(text: &str) -> (Option<i64>, Option<i64>) {
    let mut words = text.split_ascii_whitespace();
    (words.next().and_then(|word| word.parse().ok()), words.next().and_then(|word| word.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_both_versions() {
        let root = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| fs::write(root.path().join(name), text).unwrap();
        file("cpu.max", "50000 100000\n");
        file("cpu.weight", "100\n");
        file("cpu.stat", "usage_usec 7\nnr_periods 4\nnr_throttled 3\nthrottled_usec 2\n");
        file("cgroup.procs", "1\n2\n");
        let two = read(root.path(), "/a".into(), false);
        let right = Quota {
            path: "/a".into(),
            quota_us: Some(50_000),
            period_us: Some(100_000),
            weight: Some(100),
            periods: Some(4),
            throttled: Some(3),
            throttled_ns: Some(2_000),
            tasks: Some(2),
        };
        assert_eq!(two, right);
        file("cpu.cfs_quota_us", "-1\n");
        file("cpu.cfs_period_us", "100000\n");
        file("cpu.shares", "1024\n");
        file("cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 9\n");
        let one = read(root.path(), "/".into(), true);
        assert_eq!(
            (one.quota_us, one.period_us, one.weight, one.throttled_ns),
            (None, Some(100_000), Some(1024), Some(9))
        );
        assert_eq!(limits("max 100000\n"), (None, Some(100_000)));
    }
}
