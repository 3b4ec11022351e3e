//! What other programs read.

use insta::assert_snapshot;
use polars::prelude::{DataType, SerReader};
use polars_io::csv::read::CsvReadOptions;
use polars_io::parquet::read::ParquetReader;
use schedq::frame::{Frame, Meta, build};
use schedq::lang::ast::Stat;
use schedq::output::ndjson::Label;
use schedq::output::{csv, json, ndjson, parquet};
use serde_json::Value as Json;

use super::hostile;
use crate::plans::{EPOCH_NS, groups, ints, p, plan, texts, values};

fn frame(stats: &[Stat]) -> Frame {
    let outcome = groups(
        vec![texts("comm", &["nginx", "ticker"]), ints("cpu", &[0, 1])],
        vec![values(&[1_000, 40_000_000, 7]), values(&[300])],
    );
    let host = [("kernel".to_owned(), "6.12.0".to_owned())];
    build(&plan("runq latency count by comm, cpu", &["comm", "cpu"], stats), &outcome, &host).unwrap()
}

fn hostile_frame() -> Frame {
    let names = hostile();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let outcome = groups(vec![texts("comm", &names)], names.iter().map(|_| values(&[1])).collect());
    build(&plan("switch count by comm", &["comm"], &[Stat::Count]), &outcome, &[]).unwrap()
}

