//! `child` is the command after `--` and everything that it starts, and nothing else: not its start-up, not its neighbours.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::support::watch::{Answer, number};
use crate::support::workload::{self, Truth};
use crate::support::{Schedq, live_lock, require_bpf};

/// Runs queries over a workload as the command. Its account comes on standard output, so the results go to a file.
fn with_command(query: &str, line: &str) -> (Vec<Answer>, Truth) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("out.json");
    let mut schedq = Schedq::new(["-e", query, "-o"]).arg(&file).arg("--").arg(workload::path());
    for word in line.split(' ') {
        schedq = schedq.arg(word);
    }
    let output = schedq.run().success();
    let truth = serde_json::from_str(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", output.stdout));
    let text = std::fs::read_to_string(&file).expect("the file of -o");
    let documents: Value = serde_json::from_str(&text).expect("JSON");
    let documents = if let Value::Array(all) = documents { all } else { vec![documents] };
    let answer =
        |mut d: Value| Answer { rows: d["rows"].take().as_array().expect("rows").clone(), meta: d["meta"].take() };
    (documents.into_iter().map(answer).collect(), truth)
}

/// Switch-outs by thread as the threads counted them. What comes after the account was written, the last switch at least,
/// is in no account.
fn account(truth: &Truth) -> BTreeMap<u64, u64> {
    let mut all = BTreeMap::new();
    for thread in &truth.threads {
        *all.entry(thread.tid as u64).or_default() += thread.switches();
    }
    all
}

#[test]
fn a_tree_of_processes() {
    if !require_bpf("live::child::a_tree_of_processes") {
        return;
    }
    let _alone = live_lock();
    let (answers, truth) = with_command("switch where child count by tid, tgid, process", "forks 15 --name lt-tree");
    let account = account(&truth);
    let tids: BTreeSet<u64> = answers[0].rows.iter().map(|row| number(row, "tid")).collect();
    assert_eq!(tids, account.keys().copied().collect(), "exactly the tree: {:?}", answers[0].rows);
    for (tid, counted) in account {
        let seen = answers[0].of("tid", tid, "count");
        assert!(seen > counted, "{tid}: {seen} seen, {counted} counted and then its end");
    }
    assert_eq!(answers[0].lost(), 0, "{}", answers[0].meta);
    let schedqs = answers[0].sum_where("count", |row| row["process"] == "schedq");
    assert_eq!(schedqs, 0, "the stage that becomes the command is not yet the command");
}

#[test]
fn a_crowd_of_threads() {
    if !require_bpf("live::child::a_crowd_of_threads") {
        return;
    }
    let _alone = live_lock();
    let query = "switch where child count by tid\nswitch where child count\nrunq where child count by cause";
    let (answers, truth) = with_command(query, "churn 300");
    let account = account(&truth);
    for (tid, counted) in &account {
        assert!(answers[0].of("tid", *tid, "count") >= *counted, "{tid}");
    }
    // Numbers of threads are not used again within so few.
    assert_eq!(answers[0].rows.len(), account.len());
    assert_eq!(answers[0].sum("count"), answers[1].sum("count"));
    let new = answers[2].of("cause", "new", "count");
    assert!((290..=302).contains(&new), "{:?}", answers[2].rows);
}

/// The same rows, without `child`, are those of the command's processes among all others.
#[test]
fn not_child_is_everybody_else() {
    if !require_bpf("live::child::not_child_is_everybody_else") {
        return;
    }
    let _alone = live_lock();
    let query = [
        "switch where child and comm = 'lt-only' count by tid",
        "switch where not child and comm = 'lt-only' count",
        "switch where comm = 'lt-only' count by tid",
    ];
    let query = &query.join("\n");
    let (answers, _) = with_command(query, "forks 7 --name lt-only");
    assert!(answers[0].sum("count") > 7 * 20, "{:?}", answers[0].rows);
    assert_eq!(answers[1].sum("count"), 0);
    assert_eq!(answers[2].rows, answers[0].rows);
}

#[test]
fn without_a_command_it_is_refused() {
    let output = Schedq::eval("switch where child count for 1s").run().fails_with(2);
    assert!(output.stderr.contains("--"), "{}", output.stderr);
    assert!(Path::new(&workload::path()).exists());
}
