//! A recording while it is made: who holds it, what can be asked of it already, and what ends it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::sys::signal::Signal;
use schedq::catalog::event::{Batch, Event, Kind};
use schedq::diagnostic::Exit;
use schedq::source::trace::describe::describe;
use schedq::source::trace::error::{Error, Task};
use schedq::source::trace::meta::Meta;
use schedq::source::trace::read::Recording;
use schedq::source::trace::write::{Closing, Writer, prepare};

use crate::support::watch::{Answer, number};
use crate::support::{Schedq, Workload, live_lock, require, require_bpf};

const START: u64 = 5_000_000_000;

fn in_folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    (folder, path)
}

fn partial(path: &Path) -> PathBuf {
    format!("{}.partial", path.display()).into()
}

fn switches(from: u64, count: u64) -> Batch {
    let event = |at| Event { at, tid: 1, other: 2, state: 1, cpu: 0, kind: Kind::Switch, flags: 0 };
    Batch { events: (from..from + count).map(event).collect(), ..Batch::default() }
}

fn closing(end_ns: u64) -> Closing {
    Closing { end_ns, ended: "elapsed", losses: Vec::new() }
}

/// The second must not be told to remove what the first one writes.
#[test]
fn one_recorder_to_a_file() {
    let (folder, path) = in_folder();
    let writer = Writer::create(&path, Meta::default()).unwrap();
    let link = folder.path().join("link.parquet");
    symlink("t.parquet", &link).unwrap();
    for name in [&path, &link] {
        let told = prepare(name).unwrap_err();
        let Error::UnderWay { folder: held } = &told else { panic!("{told:?}") };
        assert_eq!(fs::canonicalize(held).unwrap(), fs::canonicalize(partial(&path)).unwrap());
        assert_eq!(told.diagnostic().exit, Exit::NotPossible);
        assert!(!told.diagnostic().help.iter().any(|help| help.contains("rm ")), "{:?}", told.diagnostic());
    }
    assert!(matches!(Writer::create(&path, Meta::default()), Err(Error::UnderWay { .. })));
    // Another file beside it is free.
    prepare(&folder.path().join("u.parquet")).unwrap();
    // Killed: the kernel lets go of it, and what it has left is left.
    drop(writer);
    assert!(matches!(prepare(&path), Err(Error::Left { .. })));
}

