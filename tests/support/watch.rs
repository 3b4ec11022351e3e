//! Queries over a known workload: attached while its threads sleep, ended while they sleep again, so that every event of
//! the workload lies inside the window and the numbers can be exact.

use std::time::Duration;

use serde_json::Value;

use super::command::{Output, Running, Schedq};
use super::workload::Truth;
use super::{Workload, counters};

/// One result of a query as JSON: what it says of itself, and its rows.
#[derive(Debug, Clone)]
pub struct Answer {
    pub meta: Value,
    pub rows: Vec<Value>,
}

impl Answer {
    /// The documents of a run with `--format json`.
    #[track_caller]
    pub fn all(output: &Output) -> Vec<Answer> {
        let one = |mut document: Value| {
            let Value::Array(rows) = document["rows"].take() else { panic!("no rows: {document}") };
            Answer { meta: document["meta"].take(), rows }
        };
        match output.json() {
            Value::Array(documents) => documents.into_iter().map(one).collect(),
            document => vec![one(document)],
        }
    }

    /// The only document.
    #[track_caller]
    pub fn one(output: &Output) -> Answer {
        let mut all = Answer::all(output);
        assert_eq!(all.len(), 1, "results");
        all.remove(0)
    }

    /// Sum of a column over the rows that a test takes.
    #[track_caller]
    pub fn sum_where(&self, column: &str, takes: impl Fn(&Value) -> bool) -> u64 {
        self.rows.iter().filter(|row| takes(row)).map(|row| number(row, column)).sum()
    }

    #[track_caller]
    pub fn sum(&self, column: &str) -> u64 {
        self.sum_where(column, |_| true)
    }

    /// The value of `column` in the row whose `key` is `is`; 0 when there is none.
    #[track_caller]
    pub fn of(&self, key: &str, is: impl Into<Value>, column: &str) -> u64 {
        let is = is.into();
        self.sum_where(column, |row| row[key] == is)
    }

    pub fn lost(&self) -> u64 {
        self.meta["lost"].as_u64().expect("a number")
    }

    pub fn loss(&self, cause: &str) -> u64 {
        self.meta["loss"][cause].as_u64().unwrap_or_else(|| panic!("no cause {cause}: {}", self.meta["loss"]))
    }

    pub fn notes(&self) -> String {
        self.meta["notes"].to_string()
    }
}

#[track_caller]
pub fn number(row: &Value, column: &str) -> u64 {
    row[column].as_u64().unwrap_or_else(|| panic!("{column} is no number in {row}"))
}

/// Queries whose window is open.
pub struct Watch {
    running: Running,
}

impl Watch {
    /// Starts them in one window, without an end of its own. Returns when the window is open.
    #[track_caller]
    pub fn open<S: AsRef<str>>(queries: &[S]) -> Watch {
        Watch::open_with(queries, &[])
    }

    #[track_caller]
    pub fn open_with<S: AsRef<str>>(queries: &[S], args: &[&str]) -> Watch {
        let lines: Vec<&str> = queries.iter().map(AsRef::as_ref).collect();
        let text = match lines[..] {
            [one] => format!("{one} for 10m"),
            _ => format!("for 10m {{\n{}\n}}", lines.join("\n")),
        };
        let mut schedq = Schedq::eval(&text).arg("--format").arg("json");
        for arg in args {
            schedq = schedq.arg(arg);
        }
        let mut running = schedq.start();
        opened(&mut running);
        Watch { running }
    }

    /// Ends the window.
    #[track_caller]
    pub fn close(self) -> Vec<Answer> {
        let output = self.running.interrupt();
        assert!([0, 130].contains(&output.code()), "exit status {}: {}", output.code(), output.stderr);
        Answer::all(&output)
    }

    /// Ends the window, with another exit status to come.
    #[track_caller]
    pub fn close_with(self, code: i32) -> Output {
        self.running.interrupt().fails_with(code)
    }

    pub fn pid(&self) -> i32 {
        self.running.pid()
    }
}

/// Waits until a schedq has opened its window: it holds links, and then sleeps only when there is nothing left to do
/// before the window's end.
#[track_caller]
pub fn opened(running: &mut Running) {
    running.attached(1);
    counters::wait_asleep(running.pid());
}

/// Runs queries over a workload's whole phase. `PID` in them is the workload's process.
#[track_caller]
pub fn over(workload: &mut Workload, queries: &[&str]) -> (Truth, Vec<Answer>) {
    let pid = workload.pid().to_string();
    let queries: Vec<String> = queries.iter().map(|q| q.replace("PID", &pid)).collect();
    let watch = Watch::open(&queries);
    let truth = workload.finish();
    // An event of the last falling asleep is on its way for a moment longer.
    std::thread::sleep(Duration::from_millis(5));
    (truth, watch.close())
}

/// Tries a comparison that the machine may spoil up to three times, and fails with what the last one said. What is never
/// allowed is asserted inside, at once.
#[track_caller]
pub fn best_of_three(mut attempt: impl FnMut() -> Result<(), String>) {
    let mut said = Vec::new();
    for _ in 0..3 {
        match attempt() {
            Ok(()) => return,
            Err(why) => said.push(why),
        }
    }
    panic!("three times in a row:\n{}", said.join("\n"));
}
