use super::*;
use crate::catalog::{EVENT_SETS, FAMILIES};
use crate::host::tasks::Task;
use crate::session::{Session, Settings, events};

/// A machine on which four tasks run.
struct Small;

fn task(tid: u32, tgid: u32, comm: &[u8], process: &[u8]) -> Task {
    Task { tid, tgid, comm: comm.to_vec(), process: process.to_vec() }
}

impl World for Small {
    fn frames(&self) -> Vec<Known> {
        let columns = vec![("comm".to_owned(), false), ("latency_max_at".to_owned(), true)];
        vec![Known { name: "before".into(), about: "3 rows".into(), columns }]
    }

    fn saved(&self) -> Vec<(String, String)> {
        vec![("slow".into(), "what is slow".into())]
    }

    fn parameters(&self, query: &str) -> Vec<String> {
        if query == "slow" { vec!["limit".into(), "pid".into()] } else { Vec::new() }
    }

    fn tasks(&self) -> Vec<Task> {
        vec![
            task(7, 7, b"nginx", b"nginx"),
            task(8, 7, b"nginx", b"nginx"),
            task(19, 19, b"it's \x1b\xff\\", b"it's \x1b\xff\\"),
            task(21, 19, b"node", b"it's \x1b\xff\\"),
        ]
    }

    fn cgroups(&self) -> Vec<String> {
        vec!["/".into(), "/app".into(), "/a\\x20b\\\\c".into()]
    }

    fn cpus(&self) -> Vec<u32> {
        vec![0, 1, 10]
    }

    fn files(&self, begun: &[u8]) -> Vec<Vec<u8>> {
        let all: [&[u8]; 5] = [b"dir/", b"it's.parquet", b"old.parquet.partial/", b"trace.parquet", b"x.txt"];
        all.into_iter().filter(|path| path.starts_with(begun)).map(<[u8]>::to_vec).collect()
    }
}

/// What can be put in, with `F` in the text for a family with a measure and `M` for the measure.
fn inserts(text: &str) -> Vec<String> {
    found(text).candidates.into_iter().map(|c| c.insert).collect()
}

fn found(text: &str) -> Completion {
    complete(&filled(text), &Small)
}

fn filled(text: &str) -> String {
    let family = FAMILIES.iter().find(|family| !family.measures.is_empty()).expect("one with a measure");
    text.replace('F', family.name).replace('M', family.measures[0])
}

#[track_caller]
fn has(text: &str, wanted: &[&str], unwanted: &[&str]) {
    let found = inserts(text);
    for word in wanted {
        assert!(found.iter().any(|f| f == &filled(word)), "{text}: no {word} in {found:?}");
    }
    for word in unwanted {
        assert!(!found.iter().any(|f| f == &filled(word)), "{text}: {word} in {found:?}");
    }
}

#[test]
fn a_statement_begins() {
    has(
        "",
        &["F", "show", "save", "record", "explain", "param", "for", "from", "help", "quit"],
        &["where", "count", "NAME"],
    );
    has("x = ", &["F", "from"], &["show", "help"]);
    has("for 1s { ", &["F", "record"], &["help", "show"]);
    has("F count; ", &["F", "show"], &["where"]);
    has("explain ", &["F", "record", "from"], &["show"]);
    assert_eq!(inserts("expl"), ["explain"]);
    assert_eq!(inserts("EXPL"), ["explain"]);
    assert_eq!(inserts("explain"), [""; 0], "it is there already");
}

#[test]
fn clauses_and_stats_follow_the_family() {
    has("F ", &["M", "count", "p99", "where", "by", "for", "save"], &["around", "to", "from"]);
    has("F M ", &["count", "where"], &["M"]);
    has("F count ", &["by", "where", "for"], &["count", "p99"]);
    has("F count, ", &["p99", "max_at"], &["by"]);
    has("F where cpu = 1 count by comm ", &["top", "sort", "for"], &["where", "by", "p99"]);
    has("F for 5s ", &["count", "by"], &["for"]);
    has("from 'x.parquet' F ", &["around", "count"], &["for"]);
    let only_counts = FAMILIES.iter().find(|family| family.measures.is_empty()).expect("one without");
    has(&format!("{} ", only_counts.name), &["count", "rate"], &["p99", "max", "hist"]);
}

