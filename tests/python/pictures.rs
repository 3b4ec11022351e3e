//! docs/notebook.ipynb runs from its first cell to its last and draws what it says, from a file made of the bundled recording.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::python;
use crate::support::{Schedq, require};

const NOTEBOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/notebook.ipynb");

/// What is printed, and what was said beside it.
fn ran(python: &Path, folder: &Path) -> (bool, String, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/run_notebook.py");
    let ran = Command::new(python)
        .args([script, NOTEBOOK])
        .arg(folder)
        .current_dir(folder)
        .env("IPYTHONDIR", folder.join(".ipython"))
        .env("MPLCONFIGDIR", folder.join(".matplotlib"))
        .output()
        .expect("python");
    let [out, err] = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (ran.status.success(), out, err)
}

#[test]
fn the_notebook_draws_its_pictures() {
    let test = "the_notebook_draws_its_pictures";
    let packages = "import ipykernel, matplotlib, nbclient, nbformat, polars";
    let has =
        |python: &Path| Command::new(python).args(["-c", packages]).output().is_ok_and(|ran| ran.status.success());
    let python = python().filter(|python| has(python));
    if !require(test, python.is_some(), "python packages (scripts/setup --python)") {
        return;
    }
    let python = python.expect("found");
    let folder = tempfile::tempdir().expect("a folder");
    // The line that the notebook itself gives.
    let notebook = fs::read_to_string(NOTEBOOK).expect("the notebook");
    let line = notebook.lines().find(|line| line.contains("from '@sample'")).expect("a line that makes the file");
    let statement = line.split("\\\"").nth(1).expect("a statement in double quotes");
    assert!(line.contains("-o waits.parquet"), "{line}");
    Schedq::new(["-e", statement, "-o", "waits.parquet"]).dir(folder.path()).run().success();
    let (success, out, err) = ran(&python, folder.path());
    assert!(success, "{err}");
    assert!(out.contains(statement) && out.contains("pictures: 3"), "{out}");
    for picture in ["1.png", "2.png", "3.png"] {
        let bytes = fs::read(folder.path().join(picture)).expect("a picture");
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 5_000, "{picture}: {} bytes", bytes.len());
    }

    // Its percentiles are those of schedq: the upper end of the bucket that the true one is in, so no more than 6.25 % above, and
    // schedq's own may be half of that beside it.
    let query = "from '@sample' runq latency where comm='two-peaks' p50, p90, p99";
    let row = Schedq::new(["--format", "json", "-e", query]).run().success().json()["rows"][0].clone();
    for (quantile, column) in [("p50", "latency_p50_ns"), ("p90", "latency_p90_ns"), ("p99", "latency_p99_ns")] {
        let line = out.lines().find(|line| line.starts_with(&format!("{quantile}: at most "))).expect("a percentile");
        let number = line.split(' ').nth(3).expect("a number").replace(',', "");
        let (shown, own) = (number.parse::<f64>().expect("µs") * 1e3, row[column].as_f64().expect("ns"));
        assert!(shown >= own * 0.969 && shown <= own * 1.095, "{quantile}: {shown} and {own}");
    }

    // Without the file it fails, and says so.
    let empty = tempfile::tempdir().expect("a folder");
    let (success, _, err) = ran(&python, empty.path());
    assert!(!success && err.contains("waits.parquet"), "{err}");
}
