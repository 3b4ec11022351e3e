//! Heat maps on a terminal, and pictures.

use insta::assert_snapshot;
use schedq::frame::{Frame, build};
use schedq::lang::ast::Stat;
use schedq::output::file::prepare;
use schedq::output::{Style, heatmap};
use schedq::plan::INTERVAL;

use super::{ascii, hostile, narrow, style};
use crate::plans::{groups, ints, linear, plan, rows, texts, values};

const SECOND: i64 = 1_000_000_000;

/// Two groups over six intervals, of which the third is quiet.
fn over_time(names: [&str; 2], stat: Stat) -> Frame {
    let mut asked = plan("runq latency", &["comm"], &[stat]);
    asked.scan.every_ns = Some(SECOND as u64);
    let at = [0, 0, SECOND, 3 * SECOND, 4 * SECOND, 5 * SECOND];
    let comm = [names[0], names[1], names[0], names[0], names[1], names[0]];
    let cells = [
        values(&[5_000; 40]),
        values(&[3_000_000]),
        values(&[5_000, 6_000, 90_000]),
        values(&[5_000; 400]),
        values(&[3_000_000, 3_100_000, 9_000]),
        values(&[900]),
    ];
    let outcome = groups(vec![ints(INTERVAL, &at), texts("comm", &comm)], cells.to_vec());
    build(&asked, &outcome, &[]).unwrap()
}

fn map(frame: &Frame, style: &Style) -> String {
    heatmap::render(frame, style).unwrap()
}

#[test]
fn a_heat_map_by_group() {
    assert_snapshot!(map(&over_time(["nginx", "redis"], Stat::Hist), &style()));
}

#[test]
fn a_heat_map_without_unicode() {
    assert_snapshot!(map(&over_time(["nginx", "redis"], Stat::Hist), &ascii()));
}

#[test]
fn a_heat_map_of_equal_steps() {
    let mut asked = plan("runq latency", &[], &[linear(0, 4_000_000, 1_000_000)]);
    asked.scan.every_ns = Some(SECOND as u64);
    let at = [0, 0, 0, SECOND, 3 * SECOND].map(|at| at + 1);
    let latency = [500_000, 1_500_000, 1_600_000, 3_999_999, 9_000_000];
    let starts = [0, 0, 0, SECOND, 3 * SECOND];
    let outcome = rows(vec![ints(INTERVAL, &starts), ints("at", &at), ints("latency", &latency)]);
    assert_snapshot!(map(&build(&asked, &outcome, &[]).unwrap(), &style()));
}

/// What has no room of its own is put together with its neighbour, and nothing is lost by it.
#[test]
fn a_heat_map_on_a_narrow_screen() {
    let mut asked = plan("runq latency", &[], &[Stat::Hist]);
    asked.scan.every_ns = Some(SECOND as u64);
    let at: Vec<i64> = (0..100).map(|i| i * SECOND).collect();
    let cells = at.iter().map(|at| values(&vec![5_000; (at / SECOND) as usize % 7 + 1])).collect();
    let frame = build(&asked, &groups(vec![ints(INTERVAL, &at)], cells), &[]).unwrap();
    let text = map(&frame, &narrow());
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
    assert!(text.contains("a column is 4.00s"), "{text}");
    assert_snapshot!(text);
}

#[test]
fn colours_end_where_they_begin() {
    let text = map(&over_time(["nginx", "redis"], Stat::Hist), &Style { color: true, ..style() });
    assert_eq!(
        text.matches("\x1b[48;5;").count() + text.matches("\x1b[1m").count() + text.matches("\x1b[2m").count(),
        text.matches("\x1b[0m").count()
    );
}

#[test]
fn a_heat_map_is_one_of_intervals_only() {
    let frame = build(&plan("runq latency", &[], &[Stat::Hist]), &groups(vec![], vec![values(&[1])]), &[]).unwrap();
    assert!(!heatmap::applies(&frame));
}

fn saved(frame: &Frame, name: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    prepare(&path).unwrap().write(frame).unwrap();
    std::fs::read_to_string(path).unwrap()
}

/// The rectangles of one colour.
fn filled(svg: &str, color: &str) -> usize {
    svg.lines().filter(|line| line.starts_with("<rect") && line.contains(color)).count()
}

#[test]
fn a_bar_for_every_bucket_that_holds_something() {
    let asked = plan("runq latency", &["comm"], &[Stat::Hist]);
    let cells = vec![values(&[1_000, 5_000, 5_000, 70_000]), values(&[5_500])];
    let frame = build(&asked, &groups(vec![texts("comm", &["a", "b"])], cells), &[]).unwrap();
    let svg = saved(&frame, "x.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert_eq!(filled(&svg, "#336699"), 3 + 1, "{svg}");
    assert!(svg.contains("comm=a: latency, 4 samples") && svg.contains("comm=b: latency, 1 samples"));
}

#[test]
fn a_cell_for_every_count_of_a_heat_map() {
    let svg = saved(&over_time(["nginx", "redis"], Stat::Hist), "x.svg");
    // nginx: one, one and one bucket; of the second interval two. redis: one, then two.
    let cells = svg.lines().filter(|line| line.starts_with("<rect") && line.contains("stroke=\"none\"")).count();
    // The ground is one more.
    assert_eq!(cells, 5 + 3 + 1, "{svg}");
}

#[test]
fn hostile_names_do_nothing_in_a_page() {
    let names = ["</text><script>alert(1)</script>", "a&b\"'<"];
    let page = saved(&over_time(names, Stat::Hist), "x.html");
    assert!(!page.contains("<script") && !page.contains("a&b\""), "{page}");
    assert!(page.contains("&lt;script&gt;"));
    for name in hostile() {
        let page = saved(&over_time([&name, "b"], Stat::Hist), "x.html");
        assert!(!page.contains('\x1b'));
    }
}

#[test]
fn other_results_are_no_picture() {
    let folder = tempfile::tempdir().unwrap();
    let file = prepare(&folder.path().join("x.svg")).unwrap();
    let problem = file.accepts(&plan("switch count", &[], &[Stat::Count])).unwrap_err();
    assert_eq!(problem.code, "no-picture");
    assert!(file.accepts(&plan("runq latency", &[], &[Stat::Hist])).is_ok());
}
