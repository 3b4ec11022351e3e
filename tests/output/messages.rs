//! How a problem reads.

use insta::assert_snapshot;
use schedq::diagnostic::{Diagnostic, Exit, Source, Span};
use schedq::output::{Style, diagnostic};

use super::{ascii, narrow, style};

fn unknown_column(text: &str, word: &str) -> Diagnostic {
    let source = Source::new("-e", text);
    let start = text.find(word).unwrap();
    Diagnostic::new("unknown-column", Exit::Wrong, format!("runq has no column '{word}'"))
        .at(&source, Span::new(start, start + word.len()), "not a column of runq")
        .help("did you mean 'tgid'?")
        .help("`schedq describe runq` lists them all")
}

#[test]
fn a_place_a_marker_and_what_would_be_right() {
    let problem = unknown_column("runq latency where tigd=123 hist by cpu for 5s", "tigd");
    assert_snapshot!(diagnostic::render(&problem, &style()));
    assert_snapshot!(diagnostic::render(&problem, &ascii()));
    assert_snapshot!(diagnostic::render(&problem, &narrow()));
    assert_snapshot!(diagnostic::render(&problem, &Style { color: true, ..style() }));
}

#[test]
fn a_second_label_and_a_later_line() {
    let text =
        "# before and after\nbefore = runq latency p50 by comm\n    for 10s\nswitch count count by comm for 1s\n";
    let source = Source::new("queries/x.sq", text);
    let first = text.find("count").unwrap();
    let problem = Diagnostic::new("twice", Exit::Wrong, "count is asked twice")
        .at(&source, Span::new(first + 6, first + 11), "here again")
        .at(&source, Span::new(first, first + 5), "first here");
    assert_snapshot!(diagnostic::render(&problem, &style()));
}

#[test]
fn the_end_of_the_text() {
    let text = "runq latency where";
    let source = Source::new("-e", text);
    let problem = Diagnostic::new("expected", Exit::Wrong, "the query ends where a predicate is due")
        .at(&source, Span::new(text.len(), text.len()), "expected a column")
        .help("for example: where tgid = 123");
    assert_snapshot!(diagnostic::render(&problem, &style()));
}

#[test]
fn without_a_place() {
    let problem =
        Diagnostic::new("not-permitted", Exit::NotPossible, "the kernel does not let this user load programs").help(
            "run it as root, or give the binary CAP_BPF and CAP_PERFMON:\nsetcap cap_bpf,cap_perfmon+ep ./schedq",
        );
    assert_snapshot!(diagnostic::render(&problem, &style()));
}

#[test]
fn control_characters_do_nothing() {
    let problem = unknown_column("runq where comm='\x1b[31m\u{202e}x\ty' and tigd=1", "tigd");
    assert_snapshot!(diagnostic::render(&problem, &style()));
}

#[test]
fn a_very_long_line_is_trimmed_around_the_place() {
    let list: Vec<String> = (1000..1400).map(|n| n.to_string()).collect();
    let text = format!("runq latency where tid in ({}) and tigd=1 and cpu in ({})", list.join(", "), list.join(", "));
    let shown = diagnostic::render(&unknown_column(&text, "tigd"), &style());
    assert!(shown.lines().all(|line| line.chars().count() <= 90), "{shown}");
    assert_snapshot!(shown);
}
