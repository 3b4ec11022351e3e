//! Places in which little may be had, or numbers and rights mean something else.

use std::collections::BTreeSet;
use std::fs;

use crate::support::command::shell;
use crate::support::watch::Answer;
use crate::support::{live_lock, require, require_bpf};

#[test]
fn help_that_cannot_be_written_is_no_success() {
    for to in [">/dev/full", ">&-"] {
        shell(&format!("\"$SCHEDQ\" --help {to}"), &[]).fails_with(1);
    }
}

#[test]
fn too_few_files() {
    if !require_bpf("hardening::places::too_few_files") {
        return;
    }
    let _alone = live_lock();
    // How many a query holds differs between kernels; that either there are enough or the message says so does not.
    let mut refused = 0;
    for limit in (10..=40).chain([60]) {
        let output = shell(&format!("ulimit -n {limit}; \"$SCHEDQ\" -e 'switch count for 10ms'"), &[]);
        match output.code() {
            0 => {}
            4 => {
                refused += 1;
                assert!(output.stderr.contains("too many files are open"), "{limit}: {}", output.stderr);
            }
            code => panic!("{limit}: status {code}: {}", output.stderr),
        }
    }
    assert!(refused > 0 && refused < 32, "{refused} limits were too low");
    // What may be had without asking is taken.
    let many = "switch count\n".repeat(8);
    shell(&format!("ulimit -Sn 40; \"$SCHEDQ\" -e 'for 50ms {{\n{many}}}'"), &[]).success();
}

#[test]
fn a_file_that_may_not_grow() {
    if !require_bpf("hardening::places::a_file_that_may_not_grow") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().expect("a folder");
    let script = "ulimit -f 0; \"$SCHEDQ\" -e \"switch count for 50ms save '$1/x.parquet'\"";
    let output = shell(script, &[folder.path().as_os_str()]).fails_with(1);
    assert!(output.stderr.contains("File too large"), "{}", output.stderr);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing half written stays");
}

/// Numbers of processes are others there than in the kernel, by which `child` and schedq itself are known.
#[test]
fn in_a_pid_namespace() {
    let name = "hardening::places::in_a_pid_namespace";
    let can = shell("unshare -p -f --mount-proc true", &[]).code() == 0;
    if !require_bpf(name) || !require(name, can, "unshare with PID namespaces") {
        return;
    }
    let _alone = live_lock();
    // Under a name of its own: other tests run schedq too.
    let folder = tempfile::tempdir().expect("a folder");
    let own = folder.path().join("sq-own");
    fs::copy(env!("CARGO_BIN_EXE_schedq"), &own).expect("a copy");
    let run = |query: &str| {
        let script = "unshare -p -f --mount-proc \"$2\" --format json -e \"$1\" -- sh -c 'for i in 1 2 3 4 5; do sleep 0.05; done'";
        Answer::one(&shell(script, &[query.as_ref(), own.as_os_str()]).success())
    };
    let child = run("switch where child count by comm, tid");
    let sleeps = child.rows.iter().filter(|row| row["comm"] == "sleep").count();
    assert_eq!(sleeps, 5, "{:?}", child.rows);
    assert!(child.rows.iter().all(|row| row["comm"] == "sleep" || row["comm"] == "sh"), "{:?}", child.rows);
    assert!(child.notes().contains("those of the whole machine"), "{}", child.notes());
    // Each of its many looks into the ring would be a row.
    let all = run("switch events(comm, tgid)");
    let ours: BTreeSet<String> =
        all.rows.iter().filter(|row| row["comm"] == "sq-own").map(|row| row["tgid"].to_string()).collect();
    assert!(ours.is_empty(), "{ours:?}");
    assert!(all.rows.iter().any(|row| row["comm"] == "sleep"));
}

/// A session of its own may have a scheduling group of its own, which is no cgroup.
#[test]
fn a_task_of_a_new_session_has_a_cgroup() {
    let name = "hardening::places::a_task_of_a_new_session_has_a_cgroup";
    if !require_bpf(name) {
        return;
    }
    let _alone = live_lock();
    let script = "\"$SCHEDQ\" --format json -e 'switch where child count by cgroup; switch where child and cgroup under \"/\" count' -- setsid sh -c 'sleep 0.05; sleep 0.05'";
    let answers = Answer::all(&shell(script, &[]).success());
    assert!(answers[0].rows.iter().all(|row| row["cgroup"].is_string()), "{:?}", answers[0].rows);
    assert_eq!(answers[0].sum("count"), answers[1].sum("count"));
}
