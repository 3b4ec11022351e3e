//! Recorded events as text, one a line, with the query that is asked of them and the answer that is right.
//!
//!     # Words about it.
//!     ask: runq latency events(tid, latency)
//!     120 task 11 worker tgid=10
//!     130 c1 wakeup 11
//!     140 c1 switch 5 S 11
//!     rows:
//!     11 10
//!     account:
//!     seen 1
//!
//! A line of events begins with its time. `c1` is CPU 1. Events are `switch PREV STATE NEXT`, `wakeup TID`, `new TID`,
//! `waking TID`, `migrate TID`, `exit TID`; `oncpu` may follow a wakeup. STATE is the letter that ps shows or the number
//! itself; `+` behind it: preempted, `!`: throttled. `task`, `fork`, `exec` and `rename` tell who a task is: `TID COMM` and
//! then `tgid= process= prio= policy= nice= cgroup= born= other= cpu=`, `kthread`, `own` (schedq itself), `child`. What is
//! left out is what an ordinary thread has, born before the recording. `gap FROM TO COUNT CAUSE` and `cgroup ID PATH` have
//! no time in front. The recording begins at 100, unless `start: N` says otherwise. In `account:` what is not named is 0.

use schedq::catalog::event::{Batch, Event, Gap, Identity, Kind, LOSSES, flag, who};
use schedq::diagnostic::Source;
use schedq::lang::ast::Statement;
use schedq::lang::parse;
use schedq::plan::{CheckOptions, Params, Plan, check};
use schedq::source::trace::Recorded;
use schedq::source::{Table, Values};

pub struct Case {
    pub name: String,
    pub plan: Plan,
    pub recorded: Recorded,
    /// What was recorded, each line by itself.
    pub lines: Vec<Batch>,
    pub rows: Vec<String>,
    /// The figures of the account that are not 0, in order.
    pub account: Vec<(String, u64)>,
}

/// The plan of a query.
pub fn plan(text: &str) -> Plan {
    let parsed = parse(&Source::new("case", text.to_owned()));
    assert!(parsed.errors.is_empty(), "{text}: {:?}", parsed.errors);
    let Some(Statement::Query(query)) = parsed.statements().next() else { panic!("{text} is no query") };
    let options = CheckOptions { has_command: true, ..CheckOptions::default() };
    check(query, &Params::new(), &options).unwrap_or_else(|errors| panic!("{text}: {errors:?}"))
}

pub fn case(name: &str, text: &str) -> Case {
    let mut plan_text = None;
    let mut recorded = Recorded { start_ns: 100, ..Recorded::default() };
    let mut lines = Vec::new();
    let mut rows = Vec::new();
    let mut account = Vec::new();
    let mut part = "";
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(query) = line.strip_prefix("ask:") {
            plan_text = Some(query.trim());
        } else if let Some(start) = line.strip_prefix("start:") {
            recorded.start_ns = number(start.trim());
        } else if let Some(range) = line.strip_prefix("range:") {
            let (from, to) = range.trim().split_once(' ').expect("two times");
            recorded.range = Some((number(from), number(to)));
        } else if let Some(mount) = line.strip_prefix("mount:") {
            recorded.cgroup_mount = Some(mount.trim().to_owned());
        } else if let Some(name) = line.strip_suffix(':') {
            part = name;
        } else {
            match part {
                "" => lines.push(batch(line)),
                "rows" => rows.push(line.to_owned()),
                "account" => {
                    let (name, count) = line.split_once(' ').expect("a name and a count");
                    account.push((name.to_owned(), number(count)));
                }
                other => panic!("{name}: no part `{other}`"),
            }
        }
    }
    account.sort();
    Case { name: name.to_owned(), plan: plan(plan_text.expect("a query")), recorded, lines, rows, account }
}

/// All lines as one batch.
pub fn joined(lines: &[Batch]) -> Batch {
    let mut all = Batch::default();
    for line in lines.iter().cloned() {
        all.events.extend(line.events);
        all.identities.extend(line.identities);
        all.gaps.extend(line.gaps);
        all.cgroups.extend(line.cgroups);
    }
    all
}

fn number(text: &str) -> u64 {
    let text = text.replace('_', "");
    text.parse().unwrap_or_else(|_| panic!("`{text}` is no number"))
}

fn small(text: &str) -> u32 {
    u32::try_from(number(text)).expect("32 bits")
}

