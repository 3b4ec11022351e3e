//! Where results go: readers that leave, full devices, closed descriptors, folders that take nothing.

use std::ffi::OsStr;

use crate::support::command::shell;
use crate::support::{Output, live_lock, require, require_bpf};

fn run(script: &str) -> Output {
    shell(script, &[])
}

#[test]
fn a_reader_that_has_enough() {
    if !require_bpf("live::pipes::a_reader_that_has_enough") {
        return;
    }
    let _alone = live_lock();
    for format in ["table", "ndjson", "csv", "json"] {
        let script = format!(
            "{{ \"$SCHEDQ\" -e 'switch count by tid, comm, next_tid every 50ms for 400ms' --quiet --format {format}; echo $? >&2; }} | head -n 1"
        );
        let output = run(&script).success();
        assert_eq!(output.stdout.lines().count(), 1, "{format}: {}", output.stdout);
        assert_eq!(output.stderr, "0\n", "{format}");
    }
}

#[test]
fn a_full_device() {
    if !require_bpf("live::pipes::a_full_device") {
        return;
    }
    let _alone = live_lock();
    for format in ["table", "ndjson", "csv", "json"] {
        let script = format!("\"$SCHEDQ\" -e 'switch count by tid for 50ms' --format {format} > /dev/full");
        let output = run(&script).fails_with(1);
        assert!(output.stderr.contains("standard output cannot be written"), "{format}: {}", output.stderr);
        assert!(output.stderr.contains("No space left"), "{format}: {}", output.stderr);
    }
}

/// Known before the window starts.
#[test]
fn a_closed_output() {
    if !require_bpf("live::pipes::a_closed_output") {
        return;
    }
    let _alone = live_lock();
    let output = run("\"$SCHEDQ\" -e 'switch count for 50s' >&-").fails_with(1);
    assert!(output.stderr.contains("standard output is closed"), "{}", output.stderr);
    // One who wants none of it may say so.
    run("\"$SCHEDQ\" -e 'switch count for 50ms' > /dev/null").success();
    run("\"$SCHEDQ\" -e 'switch count for 50ms' 2>&-").success();
}

#[test]
fn a_folder_that_takes_nothing() {
    let name = "live::pipes::a_folder_that_takes_nothing";
    if !require_bpf(name) || !require(name, nix::unistd::geteuid().is_root(), "root (a mount)") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().expect("a folder");
    let script = "exec unshare -m sh -c 'mount -t tmpfs -o ro none \"$1\" && exec \"$SCHEDQ\" -e \"switch count for 50s\" -o \"$1/out.json\"' sh \"$1\"";
    let output = shell(script, &[folder.path().as_os_str()]);
    assert!([1, 4].contains(&output.code()), "{}: {}", output.code(), output.stderr);
    assert!(output.stderr.contains("out.json") && output.stderr.contains("read-only"), "{}", output.stderr);
    let output = run("\"$SCHEDQ\" -e 'switch count for 50s' -o /no/such/folder/out.json");
    assert!([1, 4].contains(&output.code()), "{}: {}", output.code(), output.stderr);
    let output = run("\"$SCHEDQ\" -e 'switch count for 50s' -o /tmp/out.nonsense").fails_with(2);
    assert!(output.stderr.contains(".parquet"), "{}", output.stderr);
}

/// A file system with room for the old file and not for the new one: the old one stays, and nothing half.
#[test]
fn no_room_for_the_new_file() {
    let name = "live::pipes::no_room_for_the_new_file";
    if !require_bpf(name) || !require(name, nix::unistd::geteuid().is_root(), "root (a mount)") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().expect("a folder");
    for ending in ["json", "csv", "ndjson", "parquet"] {
        let script = "exec unshare -m sh -c '
            mount -t tmpfs -o size=16k none \"$1\" || exit 99
            echo old > \"$1/out.$2\"
            head -c 8192 /dev/zero > \"$1/other\"
            \"$SCHEDQ\" -e \"switch events for 200ms\" -o \"$1/out.$2\"
            echo status $?
            cat \"$1/out.$2\"
            ls -A \"$1\"
        ' sh \"$1\" \"$2\"";
        // Enough rows that no format can put them into a few kilobytes.
        let mut busy = crate::support::Workload::start("pingpong 100000");
        busy.go();
        let output = shell(script, &[folder.path().as_os_str(), OsStr::new(ending)]).success();
        drop(busy);
        let expected = format!("status 1\nold\nother\nout.{ending}\n");
        assert_eq!(output.stdout, expected, "{ending}: {}", output.stderr);
        assert!(output.stderr.contains("no space left"), "{ending}: {}", output.stderr);
    }
}
