//! A recorder that is killed, a disk that is full, a folder that vanishes: what was written can be asked.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use schedq::catalog::event::Batch;
use schedq::source::trace::error::{Error, Place, Task};
use schedq::source::trace::meta::Meta;
use schedq::source::trace::read::Recording;
use schedq::source::trace::wanted::Wanted;
use schedq::source::trace::write::{Closing, Options, Writer, prepare};

use crate::support::require;

use super::file::{START, everything, in_folder, read, record, small_groups, switch};

// While it is recorded, and when that was cut short.

fn folder_of(path: &Path) -> PathBuf {
    PathBuf::from(format!("{}.partial", path.display()))
}

/// A recording of so many events in groups of 100 rows, whose recorder is no more.
pub fn killed(path: &Path, events: u64) -> PathBuf {
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
