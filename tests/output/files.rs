//! Saving: what is tried before, and that there is never half a file.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use insta::assert_snapshot;
use schedq::diagnostic::Exit;
use schedq::frame::{Frame, build};
use schedq::lang::ast::Stat;
use schedq::output::diagnostic;
use schedq::output::file::{Format, prepare};
use schedq::output::ndjson::Label;

use super::style;
use crate::plans::{groups, plan, texts, values};

fn frame() -> Frame {
    let outcome = groups(vec![texts("comm", &["a"])], vec![values(&[1])]);
    build(&plan("switch count by comm", &["comm"], &[Stat::Count]), &outcome, &[]).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn the_ending_chooses_the_format() {
    assert_eq!(Format::from_path(Path::new("a.b/x.parquet")), Some(Format::Parquet));
    assert_eq!(Format::from_path(Path::new("x.CSV")), Some(Format::Csv));
    for path in ["x", "x.xls", ".csv", "csv"] {
        assert_eq!(Format::from_path(Path::new(path)), None);
    }
    assert_snapshot!(diagnostic::render(&prepare(Path::new("out.xls")).unwrap_err(), &style()));
}

#[test]
fn a_try_leaves_nothing_behind_and_a_write_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    let prepared = prepare(&path).unwrap();
    assert!(names(folder.path()).is_empty());
    prepared.write(&frame()).unwrap();
    assert_eq!(names(folder.path()), ["out.csv"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "comm,count\na,1\n");
    prepared.write(&frame()).unwrap();
    assert_eq!(names(folder.path()), ["out.csv"]);
}

#[test]
fn a_folder_that_is_not_there_is_found_out_before() {
    let problem = prepare(Path::new("/nowhere/at/all/out.csv")).unwrap_err();
    assert_eq!(problem.exit, Exit::NotPossible);
    assert_snapshot!(diagnostic::render(&problem, &style()));
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("x.csv")).unwrap();
    assert!(prepare(&folder.path().join("x.csv")).unwrap_err().title.ends_with("it is a folder"));
}

#[test]
fn permissions_of_an_old_file_stay_and_new_ones_are_those_of_any_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    fs::write(folder.path().join("plain"), "").unwrap();
    prepare(&path).unwrap().write(&frame()).unwrap();
    assert_eq!(mode(&path), mode(&folder.path().join("plain")));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    prepare(&path).unwrap().write(&frame()).unwrap();
    assert_eq!(mode(&path), 0o640);
}

#[test]
fn a_link_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    let link = folder.path().join("out.csv");
    symlink("data/real.csv", &link).unwrap();
    for _ in 0..2 {
        prepare(&link).unwrap().write(&frame()).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(names(&folder.path().join("data")), ["real.csv"]);
    }
}

#[test]
fn a_failed_write_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    fs::write(&path, "old").unwrap();
    let prepared = prepare(&path).unwrap();
    let frame = frame();
    let problem = prepared.write_all(&[(Label::Number(1), &frame), (Label::Number(2), &frame)]).unwrap_err();
    assert_eq!(problem.exit, Exit::Failed);
    assert!(problem.title.contains("holds one result"), "{problem}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(names(folder.path()), ["out.csv"]);
}

/// The device that is always full.
#[test]
fn a_full_disk_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for ending in ["csv", "json", "ndjson", "parquet"] {
        let link = folder.path().join(format!("full.{ending}"));
        symlink("/dev/full", &link).unwrap();
        let problem = prepare(&link).unwrap().write(&frame()).unwrap_err();
        assert!(problem.title.ends_with("no space left"), "{ending}: {problem}");
        assert_eq!(problem.exit, Exit::Failed);
    }
}

#[test]
fn several_results_go_into_one_json() {
    let folder = tempfile::tempdir().unwrap();
    let frame = frame();
    let results = [(Label::Name("before"), &frame), (Label::Name("after"), &frame)];
    prepare(&folder.path().join("x.json")).unwrap().write_all(&results).unwrap();
    prepare(&folder.path().join("x.ndjson")).unwrap().write_all(&results).unwrap();
    let lines = fs::read_to_string(folder.path().join("x.ndjson")).unwrap();
    assert_eq!(
        lines,
        "{\"result\":\"before\",\"comm\":\"a\",\"count\":1}\n{\"result\":\"after\",\"comm\":\"a\",\"count\":1}\n"
    );
}
