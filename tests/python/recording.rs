//! Other programs read a recording as it was written, and the examples of its page run as they stand there.

use std::process::Command;

use schedq::catalog::event::{Batch, Event, Gap, Identity, Kind, NO_CGROUP, flag};
use schedq::source::trace::meta::Meta;
use schedq::source::trace::write::{Closing, Options, Writer};

use super::python;
use crate::support::require;

fn told(at: u64, tid: u32, comm: &[u8]) -> Identity {
    let mut name = [0; 16];
    name[..comm.len()].copy_from_slice(comm);
    Identity {
        at,
        tid,
        other: 0,
        state: 0,
        cpu: 0,
        kind: Kind::Task,
        flags: 0,
        born: 1,
        cgroup: NO_CGROUP,
        comm: name,
        process: name,
        tgid: tid,
        prio: 120,
        policy: 0,
        nice: 0,
    }
}

/// 100,000 switches between two tasks and a stranger, in two row groups; a wakeup, and a loss.
fn write(path: &std::path::Path) {
    let mut events: Vec<Event> = (0..100_000u32)
        .map(|i| Event {
            at: 2000 + u64::from(i) * 10,
            tid: [7, 8, 7, 9][i as usize % 4],
            other: [8, 7, 9, 7][i as usize % 4],
            state: 1,
            cpu: 1,
            kind: Kind::Switch,
            flags: if i % 10 == 0 { flag::PREEMPT } else { 0 },
        })
        .collect();
    events.push(Event { at: 1_002_001, tid: 7, other: 0, state: 3, cpu: 1, kind: Kind::Wakeup, flags: flag::ON_CPU });
    let batch = Batch {
        events,
        identities: vec![told(1000, 7, b"seven"), told(1000, 8, b"h'\"\xff\\")],
        gaps: vec![Gap { from: 1_002_002, to: 1_002_003, cpu: None, count: 42, cause: "ring_full" }],
        cgroups: Vec::new(),
    };
    let meta = Meta { statement: "record sched to 'trace.parquet'".into(), start_ns: 1000, ..Meta::default() };
    let mut writer = Writer::with(path, meta, Options { group_rows: 70_000, ..Options::default() }).unwrap();
    writer.write(&batch).unwrap();
    writer.finish(Closing { end_ns: 1_002_003, ended: "elapsed", losses: Vec::new() }).unwrap();
}

fn ran(python: &std::path::Path, folder: &std::path::Path, args: &[&str]) -> String {
    let ran = Command::new(python).args(args).current_dir(folder).output().expect("python");
    let [out, err] = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(ran.status.success(), "{err}");
    out
}

#[test]
fn a_recording_is_read_by_others() {
    let python = python();
    if !require("a_recording_is_read_by_others", python.is_some(), "python packages (scripts/setup --python)") {
        return;
    }
    let python = python.expect("found");
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder.path().join("trace.parquet"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/read_recording.py");
    let said = ran(&python, folder.path(), &[script, "trace.parquet"]);
    // By hand: 7 leaves every other time; 8 and the stranger 9 every fourth. Every tenth switch is a preemption, whose state
    // is running whatever its bits say.
    let wanted = "rows 100004; switches None:25000 h'\"\\xff\\\\:25000 seven:50000; running 10000; \
                  next seven:50000; woken 3 on cpu; lost 42; first 1000 last 1002003";
    for reader in ["polars", "pyarrow", "pandas", "duckdb"] {
        assert!(said.contains(&format!("{reader}: {wanted}\n")), "{said}");
    }
}

#[test]
fn the_examples_of_the_page_run() {
    let python = python();
    if !require("the_examples_of_the_page_run", python.is_some(), "python packages (scripts/setup --python)") {
        return;
    }
    let python = python.expect("found");
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder.path().join("trace.parquet"));
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/recording.md")).expect("the page");
    let blocks = |language: &str| -> Vec<String> {
        let fence = format!("```{language}\n");
        let parts = page.split(&fence).skip(1);
        parts.map(|part| part.split("```").next().expect("an end").to_owned()).collect()
    };
    let sql = blocks("sql");
    assert_eq!(sql.len(), 1);
    let query = format!("import duckdb; print(duckdb.sql({:?}).fetchall())", sql[0]);
    let out = ran(&python, folder.path(), &["-c", &query]);
    assert!(out.starts_with("[('seven', 50000), ("), "{out}");
    let codes = blocks("python");
    assert_eq!(codes.len(), 2);
    let out = ran(&python, folder.path(), &["-c", &codes[0]]);
    assert!(out.contains("seven") && out.contains("50000"), "{out}");
    let out = ran(&python, folder.path(), &["-c", &codes[1]]);
    assert_eq!(out, "record sched to 'trace.parquet' {'ring_full': 42}\n42\n");
}
