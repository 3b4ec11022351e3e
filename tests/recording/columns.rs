//! Events that stay in a page's columns give the answers that events put together give, whatever is recorded and asked.

use proptest::prelude::*;
use schedq::catalog::event::Batch;
use schedq::source::trace::batches::Next;
use schedq::source::trace::meta::Meta;
use schedq::source::trace::read::Recording;
use schedq::source::trace::wanted::Wanted;
use schedq::source::trace::write::{Closing, Options, Writer};
use schedq::source::trace::{Answer, Playback, Recorded};

use super::agree::{START, ops, ranges, recording, tasks};
use super::notation::plan;

const QUESTIONS: &[&str] = &[
    "runq events(at, cpu, tid, comm, latency, cause, prev_tid, prev_comm)",
    "runq events(tid, latency) first 3",
    "runq latency count, max, max_at by tid",
    "runq latency p99 by cpu, cause",
    "runq latency where cpu=1 or comm='b' count by comm",
    "switch events(at, cpu, tid, comm, kind, state, next_tid, next_comm, next_prio)",
    "switch count",
    "switch count by comm",
    "switch count by tid, state",
    "switch where cpu=2 count by kind",
];

/// The answer, and in how many pieces the events were columns and rows.
fn ask(file: &Recording, question: &str, range: Option<(u64, u64)>, in_columns: bool) -> (Answer, [usize; 2]) {
    let mut plan = plan(question);
    plan.scan.range = range;
    let gaps = file.gaps().expect("it can be read");
    let recorded = Recorded { start_ns: START, range, gaps, ..Recorded::default() };
    let mut playback = Playback::new(&plan.scan, &recorded).expect("a family with replay");
    let wanted = Wanted { at: true, ..Wanted::of(&playback.needs()) };
    let wanted = if in_columns { Wanted::of(&playback.needs()) } else { wanted };
    let mut batches = file.batches(&wanted, range.map(|(_, to)| (0, to)));
    let (mut batch, mut pieces) = (Batch::default(), [0; 2]);
    loop {
        let fed = if in_columns {
            match batches.next_columns(&mut batch).expect("it can be read") {
                Next::End => break,
                Next::Columns(columns) => {
                    pieces[0] += 1;
                    playback.feed_columns(columns, &batch)
                }
                Next::Rows => {
                    pieces[1] += 1;
                    playback.feed(&batch)
                }
            }
        } else if batches.advance(&mut batch).expect("it can be read") {
            playback.feed(&batch)
        } else {
            break;
        };
        if fed.is_break() {
            break;
        }
    }
    (playback.finish(), pieces)
}

fn file(batch: &Batch, group_rows: usize) -> (tempfile::TempDir, Recording) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.parquet");
    let options = Options { group_rows, ..Options::default() };
    let mut writer = Writer::with(&path, Meta { start_ns: START, ..Meta::default() }, options).expect("a writer");
    writer.write(batch).expect("it can be written");
    let closing = Closing { end_ns: START + 1000, ended: "elapsed", losses: Vec::new() };
    writer.finish(closing).expect("it can be put together");
    let recording = Recording::open(&path).expect("it can be read");
    (folder, recording)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn columns_answer_as_rows_do(
        ops in ops(),
        known in tasks(),
        range in ranges(),
        question in 0..QUESTIONS.len(),
        group_rows in prop::sample::select(vec![3usize, 20, 1 << 20]),
    ) {
        let question = QUESTIONS[question];
        let (_folder, file) = file(&recording(&ops, &known), group_rows);
        let (columns, pieces) = ask(&file, question, range, true);
        let (rows, _) = ask(&file, question, range, false);
        prop_assert_eq!(columns, rows, "{}", question);
        // Nothing is put together of a recording that is in order.
        if file.meta().in_order() {
            prop_assert_eq!(pieces[1], 0);
        }
    }
}
