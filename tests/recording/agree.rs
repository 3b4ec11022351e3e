//! Random recordings: the same rows and losses as a second, naive account of them, and groups that are those of the rows.

use proptest::prelude::*;
use schedq::catalog::event::{Batch, Event, Gap, Identity, Kind, flag, who};
use schedq::frame::build;
use schedq::plan::{Output, Plan};
use schedq::source::trace::{Answer, Error, Recorded, run};
use schedq::source::{Ended, Outcome, Window};

use super::naive::{Found, Recording, Row, comm};
use super::notation::{lines, name, plan};
use super::pairing::figures;

pub(super) const START: u64 = 1000;

#[derive(Debug, Clone)]
pub(super) enum Op {
    Switch {
        cpu: u16,
        tid: u32,
        other: u32,
        state: u32,
        flags: u8,
    },
    Woken {
        cpu: u16,
        tid: u32,
        kind: Kind,
        flags: u8,
    },
    Other {
        tid: u32,
        kind: Kind,
    },
    Renamed {
        tid: u32,
        comm: &'static str,
    },
    Born {
        tid: u32,
        comm: &'static str,
        flags: u8,
    },
    Lost {
        back: u64,
        length: u64,
    },
    /// The next event stands behind later ones.
    Late,
}

pub(super) fn ops() -> impl Strategy<Value = Vec<(u64, Op)>> {
    let cpu = || 0u16..3;
    let tid = || 1u32..6;
    let comm = || prop::sample::select(&["a", "b", "c"][..]);
    let states = vec![0u32, 0, 1, 1, 1, 2, 0x20];
    let flags = prop::sample::select(vec![0u8, 0, flag::PREEMPT, flag::THROTTLED]);
    let switch =
        (cpu(), 0u32..6, 0u32..6, prop::sample::select(states), flags).prop_map(|(cpu, tid, other, state, flags)| {
            let other = if other == tid { (tid + 1) % 6 } else { other };
            Op::Switch { cpu, tid, other, state, flags }
        });
    let ends = (cpu(), tid(), prop::sample::select(vec![0xa0u32, 0x90])).prop_map(|(cpu, tid, state)| Op::Switch {
        cpu,
        tid,
        other: 0,
        state,
        flags: 0,
    });
    let woken = (cpu(), tid(), any::<bool>(), prop::sample::select(vec![0u8, 0, 0, flag::ON_CPU])).prop_map(
        |(cpu, tid, new, flags)| Op::Woken { cpu, tid, kind: if new { Kind::WakeupNew } else { Kind::Wakeup }, flags },
    );
    let other = (tid(), prop::sample::select(vec![Kind::Waking, Kind::Migrate, Kind::Exit]))
        .prop_map(|(tid, kind)| Op::Other { tid, kind });
    let op = prop_oneof![
        40 => switch,
        3 => ends,
        20 => woken,
        4 => other,
        4 => (tid(), comm()).prop_map(|(tid, comm)| Op::Renamed { tid, comm }),
        3 => (tid(), comm(), prop::sample::select(vec![0u8, 0, 0, who::KTHREAD, who::RECORDER]))
            .prop_map(|(tid, comm, flags)| Op::Born { tid, comm, flags }),
        1 => (0u64..6, 0u64..6).prop_map(|(back, length)| Op::Lost { back, length }),
        1 => Just(Op::Late),
    ];
    prop::collection::vec((0u64..4, op), 0..120)
}

fn identity(at: u64, tid: u32, comm: &str, born: u64, flags: u8) -> Identity {
    Identity {
        at,
        tid,
        other: 0,
        state: 0,
        cpu: 0,
        kind: Kind::Task,
        flags,
        born,
        cgroup: 1,
        comm: name(comm),
        process: name(comm),
        tgid: tid,
        prio: 120,
        policy: 0,
        nice: 0,
    }
}

