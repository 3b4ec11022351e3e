//! A task may bear any bytes as its name. They act on no terminal, merge with no other name, and can be had back.

use polars_io::SerReader;
use polars_io::parquet::read::ParquetReader;
use schedq::name;

use crate::support::watch::{Answer, opened};
use crate::support::{Output, Schedq, Workload, live_lock, require_bpf};

/// What [`HOSTILE`] spells: quotes, an escape sequence, broken UTF-8, a backslash, a newline.
const BYTES: &[u8] = b"a'\"\x1b[1m\xff\\x41\n,";
const HOSTILE: &str = r"a'\x22\x1b[1m\xff\x5cx41\x0a,";

fn ask(format: &[&str]) -> Output {
    let mut workload = Workload::start_words(&["rename", HOSTILE, "plain"]);
    let query = format!("switch where tgid={} count by comm", workload.pid());
    let mut schedq = Schedq::eval(&query);
    for word in format {
        schedq = schedq.arg(word);
    }
    let mut running = schedq.start();
    opened(&mut running);
    workload.finish();
    running.interrupt().success()
}

#[test]
fn on_standard_output() {
    if !require_bpf("live::names::on_standard_output") {
        return;
    }
    let _alone = live_lock();
    let shown = name::escape(BYTES);
    assert_eq!(name::unescape(&shown), BYTES);
    for format in ["table", "json", "ndjson", "csv"] {
        let output = ask(&["--format", format]);
        let acts = output.stdout.chars().chain(output.stderr.chars()).find(|c| *c != '\n' && name::acts(*c));
        assert_eq!(acts, None, "{format}: {:?}", output.stdout);
        let names: Vec<String> = match format {
            "json" => comms(&Answer::one(&output).rows),
            "ndjson" => {
                comms(&output.stdout.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect::<Vec<_>>())
            }
            "csv" => {
                // One field, in quotes that are doubled inside, as the name holds both quotes and a comma.
                let field = format!("\"{}\"", shown.replace('"', "\"\""));
                let line = output
                    .stdout
                    .lines()
                    .find(|l| l.starts_with(&field))
                    .unwrap_or_else(|| panic!("{}", output.stdout));
                assert!(line[field.len()..].starts_with(','), "{line}");
                continue;
            }
            _ => {
                assert!(output.stdout.lines().any(|l| l.starts_with(&shown)), "{}", output.stdout);
                continue;
            }
        };
        assert!(names.contains(&shown), "{format}: {names:?}");
    }
}

fn comms(rows: &[serde_json::Value]) -> Vec<String> {
    rows.iter().map(|row| row["comm"].as_str().expect("text").to_owned()).collect()
}

#[test]
fn in_a_parquet_file() {
    if !require_bpf("live::names::in_a_parquet_file") {
        return;
    }
    let _alone = live_lock();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("out.parquet");
    ask(&["-o", file.to_str().expect("UTF-8")]);
    let frame = ParquetReader::new(std::fs::File::open(&file).expect("the file")).finish().expect("parquet");
    let column = frame.column("comm").expect("a column").cast(&polars::prelude::DataType::String).expect("text");
    let names: Vec<Vec<u8>> = column.str().expect("text").iter().flatten().map(name::unescape).collect();
    assert!(names.iter().any(|n| n == BYTES), "{names:?}");
}

/// The name as it is shown is also what finds the task again.
#[test]
fn a_shown_name_is_a_literal() {
    if !require_bpf("live::names::a_shown_name_is_a_literal") {
        return;
    }
    let _alone = live_lock();
    let mut workload = Workload::start_words(&["rename", HOSTILE, "plain"]);
    let literal = name::escape(BYTES).replace('"', "\\\"");
    let query = format!("switch where tgid={} and comm = \"{literal}\" count by comm", workload.pid());
    let mut running = Schedq::eval(&query).arg("--format").arg("json").start();
    opened(&mut running);
    workload.finish();
    let answer = Answer::one(&running.interrupt().success());
    assert_eq!(answer.rows.len(), 1, "{:?}", answer.rows);
    assert!(answer.sum("count") >= 20, "{:?}", answer.rows);
}
