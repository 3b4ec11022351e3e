//! Who may look: two capabilities are enough, and without them the answer says which are missing.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;

use crate::support::command::shell;
use crate::support::{live_lock, require, require_bpf};

fn root(test: &str) -> bool {
    require_bpf(test) && require(test, nix::unistd::geteuid().is_root(), "root (to become someone else)")
}

/// A copy that everybody can run.
fn copied() -> tempfile::TempDir {
    let folder = tempfile::tempdir_in("/tmp").expect("a folder");
    let everybody = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), everybody.clone()).expect("the folder is ours");
    let copy = folder.path().join("schedq");
    std::fs::copy(env!("CARGO_BIN_EXE_schedq"), &copy).expect("a copy");
    std::fs::set_permissions(copy, everybody).expect("the copy is ours");
    folder
}

const AS_NOBODY: &str =
    "cd / && exec setpriv --reuid nobody --regid nogroup --clear-groups --bounding-set=-all,+bpf,+perfmon";

#[test]
fn two_capabilities_are_enough() {
    let name = "live::rights::two_capabilities_are_enough";
    if !root(name) {
        return;
    }
    let _alone = live_lock();
    let folder = copied();
    let script = format!(
        "{AS_NOBODY} --inh-caps=-all,+bpf,+perfmon --ambient-caps=-all,+bpf,+perfmon \
         $1/schedq -e 'for 300ms {{ runq latency hist by cpu; switch events; switch count by comm, cgroup }}' --format json"
    );
    let output = shell(&script, &[folder.path().as_os_str()]).success();
    let answers = crate::support::watch::Answer::all(&output);
    assert_eq!(answers.len(), 3);
    assert!(answers.iter().all(|answer| answer.meta["rows_matched"].as_u64() > Some(0)), "{}", output.stdout);
    assert!(answers[1].rows.len() as u64 + answers[1].lost() > 0);
}

#[test]
fn without_them_it_says_which() {
    let name = "live::rights::without_them_it_says_which";
    if !root(name) {
        return;
    }
    let folder = copied();
    for (caps, missing, present) in [
        ("-all", "CAP_BPF and CAP_PERFMON", "none of both"),
        ("-all,+bpf", "CAP_PERFMON", "CAP_BPF"),
        ("-all,+perfmon", "CAP_BPF", "CAP_PERFMON"),
    ] {
        let script = format!("{AS_NOBODY} --inh-caps={caps} --ambient-caps={caps} $1/schedq -e 'switch count for 1s'");
        let output = shell(&script, &[folder.path().as_os_str()]).fails_with(4);
        assert!(output.stdout.is_empty(), "{}", output.stdout);
        let errors: Vec<&str> = output.stderr.lines().filter(|line| line.starts_with("error")).collect();
        assert_eq!(errors.len(), 1, "one message: {}", output.stderr);
        assert!(errors[0].contains(missing) && !errors[0].contains(present), "{}", output.stderr);
        assert!(!output.stderr.contains("memlock"), "{}", output.stderr);
    }
    // What needs no kernel works for everybody.
    let script = format!("{AS_NOBODY} --inh-caps=-all $1/schedq explain 'switch count for 1s'");
    shell(&script, &[folder.path().as_os_str()]).success();
}

#[test]
fn a_kernel_that_does_not_describe_its_types() {
    let name = "live::rights::a_kernel_that_does_not_describe_its_types";
    if !root(name) {
        return;
    }
    let script =
        "exec unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec \"$SCHEDQ\" -e \"switch count for 1s\"'";
    let none: [&OsStr; 0] = [];
    let output = shell(script, &none).fails_with(4);
    assert!(output.stderr.contains("/sys/kernel/btf/vmlinux"), "{}", output.stderr);
    assert!(output.stderr.contains("CONFIG_DEBUG_INFO_BTF"), "{}", output.stderr);
}