/// The recording that these make; `known` tasks are told of at its start.
pub(super) fn recording(ops: &[(u64, Op)], known: &[u32]) -> Batch {
    let mut batch = Batch::default();
    for cpu in 0..3 {
        batch.identities.push(Identity { cpu, ..identity(START, 0, "idle", 0, 0) });
    }
    let mut tasks: Vec<Option<Identity>> = vec![None; 6];
    for tid in known {
        let made = identity(START, *tid, ["a", "b", "c"][*tid as usize % 3], u64::from(*tid), 0);
        tasks[*tid as usize] = Some(made);
        batch.identities.push(made);
    }
    let mut now = START;
    let mut late = false;
    for (step, op) in ops {
        now += step;
        let at = if std::mem::take(&mut late) { (now - 3).max(START) } else { now };
        let blank = Event { at, tid: 0, other: 0, state: 0, cpu: 0, kind: Kind::Switch, flags: 0 };
        match *op {
            Op::Switch { cpu, tid, other, state, flags } => {
                // No task leaves for good and stays runnable.
                batch.events.push(Event { cpu, tid, other, state, flags, ..blank });
            }
            Op::Woken { cpu, tid, kind, flags } => batch.events.push(Event { cpu, tid, kind, flags, ..blank }),
            Op::Other { tid, kind } => batch.events.push(Event { tid, kind, ..blank }),
            Op::Renamed { tid, comm } => {
                if let Some(task) = &mut tasks[tid as usize] {
                    *task = Identity { at: now, kind: Kind::Rename, comm: name(comm), ..*task };
                    batch.identities.push(*task);
                }
            }
            Op::Born { tid, comm, flags } => {
                let made = Identity { kind: Kind::Fork, ..identity(now, tid, comm, now, flags) };
                tasks[tid as usize] = Some(made);
                batch.identities.push(made);
            }
            Op::Lost { back, length } => {
                let from = now.saturating_sub(back).max(START);
                let from = batch.gaps.last().map_or(from, |gap: &Gap| from.max(gap.from));
                batch.gaps.push(Gap { from, to: from + length, cpu: None, count: 2, cause: "ring_full" });
            }
            Op::Late => late = true,
        }
    }
    batch
}

/// A question with the same tests written by hand.
struct Question {
    text: &'static str,
    who: fn(&Identity, Option<u16>) -> bool,
    row: fn(&Row) -> bool,
}

const WAITS: &[Question] = &[
    Question { text: "", who: |_, _| true, row: |_| true },
    Question { text: "where tid=2", who: |who, _| who.tid == 2, row: |_| true },
    Question { text: "where comm='a'", who: |who, _| comm(who) == "a", row: |_| true },
    Question {
        text: "where not kthread and comm != 'b'",
        who: |who, _| who.flags & who::KTHREAD == 0 && comm(who) != "b",
        row: |_| true,
    },
    Question {
        text: "where cpu=1 or comm='b'",
        who: |who, cpu| cpu.is_none_or(|cpu| cpu == 1) || comm(who) == "b",
        row: |_| true,
    },
    Question { text: "where latency >= 5ns", who: |_, _| true, row: |row| row.latency >= 5 },
    Question {
        text: "where comm='a' and (cause=preempt or cpu=0)",
        who: |who, _| comm(who) == "a",
        row: |row| row.cause == "preempt" || row.cpu == 0,
    },
    Question {
        text: "where comm != prev_comm",
        who: |_, _| true,
        row: |row| row.other_comm.as_ref().is_some_and(|other| *other != row.comm),
    },
];

const SWITCHES: &[Question] = &[
    Question { text: "", who: |_, _| true, row: |_| true },
    Question {
        text: "where comm in ('a', 'c') and kind=voluntary",
        who: |who, _| matches!(comm(who).as_str(), "a" | "c"),
        row: |row| row.cause == "voluntary",
    },
    Question { text: "where cpu=2", who: |_, cpu| cpu.is_none_or(|cpu| cpu == 2), row: |_| true },
];

fn recorded(range: Option<(u64, u64)>) -> Recorded {
    Recorded { start_ns: START, range, ..Recorded::default() }
}

fn ask(plan: &Plan, batch: &Batch, recorded: &Recorded) -> Answer {
    run(&plan.scan, recorded, [Ok::<_, Error>(batch)]).expect("a family with replay")
}

