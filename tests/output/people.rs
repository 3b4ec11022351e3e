//! Tables, histograms and the line of trust.

use insta::assert_snapshot;
use schedq::frame::{Frame, build};
use schedq::lang::ast::Stat;
use schedq::output::{Style, histogram, table, trust};
use schedq::plan::{INTERVAL, Output};
use schedq::source::{Ended, Outcome, TableColumn, Values};

use super::{ascii, hostile, narrow, style};
use crate::plans::{groups, ints, linear, p, plan, rows, texts, values};

/// Two peaks, as spinners that share a CPU with others make them.
fn two_peaks(scale: u64) -> Vec<u64> {
    let short = (0..260).map(|i| 20_000 + i * 170);
    let long = (0..45).map(|i| 7_000_000 + i * 150_000);
    let rare = [900, 1_100_000];
    short.chain(long).chain(rare).map(|v| v * scale / 100).collect()
}

fn table(frame: &Frame, style: &Style) -> String {
    table::render(frame, style).unwrap()
}

fn histogram(frame: &Frame, style: &Style) -> String {
    histogram::render(frame, style).unwrap()
}

fn by_comm() -> Frame {
    let stats = [Stat::Count, Stat::Sum, Stat::Avg, p(50), p(99), Stat::Max, Stat::Pct];
    let asked = plan("runq latency", &["comm"], &stats);
    let outcome = groups(
        vec![texts("comm", &["nginx", "kworker/0:1-eve", "ticker"])],
        vec![values(&two_peaks(100)), values(&two_peaks(3)), values(&[42_000, 51_300, 1_204_000])],
    );
    build(&asked, &outcome, &[]).unwrap()
}

#[test]
fn a_table_of_stats() {
    assert_snapshot!(table(&by_comm(), &style()));
}

#[test]
fn a_table_of_stats_without_unicode() {
    assert_snapshot!(table(&by_comm(), &ascii()));
}

#[test]
fn a_table_at_40_columns() {
    assert_snapshot!(table(&by_comm(), &narrow()));
}

#[test]
fn a_table_in_colour() {
    assert_snapshot!(table(&by_comm(), &Style { color: true, ..style() }));
}

#[test]
fn who_sleeps_and_who_is_thrown_off() {
    let asked = plan("switch", &["tid", "comm", "kind"], &[Stat::Count]);
    let outcome = groups(
        vec![
            ints("tid", &[4242, 4243, 4244, 4242]),
            texts("comm", &["ticker", "spin", "spin", "ticker"]),
            texts("kind", &["voluntary", "involuntary", "involuntary", "involuntary"]),
        ],
        vec![values(&[1; 5001]), values(&[1; 1250]), values(&[1; 1249]), values(&[1; 3])],
    );
    assert_snapshot!(table(&build(&asked, &outcome, &[]).unwrap(), &style()));
}

#[test]
fn events_with_long_names_fit_the_terminal() {
    let columns = ["at", "cpu", "tid", "comm", "latency", "cause", "prev_tid", "prev_comm"];
    let mut asked = plan("runq latency", &[], &[]);
    let columns = columns.map(|name| asked.family.column(name).unwrap());
    asked.rest.events = Some(columns.to_vec());
    asked.scan.output = Output::Rows { columns: columns.to_vec(), first: None };
    let outcome = rows(vec![
        ints("at", &[1_000_123_456, 1_000_623_456, 2_000_000_000]),
        ints("cpu", &[0, 13, 2]),
        ints("tid", &[4242, 3_120_044, 77]),
        texts("comm", &["ticker", "CPU 12/KVM-12345", "kworker/u256:12"]),
        ints("latency", &[42_800, 7_700_000, 913]),
        texts("cause", &["wakeup", "preempt", "wakeup"]),
        ints("prev_tid", &[0, 3_120_045, 0]),
        texts("prev_comm", &["swapper/0", "CPU 13/KVM-12345", "swapper/2"]),
    ]);
    assert_snapshot!(table(&build(&asked, &outcome, &[]).unwrap(), &style()));
}