fn written(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_json_document() {
    let frame = frame(&[Stat::Count, Stat::Avg, p(99), Stat::Rate, Stat::MaxAt]);
    assert_snapshot!(written(|out| json::write(out, &[&frame])));
}

#[test]
fn json_of_a_histogram_beside_stats_and_of_several_results() {
    let (one, other) = (frame(&[Stat::Max, Stat::Hist]), frame(&[Stat::Hist]));
    let text = written(|out| json::write(out, &[&one, &other]));
    let parsed: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(parsed.as_array().unwrap().len(), 2);
    assert_snapshot!(serde_json::to_string_pretty(&parsed[0]["rows"][1]).unwrap());
    assert_eq!(parsed[1]["rows"].as_array().unwrap().len(), 4);
    let nothing = written(|out| json::write(out, &[]));
    assert_eq!(serde_json::from_str::<Json>(&nothing).unwrap(), Json::Array(Vec::new()));
}

#[test]
fn ndjson_says_of_which_result_a_row_is() {
    let frame = frame(&[Stat::Count, p(50)]);
    let text = written(|out| {
        ndjson::write(out, &frame, Label::Number(1))?;
        ndjson::write(out, &frame, Label::Name("before"))
    });
    assert_snapshot!(text);
}

#[test]
fn csv_is_rows_only() {
    let frame = frame(&[Stat::Count, Stat::Avg, Stat::Rate, Stat::MaxAt]);
    let text = written(|out| {
        csv::write(out, &frame, true)?;
        csv::write(out, &frame, false)
    });
    assert_snapshot!(text);
}

#[test]
fn csv_refuses_lists_before_anything_runs() {
    let asked = |stats: &[Stat]| plan("runq latency", &["cpu"], stats);
    assert!(csv::accepts(&asked(&[Stat::Hist])).is_ok());
    assert!(csv::accepts(&asked(&[Stat::Count, Stat::Max])).is_ok());
    assert_eq!(csv::accepts(&asked(&[Stat::Count, Stat::Hist])).unwrap_err().code, "csv-histogram");
}

#[test]
fn hostile_names_come_back_as_they_were() {
    let frame = hostile_frame();
    let mut expected = hostile();
    expected.sort();

    let document: Json = serde_json::from_str(&written(|out| json::write(out, &[&frame]))).unwrap();
    let names = |rows: &[Json]| rows.iter().map(|r| r["comm"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(document["rows"].as_array().unwrap()), expected);

    let lines = written(|out| ndjson::write(out, &frame, Label::Number(1)));
    let rows: Vec<Json> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(names(&rows), expected);

    let text = written(|out| csv::write(out, &frame, true));
    assert_snapshot!(text);
    let options = CsvReadOptions::default().with_has_header(true);
    let read = options.into_reader_with_file_handle(std::io::Cursor::new(text)).finish().unwrap();
    let column = read.column("comm").unwrap().str().unwrap().clone();
    assert_eq!(column.iter().flatten().collect::<Vec<_>>(), expected);

    let mut file = Vec::new();
    parquet::write(&mut file, &frame).unwrap();
    let read = ParquetReader::new(std::io::Cursor::new(file)).finish().unwrap();
    let column = read.column("comm").unwrap().str().unwrap().clone();
    assert_eq!(column.iter().flatten().collect::<Vec<_>>(), expected);
}

#[test]
fn parquet_keeps_types_lists_and_meta() {
    let frame = frame(&[Stat::Count, Stat::Avg, Stat::MaxAt, Stat::Hist]);
    let mut file = Vec::new();
    parquet::write(&mut file, &frame).unwrap();
    let mut reader = ParquetReader::new(std::io::Cursor::new(&file));
    let metadata = reader.get_metadata().unwrap().clone();
    let pairs = metadata.key_value_metadata().clone().unwrap();
    let meta = pairs.iter().find(|pair| pair.key == parquet::META_KEY).unwrap().value.clone().unwrap();
    let meta: Meta = serde_json::from_str(&meta).unwrap();
    assert_eq!(meta, frame.meta);

    let data = reader.finish().unwrap();
    assert_eq!(data.get_column_names(), frame.data.get_column_names());
    assert_eq!(data.column("latency_hist").unwrap().dtype(), frame.data.column("latency_hist").unwrap().dtype());
    assert!(data.column("latency_hist").unwrap().equals_missing(frame.data.column("latency_hist").unwrap()));
    let at = data.column("latency_max_at").unwrap();
    assert!(matches!(at.dtype(), DataType::Datetime(_, Some(_))), "{}", at.dtype());
    let at = at.cast(&DataType::Int64).unwrap();
    assert_eq!(at.i64().unwrap().get(0), Some(EPOCH_NS + 1_000_000_000));
}

#[test]
fn no_rows_are_valid_in_every_format() {
    let asked = plan("runq latency count by comm", &["comm"], &[Stat::Count, Stat::MaxAt, Stat::Hist]);
    let frame = build(&asked, &groups(Vec::new(), Vec::new()), &[]).unwrap();
    let document: Json = serde_json::from_str(&written(|out| json::write(out, &[&frame]))).unwrap();
    assert_eq!(document["rows"], Json::Array(Vec::new()));
    assert_eq!(document["meta"]["columns"].as_array().unwrap().len(), 4);
    assert_eq!(written(|out| ndjson::write(out, &frame, Label::Number(1))), "");
    let mut file = Vec::new();
    parquet::write(&mut file, &frame).unwrap();
    let data = ParquetReader::new(std::io::Cursor::new(file)).finish().unwrap();
    assert_eq!((data.height(), data.width()), (0, 4));

    let asked = plan("switch count by comm", &["comm"], &[Stat::Count]);
    let frame = build(&asked, &groups(Vec::new(), Vec::new()), &[]).unwrap();
    assert_eq!(written(|out| csv::write(out, &frame, true)), "comm,count\n");
}

/// A reader that has gone away, as `head` does.
struct Closed;

impl std::io::Write for Closed {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_closed_pipe_is_known_as_such_in_every_format() {
    let frame = hostile_frame();
    let results = [
        json::write(&mut Closed, &[&frame]),
        ndjson::write(&mut Closed, &frame, Label::Number(1)),
        csv::write(&mut Closed, &frame, true),
        parquet::write(&mut Closed, &frame),
    ];
    for result in results {
        assert_eq!(result.unwrap_err().kind(), std::io::ErrorKind::BrokenPipe);
    }
}
