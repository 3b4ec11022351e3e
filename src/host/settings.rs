//! What the kernel was told about scheduling while it runs: sysctls, and the scheduler's own folder in debugfs.

use std::fs;
use std::path::Path;

/// Beside all of `kernel.sched_*`: what moves tasks, timers and interrupts, or decides who may watch.
const NAMED: &[&str] = &[
    "kernel/bpf_stats_enabled",
    "kernel/hung_task_timeout_secs",
    "kernel/nmi_watchdog",
    "kernel/numa_balancing",
    "kernel/perf_event_max_sample_rate",
    "kernel/perf_event_paranoid",
    "kernel/pid_max",
    "kernel/soft_watchdog",
    "kernel/threads-max",
    "kernel/timer_migration",
    "kernel/unprivileged_bpf_disabled",
    "kernel/watchdog",
    "kernel/watchdog_thresh",
    "vm/stat_interval",
    "vm/swappiness",
];

/// Name and value, by name; one that cannot be read is left out.
pub fn all() -> Vec<(String, String)> {
    let sys = Path::new("/proc/sys");
    let mut found: Vec<(String, String)> = Vec::new();
    let mut add = |name: String, path: &Path| {
        if let Ok(text) = fs::read_to_string(path) {
            found.push((name, text.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
    };
    for name in files(&sys.join("kernel")).filter(|name| name.starts_with("sched_")) {
        add(format!("kernel.{name}"), &sys.join("kernel").join(&name));
    }
    for name in NAMED {
        add(name.replace('/', "."), &sys.join(name));
    }
    // The kernel moved its knobs there in 5.13 (8a99b6833c88); only root sees them.
    let debug = Path::new("/sys/kernel/debug/sched");
    for name in files(debug).filter(|name| !matches!(name.as_str(), "debug" | "domains" | "fair_server" | "ext_server"))
    {
        add(format!("debug.sched.{name}"), &debug.join(&name));
    }
    found.sort_unstable();
    found
}

fn files(folder: &Path) -> impl Iterator<Item = String> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|e| e.file_type().is_ok_and(|t| t.is_file())).filter_map(|e| e.file_name().into_string().ok())
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_every_kernel_has() {
        let all = super::all();
        assert!(all.iter().any(|(name, value)| name == "kernel.pid_max" && value.parse::<u64>().is_ok()), "{all:?}");
        assert!(all.is_sorted());
    }
}
