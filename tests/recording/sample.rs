//! The recording that comes with schedq: what it was made to show is in it, for everybody and without any right.

use insta::assert_snapshot;

use crate::support::Schedq;
use crate::support::watch::{Answer, number};

#[track_caller]
fn ask(question: &str) -> Answer {
    let answer =
        Answer::one(&Schedq::eval(&format!("from '@sample' {question}")).arg("--format").arg("json").run().success());
    assert!(answer.notes().contains("the recording that comes with schedq"), "{}", answer.notes());
    assert!(answer.notes().contains("nothing about this machine"), "{}", answer.notes());
    answer
}

/// 20 ms in 100 over 5 s: fifty times it is held back for the other 80 ms.
#[test]
fn a_quota() {
    let answer = ask("runq latency where comm = 'limited' count, sum by cause");
    let throttled = answer.rows.iter().find(|row| row["cause"] == "throttle").expect("throttled");
    assert!((48..=51).contains(&number(throttled, "count")), "{throttled}");
    let each = number(throttled, "latency_sum_ns") / number(throttled, "count");
    assert!((77_000_000..83_000_000).contains(&each), "{each} ns");
}

/// The sleeper gets its CPU at once, or waits for the rest of the intruder's 4 ms.
#[test]
fn two_peaks() {
    let answer = ask("runq latency where comm = 'two-peaks' hist");
    let between =
        |lo: u64, hi: u64| answer.sum_where("count", |row| number(row, "lo_ns") >= lo && number(row, "hi_ns") <= hi);
    let (short, middle, long) = (between(0, 131_072), between(131_072, 1_048_576), between(1_048_576, 8_388_608));
    assert!(short > 10 * middle && long > 3 * middle, "{short} short, {middle} between, {long} long");
}

#[test]
fn a_ticker_is_preempted() {
    let answer = ask("switch count by comm, kind");
    let of = |comm: &str, kind: &str| answer.sum_where("count", |row| row["comm"] == comm && row["kind"] == kind);
    assert!(of("ticker", "involuntary") > 50, "{}", of("ticker", "involuntary"));
    // Real-time, it runs until it sleeps, but for the migration thread.
    assert!(of("intruder", "involuntary") <= 2 && of("intruder", "voluntary") > 200);
}

#[test]
fn it_is_described() {
    let output = Schedq::new(["describe", "@sample", "--format", "json"]).run().success();
    let told = output.json();
    assert!(told["counts"]["migrate"].as_u64() >= Some(3000), "{}", told["counts"]);
    assert_eq!((told["lost"].as_u64(), told["complete"].as_bool()), (Some(0), Some(true)));
    let people = Schedq::new(["describe", "@sample"]).run().success();
    assert!(people.stdout.contains("can be asked  runq, switch"), "{}", people.stdout);
}

/// The exact answers, so that a change of the engine that changes one is seen.
#[test]
fn its_answers_stay() {
    let mut said = String::new();
    for question in [
        "runq latency count, sum, min, max, p50, p99 by comm, cause having count > 30",
        "switch count by comm, kind, state having count > 200",
        "runq latency hist by cause",
        "runq latency where comm ~ 'tw*' and latency > 2ms count, avg by prev_comm",
        "runq latency where cpu = 1 max every 1s",
        "runq where cause = throttle and tid > 0 events(comm, cpu, latency, prev_comm) first 3",
        "switch where kthread count by policy, prio sort prio asc",
        "runq latency where latency > 3ms count around worst(runq latency where comm = 'ticker') 200ms",
    ] {
        let output = Schedq::eval(&format!("from '@sample' {question}")).arg("--format").arg("csv").run();
        match output.code() {
            0 => said.push_str(&format!("{question}\n{}\n", output.stdout)),
            code => said.push_str(&format!("{question}\nstatus {code}\n{}\n", output.stderr)),
        }
    }
    assert_snapshot!(said);
}

/// It needs no place that can be written.
#[test]
fn nothing_is_unpacked_to_a_disk() {
    let query = "from '@sample' switch count";
    let output = Schedq::eval(query).env("TMPDIR", "/nowhere").arg("--format").arg("csv").run().success();
    assert_eq!(output.stdout, Schedq::eval(query).arg("--format").arg("csv").run().success().stdout);
}