#[test]
fn conditions() {
    has("F where ", &["comm", "M", "tgid", "not"], &["by", "and", "count", "child"]);
    has("from 'x.parquet' F where ", &["child", "comm"], &[]);
    has("F where comm ", &["=", "~", "in", "is"], &["and", "<", "under"]);
    has("F where M ", &["<", "=", "is"], &["~"]);
    has("F where cgroup ", &["under", "~"], &[]);
    has("F where kthread ", &["and", "or", "by", "count"], &["="]);
    has("F where (kthread ", &["and", "or"], &["by"]);
    has("F where comm = 'a' ", &["and", "or", "by", "count", "for"], &["comm"]);
    has("F where comm = 'a' and ", &["tgid", "not"], &["by"]);
    has("F where not ", &["kthread"], &[]);
    has("F where comm is ", &["missing"], &[]);
    has("F where comm is missing ", &["and", "by"], &["="]);
    has("F where M > ", &["1ms", "5s"], &["comm"]);
    has("F where tid in ", &["("], &["7"]);
    has("F where tid in (", &["7", "8", "19"], &[]);
    has("F where tid in (7, ", &["8"], &["comm"]);
    has("F where cpu in ", &["0", "10"], &["("]);
    assert_eq!(inserts("F where cpu in 1"), ["1", "10"]);
    assert_eq!(inserts("F where policy = f"), ["fifo"]);
    assert_eq!(inserts("F where tid in (7"), [""; 0]);
}

#[test]
fn running_names_are_put_in_as_texts() {
    let names = found("F where comm = '");
    let shown: Vec<(&str, &str, &str)> =
        names.candidates.iter().map(|c| (c.insert.as_str(), c.shown.as_str(), c.about.as_str())).collect();
    assert_eq!(
        shown,
        [
            ("'it\\'s \\x1b\\xff\\\\'", "it's \\x1b\\xff\\\\", "tid 19"),
            ("'nginx'", "nginx", "2 threads"),
            ("'node'", "node", "tid 21"),
        ]
    );
    // The quote is replaced too.
    assert_eq!(names.start, filled("F where comm = ").len());
    assert_eq!(inserts("F where comm = 'n"), ["'nginx'", "'node'"]);
    assert_eq!(inserts("F where comm = \"no"), ["'node'"]);
    assert_eq!(inserts("F where comm = no"), ["'node'"]);
    assert_eq!(inserts("F where comm = 'it\\'s \\x"), ["'it\\'s \\x1b\\xff\\\\'"]);
    assert_eq!(inserts("F where comm in ('nginx', 'no"), ["'node'"]);
    assert_eq!(inserts("F where process = '"), ["'it\\'s \\x1b\\xff\\\\'", "'nginx'"]);
    assert_eq!(inserts("F where cgroup under '/a"), ["'/app'", "'/a b\\\\c'"]);
}

#[test]
fn whatever_is_put_in_can_be_asked() {
    let session = Session::new(Settings::default(), events().1);
    for before in ["F where comm = ", "F where process != ", "F where tid = ", "F where cgroup = "] {
        let all = inserts(before);
        assert!(!all.is_empty(), "{before}");
        for insert in all {
            let text = filled(before) + &insert;
            let source = crate::diagnostic::Source::new("test", text.as_str());
            assert!(session.check(&source, true).is_ok(), "{text}");
        }
    }
}

#[test]
fn numbers_of_tasks_have_their_names() {
    let all = found("F where tgid = ").candidates;
    let shown: Vec<(&str, &str)> = all.iter().map(|c| (c.insert.as_str(), c.about.as_str())).collect();
    assert_eq!(shown, [("7", "nginx"), ("19", "it's \\x1b\\xff\\\\")]);
    assert_eq!(inserts("F where pid = "), ["7", "19"]);
    assert_eq!(inserts("F where tid = 1"), ["19"]);
    // By a name too.
    assert_eq!(inserts("F where tid = nod"), ["21"]);
    let thread = found("F where tid = 21").candidates;
    assert_eq!(thread, [], "it is there already");
    let threads = found("F where tid = 2");
    assert_eq!(threads.candidates[0].about, "node, of 19 it's \\x1b\\xff\\\\");
}

