//! What a query was expected to cost and what it cost.

use crate::plan::Plan;
use crate::plan::cost;
use crate::plan::layout::{Layout, Machine};
use crate::plan::page::Page;

/// What was measured while a query ran.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measured {
    pub window_ns: u64,
    pub seen: u64,
    pub matched: u64,
    pub lost: u64,
    /// Each program: nanoseconds inside of it, and runs; empty where the kernel kept no statistics.
    pub programs: Vec<(String, u64, u64)>,
    /// Each map of groups: how many there are, and room for how many.
    pub maps: Vec<(&'static str, u64, u64)>,
    /// Switches of the machine a second before the window, and in it.
    pub switches_before: Option<f64>,
    pub switches: Option<f64>,
}

/// The plan with what was measured behind it.
pub fn explain_analyzed(plan: &Plan, layout: &Layout, machine: Machine, measured: &Measured) -> String {
    let mut page = Page::default();
    page.text.push_str(&super::explain(plan, layout, machine));
    let seconds = measured.window_ns as f64 / 1e9;
    page.section(&format!("measured over {seconds:.2}s"));
    page.table(&[
        vec!["rows seen".into(), measured.seen.to_string(), per_second(measured.seen, seconds)],
        vec!["rows matched".into(), measured.matched.to_string(), per_second(measured.matched, seconds)],
        vec!["lost".into(), measured.lost.to_string(), String::new()],
    ]);
    page.section("programs: runs, a second, ns each, part of one CPU");
    if measured.programs.is_empty() {
        page.wrapped("  ".into(), "the kernel keeps no statistics here: they need Linux 5.8 and CAP_SYS_ADMIN");
    } else {
        let mut rows = Vec::new();
        let row = |name: &str, ns: u64, runs: u64| {
            let each = ns.checked_div(runs).map_or_else(String::new, |each| format!("{each} ns"));
            vec![
                name.to_owned(),
                runs.to_string(),
                per_second(runs, seconds),
                each,
                percent(share(ns, measured.window_ns)),
            ]
        };
        let (mut ns, mut runs) = (0, 0);
        for (name, program_ns, program_runs) in &measured.programs {
            rows.push(row(name, *program_ns, *program_runs));
            (ns, runs) = (ns + program_ns, runs + program_runs);
        }
        rows.push(row("all", ns, runs));
        page.table(&rows);
        page.wrapped("  ".into(), "two reads of the clock in each run, some 60 ns, are the statistics' own");
    }
    expectation(&mut page, plan, layout, machine, measured);
    if !measured.maps.is_empty() {
        page.section("maps: groups, room");
        let row = |(name, used, room): &(&str, u64, u64)| {
            let full = *used as f64 * 100.0 / (*room).max(1) as f64;
            vec![(*name).to_owned(), used.to_string(), room.to_string(), percent(full)]
        };
        page.table(&measured.maps.iter().map(row).collect::<Vec<_>>());
    }
    page.text
}

fn expectation(page: &mut Page, plan: &Plan, layout: &Layout, machine: Machine, measured: &Measured) {
    let (Some(before), Some(during)) = (measured.switches_before, measured.switches) else { return };
    let (least, most) = cost::expected(plan, layout, machine.task_storage);
    page.section("expected: part of one CPU, from the rate of switches before the window");
    let text = match least == most {
        true => percent(most.percent(before)),
        false => format!(
            "{} (no task passes the first tests) to {} (every one does)",
            percent(least.percent(before)),
            percent(most.percent(before))
        ),
    };
    page.table(&[
        vec!["expected".into(), text],
        vec!["switches".into(), format!("{before:.0}/s before the window, {during:.0}/s in it")],
        vec!["each".into(), format!("up to {} ns at a switch and {} ns at a wakeup", most.switch_ns, most.wakeup_ns)],
    ]);
}

fn share(ns: u64, window_ns: u64) -> f64 {
    ns as f64 * 100.0 / window_ns.max(1) as f64
}

fn percent(value: f64) -> String {
    // Two digits that say something, however small.
    match value {
        v if v >= 10.0 => format!("{v:.1} %"),
        v if v >= 0.1 => format!("{v:.2} %"),
        v if v > 0.0 => format!("{v:.3} %"),
        _ => "0 %".into(),
    }
}

fn per_second(count: u64, seconds: f64) -> String {
    if seconds > 0.0 { format!("{:.0}/s", count as f64 / seconds) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_rates() {
        assert_eq!(share(50, 1000), 5.0);
        assert_eq!(per_second(30, 2.0), "15/s");
        assert_eq!(per_second(30, 0.0), "");
        assert_eq!(percent(0.004), "0.004 %");
        assert_eq!(percent(12.34), "12.3 %");
    }
}