/// However close together they begin, one of them has it.
#[test]
fn of_many_at_once_one_records() {
    for _ in 0..20 {
        let (_folder, path) = in_folder();
        let begin = || Writer::create(&path, Meta::default());
        let made: Vec<Result<Writer, Error>> = thread::scope(|scope| {
            let all: Vec<_> = (0..4).map(|_| scope.spawn(begin)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(made.iter().filter(|one| one.is_ok()).count() <= 1);
        for error in made.iter().filter_map(|one| one.as_ref().err()) {
            assert!(matches!(error, Error::UnderWay { .. }), "{error:?}");
        }
    }
}

#[test]
fn what_there_is_of_it() {
    let (_folder, path) = in_folder();
    let mut writer = Writer::create(&path, Meta::default()).unwrap();
    writer.begin(START, 7).unwrap();
    let folder = partial(&path);
    // Killed now, it has its time.
    let begun = Recording::open(&folder).unwrap();
    assert_eq!((begun.meta().start_ns, begun.meta().end_ns, begun.meta().wall_offset_ns), (START, START, 7));
    assert!(begun.is_under_way());
    let to = |recording: &Recording| {
        let lines = describe(recording).unwrap();
        lines.into_iter().find(|(label, _)| *label == "to").unwrap().1
    };
    assert!(to(&begun).ends_with("(so far: it is still being made)"), "{}", to(&begun));
    // The first events are there after half a second, not after five.
    writer.write(&switches(START + 10, 3)).unwrap();
    thread::sleep(Duration::from_millis(600));
    writer.write(&Batch::default()).unwrap();
    let soon = Recording::open(&folder).unwrap();
    assert_eq!((soon.meta().count(Kind::Switch), soon.meta().end_ns), (3, START + 12));
    writer.finish(closing(START + 100)).unwrap();
    // Whoever has it open goes on reading what there was.
    assert_eq!(soon.batches(&schedq::source::trace::wanted::Wanted::ALL, None).count(), 1);
    let whole = Recording::open(&path).unwrap();
    assert!(!whole.is_under_way());
    assert!(to(&whole).ends_with("(as long as was asked)"), "{}", to(&whole));
}

/// The name that is asked may be that of a moment ago, or of a moment to come.
#[test]
fn the_other_name() {
    let (_folder, path) = in_folder();
    let refused = |path: &Path| Recording::open(path).err().expect("nothing is there");
    assert!(matches!(refused(&path), Error::Io { task: Task::Read, .. }));
    assert!(matches!(refused(&partial(&path)), Error::Io { task: Task::Read, .. }));
    let writer = Writer::create(&path, Meta::default()).unwrap();
    let Error::NotFinished { folder, .. } = refused(&path) else { panic!("{:?}", refused(&path)) };
    assert_eq!(folder, partial(&path));
    writer.finish(closing(1)).unwrap();
    let Error::Finished { file, .. } = refused(&partial(&path)) else { panic!("{:?}", refused(&partial(&path))) };
    assert_eq!(file, path);
}

#[test]
fn words_for_names_that_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    symlink(at("b.parquet"), at("a.parquet")).unwrap();
    symlink(at("a.parquet"), at("b.parquet")).unwrap();
    for (path, words) in [
        (at("a.parquet"), "its symbolic links lead in a circle"),
        (at(&format!("{}.parquet", "x".repeat(250))), "the name is too long"),
        (at("nul\0.parquet"), "no file's name holds a NUL byte"),
        ("/proc/x.parquet".into(), "no file can be made in its folder"),
        (at("none/x.parquet"), "its folder does not exist"),
    ] {
        let told = prepare(&path).expect_err(words).diagnostic();
        assert!(told.title.ends_with(words), "{}", told.title);
        assert_eq!(told.exit, Exit::NotPossible, "{words}");
        assert!(!told.help.iter().any(|help| help.contains("recorded before")), "nothing was: {told:?}");
    }
    let quoted = prepare(&at("it's/x.parquet")).unwrap_err().diagnostic();
    assert!(quoted.help[0].ends_with("it's\""), "a line that a shell takes: {:?}", quoted.help);
    let unknown = Recording::open(Path::new("@nope")).err().unwrap().diagnostic();
    assert_eq!(unknown.help, ["there is '@sample'"]);
}

fn record(path: &Path) -> Schedq {
    Schedq::eval(&format!("record sched for 20s to '{}'", path.display()))
}

/// A terminal that goes away ends the window as Ctrl-C does; `nohup` keeps it open.
#[test]
fn a_terminal_that_goes_away() {
    if !require_bpf("recording::under_way::a_terminal_that_goes_away") {
        return;
    }
    let _alone = live_lock();
    let (_folder, path) = in_folder();
    let mut running = record(&path).start();
    running.attached(9);
    wait_until(&path, |recording| recording.meta().start_ns > 0);
    running.signal(Signal::SIGHUP);
    running.finish().success();
    let made = Recording::open(&path).unwrap();
    assert_eq!((made.meta().complete, made.meta().ended.as_deref()), (true, Some("interrupted")));
    let script = "trap '' HUP; \"$SCHEDQ\" -e \"record sched for 1s to '$1'\" & sleep 0.5; kill -HUP $!; wait $!";
    crate::support::command::shell(script, &[path.as_os_str()]).success();
    assert_eq!(Recording::open(&path).unwrap().meta().ended.as_deref(), Some("elapsed"));
}

fn wait_until(path: &Path, is: impl Fn(&Recording) -> bool) {
    let end = std::time::Instant::now() + Duration::from_secs(20);
    while !Recording::open(&partial(path)).is_ok_and(|recording| is(&recording)) {
        assert!(std::time::Instant::now() < end, "{}", path.display());
        thread::sleep(Duration::from_millis(5));
    }
}

/// Who changes their mind at once has lost nothing.
#[test]
fn ctrl_c_before_the_window_opens() {
    if !require_bpf("recording::under_way::ctrl_c_before_the_window_opens") {
        return;
    }
    let _alone = live_lock();
    let (folder, path) = in_folder();
    fs::write(&path, "an old file").unwrap();
    let mut early = 0;
    for wait in [15, 30, 45, 60, 80, 100] {
        let running = record(&path).start();
        thread::sleep(Duration::from_millis(wait));
        running.signal(Signal::SIGINT);
        let output = running.finish();
        match output.code() {
            130 if output.stderr.contains("nothing was recorded") => early += 1,
            // Before it listens to signals.
            130 => assert_eq!(output.stderr, ""),
            0 => continue,
            other => panic!("{other}: {}", output.stderr),
        }
        if early <= 1 {
            assert_eq!(fs::read(&path).unwrap(), b"an old file");
        }
        assert!(!partial(&path).exists());
    }
    assert!(early > 0, "none came while it was attaching");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// It can be asked while it grows, and the answer is that of the time so far.
#[test]
fn asked_while_it_grows() {
    if !require_bpf("recording::under_way::asked_while_it_grows") {
        return;
    }
    let _alone = live_lock();
    let (_folder, path) = in_folder();
    let running = record(&path).start();
    let mut workload = Workload::start("sleeper 2000 1000 --name rc-grows");
    wait_until(&path, |recording| recording.meta().start_ns > 0);
    workload.go();
    let ask = || {
        let query =
            format!("from '{}' switch where comm = 'rc-grows' and kind = voluntary count", partial(&path).display());
        let answer = Answer::one(&Schedq::eval(&query).arg("--format").arg("json").run().success());
        assert!(answer.notes().contains("still being made"), "{}", answer.notes());
        number(&answer.rows[0], "count")
    };
    let mut counts = Vec::new();
    for _ in 0..20 {
        counts.push(ask());
        thread::sleep(Duration::from_millis(100));
    }
    assert!(counts.is_sorted() && counts.first() < counts.last(), "{counts:?}");
    running.interrupt().success();
}

/// What cannot even begin leaves nothing behind, and says why.
#[test]
fn no_memory_for_the_rings() {
    if !require_bpf("recording::under_way::no_memory_for_the_rings") {
        return;
    }
    let _alone = live_lock();
    let (folder, path) = in_folder();
    // Room for one ring or two, not for what else is needed, on any machine: which of them fails is no matter.
    for kib in [150_000, 200_000, 300_000, 400_000] {
        let script = format!("ulimit -v {kib}; \"$SCHEDQ\" -e \"record sched for 200ms to '$1'\"");
        let output = crate::support::command::shell(&script, &[path.as_os_str()]);
        assert!(!output.stderr.contains("panicked"), "{kib}: {}", output.stderr);
        if output.code() != 0 {
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{kib}: {}", output.stderr);
        }
    }
}

/// The clock that a process reads may be another one than that of the kernel's events (time_namespaces(7)).
#[test]
fn in_a_time_namespace() {
    let name = "recording::under_way::in_a_time_namespace";
    let can = crate::support::command::shell("unshare -T --monotonic 100000 -f true", &[]).code() == 0;
    if !require_bpf(name) || !require(name, can, "time namespaces") {
        return;
    }
    let _alone = live_lock();
    let (_folder, path) = in_folder();
    for offset in ["100000", "-500"] {
        let script = format!(
            "unshare -T --monotonic {offset} -f \"$SCHEDQ\" --format json -e \"for 500ms {{
             record sched to '$1'
             a = runq latency count, max_at
             b = runq latency count every 100ms
             }}
             show a
             show b
             from '$1' runq latency count, max_at\" && date +%s%N"
        );
        let output = crate::support::command::shell(&script, &[path.as_os_str()]).success();
        assert!(!output.stderr.contains("out of order"), "{}", output.stderr);
        let (document, now) = output.stdout.trim_end().rsplit_once('\n').unwrap();
        let documents: Vec<serde_json::Value> = serde_json::from_str(document).unwrap();
        let now: u64 = now.parse().unwrap();
        for whole in [&documents[0], &documents[2]] {
            let at = number(&whole["rows"][0], "latency_max_at");
            assert!(at <= now && now - at < 60_000_000_000, "{at} is not shortly before {now}");
        }
        let intervals = documents[1]["rows"].as_array().unwrap().len();
        assert!((3..=5).contains(&intervals), "{}", documents[1]);
        let meta = Recording::open(&path).unwrap().meta().clone();
        assert!(meta.groups[0].first_ns.abs_diff(meta.start_ns) < 60_000_000_000, "{meta:?}");
    }
}