#[test]
fn results_are_sorted_and_kept_by_what_they_have() {
    has("F p99, count by cpu sort ", &["p99", "count", "cpu"], &["comm", "max"]);
    has("F p99 by cpu sort p99 ", &["asc", "desc", "top"], &["p99"]);
    has("F p99 by cpu sort p99 desc ", &["top", "for"], &["asc", "sort"]);
    has("F events sort ", &["M", "comm"], &["p99"]);
    has("F p99 by cpu having ", &["p99", "cpu"], &["comm"]);
    has("F p99 having p99 > ", &["1ms"], &[]);
    has("F p99 having p99 > 1ms ", &["and", "sort", "for"], &["p99", "count"]);
    has("F by ", &["cpu", "comm"], &["at", "M", "child"]);
    has("F by cpu, ", &["comm"], &["sort"]);
    has("F events(", &["at", "M", "comm"], &[]);
    has("F uniq(", &["comm"], &[]);
    has("F hist(", &["linear"], &[]);
}

#[test]
fn results_files_and_saved_queries() {
    assert_eq!(inserts("show "), ["before"]);
    assert_eq!(inserts("show before "), ["as"]);
    assert_eq!(inserts("run sl"), ["slow"]);
    assert_eq!(inserts("run 'sl"), ["'slow'"]);
    assert_eq!(inserts("run slow "), ["limit=", "pid="]);
    assert_eq!(inserts("run 'slow' p"), ["pid="]);
    has("show before as ", &["table", "json"], &[]);
    assert_eq!(inserts("save before "), ["to"]);
    assert_eq!(inserts("from 't"), ["'trace.parquet'"]);
    assert_eq!(inserts("from "), ["'dir/", "'it\\'s.parquet'", "'old.parquet.partial'", "'trace.parquet'"]);
    assert_eq!(inserts("from t"), ["'trace.parquet'"]);
    has("F save ", &["'dir/", "'trace.parquet'"], &["'x.txt'"]);
    has("describe ", &["F", "'trace.parquet'"], &[]);
    has("from 'trace.parquet' F around ", &["before.latency_max_at", "worst("], &["before.comm"]);
    has("from 'trace.parquet' F around worst(", &["F"], &["around"]);
    has("from 'trace.parquet' F around worst(F where ", &["comm"], &[]);
    has("from 'trace.parquet' F around '12:00' ", &["1ms"], &["by"]);
    has("from 'trace.parquet' F around '12:00' 1ms ", &["by", "save"], &["around"]);
}

#[test]
fn recordings() {
    let set = EVENT_SETS[0].name;
    assert_eq!(inserts("record "), [set]);
    has(&format!("record {set} "), &["where", "for", "to"], &["by"]);
    has(&format!("record {set} where "), &["comm", "cgroup", "tgid"], &["cpu", "prio"]);
    has(&format!("record {set} where comm = 'a' "), &["and", "for", "to"], &["where"]);
    has(&format!("record {set} to "), &["'trace.parquet'"], &[]);
}

#[test]
fn commands_of_the_prompt() {
    has("help ", &["stats", "keys", "F"], &[]);
    has("list ", &["families", "queries", "frames"], &[]);
    assert_eq!(inserts("help stats "), [""; 0]);
}

#[test]
fn every_candidate_says_what_it_is() {
    for text in ["", "F ", "F where ", "F where comm = '", "F where tid = ", "show ", "help ", "list ", "record "] {
        for candidate in found(text).candidates {
            assert!(!candidate.about.is_empty(), "{text}: {}", candidate.insert);
        }
    }
}

proptest::proptest! {
    /// Whatever stands before the cursor.
    #[test]
    fn never_panics(text in "(\\PC|'|\"|\\\\|\\(|\\)|\\{|\\}|;|,|=| |\n|where|by|runq|count|in|from|around|worst|hist|sort){0,24}") {
        let found = complete(&text, &Small);
        proptest::prop_assert!(text.is_char_boundary(found.start));
    }
}