fn batch(line: &str) -> Batch {
    let mut words = line.split_whitespace();
    let mut word = || words.next().unwrap_or_else(|| panic!("{line}: too short"));
    let mut batch = Batch::default();
    match word() {
        "gap" => {
            let (from, to, count, cause) = (number(word()), number(word()), number(word()), word());
            let cause = LOSSES.iter().find(|(key, _)| *key == cause).expect("a cause").0;
            batch.gaps.push(Gap { from, to, cpu: None, count, cause });
        }
        "cgroup" => batch.cgroups.push((number(word()), word().to_owned())),
        at => {
            let at = number(at);
            match word() {
                kind @ ("task" | "fork" | "exec" | "rename") => {
                    let kind = Kind::of_word(kind).expect("a kind");
                    batch.identities.push(identity(at, kind, line, words.collect()));
                }
                cpu => {
                    let cpu = small(cpu.strip_prefix('c').unwrap_or_else(|| panic!("{line}: a CPU"))) as u16;
                    batch.events.push(event(at, cpu, words.collect()));
                }
            }
        }
    }
    batch
}

fn event(at: u64, cpu: u16, words: Vec<&str>) -> Event {
    let (kind, tid) = (words[0], small(words[1]));
    let blank = Event { at, tid, other: 0, state: 0, cpu, kind: Kind::Exit, flags: 0 };
    match kind {
        "switch" => {
            let (state, flags) = state(words[2]);
            Event { kind: Kind::Switch, other: small(words[3]), state, flags, ..blank }
        }
        "wakeup" | "new" => {
            let kind = if kind == "new" { Kind::WakeupNew } else { Kind::Wakeup };
            Event { kind, flags: if words.contains(&"oncpu") { flag::ON_CPU } else { 0 }, ..blank }
        }
        "waking" => Event { kind: Kind::Waking, ..blank },
        "migrate" => Event { kind: Kind::Migrate, ..blank },
        "exit" => blank,
        other => panic!("no event `{other}`"),
    }
}

/// The kernel's bits of a state, and flags.
fn state(text: &str) -> (u32, u8) {
    let letters = text.trim_end_matches(['+', '!']);
    let mut flags = 0;
    if text.contains('+') {
        flags |= flag::PREEMPT;
    }
    if text.contains('!') {
        flags |= flag::THROTTLED;
    }
    let bits = match letters {
        "R" => 0,
        "S" => 0x1,
        "D" => 0x2,
        "T" => 0x4,
        "t" => 0x8,
        "P" => 0x40,
        "I" => 0x402,
        // TASK_DEAD; its parent will ask for it, or nobody will.
        "Z" => 0x80 | 0x20,
        "X" => 0x80 | 0x10,
        number => u32::from_str_radix(number.trim_start_matches("0x"), 16).expect("a state"),
    };
    (bits, flags)
}

/// A name as the kernel holds it.
pub fn name(text: &str) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..text.len()].copy_from_slice(text.as_bytes());
    bytes
}

fn identity(at: u64, kind: Kind, line: &str, words: Vec<&str>) -> Identity {
    let (tid, comm) = (small(words[0]), words[1]);
    let mut made = Identity {
        at,
        tid,
        other: 0,
        state: 0,
        cpu: 0,
        kind,
        flags: who::WANTED,
        born: 1,
        cgroup: 1,
        comm: name(comm),
        process: name(comm),
        tgid: tid,
        prio: 120,
        policy: 0,
        nice: 0,
    };
    for word in &words[2..] {
        match word.split_once('=') {
            Some(("tgid", value)) => made.tgid = small(value),
            Some(("process", value)) => made.process = name(value),
            Some(("prio", value)) => made.prio = value.parse().expect("a priority"),
            Some(("policy", value)) => made.policy = small(value),
            Some(("nice", value)) => made.nice = value.parse().expect("a nice value"),
            Some(("cgroup", value)) => made.cgroup = number(value),
            Some(("born", value)) => made.born = number(value),
            Some(("other", value)) => made.other = small(value),
            Some(("cpu", value)) => made.cpu = small(value) as u16,
            None if *word == "kthread" => made.flags |= who::KTHREAD,
            None if *word == "own" => made.flags |= who::RECORDER,
            None if *word == "child" => made.flags |= who::CHILD,
            _ => panic!("{line}: `{word}`"),
        }
    }
    made
}

/// A table as the cases write it: a line per row, columns apart by a space; groups end with count, sum, min and max.
pub fn lines(table: &Table) -> Vec<String> {
    let mut found: Vec<Vec<String>> = vec![Vec::new(); table.height];
    for column in &table.columns {
        let values: Vec<Option<String>> = match &column.values {
            Values::Int(values) => values.iter().map(|v| v.map(|v| v.to_string())).collect(),
            Values::Bool(values) => values.iter().map(|v| v.map(|v| if v { "yes" } else { "no" }.to_owned())).collect(),
            Values::Text(values) => values.clone(),
        };
        assert_eq!(values.len(), table.height, "{}", column.name);
        for (line, value) in found.iter_mut().zip(values) {
            line.push(value.unwrap_or_else(|| "-".to_owned()));
        }
    }
    for (line, cell) in found.iter_mut().zip(table.cells.iter().flatten()) {
        line.extend([cell.count, cell.sum, cell.min, cell.max].map(|n| n.to_string()));
    }
    found.into_iter().map(|line| line.join(" ")).collect()
}
