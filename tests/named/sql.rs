//! SQL over results.

use serde_json::json;

use super::RESULTS;
use crate::support::command::Schedq;

fn rows(statements: &str) -> serde_json::Value {
    let output = Schedq::eval(&format!("{RESULTS}{statements}")).args(["--quiet", "--format", "json"]).run().success();
    output.json()["rows"].take()
}

fn wrong(statements: &str) -> String {
    Schedq::eval(&format!("{RESULTS}{statements}")).run().fails_with(2).stderr
}

#[test]
fn results_are_tables() {
    let ticker = json!([{"comm": "ticker", "count": 2313}]);
    assert_eq!(rows("sql select comm, count from a where comm = 'ticker'"), ticker);
    assert_eq!(rows("param who = 'ticker'\nsql select comm, count from a\n    where comm = $who -- by name"), ticker);
    let joined = rows("sql select w.count - s.count as more from a w cross join one s where w.comm='ticker'");
    assert_eq!(joined, json!([{"more": 2313 - 2321}]));
    assert_eq!(
        rows("n = sql select count(*) as groups from a\nsql select groups + 1 as more from n"),
        json!([{"more": 27}])
    );
}

#[test]
fn columns_keep_their_units() {
    let text = "m = sql select max(latency_max_ns), sum(latency_max_ns) / 2 as half_ns, avg(count) as mean from a
sql select * from m";
    let output = Schedq::eval(&format!("{RESULTS}{text}")).args(["--format", "json"]).run().success();
    let columns = output.json()["meta"]["columns"].take();
    let unit = |at: usize| (columns[at]["name"].clone(), columns[at]["type"].clone(), columns[at]["unit"].clone());
    assert_eq!(unit(0), (json!("latency_max_ns"), json!("int64"), json!("ns")));
    assert_eq!(unit(1), (json!("half_ns"), json!("int64"), json!("ns")));
    assert_eq!(unit(2), (json!("mean"), json!("float64"), json!(null)));
    let table = Schedq::eval(&format!("{RESULTS}sql select comm, latency_max_ns from a order by 2 desc limit 1"))
        .run()
        .success();
    assert!(table.stdout.contains("limited") && table.stdout.contains("ms\n"), "{}", table.stdout);
    // What the tables lack, the answer lacks.
    assert!(table.stderr.contains("LOSS 29"), "{}", table.stderr);
}

#[test]
fn what_is_wrong_is_told_at_its_place() {
    for (text, line, said) in [
        ("sql select comm p q from a", "3:19", "expected: end of statement, found: q"),
        ("sql select comm,\n  coutn from a", "4:3", "did you mean count?"),
        ("sql select p99 from a", "3:12", "did you mean latency_p99_ns?"),
        ("sql select comm from b", "3:22", "there is no frame b"),
        ("sql select comm from env_cpus", "3:22", "did you mean env_cpu?"),
        ("sql select nosuch(comm) from a", "3:12", "unsupported function"),
        ("sql select array_agg(count) from a", "3:22", "the column count of the answer would be"),
        ("sql select $x from a", "3:12", "there is no parameter $x"),
        ("param x = any\nsql select $x from a", "4:12", "no value of SQL"),
    ] {
        let stderr = wrong(text);
        assert!(stderr.contains(&format!("-e:{line}\n")) && stderr.contains(said), "{text}: {stderr}");
    }
}

#[test]
fn nothing_runs_when_a_later_statement_is_wrong() {
    let output = Schedq::eval("show env_cpu\nsql select nosuch from env_cpu").run().fails_with(2);
    assert_eq!(output.stdout, "");
    assert!(output.stderr.contains("there is no column nosuch"), "{}", output.stderr);
}

#[test]
fn the_environment_is_a_table() {
    let cpus = rows("sql select count(*) as n, sum(case when online then 1 else 0 end) as on_line from env_cpu");
    assert_eq!(cpus[0]["n"].as_u64().unwrap(), u64::from(schedq::host::lists::possible_cpus()));
    assert_eq!(cpus[0]["on_line"].as_u64().unwrap(), schedq::host::lists::online_cpus().unwrap().len() as u64);
    let families = rows("sql select family from env_family order by family");
    let names: Vec<&str> = families.as_array().unwrap().iter().map(|row| row["family"].as_str().unwrap()).collect();
    let mut known: Vec<&str> = schedq::catalog::FAMILIES.iter().map(|family| family.name).collect();
    known.sort_unstable();
    assert_eq!(names, known);
}

#[test]
fn env_shows_all_frames() {
    let all = Schedq::new(["env", "--format", "json"]).run().success().json();
    let of = |at: usize| all[at]["meta"]["query"].as_str().unwrap().to_owned();
    assert_eq!(all.as_array().unwrap().len(), 6);
    assert_eq!(of(0), "show env_host");
    let host: Vec<&str> = all[0]["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert!(host.contains(&"kernel") && host.contains(&"cpus_online"), "{host:?}");
    let text = Schedq::new(["env"]).run().success().stdout;
    assert!(text.contains("env_family\n") && text.contains("see show env_sysctl"), "{text}");
}
