//! Completions, in the shells themselves.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::has;
use crate::support::{Schedq, require};

/// A folder with `bin/schedq`, a recording's file, and a saved query of one's own whose name a shell must not read.
fn home() -> TempDir {
    let home = tempfile::tempdir().expect("a folder");
    let queries = home.path().join("config/schedq/queries");
    for folder in [home.path().join("bin"), home.path().join("work"), queries.clone()] {
        fs::create_dir_all(folder).expect("a folder");
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_schedq"), home.path().join("bin/schedq")).expect("a link");
    fs::write(home.path().join("work/waits.parquet"), "").expect("a file");
    fs::write(queries.join("mine.sq"), "# What: I ask\nswitch count for 1s\n").expect("a file");
    fs::write(queries.join("runx$(touch oops).sq"), "# Bad\nswitch count for 1s\n").expect("a file");
    home
}

/// What a shell says, with its script in a file whose path is `$1`.
#[track_caller]
fn said(shell: &str, options: &[&str], home: &Path, script: &str) -> String {
    let completions = home.join(format!("schedq.{shell}"));
    fs::write(&completions, Schedq::new(["completions", shell]).run().success().stdout).expect("a file");
    let file = home.join(format!("test.{shell}"));
    fs::write(&file, script).expect("a file");
    let path = format!("{}:{}", home.join("bin").display(), std::env::var("PATH").expect("a path"));
    let ran = Command::new("timeout")
        .args(["60", shell])
        .args(options)
        .args([file.as_os_str(), completions.as_os_str()])
        .current_dir(home.join("work"))
        .env("PATH", path)
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("LC_ALL", "C.UTF-8")
        .env("TERM", "dumb")
        .output()
        .expect("timeout");
    let [out, err] = [ran.stdout, ran.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(ran.status.success(), "{shell}: {:?}\n{out}\n{err}", ran.status);
    assert!(!home.join("work/oops").exists(), "{shell} ran a file's name");
    out
}

#[test]
fn bash_completes() {
    if !require("bash_completes", has("bash"), "bash") {
        return;
    }
    let home = home();
    // What bash does when Tab is pressed: it calls the function that is registered for the word.
    let script = r#"
source "$1"
function=$(complete -p schedq | sed 's/.*-F \([^ ]*\).*/\1/')
compopt() { :; }
try() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    "$function" schedq "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
    printf '%s\n' "${COMPREPLY[*]}"
}
try schedq describe ru
try schedq describe w
try schedq run run
try schedq run m
try schedq list q
try schedq completions f
try schedq --format nd
try schedq --quiet com
try schedq --str
try schedq completions --n
"#;
    let out = said("bash", &["--norc"], home.path(), script);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        lines,
        [
            "runq",
            "waits.parquet",
            "runq-by-cause runqlat runqslower runx$(touch oops)",
            "mine",
            "queries",
            "fish",
            "ndjson",
            "completions",
            "--strict",
            "",
        ]
    );
}

#[test]
fn fish_completes() {
    if !require("fish_completes", has("fish"), "fish (scripts/setup --shells)") {
        return;
    }
    let home = home();
    let script = r#"
source $argv[1]
for line in 'schedq describe ru' 'schedq describe w' 'schedq run m' 'schedq list q' 'schedq completions z' 'schedq --format nd' 'schedq --quiet com' 'schedq --str'
    complete -C $line
end
"#;
    let out = said("fish", &["--no-config"], home.path(), script);
    let lines: Vec<&str> = out.lines().map(|line| line.split('.').next().unwrap_or_default()).collect();
    assert_eq!(
        lines,
        [
            "runq\ta task waited runnable and got a CPU",
            "waits",
            "mine\tWhat: I ask (yours)",
            "queries",
            "zsh",
            "ndjson\tOne object a line, as rows come",
            "completions\tPrint what makes a shell complete: source <(schedq completions bash)",
            "--strict\tFail with status 5 when a result lacks something",
        ]
    );
}

#[test]
fn zsh_completes() {
    if !require("zsh_completes", has("zsh"), "zsh (scripts/setup --shells)") {
        return;
    }
    let home = home();
    let functions = home.path().join("functions");
    fs::create_dir_all(&functions).expect("a folder");
    let completions = Schedq::new(["completions", "zsh"]).run().success().stdout;
    fs::write(functions.join("_schedq"), completions).expect("a file");
    // A second zsh on a terminal of its own, in which Tab is pressed. The `:` that follows shows what was completed, or the list.
    let script = r#"
zmodload zsh/zpty
zpty z zsh -f
wait_for() { zpty -r -m z out "*$1*" || { print -r -- "no $1: $out"; exit 1 } }
zpty -w z "stty columns 200; PS1='%%' ; fpath=($PWD/../functions \$fpath); autoload -U compinit; compinit -u -D; zstyle ':completion:*' verbose yes; zstyle ':completion:*' format 'a %d'; LISTMAX=999; print REA''DY"
wait_for READY
try() {
    zpty -n -w z "$1"$'\t'
    wait_for "$2"
    print -r -- "$2"
    zpty -n -w z $'\C-u'
}
try 'schedq describe ru' 'runq '
try 'schedq describe ' 'switch*-- a task left a CPU'
try 'schedq describe w' 'waits.parquet'
try 'schedq run m' 'mine'
try 'schedq run ' 'mine*-- What: I ask'
try 'schedq list q' 'queries'
try 'schedq completions f' 'fish'
try 'schedq --format nd' 'ndjson'
try 'schedq --quiet com' 'completions'
try 'schedq --str' '--strict'
zpty -d z
"#;
    let out = said("zsh", &["-f"], home.path(), script);
    assert_eq!(out.lines().count(), 10, "{out}");
}

#[test]
fn a_shell_that_is_not_known_is_told() {
    let output = Schedq::new(["completions", "powershell"]).run().fails_with(2);
    assert!(output.stderr.contains("bash, zsh, fish"), "{}", output.stderr);
    let none: [&OsStr; 1] = ["completions".as_ref()];
    assert!(Schedq::new(none).run().fails_with(2).stderr.contains("<SHELL>"));
}