/// Rows as lines, and the account's figures, of the naive account.
fn expected(found: &Found, row: fn(&Row) -> bool, waits: bool) -> (Vec<String>, Vec<(String, u64)>) {
    let line = |row: &Row| {
        let other = row.other_comm.clone().unwrap_or_else(|| "-".to_owned());
        let Row { at, cpu, tid, comm, latency, cause, other: other_tid, .. } = row;
        match waits {
            true => format!("{at} {cpu} {tid} {comm} {latency} {cause} {other_tid} {other}"),
            false => format!("{at} {cpu} {tid} {comm} {cause} {other_tid} {other}"),
        }
    };
    let rows: Vec<String> = found.rows.iter().filter(|r| row(r)).map(line).collect();
    let figures = [
        ("seen", found.seen),
        ("matched", rows.len() as u64),
        ("open", found.open),
        ("start_unseen", found.start_unseen),
        ("switch_in_unseen", found.switch_in_unseen),
        ("began_before_window", found.began_before_window),
        ("gap", found.gap),
        ("out_of_order", found.out_of_order),
        ("identity_unseen", found.identity_unseen),
    ];
    let mut figures: Vec<_> = figures.into_iter().filter(|f| f.1 > 0).map(|(name, n)| (name.to_owned(), n)).collect();
    figures.sort();
    (rows, figures)
}

pub(super) fn ranges() -> impl Strategy<Value = Option<(u64, u64)>> {
    prop::option::weighted(0.4, (0u64..100, 0u64..100).prop_map(|(from, length)| (START + from, START + from + length)))
}

pub(super) fn tasks() -> impl Strategy<Value = Vec<u32>> {
    prop_oneof![3 => Just(vec![1, 2, 3, 4, 5]), 1 => prop::sample::subsequence(vec![1, 2, 3, 4, 5], 0..=5)]
}

/// Rows of equal times come from different tasks; in which order is no matter here.
fn sorted(mut rows: Vec<String>) -> Vec<String> {
    rows.sort();
    rows
}

