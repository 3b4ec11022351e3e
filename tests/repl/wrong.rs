//! A wrong word in each position is answered with the right one.

use super::{family, prompt};
use crate::support::pty::CTRL_D;

#[test]
fn every_wrong_word_is_answered_with_the_right_one() {
    let Some((_state, prompt)) = prompt("repl::wrong::every_wrong_word") else { return };
    let mut pty = prompt.start();
    let measured = schedq::catalog::FAMILIES.iter().find(|f| !f.measures.is_empty()).expect("one with a measure");
    let (name, measure) = (measured.name, measured.measures[0]);
    let family_slip = format!("{}x", &name[..name.len() - 1]);
    let measure_slip = measure.replace('e', "");
    for (wrong, right) in [
        (format!("{family_slip} count"), name.to_owned()),
        (format!("{name} {measure_slip} count"), measure.to_owned()),
        (format!("{name} wher cpu = 1"), "where".into()),
        (format!("{name} where cppu = 1"), "cpu".into()),
        (format!("{name} where policy = fif"), "fifo".into()),
        (format!("{name} coutn"), "count".into()),
        (format!("{name} count by com"), "comm".into()),
        (format!("{name} count by comm haivng count > 1"), "having".into()),
        (format!("{name} count by comm sort cuont"), "count".into()),
        (format!("{name} count by comm srot count"), "sort".into()),
        (format!("{name} count fro 5s"), "for".into()),
        (format!("{name} count for 5sec"), "5s".into()),
        (format!("{name} count save x.parquet"), "'x.parquet'".into()),
        (format!("{name} where comm = nginx"), "'nginx'".into()),
        ("shwo x".into(), "show".into()),
        ("show _ as tabel".into(), "table".into()),
        ("help condtions".into(), "conditions".into()),
        ("list familes".into(), "families".into()),
        (format!("describe {family_slip}"), name.to_owned()),
        ("\\dt".into(), "list families".into()),
        ("hepl".into(), "`help`".into()),
        ("desribe x".into(), "`describe`".into()),
    ] {
        let said = pty.ask(&wrong);
        let answer = said.split_once('\n').map_or("", |(_, answer)| answer);
        assert!(answer.contains(&right), "{wrong}: no {right} in\n{answer}");
    }
    pty.send(CTRL_D);
    assert_eq!(pty.finish().0, 0);
}

#[test]
fn help_and_descriptions() {
    let Some((_state, prompt)) = prompt("repl::wrong::help_and_descriptions") else { return };
    let mut pty = prompt.size(60, 120).start();
    assert!(pty.ask("help").contains("Topics"));
    assert!(pty.ask("help keys").contains("Ctrl-R"));
    assert!(pty.ask("help p99").contains("99 % are at most this"));
    assert!(pty.ask(&format!("describe {}", family())).contains("columns of the task"));
    assert!(pty.ask("describe @sample").contains("switch"));
    assert!(pty.ask("list queries").contains("Saved queries"));
    pty.ask(&format!("mine = from '@sample' {} count by comm", family()));
    let said = pty.ask("describe mine");
    assert!(said.contains("comm ") && said.contains("count"), "{said}");
    assert!(pty.ask("show mine as csv").contains("comm,count"));
    assert!(pty.ask("show _ as json").contains("\"schema_version\""));
}
