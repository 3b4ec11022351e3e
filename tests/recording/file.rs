//! The file of a recording: what goes in comes out, at any time and after any accident, or the reader says why not.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use schedq::catalog::event::{Batch, Event, Gap, Identity, Kind, LOSSES, NO_CGROUP, flag, who};
use schedq::source::trace::error::Error;
use schedq::source::trace::meta::Meta;
use schedq::source::trace::read::Recording;
use schedq::source::trace::wanted::Wanted;
use schedq::source::trace::write::{Closing, Options, Writer};

pub const START: u64 = 1_000_000_000_000;

fn name16(bytes: &[u8]) -> [u8; 16] {
    let mut name = [0; 16];
    name[..bytes.len()].copy_from_slice(bytes);
    name
}

pub fn told(at: u64, kind: Kind, tid: u32, comm: &[u8]) -> Identity {
    Identity {
        at,
        tid,
        other: 0,
        state: 0,
        cpu: 0,
        kind,
        flags: who::WANTED,
        born: 7,
        cgroup: NO_CGROUP,
        comm: name16(comm),
        process: name16(comm),
        tgid: tid,
        prio: 120,
        policy: 0,
        nice: 0,
    }
}

pub fn switch(at: u64, tid: u32, next: u32) -> Event {
    Event { at, tid, other: next, state: 1, cpu: 0, kind: Kind::Switch, flags: 0 }
}

/// One of everything, as a recorder tells it.
pub fn everything() -> Batch {
    let at = |ns: u64| START + ns;
    let event = |ns, kind, tid, other, state, cpu, flags| Event { at: at(ns), tid, other, state, cpu, kind, flags };
    Batch {
        events: vec![
            event(10, Kind::Waking, 7, 0, 1, 0, 0),
            event(11, Kind::Wakeup, 7, 0, 1, 0, flag::ON_CPU),
            event(12, Kind::Migrate, 7, 1, 3, 0, 0),
            event(20, Kind::Switch, 0, 7, 0, 3, 0),
            event(30, Kind::WakeupNew, 8, 7, 2, 3, 0),
            event(40, Kind::Switch, 7, 8, 0x402, 3, flag::PREEMPT | flag::THROTTLED),
            event(60, Kind::Exit, 8, 0, 0, 3, 0),
            event(61, Kind::Switch, 8, 9, 0x80 | 0x20, 3, 0),
        ],
        identities: vec![
            Identity { cpu: 3, flags: who::RUNNING | who::WANTED, ..told(at(0), Kind::Task, 0, b"swapper/3") },
            Identity { state: 1, cgroup: 5, prio: -1, policy: 6, nice: -20, ..told(at(0), Kind::Task, 7, b"seven") },
            Identity { other: 7, flags: who::CHILD, ..told(at(30), Kind::Fork, 8, b"seven") },
            Identity { other: 8, process: name16(b"x"), ..told(at(50), Kind::Exec, 8, b"ls\xff\n") },
            Identity { flags: who::KTHREAD | who::RECORDER, prio: 139, nice: 19, ..told(at(55), Kind::Rename, 8, b"") },
        ],
        gaps: vec![
            Gap { from: at(31), to: at(35), cpu: Some(3), count: 12, cause: "ring_full" },
            Gap { from: at(36), to: at(58), cpu: None, count: 1, cause: "task_state" },
        ],
        cgroups: vec![(5, "/a\\x0ab".to_owned())],
    }
}

pub fn record(path: &Path, batches: &[Batch], options: Options) -> Meta {
    let mut writer = Writer::with(path, Meta { start_ns: START, ..Meta::default() }, options).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    let written = writer.finish(Closing { end_ns: START + 100, ended: "elapsed", losses: Vec::new() }).unwrap();
    assert_eq!(written.bytes, fs::metadata(path).unwrap().len());
    written.meta
}

pub fn small_groups(rows: usize) -> Options {
    Options { group_rows: rows, ..Options::default() }
}

pub fn read(path: &Path, wanted: &Wanted) -> Result<Batch, Error> {
    let recording = Recording::open(path)?;
    let mut whole = Batch::default();
    let mut batches = recording.batches(wanted, None);
    for batch in batches.by_ref() {
        let batch = batch?;
        whole.events.extend(batch.events);
        whole.identities.extend(batch.identities);
        whole.gaps.extend(batch.gaps);
        whole.cgroups.extend(batch.cgroups);
    }
    assert_eq!(batches.done(), batches.total());
    Ok(whole)
}