#[test]
fn the_end_of_a_long_path_is_kept() {
    let asked = plan("runq latency", &["cgroup"], &[Stat::Count, Stat::Max]);
    let paths = [
        "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod3a9f.slice/cri-containerd-77aa.scope",
        "/system.slice/nginx.service",
        "/",
    ];
    let outcome =
        groups(vec![texts("cgroup", &paths)], vec![values(&[42_000; 12]), values(&[51_000; 4]), values(&[900])]);
    let frame = build(&asked, &outcome, &[]).unwrap();
    assert_snapshot!(table(&frame, &Style { width: 60, ..style() }));
}

#[test]
fn hostile_names_stay_text() {
    let names = hostile();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let outcome = groups(vec![texts("comm", &names)], names.iter().map(|_| values(&[1])).collect());
    assert_snapshot!(table(&build(&plan("switch", &["comm"], &[Stat::Count]), &outcome, &[]).unwrap(), &style()));
}

#[test]
fn missing_values_and_flags() {
    let asked = plan("switch", &["kthread", "state"], &[Stat::Rate, Stat::Pct]);
    let kthread = TableColumn { name: "kthread".into(), values: Values::Bool(vec![Some(true), Some(false), None]) };
    let state = Values::Text(vec![Some("sleep".into()), None, Some("disk".into())]);
    let outcome = groups(
        vec![kthread, TableColumn { name: "state".into(), values: state }],
        vec![values(&[1; 61_712]), values(&[1; 99]), values(&[1; 3])],
    );
    assert_snapshot!(table(&build(&asked, &outcome, &[]).unwrap(), &style()));
}

#[test]
fn a_histogram_beside_stats_is_a_sparkline() {
    let asked = plan("runq latency", &["cpu"], &[p(99), Stat::MaxAt, Stat::Hist]);
    let outcome =
        groups(vec![ints("cpu", &[0, 1])], vec![values(&two_peaks(100)), values(&[30_000, 31_000, 70_000, 4_000])]);
    let frame = build(&asked, &outcome, &[]).unwrap();
    assert_snapshot!(format!("{}\n{}", table(&frame, &style()), table(&frame, &ascii())));
}

#[test]
fn intervals_go_on_under_one_header() {
    let mut asked = plan("switch", &["kind"], &[Stat::Count, Stat::Rate]);
    asked.scan.every_ns = Some(1_000_000_000);
    let mut batches = table::Batches::default();
    let mut shown = String::new();
    for (second, n) in [(0, 250), (1, 31), (2, 12_345)] {
        let outcome = groups(
            vec![ints(INTERVAL, &[second * 1_000_000_000; 2]), texts("kind", &["voluntary", "involuntary"])],
            vec![values(&vec![1; n]), values(&[1; 7])],
        );
        shown.push_str(&batches.render(&build(&asked, &outcome, &[]).unwrap(), &style()).unwrap());
    }
    assert_snapshot!(shown);
}

#[test]
fn a_wait_past_its_interval_says_so() {
    let mut asked = plan("runq latency", &[], &[Stat::Count, Stat::Max]);
    asked.scan.every_ns = Some(1_000_000_000);
    let outcome = groups(vec![ints(INTERVAL, &[0, 1_000_000_000])], vec![values(&[5_000]), values(&[1_500_000_000])]);
    assert_snapshot!(table(&build(&asked, &outcome, &[]).unwrap(), &style()));
}

#[test]
fn no_rows() {
    let asked = plan("switch", &["comm"], &[Stat::Count]);
    let nothing = groups(Vec::new(), Vec::new());
    assert_snapshot!(table(&build(&asked, &nothing, &[]).unwrap(), &style()));
    let asked = plan("runq latency", &["comm"], &[Stat::Hist]);
    assert_eq!(histogram(&build(&asked, &nothing, &[]).unwrap(), &style()), "(no rows)\n");
}

fn hist() -> Frame {
    let outcome = groups(Vec::new(), vec![values(&two_peaks(100))]);
    build(&plan("runq latency", &[], &[Stat::Hist]), &outcome, &[]).unwrap()
}

