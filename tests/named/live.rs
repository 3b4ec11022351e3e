//! `compare` of runs of the same ticker: what changed is said, and of equal runs that nothing did.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::command::Schedq;
use crate::support::{live_lock, require, require_bpf, workload};

/// A workload that goes on until it is dropped.
struct Job(Child);

impl Job {
    fn start(line: &str) -> Job {
        let mut command = Command::new(workload::path());
        command.args(line.split(' ')).stdout(Stdio::null());
        Job(command.spawn().expect("cargo build --example workload"))
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The quantiles that moved, with their direction.
fn moved(comparison: &Value) -> Vec<(&str, bool)> {
    let rows = comparison["rows"].as_array().unwrap();
    let moved = rows.iter().filter(|row| row["verdict"] == "moved");
    moved.map(|row| (row["quantile"].as_str().unwrap(), row["shift_ns"].as_i64().unwrap() < 0)).collect()
}

fn ask(file: &Path) {
    let query = "runq latency p50, p90 where comm='cmp-ticker' for 2s";
    Schedq::eval(query).arg("--quiet").arg("-o").arg(file).run().success();
}

fn compared(folder: &Path, before: &str, after: &str) -> Value {
    let text = format!("compare '{before}' '{after}'");
    Schedq::eval(&text).args(["--quiet", "--format", "json"]).dir(folder).run().success().json()
}

#[test]
fn a_real_time_run_is_told_from_a_fair_one() {
    let name = "a_real_time_run_is_told_from_a_fair_one";
    if !require_bpf(name) || !require(name, nix::unistd::geteuid().is_root(), "root (SCHED_FIFO)") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // It wants four fifths of a CPU that three want: a fair one waits for its turn, a real-time one for nobody.
    let _hogs = Job::start("spinner 60 --threads 2 --cpu 0 --name cmp-hog");
    let fair = Job::start("duty 800 200 60 --cpu 0 --name cmp-ticker");
    ask(&path("fair.parquet"));
    drop(fair);
    let _fifo = Job::start("duty 800 200 60 --cpu 0 --name cmp-ticker --fifo 10");
    ask(&path("fifo.parquet"));
    let changed = compared(folder.path(), "fair.parquet", "fifo.parquet");
    // Half of the waits of a fair one may be as short: what it is made to wait for stands in the tail.
    assert!(moved(&changed).contains(&("p90", true)), "{changed}");
    // Other work on the machine is no noise that one window can know of: once in three nothing else may have run.
    let equal: Vec<Value> = ["1.parquet", "2.parquet", "3.parquet"]
        .windows(2)
        .map(|pair| {
            ask(&path(pair[0]));
            ask(&path(pair[1]));
            compared(folder.path(), pair[0], pair[1])
        })
        .collect();
    assert!(equal.iter().any(|one| moved(one).is_empty()), "{equal:?}");
}
