//! How busy the CPUs were, from /proc/stat and /proc/pressure/cpu: two results can only be compared as far as the machine
//! did as much beside.

use std::fs;
use std::time::Instant;

/// What was counted up to a moment.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    at: Instant,
    ticks: Ticks,
    /// How long some task had waited for a CPU, us; where the kernel tells (CONFIG_PSI).
    waited_us: Option<u64>,
}

/// `None` where /proc/stat cannot be read.
pub fn now() -> Option<Load> {
    let ticks = parse(&fs::read_to_string("/proc/stat").ok()?)?;
    let pressure = fs::read_to_string("/proc/pressure/cpu").unwrap_or_default();
    Some(Load { at: Instant::now(), ticks, waited_us: waited(&pressure) })
}

impl Load {
    /// What was in between, as facts.
    pub fn until(self, later: Load) -> Vec<(String, String)> {
        let mut facts = self.ticks.until(later.ticks);
        let wall_us = later.at.duration_since(self.at).as_micros();
        if let (Some(before), Some(after), true) = (self.waited_us, later.waited_us, wall_us > 0) {
            let percent = after.saturating_sub(before) as f64 * 100.0 / wall_us as f64;
            facts.push(("cpu_pressure_percent".into(), format!("{percent:.1}")));
        }
        facts
    }
}

/// Sums since boot, of all CPUs, in clock ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Ticks {
    busy: u64,
    idle: u64,
    /// Taken by the machine below this virtual one.
    steal: u64,
}

/// The line `some avg10=0.00 … total=123`.
fn waited(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("some "))?.rsplit_once("total=")?.1.trim().parse().ok()
}

/// user nice system idle iowait irq softirq steal; guest time is in user's already.
fn parse(text: &str) -> Option<Ticks> {
    let line = text.lines().next()?.strip_prefix("cpu ")?;
    let fields: Vec<u64> = line.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
    let [user, nice, system, idle, iowait, irq, softirq, steal] = *fields.first_chunk::<8>()?;
    Some(Ticks { busy: user + nice + system + irq + softirq, idle: idle + iowait, steal })
}

impl Ticks {
    /// What was in between, as facts; none when less than ten ticks went by.
    fn until(self, later: Ticks) -> Vec<(String, String)> {
        let (busy, idle) = (later.busy.saturating_sub(self.busy), later.idle.saturating_sub(self.idle));
        let steal = later.steal.saturating_sub(self.steal);
        let all = busy + idle + steal;
        if all < 10 {
            return Vec::new();
        }
        let percent = |part: u64| format!("{:.1}", part as f64 * 100.0 / all as f64);
        vec![("cpu_busy_percent".into(), percent(busy)), ("cpu_steal_percent".into(), percent(steal))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_what_went_by() {
        let before = parse("cpu  100 10 50 1000 40 5 5 0 7 0\ncpu0 1 2 3\n").unwrap();
        assert_eq!(before, Ticks { busy: 170, idle: 1040, steal: 0 });
        let after = parse("cpu  150 10 60 1025 45 5 5 10 7 0\n").unwrap();
        let facts = before.until(after);
        assert_eq!(facts, [("cpu_busy_percent".into(), "60.0".into()), ("cpu_steal_percent".into(), "10.0".into())]);
        assert_eq!(waited("some avg10=0.00 avg60=1.00 avg300=0.00 total=77\nfull avg10=0.00 total=9\n"), Some(77));
        assert!(before.until(before).is_empty() && parse("cpu 1 2").is_none());
    }
}
