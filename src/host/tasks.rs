//! The tasks that run now, as /proc has them: numbers and names.

use std::fs;
use std::path::Path;

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub tid: u32,
    pub tgid: u32,
    /// Any bytes, at most 15.
    pub comm: Vec<u8>,
    /// The name of the process' leader.
    pub process: Vec<u8>,
}

/// Bytes of a name (TASK_COMM_LEN without its end).
const LONGEST: usize = 15;

/// Whoever asks is a person who waits: of a machine with more threads than this, the rest is left out.
const MOST: usize = 20_000;

/// All threads, by number; those that end meanwhile are left out.
pub fn threads() -> Vec<Task> {
    let mut found = Vec::new();
    for tgid in numbers(Path::new("/proc")) {
        let folder = format!("/proc/{tgid}");
        let Some(process) = comm(&folder) else { continue };
        for tid in numbers(Path::new(&format!("{folder}/task"))) {
            let name = if tid == tgid { Some(process.clone()) } else { comm(&format!("{folder}/task/{tid}")) };
            if let Some(comm) = name {
                found.push(Task { tid, tgid, comm, process: process.clone() });
            }
            if found.len() >= MOST {
                return found;
            }
        }
    }
    found
}

/// What the kernel keeps as the thread's name of what /proc shows. Of a worker /proc shows what it works on too (wq_worker_comm
/// in kernel/workqueue.c), and of a thread of the kernel a name that was longer (d6986ce24fc0).
fn kept(shown: &[u8], is_kthread: impl Fn() -> bool) -> Vec<u8> {
    let worker = shown.starts_with(b"kworker/") && shown.get(8) != Some(&b'R');
    let end = match shown.iter().position(|byte| matches!(byte, b'-' | b'+')) {
        Some(sign) if worker && is_kthread() => sign,
        _ => shown.len(),
    };
    shown[..end.min(LONGEST)].to_vec()
}

/// The entries of a folder that are numbers, ascending.
fn numbers(folder: &Path) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut numbers: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

fn comm(folder: &str) -> Option<Vec<u8>> {
    let mut bytes = fs::read(format!("{folder}/comm")).ok()?;
    // The kernel ends it with a newline; the name itself may hold others.
    bytes.pop_if(|last| *last == b'\n');
    // Only a thread of the kernel executes nothing.
    Some(kept(&bytes, || fs::read_link(format!("{folder}/exe")).is_err()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_the_kernel_keeps() {
        let of = |shown: &[u8], is_kthread| String::from_utf8(kept(shown, || is_kthread)).expect("ASCII");
        assert_eq!(of(b"kworker/0:1H-kblockd", true), "kworker/0:1H");
        assert_eq!(of(b"kworker/u8:19+events_unbound", true), "kworker/u8:19");
        assert_eq!(of(b"kworker/R-kvfree_rcu_reclaim", true), "kworker/R-kvfre");
        assert_eq!(of(b"rcu_exp_par_gp_kthread_worker/0", true), "rcu_exp_par_gp_");
        assert_eq!(of(b"kworker/1-x", false), "kworker/1-x");
    }

    #[test]
    fn a_thread_of_this_process_is_found_by_its_name() {
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::Builder::new().name("a 'b\n".into());
        let thread = thread.spawn(move || wait.recv()).expect("a thread");
        let named = |all: &[Task]| all.iter().find(|t| t.tgid == std::process::id() && t.comm == b"a 'b\n").cloned();
        // A thread gives itself its name once it runs.
        let found = (0..500).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            named(&threads())
        });
        drop(go);
        let _ = thread.join();
        let found = found.expect("the thread");
        assert!(found.tid != found.tgid && found.process != found.comm);
    }
}