pub fn in_folder(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

#[test]
fn everything_comes_back() {
    for rows in [1, 2, 3, 1000] {
        let (folder, path) = in_folder("t.parquet");
        let meta = record(&path, &[everything()], small_groups(rows));
        assert_eq!(read(&path, &Wanted::ALL).unwrap(), everything());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the parts are gone");
        assert_eq!((meta.rows(), meta.events(), meta.tasks(), meta.lost()), (15, 8, 3, 13));
        assert_eq!(meta.losses, BTreeMap::from([("ring_full".to_owned(), 12), ("task_state".to_owned(), 1)]));
        let recording = Recording::open(&path).unwrap();
        assert_eq!(recording.meta(), &meta);
        assert_eq!(recording.groups().len(), 15usize.div_ceil(rows));
        assert_eq!(recording.gaps().unwrap(), everything().gaps);
        assert_eq!((meta.count(Kind::Switch), meta.count(Kind::Exec), meta.complete), (3, 1, true));
        assert_eq!((meta.start_ns, meta.end_ns, meta.ended.as_deref()), (START, START + 100, Some("elapsed")));
    }
}

#[test]
fn only_what_is_wanted_is_read() {
    let (_folder, path) = in_folder("t.parquet");
    record(&path, &[everything()], Options::default());
    let runq = Wanted {
        kinds: Wanted::kinds(&[Kind::Switch, Kind::Wakeup]),
        other: false,
        target: false,
        flags: flag::PREEMPT,
        prio: false,
        ..Wanted::ALL
    };
    let whole = everything();
    let events: Vec<Event> = whole
        .events
        .iter()
        .filter(|event| matches!(event.kind, Kind::Switch | Kind::Wakeup))
        .map(|event| Event {
            other: 0,
            state: if event.kind == Kind::Switch { event.state } else { 0 },
            flags: event.flags & flag::PREEMPT,
            ..*event
        })
        .collect();
    let found = read(&path, &runq).unwrap();
    assert_eq!(found.events, events);
    assert_eq!(found.identities, whole.identities.iter().map(|who| Identity { prio: 0, ..*who }).collect::<Vec<_>>());
    let found = read(&path, &Wanted { identities: false, ..runq }).unwrap();
    assert_eq!((found.events, found.identities, found.gaps), (events, Vec::new(), whole.gaps));
}

#[test]
fn a_range_leaves_out_groups_and_still_tells_who_tasks_are() {
    let (_folder, path) = in_folder("t.parquet");
    let mut batch = Batch { identities: vec![told(START, Kind::Task, 5, b"five")], ..Batch::default() };
    batch.events = (1..400).map(|i| switch(START + i, 5, 0)).collect();
    batch.identities.push(told(START + 350, Kind::Rename, 5, b"later"));
    record(&path, &[batch.clone()], small_groups(100));
    let recording = Recording::open(&path).unwrap();
    assert_eq!(recording.groups().len(), 5);
    let mut found = Batch::default();
    for read in recording.batches(&Wanted::ALL, Some((START + 210, START + 260))) {
        let read = read.unwrap();
        found.events.extend(read.events);
        found.identities.extend(read.identities);
    }
    // The first group holds the identity and 99 events, the others 100 rows each.
    assert_eq!(found.events, batch.events[199..299]);
    assert_eq!(found.identities, batch.identities[..1]);
}

#[test]
fn nothing_was_recorded() {
    let (_folder, path) = in_folder("t.parquet");
    let meta = record(&path, &[], Options::default());
    assert_eq!((meta.rows(), meta.groups.len()), (0, 0));
    assert_eq!(read(&path, &Wanted::ALL).unwrap(), Batch::default());
    assert_eq!(Recording::open(&path).unwrap().meta().end_ns, START + 100);
}

#[test]
fn many_rows_are_many_pages_and_groups() {
    let (_folder, path) = in_folder("t.parquet");
    let batches: Vec<Batch> = (0..50u64)
        .map(|b| Batch {
            events: (0..4000u64)
                .map(|i| {
                    let at = START + (b * 4000 + i) * 700;
                    let tid = (1 + i % 1000 * 70) as u32;
                    match i % 3 {
                        0 => switch(at, tid, (i % 7) as u32),
                        1 => Event {
                            at,
                            tid,
                            other: 0,
                            state: 1,
                            cpu: 300,
                            kind: Kind::Wakeup,
                            flags: (i % 2 * 4) as u8,
                        },
                        _ => Event { at, tid, other: 3, state: 2, cpu: 1, kind: Kind::Migrate, flags: 0 },
                    }
                })
                .collect(),
            identities: vec![told(START + b * 4000 * 700, Kind::Task, b as u32 + 1, format!("task{b}").as_bytes())],
            ..Batch::default()
        })
        .collect();
    let meta = record(&path, &batches, small_groups(150_000));
    assert_eq!(meta.groups.iter().map(|group| group.rows).collect::<Vec<_>>(), [150_000, 50_050]);
    let found = read(&path, &Wanted::ALL).unwrap();
    let events: Vec<Event> = batches.iter().flat_map(|batch| batch.events.clone()).collect();
    assert!(found.events == events, "all events are equal");
    assert_eq!(found.identities.len(), 50);
    assert_eq!(meta.tasks(), 50);
}

#[test]
fn names_that_are_hard_to_write_stay_apart() {
    let (_folder, path) = in_folder("t.parquet");
    let names: [&[u8]; 9] =
        [b"\xff", b"\\xff", b"\n", b"'\";", "é".as_bytes(), "\u{202e}".as_bytes(), b"\\", b" ", b"\xc3"];
    let identities: Vec<Identity> =
        names.iter().enumerate().map(|(i, name)| told(START, Kind::Task, i as u32 + 1, name)).collect();
    record(&path, &[Batch { identities: identities.clone(), ..Batch::default() }], Options::default());
    assert_eq!(read(&path, &Wanted::ALL).unwrap().identities, identities);
}

fn any_batch() -> impl Strategy<Value = Batch> {
    let numbers = (0u32..5, prop_oneof![0u32..4, 4_000_000u32..4_300_000, Just(u32::MAX)], any::<u32>(), any::<u16>());
    let one = (0usize..Kind::ALL.len(), 0u64..3000, numbers, any::<u8>(), proptest::collection::vec(1u8.., 0..16));
    proptest::collection::vec(one, 0..120).prop_map(|rows| {
        let mut batch = Batch { cgroups: (0..5).map(|id| (id, format!("/c{id}"))).collect(), ..Batch::default() };
        let mut at = START;
        for (kind, wait, (small, tid, wide, cpu), flags, bytes) in rows {
            at += wait;
            let kind = Kind::ALL[kind];
            match kind {
                Kind::Task | Kind::Fork | Kind::Exec | Kind::Rename => batch.identities.push(Identity {
                    other: if matches!(kind, Kind::Fork | Kind::Exec) { wide } else { 0 },
                    state: wide & 0xffff,
                    cpu,
                    flags: flags & 31,
                    born: wait << 20,
                    cgroup: if small == 4 { NO_CGROUP } else { small.into() },
                    process: name16(&bytes[..bytes.len() / 2]),
                    tgid: wide,
                    prio: small as i32 - 1,
                    policy: small * 3,
                    nice: small as i32 - 3,
                    ..told(at, kind, tid, &bytes)
                }),
                Kind::Loss => batch.gaps.push(Gap {
                    from: at - wait,
                    to: at,
                    cpu: (small > 2).then_some(cpu),
                    count: wide.into(),
                    cause: LOSSES[small as usize % LOSSES.len()].0,
                }),
                _ => batch.events.push(Event {
                    at,
                    tid,
                    other: match kind {
                        Kind::Wakeup | Kind::Exit => 0,
                        Kind::Migrate => small,
                        _ => tid ^ small,
                    },
                    state: match kind {
                        Kind::Exit => 0,
                        Kind::Switch => wide,
                        _ => small,
                    },
                    cpu,
                    kind,
                    flags: match kind {
                        Kind::Switch => flags & 3,
                        Kind::Waking | Kind::Wakeup | Kind::WakeupNew => flags & 4,
                        _ => 0,
                    },
                }),
            }
        }
        batch
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_events_come_back(batch in any_batch(), rows in 1usize..60) {
        let (_folder, path) = in_folder("t.parquet");
        record(&path, std::slice::from_ref(&batch), small_groups(rows));
        let mut found = read(&path, &Wanted::ALL).unwrap();
        let spoken: Vec<u64> = batch.identities.iter().map(|who| who.cgroup).filter(|id| *id != NO_CGROUP).collect();
        let mut told = batch.clone();
        told.cgroups.retain(|(id, _)| spoken.contains(id));
        found.cgroups.sort();
        prop_assert_eq!(found, told);
    }
}
