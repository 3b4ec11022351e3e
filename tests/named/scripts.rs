//! `run` as a statement: results come back, parameters do not, and scripts cannot run themselves.

use std::fs;

use crate::support::command::Schedq;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

const INNER: &str = "param who = 'nobody'\nwaits = from '@sample' runq latency count where comm=$who\n";

#[test]
fn results_come_back_and_paths_are_seen_from_the_script() {
    let folder = folder(&[
        ("main.sq", "run 'sub/middle.sq'\nshow waits\n"),
        ("sub/middle.sq", "run '../inner.sq' who='ticker'\n"),
        ("inner.sq", INNER),
    ]);
    let run = |words: &[&str]| Schedq::new(words).args(["--quiet", "--format", "csv"]).dir("/");
    let main = folder.path().join("main.sq");
    assert_eq!(run(&["run", main.to_str().unwrap()]).run().success().stdout, "count\n2313\n");
    // Without a folder of its own a text sees the current one.
    let eval = Schedq::eval("run 'inner.sq' who=ticker; show waits").args(["--quiet", "--format", "csv"]);
    assert_eq!(eval.dir(folder.path()).run().success().stdout, "count\n2313\n");
}

#[test]
fn parameters_are_the_scripts_own() {
    let folder = folder(&[("inner.sq", INNER)]);
    let run = |text: &str| Schedq::eval(text).args(["--quiet", "--format", "csv"]).dir(folder.path()).run();
    let own = "param who = 'mover'\nrun 'inner.sq'\nshow waits\nsql select $who as who";
    assert_eq!(run(own).success().stdout, "count\n0\n\nwho\nmover\n");
    let given = "param name = 'mover'\nrun 'inner.sq' who=$name\nshow waits";
    assert_eq!(run(given).success().stdout, "count\n3422\n");
    let stderr = run("run 'inner.sq' whom='x'").fails_with(2).stderr;
    assert!(stderr.contains("inner.sq has no parameter \"whom\"") && stderr.contains("did you mean who?"), "{stderr}");
}

#[test]
fn what_is_wrong_inside_says_who_ran_it() {
    let folder = folder(&[("main.sq", "# a\nrun 'inner.sq'\n"), ("inner.sq", "switch by nosuch\n")]);
    let output = Schedq::new(["run", "main.sq"]).dir(folder.path()).run().fails_with(2);
    let stderr = output.stderr;
    assert!(stderr.contains("inner.sq:1:11") && stderr.contains("is run by line 2 of main.sq"), "{stderr}");
}

#[test]
fn a_script_cannot_run_itself() {
    let folder = folder(&[("a.sq", "run 'b.sq'\n"), ("b.sq", "run './a.sq'\n")]);
    let stderr = Schedq::eval("run 'a.sq'").dir(folder.path()).run().fails_with(2).stderr;
    assert!(stderr.contains("a script cannot run itself"), "{stderr}");
    assert!(stderr.contains("a.sq runs ") && stderr.contains("b.sq runs "), "{stderr}");
}

#[test]
fn saved_queries_are_run_by_their_name() {
    let stderr = Schedq::eval("run runqlta").run().fails_with(2).stderr;
    assert!(stderr.contains("did you mean runqlat?"), "{stderr}");
    let explained = Schedq::new(["explain", "run runqlat window=5s"]).run().success().stdout;
    assert!(explained.contains("sched_switch"), "{explained}");
}
