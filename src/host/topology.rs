//! The CPUs of the machine, as /sys tells them.

use std::fs;

use super::lists;

/// One possible CPU.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cpu {
    pub number: u32,
    pub online: bool,
    /// Taken out of balancing by `isolcpus=` or a cpuset partition.
    pub isolated: bool,
    /// Without a periodic tick while one task runs.
    pub nohz_full: bool,
    pub node: Option<u32>,
    pub package: Option<i64>,
    pub core: Option<i64>,
    /// The first CPU of those that share its last-level cache.
    pub llc: Option<u32>,
    /// The CPUs of its core, itself too, in the kernel's list format.
    pub siblings: Option<String>,
    pub governor: Option<String>,
    pub frequency_khz: Option<i64>,
    pub max_frequency_khz: Option<i64>,
    /// Relative to the strongest CPU of the machine, which has 1024.
    pub capacity: Option<i64>,
}

pub fn cpus() -> Vec<Cpu> {
    let root = "/sys/devices/system/cpu";
    let list = |name: &str| fs::read_to_string(format!("{root}/{name}")).ok().and_then(|text| lists::parse(&text));
    let (online, isolated, nohz) = (list("online"), list("isolated"), list("nohz_full"));
    let within = |list: &Option<Vec<u32>>, cpu: u32| list.as_ref().is_some_and(|list| list.contains(&cpu));
    let possible = list("possible").unwrap_or_else(|| vec![0]);
    let nodes = nodes();
    let cpu = |number: u32| {
        let text = |name: &str| line(&format!("{root}/cpu{number}/{name}"));
        let int = |name: &str| text(name).and_then(|text| text.parse().ok());
        // Those that are off say nothing of where they are.
        Cpu {
            number,
            online: online.is_none() || within(&online, number),
            isolated: within(&isolated, number),
            nohz_full: within(&nohz, number),
            node: nodes.iter().find(|(_, cpus)| cpus.contains(&number)).map(|(node, _)| *node),
            package: int("topology/physical_package_id"),
            core: int("topology/core_id"),
            llc: last_level(number),
            siblings: text("topology/thread_siblings_list"),
            governor: text("cpufreq/scaling_governor"),
            frequency_khz: int("cpufreq/scaling_cur_freq"),
            max_frequency_khz: int("cpufreq/cpuinfo_max_freq"),
            capacity: int("cpu_capacity"),
        }
    };
    possible.into_iter().map(cpu).collect()
}

/// Each memory node with its CPUs.
fn nodes() -> Vec<(u32, Vec<u32>)> {
    let Ok(entries) = fs::read_dir("/sys/devices/system/node") else { return Vec::new() };
    let mut found: Vec<(u32, Vec<u32>)> = entries
        .flatten()
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.strip_prefix("node")?.parse().ok()?;
            Some((number, lists::parse(&fs::read_to_string(entry.path().join("cpulist")).ok()?)?))
        })
        .collect();
    found.sort_unstable();
    found
}

/// The highest level of cache that it has.
fn last_level(cpu: u32) -> Option<u32> {
    let folder = format!("/sys/devices/system/cpu/cpu{cpu}/cache");
    let level = |index: u32| line(&format!("{folder}/index{index}/level")).and_then(|text| text.parse::<u32>().ok());
    let (_, index) = (0..8).filter_map(|index| Some((level(index)?, index))).max()?;
    lists::parse(&line(&format!("{folder}/index{index}/shared_cpu_list"))?)?.first().copied()
}

fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_its_cpus() {
        let cpus = cpus();
        assert_eq!(cpus.len() as u32, lists::possible_cpus());
        assert_eq!(cpus.iter().filter(|cpu| cpu.online).count(), lists::online_cpus().unwrap().len());
        assert!(cpus.windows(2).all(|pair| pair[0].number < pair[1].number));
    }
}
