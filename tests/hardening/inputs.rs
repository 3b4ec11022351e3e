//! Texts without end, in odd places, or with more in them than anybody would write by hand.

use std::fs;
use std::thread;

use crate::support::command::shell;
use crate::support::watch::Answer;
use crate::support::{Schedq, live_lock, require_bpf};

#[test]
fn what_has_no_end_is_too_long() {
    for call in ["check /dev/zero", "run /dev/zero", "check </dev/zero", "explain </dev/zero", "</dev/zero"] {
        let output = shell(&format!("\"$SCHEDQ\" {call}"), &[]).fails_with(2);
        assert!(output.stderr.contains("longer than 1048576 bytes"), "{call}: {}", output.stderr);
    }
}

/// The end of what is read may stand in the middle of a character.
#[test]
fn too_long_is_not_taken_for_broken_utf8() {
    for shift in 0..3 {
        let text = format!("{}{}", " ".repeat(shift), "€".repeat(500_000));
        let output = Schedq::new(["check"]).stdin(text).run().fails_with(2);
        assert!(output.stderr.contains("longer than"), "{}", output.stderr);
    }
}

#[test]
fn a_pipe_is_read_like_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("query");
    for (verb, code) in [("check", 0), ("fmt", 0), ("explain", 0)] {
        let _ = fs::remove_file(&pipe);
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        let to = pipe.clone();
        let writer = thread::spawn(move || fs::write(to, "switch count by cpu\n"));
        Schedq::new([verb]).arg(&pipe).run().fails_with(code);
        writer.join().expect("a writer").expect("a reader");
    }
}

/// A folder may bear the name of a family.
#[test]
fn a_folder_is_no_query() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("switch")).expect("a folder");
    Schedq::new(["check", "switch"]).dir(folder.path()).run().success();
}

/// Each `-e` is a statement, also with blanks before its first word.
#[test]
fn blanks_before_a_statement_continue_none() {
    let output = Schedq::new(["-e", "switch count", "-e", "  nosuch"]).run().fails_with(2);
    assert!(output.stderr.contains("there is no family nosuch"), "{}", output.stderr);
}

#[test]
fn a_size_says_what_it_lacks() {
    let output = Schedq::new(["--map-memory", "4096", "-e", "switch count"]).run().fails_with(2);
    assert!(output.stderr.contains("needs a unit"), "{}", output.stderr);
}

/// The time for a filter that the frame decides grows with its terms, not with their square.
#[test]
fn thousands_of_alternatives() {
    if !require_bpf("hardening::inputs::thousands_of_alternatives") {
        return;
    }
    let _alone = live_lock();
    let terms: Vec<String> = (0..3000).map(|n| format!("tid = {}", 4_190_000 + n)).collect();
    let query = format!("switch where {} count for 50ms", terms.join(" or "));
    let output = Schedq::new(["--format", "json", "-e", &query]).run().success();
    let answer = Answer::one(&output);
    assert_eq!(answer.rows[0]["count"], 0);
    // Rows were seen, and it is the frame that refused them: that is said too.
    assert!(answer.notes().contains("matched none of them"), "{}", answer.notes());
}

/// What a file cannot hold is known before the first window.
#[test]
fn several_results_for_a_file_that_holds_one() {
    let folder = tempfile::tempdir().expect("a folder");
    for (query, stdin) in
        [("switch count for 1h; switch count for 1h", false), ("switch count for 1h\nrunq for 1h", true)]
    {
        for ending in ["csv", "parquet"] {
            let schedq = if stdin { Schedq::new(["-o"]).stdin(query) } else { Schedq::new(["-e", query, "-o"]) };
            let output = schedq.arg(folder.path().join("x").with_extension(ending)).run().fails_with(2);
            assert!(output.stderr.contains("holds one result, and there are 2"), "{}", output.stderr);
        }
    }
}

#[test]
fn a_file_is_saved_to_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let query = "switch count for 1h save 'x.csv'; switch count for 1h save './x.csv'";
    let output = Schedq::eval(query).dir(folder.path()).run().fails_with(2);
    assert!(output.stderr.contains("saved to twice"), "{}", output.stderr);
}

#[test]
fn the_format_and_the_ending_agree() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |path: &str| Schedq::new(["-e", "switch nosuch", "--format", "csv", "-o", path]).dir(folder.path()).run();
    let output = run("x.json").fails_with(2);
    assert!(output.stderr.contains("say different things"), "{}", output.stderr);
    // Here the mistake is the query's.
    for path in ["x.csv", "x.CSV", "/dev/null"] {
        let output = run(path).fails_with(2);
        assert!(output.stderr.contains("nosuch"), "{}", output.stderr);
    }
}

#[test]
fn a_folder_that_takes_no_files() {
    let output = Schedq::eval("switch count for 1h save '/proc/x.csv'").run().fails_with(4);
    assert!(output.stderr.contains("no file can be made there"), "{}", output.stderr);
}
