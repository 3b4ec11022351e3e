//! The file of a recording: what goes in comes out, at any time and after any accident, or the reader says why not.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use proptest::prelude::*;
use schedq::catalog::event::{Batch, Event, Gap, Identity, Kind, LOSSES, NO_CGROUP, flag, who};
use schedq::name;
use schedq::source::trace::error::{Error, Looks, Parquet, Place, Task};
use schedq::source::trace::meta::Meta;
use schedq::source::trace::read::Recording;
use schedq::source::trace::wanted::Wanted;
use schedq::source::trace::write::{Closing, Options, Writer, prepare};

use crate::support::require;

const START: u64 = 1_000_000_000_000;

fn name16(bytes: &[u8]) -> [u8; 16] {
    let mut name = [0; 16];
    name[..bytes.len()].copy_from_slice(bytes);
    name
}

fn told(at: u64, kind: Kind, tid: u32, comm: &[u8]) -> Identity {
    Identity {
        at,
        tid,
        other: 0,
        state: 0,
        cpu: 0,
        kind,
        flags: who::WANTED,
        born: 7,
        cgroup: NO_CGROUP,
        comm: name16(comm),
        process: name16(comm),
        tgid: tid,
        prio: 120,
        policy: 0,
        nice: 0,
    }
}

fn switch(at: u64, tid: u32, next: u32) -> Event {
    Event { at, tid, other: next, state: 1, cpu: 0, kind: Kind::Switch, flags: 0 }
}

/// One of everything, as a recorder tells it.
fn everything() -> Batch {
    let at = |ns: u64| START + ns;
    let event = |ns, kind, tid, other, state, cpu, flags| Event { at: at(ns), tid, other, state, cpu, kind, flags };
    Batch {
        events: vec![
            event(10, Kind::Waking, 7, 0, 1, 0, 0),
            event(11, Kind::Wakeup, 7, 0, 1, 0, flag::ON_CPU),
            event(12, Kind::Migrate, 7, 1, 3, 0, 0),
            event(20, Kind::Switch, 0, 7, 0, 3, 0),
            event(30, Kind::WakeupNew, 8, 7, 2, 3, 0),
            event(40, Kind::Switch, 7, 8, 0x402, 3, flag::PREEMPT | flag::THROTTLED),
            event(60, Kind::Exit, 8, 0, 0, 3, 0),
            event(61, Kind::Switch, 8, 9, 0x80 | 0x20, 3, 0),
        ],
        identities: vec![
            Identity { cpu: 3, flags: who::RUNNING | who::WANTED, ..told(at(0), Kind::Task, 0, b"swapper/3") },
            Identity { state: 1, cgroup: 5, prio: -1, policy: 6, nice: -20, ..told(at(0), Kind::Task, 7, b"seven") },
            Identity { other: 7, flags: who::CHILD, ..told(at(30), Kind::Fork, 8, b"seven") },
            Identity { other: 8, process: name16(b"x"), ..told(at(50), Kind::Exec, 8, b"ls\xff\n") },
            Identity { flags: who::KTHREAD | who::RECORDER, prio: 139, nice: 19, ..told(at(55), Kind::Rename, 8, b"") },
        ],
        gaps: vec![
            Gap { from: at(31), to: at(35), cpu: Some(3), count: 12, cause: "ring_full" },
            Gap { from: at(36), to: at(58), cpu: None, count: 1, cause: "task_state" },
        ],
        cgroups: vec![(5, "/a\\x0ab".to_owned())],
    }
}

fn record(path: &Path, batches: &[Batch], options: Options) -> Meta {
    let mut writer = Writer::with(path, Meta { start_ns: START, ..Meta::default() }, options).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    let written = writer.finish(Closing { end_ns: START + 100, ended: "elapsed", losses: Vec::new() }).unwrap();
    assert_eq!(written.bytes, fs::metadata(path).unwrap().len());
    written.meta
}

fn small_groups(rows: usize) -> Options {
    Options { group_rows: rows, ..Options::default() }
}

