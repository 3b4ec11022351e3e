//! Every awkward order of events, each in a file of `cases/` with the rows and the account that are right, worked out by
//! hand.

use std::fs;
use std::path::Path;

use schedq::catalog::event::Batch;
use schedq::source::Account;
use schedq::source::trace::{Answer, Error, run};

use super::notation::{Case, case, joined, lines};

fn ask(case: &Case, batches: &[Batch]) -> Answer {
    let read = batches.iter().map(Ok::<_, Error>);
    run(&case.plan.scan, &case.recorded, read).expect("a family with replay")
}

/// The figures that are not 0, by name.
pub fn figures(account: &Account) -> Vec<(String, u64)> {
    let own = [("seen", account.seen), ("matched", account.matched), ("open", account.open)];
    let losses = account.losses.iter().map(|loss| (loss.name, loss.count));
    let there = own.into_iter().chain(losses).filter(|(_, count)| *count > 0);
    let mut all: Vec<_> = there.map(|(name, count)| (name.to_owned(), count)).collect();
    all.sort();
    all
}

#[test]
fn cases_have_the_answers_worked_out_by_hand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recording/cases");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 25, "only {} files", files.len());
    let mut wrong = String::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let case = case(file.file_stem().unwrap().to_str().unwrap(), &text);
        let whole = ask(&case, &[joined(&case.lines)]);
        let found = (lines(&whole.table), figures(&whole.account));
        if found != (case.rows.clone(), case.account.clone()) {
            wrong += &format!("{}:\n{}\n{:?}\n", case.name, found.0.join("\n"), found.1);
        }
        // Where one batch ends and the next begins means nothing.
        assert_eq!(ask(&case, &case.lines), whole, "{}: line by line", case.name);
        // In these, every gap is told before the first event that came after it.
        let mut known_ahead = case;
        known_ahead.recorded.gaps = known_ahead.lines.iter().flat_map(|line| line.gaps.clone()).collect();
        assert_eq!(ask(&known_ahead, &[joined(&known_ahead.lines)]), whole, "{}: gaps ahead", known_ahead.name);
    }
    assert!(wrong.is_empty(), "found otherwise:\n{wrong}");
}

/// A gap that is told late: rows that ended in it stand, unless it was known ahead.
#[test]
fn a_gap_that_is_known_ahead_cuts_what_ended_in_it() {
    let text = "ask: runq events(tid, latency)
        100 task 11 a
        110 c0 wakeup 11
        130 c0 switch 0 R 11
        140 c0 switch 11 S 0
        gap 120 150 1 ring_full
        160 c0 wakeup 11
        170 c0 switch 0 R 11";
    let mut case = case("late", text);
    let late = ask(&case, &case.lines);
    assert_eq!(lines(&late.table), ["11 20", "11 10"]);
    case.recorded.gaps = joined(&case.lines).gaps;
    let ahead = ask(&case, &case.lines);
    assert_eq!(lines(&ahead.table), ["11 10"]);
    let named = |name: &str, count| (name.to_owned(), count);
    assert_eq!(
        figures(&ahead.account),
        [named("gap", 1), named("matched", 1), named("ring_full", 1), named("seen", 1)]
    );
}

/// What is not replayed is refused, and an error of the reader ends it.
#[test]
fn errors_are_passed_on() {
    #[derive(Debug, PartialEq)]
    enum Failed {
        Read,
        Replay(Error),
    }
    impl From<Error> for Failed {
        fn from(error: Error) -> Failed {
            Failed::Replay(error)
        }
    }
    let case = case("error", "ask: switch count");
    let broken = [Ok(Batch::default()), Err(Failed::Read)];
    assert_eq!(run(&case.plan.scan, &case.recorded, broken).unwrap_err(), Failed::Read);
    let mut scan = case.plan.scan.clone();
    scan.family = &schedq::catalog::sched::EVENTS;
    let nothing: [Result<Batch, Failed>; 0] = [];
    assert_eq!(run(&scan, &case.recorded, nothing).unwrap_err(), Failed::Replay(Error::NoReplay { family: "sched" }));
}

/// Room for groups and rows is bounded, and what found none is counted; intervals that were handed on take none.
#[test]
fn room_is_bounded() {
    let text = "100 task 0 idle
        100 task 11 a
        100 task 12 b
        10_000_000 c0 switch 11 S 12
        10_000_001 c0 switch 12 S 11
        10_000_002 c0 switch 11 S 0
        25_000_000 c0 switch 12 S 0";
    let ask_with = |query: &str, bytes: u64, groups: Option<u64>| {
        let mut case = case("room", &format!("ask: {query}\n{text}"));
        (case.plan.scan.map_bytes, case.plan.scan.groups) = (bytes, groups);
        let answer = ask(&case, &case.lines);
        (lines(&answer.table), figures(&answer.account))
    };
    let named = |name: &str, count| (name.to_owned(), count);
    let (rows, account) = ask_with("switch count by comm", 1 << 20, Some(1));
    assert_eq!(rows.len(), 1);
    assert!(rows[0].starts_with("a 2 "), "{rows:?}");
    assert_eq!(account, [named("map_full", 2), named("matched", 2), named("seen", 4)]);
    // The one group of an interval that is over makes room for the next one's.
    let (rows, account) = ask_with("switch count by comm every 10ms for 1s", 1 << 20, Some(1));
    let starts: Vec<_> = rows.iter().map(|row| row.split(" 18446").next().unwrap()).collect();
    assert_eq!(starts, ["100 a 2 0", "20000100 b 1 0"]);
    assert_eq!(account, [named("map_full", 1), named("matched", 3), named("seen", 4)]);
    let (rows, account) = ask_with("switch events(at, tid)", 40, None);
    assert_eq!(rows, ["10000000 11", "10000001 12"]);
    assert_eq!(account, [named("matched", 2), named("rows_memory", 2), named("seen", 4)]);
    let (rows, account) = ask_with("switch events(at, tid) first 3", 1 << 20, None);
    assert_eq!(rows.len(), 3);
    assert_eq!(account, [named("matched", 3), named("seen", 3)]);
}