fn outcome(answer: Answer) -> Outcome {
    let window = Window { start_ns: START, wall_offset_ns: 0, length_ns: 1_000_000_000, ended: Ended::Elapsed };
    Outcome { table: answer.table, account: answer.account, window, notes: Vec::new() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn waits_are_those_of_the_naive_account(
        ops in ops(),
        known in tasks(),
        range in ranges(),
        question in 0..WAITS.len(),
    ) {
        let question = &WAITS[question];
        let batch = recording(&ops, &known);
        let plan = plan(&format!(
            "runq {} events(at, cpu, tid, comm, latency, cause, prev_tid, prev_comm)", question.text
        ));
        let answer = ask(&plan, &batch, &recorded(range));
        let found = Recording::new(&batch, START, range).waits(&question.who);
        let (rows, account) = expected(&found, question.row, true);
        prop_assert_eq!(sorted(lines(&answer.table)), sorted(rows), "{}", question.text);
        let told: Vec<_> = figures(&answer.account).into_iter().filter(|(name, _)| name != "ring_full").collect();
        prop_assert_eq!(told, account, "{}", question.text);
    }

    #[test]
    fn switch_outs_are_those_of_the_naive_account(
        ops in ops(),
        known in tasks(),
        range in ranges(),
        question in 0..SWITCHES.len(),
    ) {
        let question = &SWITCHES[question];
        let batch = recording(&ops, &known);
        let plan = plan(&format!(
            "switch {} events(at, cpu, tid, comm, kind, next_tid, next_comm)", question.text
        ));
        let answer = ask(&plan, &batch, &recorded(range));
        let found = Recording::new(&batch, START, range).switch_outs(&question.who);
        let (rows, account) = expected(&found, question.row, false);
        prop_assert_eq!(lines(&answer.table), rows, "{}", question.text);
        let told: Vec<_> = figures(&answer.account).into_iter().filter(|(name, _)| name != "ring_full").collect();
        prop_assert_eq!(told, account, "{}", question.text);
    }

    /// Wherever the recording is cut into batches.
    #[test]
    fn batches_mean_nothing(ops in ops(), known in tasks(), pieces in 1usize..20) {
        let whole = recording(&ops, &known);
        let plan = plan("runq events(at, cpu, tid, comm, latency, cause, prev_tid, prev_comm)");
        let recorded = Recorded { gaps: whole.gaps.clone(), ..recorded(None) };
        let mut cut = Vec::new();
        let mut now = 0;
        // What was told before an event stands in its batch or an earlier one.
        for events in whole.events.chunks(pieces) {
            let until = events.iter().map(|event| event.at).max().unwrap();
            let told = |at: u64| at >= now && at <= until;
            cut.push(Ok::<_, Error>(Batch {
                events: events.to_vec(),
                identities: whole.identities.iter().filter(|i| told(i.at)).copied().collect(),
                gaps: whole.gaps.iter().filter(|g| told(g.from)).copied().collect(),
                cgroups: Vec::new(),
            }));
            now = now.max(until + 1);
        }
        // Identities that the cut put into a later batch than their time allows would be another recording.
        let complete = cut.iter().flatten().map(|b| b.identities.len()).sum::<usize>();
        let cut_whole = Batch {
            identities: cut.iter().flatten().flat_map(|b| b.identities.clone()).collect(),
            gaps: cut.iter().flatten().flat_map(|b| b.gaps.clone()).collect(),
            ..whole.clone()
        };
        prop_assert!(complete <= whole.identities.len());
        let in_pieces = run(&plan.scan, &recorded, cut).unwrap();
        prop_assert_eq!(in_pieces, ask(&plan, &cut_whole, &recorded));
    }

    #[test]
    fn groups_are_those_of_the_rows(
        ops in ops(),
        known in tasks(),
        scale in prop::sample::select(vec![1u64, 1_000_000]),
        by in prop::sample::subsequence(vec!["cpu", "comm", "tid", "cause", "prev_comm", "kthread"], 0..=3),
        every in any::<bool>(),
        filter in prop::sample::select(vec!["", "where comm ~ '*a*'", "where cpu=1 or comm='b'", "where latency < 9ms"]),
        range in ranges(),
    ) {
        let mut batch = recording(&ops, &known);
        let scaled = |at: u64| START + (at - START) * scale;
        batch.events.iter_mut().for_each(|event| event.at = scaled(event.at));
        batch.identities.iter_mut().for_each(|identity| identity.at = scaled(identity.at));
        batch.gaps.iter_mut().for_each(|gap| (gap.from, gap.to) = (scaled(gap.from), scaled(gap.to)));
        let range = range.map(|(from, to)| (scaled(from), scaled(to)));
        let by = if by.is_empty() { String::new() } else { format!("by {}", by.join(", ")) };
        let every = if every { "every 10ms for 1s" } else { "" };
        let text = format!("runq latency {filter} count, sum, avg, min, max, p50, p99, max_at, uniq(cause) {by} {every}");
        let groups = plan(&text);
        let is_groups = matches!(groups.scan.output, Output::Groups { .. });
        prop_assert!(is_groups);
        let mut rows = groups.clone();
        rows.scan.output = Output::Rows { columns: rows.family.columns().collect(), first: None };
        let mut from_groups = outcome(ask(&groups, &batch, &recorded(range)));
        let from_rows = outcome(ask(&rows, &batch, &recorded(range)));
        // Only the rows' columns ask who the other task is.
        for loss in &mut from_groups.account.losses {
            if loss.name == "identity_unseen" {
                loss.count = from_rows.account.losses.iter().find(|l| l.name == loss.name).unwrap().count;
            }
        }
        prop_assert_eq!(&from_groups.account, &from_rows.account);
        let (a, b) = (build(&groups, &from_groups, &[]).unwrap(), build(&rows, &from_rows, &[]).unwrap());
        prop_assert!(a.data.equals_missing(&b.data), "{}\n{}\n{}", text, a.data, b.data);
    }
}
