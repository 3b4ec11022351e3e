//! What a query will cost, as far as it can be told before it runs: nanoseconds for each event, as they were measured for
//! the shapes of programs there are, times how often the machine switches. A rough figure, to be held against a measured one.

use super::Plan;
use super::layout::{Layout, Mode};

/// Nanoseconds inside the programs, for a switch and for a wakeup. Measured on one machine (`scripts/bench`), less what an
/// empty program takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    pub switch_ns: u64,
    pub wakeup_ns: u64,
}

/// Of a task that fails the first tests.
const PASSED_OVER: Cost = Cost { switch_ns: 22, wakeup_ns: 16 };
/// Every family of rows that end at a switch without anything remembered of the task.
const STATELESS: Cost = Cost { switch_ns: 60, wakeup_ns: 0 };
/// What looking a group up costs beyond a cell of its own, and a histogram in it.
const GROUP_NS: u64 = 85;
const ROW_NS: u64 = 85;
/// A span that is remembered with the task: the clock and the look-up, at both ends.
const STATE: Cost = Cost { switch_ns: 140, wakeup_ns: 115 };
/// The same in a hash, on kernels without task storage.
const HASH_STATE: Cost = Cost { switch_ns: 270, wakeup_ns: 350 };

/// From the least, when no task passes the first tests, to the most, when every one does.
pub fn expected(plan: &Plan, layout: &Layout, task_storage: bool) -> (Cost, Cost) {
    let base = match (plan.scan.family.state, task_storage) {
        (false, _) => STATELESS,
        (true, true) => STATE,
        (true, false) => HASH_STATE,
    };
    let more = match layout.mode {
        Mode::Single => 0,
        Mode::Groups | Mode::Histograms => GROUP_NS,
        Mode::Rows => ROW_NS,
    };
    let most = Cost { switch_ns: base.switch_ns + more, ..base };
    let least = if layout.fixed_terms > 0 { PASSED_OVER } else { most };
    (Cost { wakeup_ns: least.wakeup_ns.min(most.wakeup_ns), ..least }, most)
}

impl Cost {
    /// The part of one CPU, in percent, when the machine switches so often a second. About every second switch has a wakeup.
    pub fn percent(self, switches_per_second: f64) -> f64 {
        switches_per_second * (self.switch_ns as f64 + self.wakeup_ns as f64 / 2.0) / 1e9 * 100.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_a_cpu() {
        let cost = Cost { switch_ns: 150, wakeup_ns: 100 };
        assert_eq!(cost.percent(100_000.0), 2.0);
        assert_eq!(cost.percent(0.0), 0.0);
    }
}