fn read(path: &Path, wanted: &Wanted) -> Result<Batch, Error> {
    let recording = Recording::open(path)?;
    let mut whole = Batch::default();
    let mut batches = recording.batches(wanted, None);
    for batch in batches.by_ref() {
        let batch = batch?;
        whole.events.extend(batch.events);
        whole.identities.extend(batch.identities);
        whole.gaps.extend(batch.gaps);
        whole.cgroups.extend(batch.cgroups);
    }
    assert_eq!(batches.done(), batches.total());
    Ok(whole)
}

fn in_folder(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

#[test]
fn everything_comes_back() {
    for rows in [1, 2, 3, 1000] {
        let (folder, path) = in_folder("t.parquet");
        let meta = record(&path, &[everything()], small_groups(rows));
        assert_eq!(read(&path, &Wanted::ALL).unwrap(), everything());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the parts are gone");
        assert_eq!((meta.rows(), meta.events(), meta.tasks(), meta.lost()), (15, 8, 3, 13));
        assert_eq!(meta.losses, BTreeMap::from([("ring_full".to_owned(), 12), ("task_state".to_owned(), 1)]));
        let recording = Recording::open(&path).unwrap();
        assert_eq!(recording.meta(), &meta);
        assert_eq!(recording.groups().len(), 15usize.div_ceil(rows));
        assert_eq!(recording.gaps().unwrap(), everything().gaps);
        assert_eq!((meta.count(Kind::Switch), meta.count(Kind::Exec), meta.complete), (3, 1, true));
        assert_eq!((meta.start_ns, meta.end_ns, meta.ended.as_deref()), (START, START + 100, Some("elapsed")));
    }
}

#[test]
fn only_what_is_wanted_is_read() {
    let (_folder, path) = in_folder("t.parquet");
    record(&path, &[everything()], Options::default());
    let runq = Wanted {
        kinds: Wanted::kinds(&[Kind::Switch, Kind::Wakeup]),
        other: false,
        target: false,
        flags: flag::PREEMPT,
        prio: false,
        ..Wanted::ALL
    };
    let whole = everything();
    let events: Vec<Event> = whole
        .events
        .iter()
        .filter(|event| matches!(event.kind, Kind::Switch | Kind::Wakeup))
        .map(|event| Event {
            other: 0,
            state: if event.kind == Kind::Switch { event.state } else { 0 },
            flags: event.flags & flag::PREEMPT,
            ..*event
        })
        .collect();
    let found = read(&path, &runq).unwrap();
    assert_eq!(found.events, events);
    assert_eq!(found.identities, whole.identities.iter().map(|who| Identity { prio: 0, ..*who }).collect::<Vec<_>>());
    let found = read(&path, &Wanted { identities: false, ..runq }).unwrap();
    assert_eq!((found.events, found.identities, found.gaps), (events, Vec::new(), whole.gaps));
}

#[test]
fn a_range_leaves_out_groups_and_still_tells_who_tasks_are() {
    let (_folder, path) = in_folder("t.parquet");
    let mut batch = Batch { identities: vec![told(START, Kind::Task, 5, b"five")], ..Batch::default() };
    batch.events = (1..400).map(|i| switch(START + i, 5, 0)).collect();
    batch.identities.push(told(START + 350, Kind::Rename, 5, b"later"));
    record(&path, &[batch.clone()], small_groups(100));
    let recording = Recording::open(&path).unwrap();
    assert_eq!(recording.groups().len(), 5);
    let mut found = Batch::default();
    for read in recording.batches(&Wanted::ALL, Some((START + 210, START + 260))) {
        let read = read.unwrap();
        found.events.extend(read.events);
        found.identities.extend(read.identities);
    }
    // The first group holds the identity and 99 events, the others 100 rows each.
    assert_eq!(found.events, batch.events[199..299]);
    assert_eq!(found.identities, batch.identities[..1]);
}

#[test]
fn nothing_was_recorded() {
    let (_folder, path) = in_folder("t.parquet");
    let meta = record(&path, &[], Options::default());
    assert_eq!((meta.rows(), meta.groups.len()), (0, 0));
    assert_eq!(read(&path, &Wanted::ALL).unwrap(), Batch::default());
    assert_eq!(Recording::open(&path).unwrap().meta().end_ns, START + 100);
}

#[test]
fn many_rows_are_many_pages_and_groups() {
    let (_folder, path) = in_folder("t.parquet");
    let batches: Vec<Batch> = (0..50u64)
        .map(|b| Batch {
            events: (0..4000u64)
                .map(|i| {
                    let at = START + (b * 4000 + i) * 700;
                    let tid = (1 + i % 1000 * 70) as u32;
                    match i % 3 {
                        0 => switch(at, tid, (i % 7) as u32),
                        1 => Event {
                            at,
                            tid,
                            other: 0,
                            state: 1,
                            cpu: 300,
                            kind: Kind::Wakeup,
                            flags: (i % 2 * 4) as u8,
                        },
                        _ => Event { at, tid, other: 3, state: 2, cpu: 1, kind: Kind::Migrate, flags: 0 },
                    }
                })
                .collect(),
            identities: vec![told(START + b * 4000 * 700, Kind::Task, b as u32 + 1, format!("task{b}").as_bytes())],
            ..Batch::default()
        })
        .collect();
    let meta = record(&path, &batches, small_groups(150_000));
    assert_eq!(meta.groups.iter().map(|group| group.rows).collect::<Vec<_>>(), [150_000, 50_050]);
    let found = read(&path, &Wanted::ALL).unwrap();
    let events: Vec<Event> = batches.iter().flat_map(|batch| batch.events.clone()).collect();
    assert!(found.events == events, "all events are equal");
    assert_eq!(found.identities.len(), 50);
    assert_eq!(meta.tasks(), 50);
}

#[test]
fn names_that_are_hard_to_write_stay_apart() {
    let (_folder, path) = in_folder("t.parquet");
    let names: [&[u8]; 9] =
        [b"\xff", b"\\xff", b"\n", b"'\";", "é".as_bytes(), "\u{202e}".as_bytes(), b"\\", b" ", b"\xc3"];
    let identities: Vec<Identity> =
        names.iter().enumerate().map(|(i, name)| told(START, Kind::Task, i as u32 + 1, name)).collect();
    record(&path, &[Batch { identities: identities.clone(), ..Batch::default() }], Options::default());
    assert_eq!(read(&path, &Wanted::ALL).unwrap().identities, identities);
}

fn any_batch() -> impl Strategy<Value = Batch> {
    let numbers = (0u32..5, prop_oneof![0u32..4, 4_000_000u32..4_300_000, Just(u32::MAX)], any::<u32>(), any::<u16>());
    let one = (0usize..Kind::ALL.len(), 0u64..3000, numbers, any::<u8>(), proptest::collection::vec(1u8.., 0..16));
    proptest::collection::vec(one, 0..120).prop_map(|rows| {
        let mut batch = Batch { cgroups: (0..5).map(|id| (id, format!("/c{id}"))).collect(), ..Batch::default() };
        let mut at = START;
        for (kind, wait, (small, tid, wide, cpu), flags, bytes) in rows {
            at += wait;
            let kind = Kind::ALL[kind];
            match kind {
                Kind::Task | Kind::Fork | Kind::Exec | Kind::Rename => batch.identities.push(Identity {
                    other: if matches!(kind, Kind::Fork | Kind::Exec) { wide } else { 0 },
                    state: wide & 0xffff,
                    cpu,
                    flags: flags & 31,
                    born: wait << 20,
                    cgroup: if small == 4 { NO_CGROUP } else { small.into() },
                    process: name16(&bytes[..bytes.len() / 2]),
                    tgid: wide,
                    prio: small as i32 - 1,
                    policy: small * 3,
                    nice: small as i32 - 3,
                    ..told(at, kind, tid, &bytes)
                }),
                Kind::Loss => batch.gaps.push(Gap {
                    from: at - wait,
                    to: at,
                    cpu: (small > 2).then_some(cpu),
                    count: wide.into(),
                    cause: LOSSES[small as usize % LOSSES.len()].0,
                }),
                _ => batch.events.push(Event {
                    at,
                    tid,
                    other: match kind {
                        Kind::Wakeup | Kind::Exit => 0,
                        Kind::Migrate => small,
                        _ => tid ^ small,
                    },
                    state: match kind {
                        Kind::Exit => 0,
                        Kind::Switch => wide,
                        _ => small,
                    },
                    cpu,
                    kind,
                    flags: match kind {
                        Kind::Switch => flags & 3,
                        Kind::Waking | Kind::Wakeup | Kind::WakeupNew => flags & 4,
                        _ => 0,
                    },
                }),
            }
        }
        batch
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_events_come_back(batch in any_batch(), rows in 1usize..60) {
        let (_folder, path) = in_folder("t.parquet");
        record(&path, std::slice::from_ref(&batch), small_groups(rows));
        let mut found = read(&path, &Wanted::ALL).unwrap();
        let spoken: Vec<u64> = batch.identities.iter().map(|who| who.cgroup).filter(|id| *id != NO_CGROUP).collect();
        let mut told = batch.clone();
        told.cgroups.retain(|(id, _)| spoken.contains(id));
        found.cgroups.sort();
        prop_assert_eq!(found, told);
    }
}

// While it is recorded, and when that was cut short.

fn folder_of(path: &Path) -> PathBuf {
    PathBuf::from(format!("{}.partial", path.display()))
}

/// A recording of so many events in groups of 100 rows, whose recorder is no more.
fn killed(path: &Path, events: u64) -> PathBuf {
    let options = Options { group_rows: 100, every: Duration::ZERO };
    let mut writer = Writer::with(path, Meta { start_ns: START, ..Meta::default() }, options).unwrap();
    for i in 0..events {
        writer.write(&Batch { events: vec![switch(START + i, 1, 2)], ..Batch::default() }).unwrap();
    }
    let folder = writer.folder().to_owned();
    // As by the kernel: nothing is written any more, and nothing held.
    drop(writer);
    folder
}

#[test]
fn what_was_recorded_before_a_crash_can_be_asked() {
    let (_folder, path) = in_folder("t.parquet");
    let parts = killed(&path, 250);
    assert_eq!(parts, folder_of(&path));
    let recording = Recording::open(&parts).unwrap();
    assert_eq!(recording.groups().iter().map(|group| group.rows).collect::<Vec<_>>(), [100, 100, 50]);
    assert_eq!((recording.meta().complete, recording.meta().end_ns), (false, START + 249));
    assert_eq!(recording.left_out(), None);
    let found = read(&parts, &Wanted::ALL).unwrap();
    assert_eq!(found.events.iter().map(|event| event.at - START).collect::<Vec<_>>(), (0..250).collect::<Vec<_>>());
    assert!(!path.exists());
    // Each part is a recording of its own.
    assert_eq!(read(&parts.join("000001.parquet"), &Wanted::ALL).unwrap().events.len(), 100);
    // Another recording there would lose it.
    let Err(Error::Left { folder }) = prepare(&path) else { panic!("refused") };
    assert_eq!(folder, parts);
    assert!(matches!(Writer::create(&path, Meta::default()), Err(Error::Left { .. })));
}

#[test]
fn a_last_part_that_is_broken_is_left_out_and_a_middle_one_is_not() {
    let (_folder, path) = in_folder("t.parquet");
    let parts = killed(&path, 250);
    let last = parts.join("000002.parquet");
    fs::write(&last, &fs::read(&last).unwrap()[..300]).unwrap();
    let recording = Recording::open(&parts).unwrap();
    assert_eq!(recording.left_out(), Some(last.as_path()));
    assert_eq!(read(&parts, &Wanted::ALL).unwrap().events.len(), 200);
    fs::write(&last, "").unwrap();
    assert_eq!(Recording::open(&parts).unwrap().left_out(), Some(last.as_path()));
    let middle = parts.join("000001.parquet");
    fs::write(&middle, "").unwrap();
    let Err(Error::Damaged { place: Place::Part(part), .. }) = Recording::open(&parts) else { panic!("refused") };
    assert_eq!(part, middle);
    fs::remove_file(&middle).unwrap();
    assert!(matches!(Recording::open(&parts), Err(Error::Damaged { place: Place::Part(_), .. })));
}

#[test]
fn a_window_that_never_opened_leaves_nothing() {
    let (folder, path) = in_folder("t.parquet");
    let mut writer = Writer::create(&path, Meta::default()).unwrap();
    assert_eq!(read(writer.folder(), &Wanted::ALL).unwrap(), Batch::default());
    writer.begin(START, 0).unwrap();
    writer.discard();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

// Where it cannot be written.

#[test]
fn paths_are_tried_before() {
    let (folder, path) = in_folder("t.parquet");
    prepare(&path).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "a try leaves nothing behind");
    assert!(matches!(prepare(&folder.path().join("t.csv")), Err(Error::Ending { .. })));
    fs::create_dir(folder.path().join("d.parquet")).unwrap();
    assert!(matches!(
        prepare(&folder.path().join("d.parquet")),
        Err(Error::NoFile { what: "a folder", task: Task::Record, .. })
    ));
    let Err(Error::Io { path, error, .. }) = prepare(Path::new("/nowhere/at/all/t.parquet")) else { panic!("refused") };
    assert_eq!((path.to_str(), error.kind()), (Some("/nowhere/at/all/t.parquet"), std::io::ErrorKind::NotFound));
    let null = folder.path().join("null.parquet");
    symlink("/dev/null", &null).unwrap();
    assert!(matches!(prepare(&null), Err(Error::NoFile { what: "a device or a pipe", .. })));
}

#[test]
fn a_link_stays_a_link_and_an_old_file_keeps_its_mode() {
    let (folder, path) = in_folder("link.parquet");
    fs::create_dir(folder.path().join("data")).unwrap();
    symlink("data/real.parquet", &path).unwrap();
    record(&path, &[everything()], Options::default());
    let real = folder.path().join("data/real.parquet");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    record(&path, &[everything()], Options::default());
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(read(&path, &Wanted::ALL).unwrap(), everything());
}

/// The folder with the parts disappears: the same as a disk that is full or pulled out.
#[test]
fn a_folder_that_vanishes_is_named() {
    let (_folder, path) = in_folder("t.parquet");
    let options = Options { group_rows: 4, every: Duration::ZERO };
    let mut writer = Writer::with(&path, Meta::default(), options).unwrap();
    fs::remove_dir_all(folder_of(&path)).unwrap();
    let Err(Error::Io { path: named, error, .. }) = writer.write(&everything()) else { panic!("failed") };
    assert!(named.starts_with(folder_of(&path)), "{named:?}");
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

/// A file system of 256 KiB.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    /// `None` where one cannot be mounted: the test is skipped by its name.
    fn new(test: &str) -> Option<SmallDisk> {
        let folder = tempfile::tempdir().unwrap();
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=256k", "none"]).arg(folder.path()).output();
        let mounted = mount.is_ok_and(|mount| mount.status.success());
        require(test, mounted, "the right to mount").then_some(SmallDisk(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_leaves_what_was_written_readable() {
    let Some(disk) = SmallDisk::new("a_full_disk_leaves_what_was_written_readable") else { return };
    let path = disk.0.path().join("t.parquet");
    let mut writer = Writer::with(&path, Meta { start_ns: START, ..Meta::default() }, small_groups(5000)).unwrap();
    // Times that cannot be packed.
    let mut at = START;
    let mut failed = None;
    for batch in 0..200u64 {
        let events = (0..1000u64).map(|i| {
            at += 1 + (batch * 1000 + i).wrapping_mul(0x9E37_79B9_7F4A_7C15) % 1_000_000;
            switch(at, 1 + (at % 200) as u32, 2)
        });
        let events = events.collect();
        if let Err(error) = writer.write(&Batch { events, ..Batch::default() }) {
            failed = Some(error);
            break;
        }
    }
    let Some(Error::Io { path: named, error, .. }) = failed else { panic!("the disk is full: {failed:?}") };
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    assert!(named.starts_with(folder_of(&path)));
    drop(writer);
    let found = read(&folder_of(&path), &Wanted::ALL).unwrap();
    assert!(found.events.len() >= 5000 && found.events.len().is_multiple_of(5000), "{}", found.events.len());
}

/// The parts fit, and the whole beside them does not.
#[test]
fn a_disk_that_is_full_in_the_end_keeps_the_parts() {
    let Some(disk) = SmallDisk::new("a_disk_that_is_full_in_the_end_keeps_the_parts") else { return };
    let path = disk.0.path().join("t.parquet");
    let mut writer = Writer::with(&path, Meta { start_ns: START, ..Meta::default() }, small_groups(5000)).unwrap();
    let mut at = START;
    let size =
        || fs::read_dir(folder_of(&path)).unwrap().map(|part| part.unwrap().metadata().unwrap().len()).sum::<u64>();
    while size() < 150_000 {
        let events = (0..1000u64).map(|i| {
            at += 1 + i.wrapping_mul(at | 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) % 1_000_000;
            switch(at, 1, 2)
        });
        let events = events.collect();
        writer.write(&Batch { events, ..Batch::default() }).unwrap();
    }
    let before = read(&folder_of(&path), &Wanted::ALL).unwrap().events.len();
    let Err(Error::Io { error, .. }) = writer.finish(Closing::default()) else { panic!("the disk is full") };
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    assert!(!path.exists());
    assert!(read(&folder_of(&path), &Wanted::ALL).unwrap().events.len() >= before);
}

// What is no recording, or was one.

fn refused(path: &Path) -> Error {
    Recording::open(path).err().unwrap_or_else(|| panic!("{} is no recording", path.display()))
}

#[test]
fn other_files_are_told_as_what_they_are() {
    let (folder, path) = in_folder("x.parquet");
    let cases: [(&[u8], Looks); 8] = [
        (b"a,b\n1,2\n", Looks::Text),
        ("naïve\n".as_bytes(), Looks::Text),
        (b"{\"meta\": {}}", Looks::Json),
        (b"PERFILE2\x68\0\0\0", Looks::PerfData),
        (b"\x17\x08Dtracing6\0", Looks::TraceDat),
        (b"\x1f\x8b\x08\0", Looks::Gzip),
        (b"\x28\xb5\x2f\xfd\0", Looks::Zstd),
        (b"\x7fELF\x02\x01\0\0\0", Looks::Bytes),
    ];
    for (bytes, wanted) in cases {
        fs::write(&path, bytes).unwrap();
        let Error::NotParquet { looks, .. } = refused(&path) else { panic!("{bytes:?}") };
        assert_eq!(looks, wanted);
    }
    fs::write(&path, "").unwrap();
    assert!(matches!(refused(&path), Error::Empty { .. }));
    fs::write(&path, "PAR1").unwrap();
    assert!(matches!(refused(&path), Error::Cut { .. }));
    assert!(matches!(refused(folder.path()), Error::Folder { .. }));
    assert!(matches!(refused(Path::new("/dev/null")), Error::NoFile { task: Task::Read, .. }));
    assert!(matches!(refused(&folder.path().join("none.parquet")), Error::Io { .. }));
}

#[test]
fn parquet_of_others_and_results_are_no_recordings() {
    use polars::prelude::{DataFrame, NamedFrom, Series};
    use polars_io::parquet::write::{KeyValueMetadata, ParquetWriter};
    let (_folder, path) = in_folder("x.parquet");
    for (key, wanted) in [
        ("other", Parquet::Other),
        ("schedq_schema_version", Parquet::Result),
        ("schedq_recording", Parquet::Rewritten),
    ] {
        let mut frame = DataFrame::new(2, vec![Series::new("a".into(), [1i64, 2]).into()]).unwrap();
        ParquetWriter::new(fs::File::create(&path).unwrap())
            .with_key_value_metadata(Some(KeyValueMetadata::from_static(vec![(key.to_owned(), "1".to_owned())])))
            .finish(&mut frame)
            .unwrap();
        let Error::Foreign { looks, .. } = refused(&path) else { panic!("{key}") };
        assert_eq!(looks, wanted);
    }
}

/// A recording with a bit of everything, and its bytes.
fn sample(folder: &Path) -> (PathBuf, Vec<u8>) {
    let path = folder.join("good.parquet");
    let mut batch = everything();
    batch.events.extend((100..2000).map(|i| switch(START + i * 13 % 7 + i * 100, (i % 9) as u32, (i % 5) as u32)));
    record(&path, &[batch], small_groups(1000));
    let bytes = fs::read(&path).unwrap();
    (path, bytes)
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bytes) = sample(folder.path());
    let cut = folder.path().join("cut.parquet");
    for sixteenth in 0..16 {
        for length in [bytes.len() * sixteenth / 16, bytes.len() * sixteenth / 16 + 1] {
            fs::write(&cut, &bytes[..length]).unwrap();
            match refused(&cut) {
                Error::Empty { .. } if length == 0 => {}
                Error::NotParquet { .. } if length < 4 => {}
                Error::Cut { .. } => {}
                error => panic!("{length}: {error:?}"),
            }
        }
    }
    assert!(Recording::open(&path).is_ok());
}

/// Whatever byte is changed, the answer is the same as before, or an error.
#[test]
fn a_changed_byte_is_never_believed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bytes) = sample(folder.path());
    let good = read(&path, &Wanted::ALL).unwrap();
    let bad = folder.path().join("bad.parquet");
    let (mut refused, mut equal) = (0, 0);
    // The rest of the footer is under one digest: a few places stand for it.
    for at in (0..bytes.len()).step_by(7) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(&bad, &changed).unwrap();
        match read(&bad, &Wanted::ALL) {
            Ok(found) => {
                assert!(found == good, "byte {at}");
                equal += 1;
            }
            Err(Error::Damaged { .. } | Error::Foreign { .. } | Error::Cut { .. } | Error::NotParquet { .. }) => {
                refused += 1
            }
            Err(error) => panic!("byte {at}: {error:?}"),
        }
    }
    // Columns that only other programs read can change unseen.
    assert!(refused > equal, "{refused} refused, {equal} not needed");
}

#[test]
fn a_later_version_is_refused_and_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bytes) = sample(folder.path());
    // The digest is of the footer with its length and magic, and stands in front of it behind a seal.
    let length = u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap()) as usize + 8;
    let footer = bytes.len() - length;
    assert_eq!(&bytes[footer - 16..footer - 8], b"schedq01");
    let found = bytes.windows(27).position(|w| w == b"schedq_recording_version\x18\x031").unwrap();
    let mut changed = bytes.clone();
    changed[found + 26] = b'2';
    let digest = schedq::source::trace::digest::xxh64(&changed[footer..]);
    changed[footer - 8..footer].copy_from_slice(&digest.to_le_bytes());
    fs::write(&path, &changed).unwrap();
    let Error::Newer { found, .. } = refused(&path) else { panic!("refused") };
    assert_eq!(found, "2.0");
}

#[test]
fn words_for_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bytes) = sample(folder.path());
    let said = |error: Error| {
        let told = error.diagnostic();
        format!("{}; {}", told.title, told.help.join("; ")).replace(folder.path().to_str().unwrap(), "/f")
    };
    fs::write(&path, &bytes[..1000]).unwrap();
    assert_eq!(
        said(refused(&path)),
        "cannot ask '/f/good.parquet': its end is missing; it was cut off while it was copied, perhaps: copy it again"
    );
    let parts = killed(&folder.path().join("t.parquet"), 3);
    let left = prepare(&folder.path().join("t.parquet")).unwrap_err();
    assert_eq!(
        said(left),
        "an earlier recording was not finished: its parts are in '/f/t.parquet.partial'; ask them: from \
         '/f/t.parquet.partial' …; or remove them: rm -r '/f/t.parquet.partial'"
    );
    fs::remove_dir_all(parts).unwrap();
    let name = name::escape(b"x\n.parquet");
    let path = folder.path().join("x\n.parquet");
    fs::write(&path, "a,b\n").unwrap();
    assert!(said(refused(&path)).starts_with(&format!("cannot ask '/f/{name}': it is text")), "the name is harmless");
}
