//! What the kernel itself counts of scheduling, from /proc.

use std::collections::BTreeMap;
use std::fs;

/// Whose counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Thread(u32),
    /// All threads of a process.
    Process(u32),
    Machine,
}

/// Of one thread since its birth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TaskCounters {
    /// `voluntary_ctxt_switches` and `nonvoluntary_ctxt_switches` of /proc/T/status.
    pub voluntary: u64,
    pub involuntary: u64,
    /// Second and third field of /proc/T/schedstat: ns waited on a run queue, and how often it then ran.
    pub run_delay_ns: u64,
    pub time_slices: u64,
}

/// The threads there are, by number. One that ends while it is read is left out.
pub fn tasks(scope: Scope) -> BTreeMap<u32, TaskCounters> {
    match scope {
        Scope::Thread(tid) => one(&format!("/proc/{tid}/task/{tid}"))
            .or_else(|| one(&format!("/proc/{tid}")))
            .map(|counters| (tid, counters))
            .into_iter()
            .collect(),
        Scope::Process(tgid) => of_process(tgid).into_iter().collect(),
        Scope::Machine => numbers("/proc").into_iter().flat_map(of_process).collect(),
    }
}

fn of_process(tgid: u32) -> Vec<(u32, TaskCounters)> {
    let folder = format!("/proc/{tgid}/task");
    numbers(&folder).into_iter().filter_map(|tid| Some((tid, one(&format!("{folder}/{tid}"))?))).collect()
}

fn numbers(folder: &str) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn one(folder: &str) -> Option<TaskCounters> {
    let status = fs::read_to_string(format!("{folder}/status")).ok()?;
    let schedstat = fs::read_to_string(format!("{folder}/schedstat")).ok()?;
    parse(&status, &schedstat)
}

fn parse(status: &str, schedstat: &str) -> Option<TaskCounters> {
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name))?.trim().parse().ok();
    let mut words = schedstat.split_ascii_whitespace().skip(1).map(str::parse);
    Some(TaskCounters {
        voluntary: field("voluntary_ctxt_switches:")?,
        involuntary: field("nonvoluntary_ctxt_switches:")?,
        run_delay_ns: words.next()?.ok()?,
        time_slices: words.next()?.ok()?,
    })
}

/// All switches of all CPUs since the machine was started, those of idle tasks too: `ctxt` of /proc/stat.
pub fn context_switches() -> Option<u64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    stat.lines().find_map(|line| line.strip_prefix("ctxt "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threads_counters() {
        let status =
            "Name:\tx voluntary_ctxt_switches:\t9\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n";
        let counters = parse(status, "45131 2364500000 395\n").unwrap();
        let expected = TaskCounters { voluntary: 150, involuntary: 545, run_delay_ns: 2_364_500_000, time_slices: 395 };
        assert_eq!(counters, expected);
        assert_eq!(parse(status, "0\n"), None);
    }

    #[test]
    fn this_process_has_counters() {
        let own = tasks(Scope::Process(std::process::id()));
        assert!(own.values().map(|c| c.voluntary + c.involuntary).sum::<u64>() > 0);
        assert!(tasks(Scope::Machine).len() >= own.len());
        assert!(context_switches() > Some(0));
    }
}
