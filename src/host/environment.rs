//! The machine in a few lines, saved with every result so that two results can be told apart by where they were made.

use std::fs;

use nix::sys::utsname::uname;

use super::lists;

/// Ordered pairs of name and value; a fact that cannot be read is left out.
pub fn facts() -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|v| !v.is_empty()) {
            facts.push((name.to_owned(), value));
        }
    };
    if let Ok(name) = uname() {
        add("hostname", Some(name.nodename().to_string_lossy().into_owned()));
        add("kernel", Some(name.release().to_string_lossy().into_owned()));
        add("kernel_version", Some(name.version().to_string_lossy().into_owned()));
        add("machine", Some(name.machine().to_string_lossy().into_owned()));
    }
    add("cmdline", line("/proc/cmdline"));
    add("boot_id", line("/proc/sys/kernel/random/boot_id"));
    add("cpus_possible", Some(lists::possible_cpus().to_string()));
    add("cpus_online", lists::online_cpus().map(|cpus| cpus.len().to_string()));
    add("cpu_model", cpu_model());
    add("isolated", line("/sys/devices/system/cpu/isolated"));
    add("nohz_full", line("/sys/devices/system/cpu/nohz_full").filter(|list| list != "(null)"));
    add("smt", line("/sys/devices/system/cpu/smt/active").map(|on| if on == "1" { "on" } else { "off" }.to_owned()));
    add("governor", line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
    add("sched_rt_runtime_us", line("/proc/sys/kernel/sched_rt_runtime_us"));
    add("numa_balancing", line("/proc/sys/kernel/numa_balancing"));
    add("clocksource", line("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
    facts
}

fn line(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("model name") || l.starts_with("CPU part"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
