//! Recording and asking from a command line: ends of every kind, rights, disks, names.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use schedq::source::trace::read::Recording;
use serde_json::Value;

use crate::support::command::shell;
use crate::support::watch::{Answer, number, opened};
use crate::support::workload;
use crate::support::{Schedq, Workload, live_lock, require, require_bpf};

#[track_caller]
fn ask(file: &Path, question: &str) -> Answer {
    let query = format!("from '{}' {question}", file.display());
    Answer::one(&Schedq::eval(&query).arg("--format").arg("json").run().success())
}

#[track_caller]
fn describe(file: &Path) -> Value {
    Schedq::new(["describe"]).arg(file).arg("--format").arg("json").run().success().json()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_command_from_its_first_instruction_to_its_last() {
    if !require_bpf("recording::commands::a_command_from_its_first_instruction_to_its_last") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.parquet");
    let words = ["--", "sh", "-c", "for i in 1 2 3; do sleep 0.05; done; exit 7"];
    let output = words
        .iter()
        .fold(Schedq::new(["record", "where child", "-o"]).arg(&file), |schedq, word| schedq.arg(word))
        .run()
        .fails_with(7);
    assert!(output.stdout.is_empty(), "{}", output.stdout);
    assert!(output.stderr.starts_with("recorded "), "{}", output.stderr);
    assert_eq!(names(folder.path()), ["trace.parquet"], "no part stays");
    let told = describe(&file);
    assert_eq!(told["filter"], "child");
    assert_eq!(told["ended"], "command_ended");
    // A shell and three sleeps, each of which execs once.
    assert_eq!(told["counts"]["fork"], 3, "{}", told["counts"]);
    assert_eq!(told["counts"]["exec"], 4, "{}", told["counts"]);
    assert_eq!(told["counts"]["exit"], 4, "{}", told["counts"]);
    let answer =
        ask(&file, "switch where child and comm = 'sleep' and kind = voluntary and state = sleep count by tid");
    assert_eq!(answer.rows.len(), 3, "{:?}", answer.rows);
    // What the filter left out is not made up.
    let refused = Schedq::eval(&format!("from '{}' switch count", file.display())).run().fails_with(2);
    assert!(refused.stderr.contains("child"), "{}", refused.stderr);
}

/// The statement and what is asked of it in one script.
#[test]
fn recorded_and_asked_in_one_go() {
    if !require_bpf("recording::commands::recorded_and_asked_in_one_go") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().unwrap();
    let script = "record sched for 300ms to 'a.parquet'\nx = from 'a.parquet' switch count by cpu\n\
                  from 'a.parquet' switch count around worst(from 'a.parquet' runq latency) 50ms\nshow x";
    let output = Schedq::eval(script).arg("--format").arg("json").dir(folder.path()).run().success();
    let answers = Answer::all(&output);
    assert_eq!(answers.len(), 2);
    assert!((answers[0].meta["window_ns"].as_u64()) <= Some(100_000_001), "{}", answers[0].meta);
    let counts = describe(&folder.path().join("a.parquet"))["counts"]["switch"].as_u64().unwrap();
    assert!(answers[1].sum("count") > 0 && answers[1].sum("count") <= counts);
}

#[test]
fn ctrl_c_ends_a_recording_well() {
    if !require_bpf("recording::commands::ctrl_c_ends_a_recording_well") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().unwrap();
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let file = folder.path().join(format!("{signal}.parquet"));
        let mut running = Schedq::eval(&format!("record sched to '{}'", file.display())).start();
        opened_to_record(&mut running, &file);
        running.signal(signal);
        let output = running.finish().success();
        assert!(output.stderr.contains("no loss"), "{}", output.stderr);
        assert_eq!(describe(&file)["ended"], "interrupted");
    }
}

/// Its window is open: its first part says when it began.
#[track_caller]
fn opened_to_record(running: &mut crate::support::command::Running, file: &Path) {
    running.attached(5);
    let end = Instant::now() + Duration::from_secs(10);
    while !Recording::open(&partial(file)).is_ok_and(|recording| recording.meta().start_ns > 0) {
        assert!(Instant::now() < end, "no {}", partial(file).display());
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(200));
}

fn partial(file: &Path) -> std::path::PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

/// What was on disk can be asked, and the next recording does not take its place.
#[test]
fn killed_in_the_middle() {
    if !require_bpf("recording::commands::killed_in_the_middle") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.parquet");
    let mut running = Schedq::eval(&format!("record sched to '{}'", file.display())).start();
    opened_to_record(&mut running, &file);
    let mut workload = Workload::start("sleeper 400 5000 --name rc-killed");
    workload.go();
    // A part is written every five seconds.
    thread::sleep(Duration::from_millis(6500));
    running.signal(Signal::SIGKILL);
    running.finish().fails_with(128 + 9);
    assert!(!file.exists());
    let answer = ask(&partial(&file), "switch where comm = 'rc-killed' count by kind");
    assert!(answer.sum("count") > 300, "{:?}", answer.rows);
    assert!(answer.notes().contains("not finished"), "{}", answer.notes());
    let again = Schedq::eval(&format!("record sched for 1s to '{}'", file.display())).run().fails_with(4);
    assert!(again.stderr.contains("an earlier recording was not finished"), "{}", again.stderr);
    assert!(again.stderr.contains("rm -r"), "{}", again.stderr);
}

