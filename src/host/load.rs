//! How busy the CPUs were, from /proc/stat: two results can only be compared as far as the machine did as much beside.

use std::fs;

/// Sums since boot, of all CPUs, in clock ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ticks {
    busy: u64,
    idle: u64,
    /// Taken by the machine below this virtual one.
    steal: u64,
}

/// `None` where /proc/stat cannot be read.
pub fn now() -> Option<Ticks> {
    parse(&fs::read_to_string("/proc/stat").ok()?)
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
    pub fn until(self, later: Ticks) -> Vec<(String, String)> {
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
        assert!(before.until(before).is_empty() && parse("cpu 1 2").is_none());
    }
}
