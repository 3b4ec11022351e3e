//! What other programs read from a saved parquet is what schedq says in JSON.

mod notebook;
mod pictures;
mod recording;

use std::path::PathBuf;
use std::process::Command;

use crate::support::{Schedq, Workload, live_lock, machine, require, require_bpf};

/// The Python that has the packages of `requirements.txt`; `scripts/setup --python` makes it.
fn python() -> Option<PathBuf> {
    let made = machine::target_dir().join("python/bin/python");
    let python = std::env::var_os("SCHEDQ_PYTHON").map_or(made, PathBuf::from);
    let status = Command::new(&python).args(["-c", "import duckdb, pandas, polars, pyarrow"]).output().ok()?.status;
    status.success().then_some(python)
}

#[test]
fn four_readers_agree_with_the_json() {
    let test = "four_readers_agree_with_the_json";
    let python = python();
    if !require_bpf(test) || !require(test, python.is_some(), "python packages (scripts/setup --python)") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().expect("a folder");
    let queries = [
        "runq latency count, sum, avg, min, max, p99 by tid, comm for 1s",
        "runq latency hist by cpu for 1s",
        "switch count by comm, kind for 1s",
    ];
    for query in queries {
        // Something certain to be seen, under a name that is hard to write.
        let mut workload = Workload::start_words(&["rename", r"plain", r"h'\x22\xff\x5c,", "third"]);
        let parquet = folder.path().join("result.parquet");
        let statement = format!("{query} save '{}'", parquet.display());
        let mut running = Schedq::new(["--format", "json", "-e", &statement]).start();
        running.attached(1);
        workload.go();
        let output = running.finish().success();
        let document = folder.path().join("result.json");
        std::fs::write(&document, &output.stdout).expect("a file");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/read_parquet.py");
        let compared = Command::new(python.as_ref().expect("found")).arg(script).args([&parquet, &document]).output();
        let compared = compared.expect("python");
        let said =
            [compared.stdout, compared.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        assert!(compared.status.success(), "{query}: {said}");
        for reader in ["polars", "pyarrow", "pandas", "duckdb"] {
            assert!(said.contains(&format!("{reader}: ")), "{query}: {said}");
        }
    }
}