#[test]
fn two_peaks_show() {
    assert_snapshot!(histogram(&hist(), &style()));
}

#[test]
fn two_peaks_show_at_40_columns() {
    assert_snapshot!(histogram(&hist(), &narrow()));
}

#[test]
fn two_peaks_show_without_unicode() {
    assert_snapshot!(histogram(&hist(), &ascii()));
}

#[test]
fn one_histogram_per_group() {
    let asked = plan("runq latency", &["cpu", "comm"], &[Stat::Hist]);
    let outcome = groups(
        vec![ints("cpu", &[2, 0]), texts("comm", &["nginx: worker", "ticker"])],
        vec![values(&two_peaks(100)), values(&[0, 30_000])],
    );
    assert_snapshot!(histogram(&build(&asked, &outcome, &[]).unwrap(), &style()));
}

#[test]
fn a_linear_histogram() {
    let mut asked = plan("runq latency", &[], &[linear(10_000, 60_000, 10_000)]);
    asked.scan.output = Output::Rows { columns: Vec::new(), first: None };
    let values: Vec<i64> = two_peaks(100).into_iter().map(|v| v as i64).collect();
    assert_snapshot!(histogram(&build(&asked, &rows(vec![ints("latency", &values)]), &[]).unwrap(), &style()));
}

fn trust(change: impl Fn(&mut Outcome), style: &Style) -> String {
    let mut outcome = groups(Vec::new(), vec![values(&vec![1; 12_300])]);
    change(&mut outcome);
    let frame = build(&plan("runq latency", &[], &[Stat::Count]), &outcome, &[]).unwrap();
    trust::lines(&frame.meta, style).join("\n")
}

#[test]
fn trust_without_loss() {
    assert_snapshot!(trust(|_| (), &style()));
}

#[test]
fn trust_with_loss() {
    let change = |outcome: &mut Outcome| {
        outcome.account.losses[0].count = 1;
        outcome.account.losses[1].count = 2;
        outcome.account.losses[2].count = 118;
        outcome.account.open = 4;
        outcome.window.ended = Ended::Interrupted;
        outcome.window.length_ns = 3_214_000_000;
        outcome.notes.push("no task has tid 123".into());
    };
    assert_snapshot!(trust(change, &style()));
    assert_snapshot!(trust(change, &ascii()));
}

#[test]
fn a_terminal_without_unicode_gets_none() {
    let asked = plan("runq latency", &["cpu"], &[p(99), Stat::Hist]);
    let outcome = groups(vec![ints("cpu", &[0])], vec![values(&two_peaks(100))]);
    let beside = build(&asked, &outcome, &[]).unwrap();
    let text = [table(&by_comm(), &ascii()), table(&beside, &ascii()), histogram(&hist(), &ascii())].concat();
    assert!(text.is_ascii(), "{text}");
    let cut = table(&by_comm(), &Style { width: 40, ..ascii() });
    assert!(cut.is_ascii(), "{cut}");
}

proptest::proptest! {
    #[test]
    fn nothing_is_wider_than_the_terminal(
        latencies in proptest::collection::vec(proptest::num::u64::ANY, 1..20),
        comm in "\\PC{0,30}",
        width in 40usize..160,
    ) {
        let style = Style { width, ..style() };
        let latencies: Vec<u64> = latencies.into_iter().map(|v| v >> 8).collect();
        let outcome = groups(
            vec![texts("comm", &[schedq::name::escape(comm.as_bytes()).as_str()])],
            vec![values(&latencies)],
        );
        let fits = |text: &str| text.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= width);
        let stats = build(&plan("runq latency", &["comm"], &[Stat::Count, Stat::Max, p(50)]), &outcome, &[]).unwrap();
        let shown = table(&stats, &style);
        proptest::prop_assert!(fits(&shown), "{}", shown);
        let bars = build(&plan("runq latency", &[], &[Stat::Hist]), &groups(Vec::new(), vec![values(&latencies)]), &[]);
        let shown = histogram(&bars.unwrap(), &style);
        proptest::prop_assert!(fits(&shown), "{}", shown);
    }
}
