//! Jobs of processes: exec, trees, and a process number used again.

use std::env;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::sys::signal::{SigSet, Signal};
use nix::sys::wait::waitpid;
use nix::unistd::getpid;
use serde_json::{Value, json};

use crate::crew;
use crate::options::Options;
use crate::steady::sleep_us;
use crate::sys;
use crate::truth::{Counters, Diary, process_switches};

/// The environment variable by which the first half of `exec-midway` hands its account to the second.
const FIRST_HALF: &str = "WORKLOAD_FIRST_HALF";

fn nap(n: u32) {
    (0..n).for_each(|_| sleep_us(1000));
}

/// Sleeps, executes itself, sleeps again. The kernel's counters go on across the exec, and so does the account: the second
/// entry begins where the first ended, so what the exec itself took is in the second, though its name changes within.
pub fn exec_midway(o: &Options) -> Result<(), String> {
    let first = |o: &Options| -> io::Result<()> {
        crew::enter(&o.name, o.fifo, o.nice)?;
        let mut diary = Diary::open("worker")?;
        crew::ready(o)?;
        let (nv, niv) = process_switches();
        diary.begin();
        nap(20);
        let now = diary.mark();
        let hand_over = json!({ "nv": nv, "niv": niv, "counters": now.to_text(), "entries": diary.entries() });
        let words = env::args_os().skip(1);
        Err(Command::new("/proc/self/exe").args(words).env(FIRST_HALF, hand_over.to_string()).exec())
    };
    match env::var(FIRST_HALF) {
        Err(_) => first(o).map_err(|e| e.to_string()),
        Ok(text) => second_half(o, &text).map_err(|e| e.to_string()),
    }
}

fn second_half(o: &Options, text: &str) -> io::Result<()> {
    let first: Value = serde_json::from_str(text)?;
    let before = Counters::from_text(first["counters"].as_str().expect("text"));
    let diary = Diary::resumed("worker", before)?;
    nap(20);
    let mut entries = first["entries"].as_array().expect("a list").clone();
    entries.extend(diary.finish());
    let (begin, end) = (entries[0]["begin_ns"].as_i64(), entries.last().expect("two")["end_ns"].as_i64());
    let process = (first["nv"].as_i64().expect("a number"), first["niv"].as_i64().expect("a number"));
    let wall = (begin.expect("a number"), end.expect("a number"));
    crew::report(o, entries, wall, (process, process_switches()), Value::Null)
}

/// A binary tree of processes: number `i` starts `2i + 1` and `2i + 2`, as far as they are below `n`. Those but the first
/// are born inside the measured phase; the switch into death is in no account.
pub fn forks(o: &Options) -> Result<(), String> {
    let n: usize = o.number(0)?;
    crew::solo(o, |_| offspring(o, 0, n)).map_err(|e| e.to_string())
}

/// One node of the tree but the root; prints its entries, its children's included.
pub fn fork_node(o: &Options) -> Result<(), String> {
    let (i, n): (usize, usize) = (o.number(0)?, o.number(1)?);
    let node = || -> io::Result<()> {
        let diary = Diary::born("node")?;
        crew::enter(&o.name, o.fifo, o.nice)?;
        let mut entries = offspring(o, i, n)?;
        entries.extend(diary.finish());
        writeln!(io::stdout(), "{}", Value::from(entries))
    };
    node().map_err(|e| e.to_string())
}

fn offspring(o: &Options, i: usize, n: usize) -> io::Result<Vec<Value>> {
    let mut children = Vec::new();
    for child in [2 * i + 1, 2 * i + 2].into_iter().filter(|&child| child < n) {
        let mut command = Command::new(env::current_exe()?);
        command.args(["fork-node", &child.to_string(), &n.to_string()]);
        if let Some(name) = &o.name {
            command.arg("--name").arg(crate::truth::escape(name.to_bytes()));
        }
        children.push(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?);
    }
    nap(20);
    let mut entries = Vec::new();
    for child in children {
        let output = child.wait_with_output()?;
        entries.extend(serde_json::from_slice::<Vec<Value>>(&output.stdout)?);
    }
    Ok(entries)
}

/// Processes that have the same number one after the other, each with 5 sleeps and a name of its own (`reuse-0`, …).
pub fn reuse(o: &Options) -> Result<(), String> {
    let n: usize = o.number(0)?;
    crew::solo(o, |_| {
        let mut entries = Vec::new();
        let mut tid = None;
        for i in 0..n {
            let (mut out, mut account) = io::pipe()?;
            let Some(child) = sys::fork_as(tid)? else {
                let diary = Diary::born("reused")?;
                let name = crate::options::name(format!("reuse-{i}").as_ref()).expect("a short name");
                crew::enter(&Some(name), None, None)?;
                (0..5).for_each(|_| sleep_us(1000));
                write!(account, "{}", Value::from(diary.finish()))?;
                sys::exit_now()
            };
            drop(account);
            let mut text = String::new();
            out.read_to_string(&mut text)?;
            waitpid(child, None)?;
            entries.extend(serde_json::from_str::<Vec<Value>>(&text)?);
            tid = Some(child);
        }
        Ok(entries)
    })
    .map_err(|e| e.to_string())
}

/// Sleeps until SIGTERM, and says what it was. `ready` is always printed: only then is the signal awaited.
pub fn hold(o: &Options) -> Result<(), String> {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGTERM);
    signals.thread_block().map_err(|e| e.to_string())?;
    if !o.wait {
        println!("ready");
    }
    crew::solo(o, |_| {
        signals.wait()?;
        Ok(Vec::new())
    })
    .map_err(|e| format!("{}: {e}", getpid()))
}