#[test]
fn a_full_disk_ends_it_and_what_is_there_can_be_asked() {
    let name = "recording::commands::a_full_disk_ends_it_and_what_is_there_can_be_asked";
    let can = shell("unshare -m true", &[]).code() == 0;
    if !require_bpf(name) || !require(name, can, "mount namespaces") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().unwrap();
    // The disk has room for what is recorded in the first seconds and not for more.
    let script = r#"
        mount -t tmpfs -o size=1500k none "$1" && cd "$1" || exit 99
        "$2" sleeper 400000 100 --name rc-full >/dev/null &
        "$SCHEDQ" -e "record sched for 40s to 'trace.parquet'"
        echo "status $?"
        kill $!
        "$SCHEDQ" -e "from 'trace.parquet.partial' switch count" --format csv
    "#;
    let script = format!("unshare -m sh -c '{}' sh \"$1\" \"$2\"", script.replace('\'', r"'\''"));
    let output = shell(&script, &[folder.path().as_os_str(), workload::path().as_os_str()]).success();
    assert!(output.stdout.starts_with("status 1\n"), "{}{}", output.stdout, output.stderr);
    assert!(output.stderr.contains("no space left"), "{}", output.stderr);
    let counted: u64 = output.stdout.lines().last().unwrap().parse().unwrap_or_else(|_| panic!("{}", output.stdout));
    assert!(counted > 100, "{}", output.stdout);
}

#[test]
fn an_ordinary_user_asks() {
    let name = "recording::commands::an_ordinary_user_asks";
    if !require(name, nix::unistd::geteuid().is_root(), "root (to become someone else)") {
        return;
    }
    let script = "cd / && cp \"$SCHEDQ\" \"$1/schedq\" && chmod 755 \"$1\" \"$1/schedq\" && exec setpriv --reuid nobody --regid nogroup \
                  --clear-groups --bounding-set=-all \"$1/schedq\" -e \"from '@sample' runq latency max by comm top 3\" --format csv";
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let output = shell(script, &[folder.path().as_os_str()]).success();
    assert_eq!(output.stdout.lines().count(), 4, "{}", output.stdout);
}

#[test]
fn places_that_cannot_be() {
    if !require_bpf("recording::commands::places_that_cannot_be") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder.parquet")).unwrap();
    let run = |to: &str| Schedq::eval(&format!("record sched for 5s to '{to}'")).dir(folder.path()).run();
    let begin = Instant::now();
    assert!(run("none/x.parquet").fails_with(4).stderr.contains("folder does not exist"));
    assert!(run("folder.parquet").fails_with(4).stderr.contains("folder"));
    assert!(run("/dev/null").fails_with(2).stderr.contains(".parquet"));
    assert!(run("/proc/x.parquet").code() != 0);
    assert!(begin.elapsed() < Duration::from_secs(5), "found out before the window");
    assert_eq!(names(folder.path()), ["folder.parquet"]);
    let missing = Schedq::eval("from 'none.parquet' switch count").dir(folder.path()).run().fails_with(1);
    assert!(missing.stderr.contains("no such file"), "{}", missing.stderr);
}

/// An old recording stays until the new one is whole.
#[test]
fn the_old_file_stays_until_the_new_one_is_there() {
    if !require_bpf("recording::commands::the_old_file_stays_until_the_new_one_is_there") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.parquet");
    let record = || Schedq::eval(&format!("record sched for 200ms to '{}'", file.display()));
    record().run().success();
    let first = fs::read(&file).unwrap();
    let mut running = Schedq::eval(&format!("record sched to '{}'", file.display())).start();
    opened_to_record(&mut running, &file);
    assert_eq!(fs::read(&file).unwrap(), first);
    running.interrupt().success();
    assert_ne!(fs::read(&file).unwrap(), first);
    assert_eq!(names(folder.path()), ["trace.parquet"]);
}

/// Bytes that act on a terminal, and names that would merge.
#[test]
fn hostile_names_survive() {
    if !require_bpf("recording::commands::hostile_names_survive") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("trace.parquet");
    let hostile = [r"\x1b[31mred", r"a\x22b'c,d", r"\xff\xfe", r"nl\x0ax"];
    let mut running = Schedq::eval(&format!("record sched to '{}'", file.display())).start();
    opened_to_record(&mut running, &file);
    let words: Vec<&str> = ["rename"].into_iter().chain(hostile).collect();
    let mut workload = Workload::start_words(&words);
    let pid = workload.pid();
    workload.finish();
    running.interrupt().success();
    let answer = ask(&file, &format!("switch where tgid = {pid} and kind = voluntary count by comm"));
    for name in [r"\x1b[31mred", "a\"b'c,d", r"\xff\xfe", r"nl\x0ax"] {
        assert!(
            answer.rows.iter().any(|row| row["comm"] == name && number(row, "count") > 5),
            "{name}: {:?}",
            answer.rows
        );
    }
}

/// A query beside a recording has its own window.
#[test]
fn a_query_beside_a_recording() {
    if !require_bpf("recording::commands::a_query_beside_a_recording") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().unwrap();
    let script = "for 300ms {\nrecord sched where comm = 'none-has-this' to 'a.parquet'\nswitch count\n}";
    let mut running = Schedq::eval(script).arg("--format").arg("json").dir(folder.path()).start();
    opened(&mut running);
    let output = running.finish().success();
    assert!(Answer::one(&output).sum("count") > 0);
    let answer = ask(&folder.path().join("a.parquet"), "switch where comm = 'none-has-this' count");
    assert_eq!(answer.sum("count"), 0);
    assert!(answer.notes().contains("no rows"), "{}", answer.notes());
}
