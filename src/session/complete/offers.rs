//! Candidates: what is wanted at a place, as far as it begins as what was typed.

use std::collections::BTreeMap;

use super::position::Want;
use super::{Candidate, World};
use crate::catalog::{self, Column, Kind, Unit};
use crate::host::tasks::Task;
use crate::lang::{cursor, format};
use crate::name;

/// Lengths of time that people use.
const DURATIONS: &[(&str, &str)] = &[
    ("100us", "microseconds"),
    ("1ms", "milliseconds"),
    ("10ms", ""),
    ("100ms", ""),
    ("1s", "seconds"),
    ("5s", ""),
    ("10s", ""),
    ("1m", "minutes"),
];

/// `typed` is what stands there already; `in_text` when that is an open quote.
pub(super) fn of(want: &Want, typed: &str, in_text: bool, world: &dyn World) -> Vec<Candidate> {
    match want {
        Want::Values(column) => values(column, typed, in_text, world),
        Want::Files(endings) => files(endings, typed, in_text, world),
        Want::Saved if in_text => {
            texts(world.saved().into_iter().map(|(name, about)| (name.into_bytes(), about)), typed, in_text)
        }
        Want::Saved => exact(world.saved().into_iter(), typed),
        // Nothing else stands in quotes.
        _ if in_text => Vec::new(),
        Want::Words(given) => words(given.iter().map(|(word, about)| (word.as_str(), about.as_str())), typed),
        Want::Parameters(query) => {
            let name =
                if query.starts_with(['\'', '"']) { cursor::closed_text(query) } else { query.clone().into_bytes() };
            let all = world.parameters(&String::from_utf8_lossy(&name));
            exact(all.into_iter().map(|name| (format!("{name}="), "a parameter of it".into())), typed)
        }
        Want::Families => words(catalog::FAMILIES.iter().map(|family| (family.name, family.doc)), typed),
        Want::EventSets => words(catalog::EVENT_SETS.iter().map(|set| (set.name, set.doc)), typed),
        Want::Columns(columns) => words(columns.iter().map(|column| (column.name, column.doc)), typed),
        Want::Durations => words(DURATIONS.iter().copied(), typed),
        Want::Frames => {
            let frames = world.frames();
            exact(frames.iter().map(|frame| (frame.name.clone(), frame.about.clone())), typed)
        }
        Want::FrameColumns { times } => {
            let mut all = Vec::new();
            for frame in world.frames() {
                let columns = frame.columns.iter().filter(|(_, is_time)| *is_time || !times);
                all.extend(columns.map(|(column, _)| (format!("{}.{column}", frame.name), frame.about.clone())));
            }
            exact(all.into_iter(), typed)
        }
    }
}

fn candidate(word: &str, about: &str) -> Candidate {
    Candidate { insert: word.to_owned(), shown: word.to_owned(), about: about.to_owned() }
}

/// Words of the language, which may be typed in any case.
fn words<'a>(given: impl Iterator<Item = (&'a str, &'a str)>, typed: &str) -> Vec<Candidate> {
    let typed = typed.to_lowercase();
    given.filter(|(word, _)| word.starts_with(&typed)).map(|(word, about)| candidate(word, about)).collect()
}

/// Names, whose case counts.
fn exact(given: impl Iterator<Item = (String, String)>, typed: &str) -> Vec<Candidate> {
    given.filter(|(word, _)| word.starts_with(typed)).map(|(word, about)| candidate(&word, &about)).collect()
}

/// Texts, put in with their quotes; what was typed may lack them.
fn texts(given: impl Iterator<Item = (Vec<u8>, String)>, typed: &str, in_text: bool) -> Vec<Candidate> {
    let begun = if in_text { cursor::open_text(typed) } else { typed.as_bytes().to_vec() };
    let begins = |bytes: &Vec<u8>| bytes.starts_with(&begun);
    given
        .filter(|(bytes, _)| begins(bytes))
        .map(|(bytes, about)| Candidate { insert: format::text(&bytes), shown: name::escape(&bytes), about })
        .collect()
}

fn values(column: &'static Column, typed: &str, in_text: bool, world: &dyn World) -> Vec<Candidate> {
    match (column.kind, column.unit) {
        (Kind::Name, _) => texts(names(column, world.tasks()).into_iter(), typed, in_text),
        (Kind::Cgroup, _) => {
            let paths = world.cgroups().into_iter().map(|path| (name::unescape(&path), String::new()));
            texts(paths, typed, in_text)
        }
        _ if in_text => Vec::new(),
        (Kind::Word(given), _) => words(given.iter().map(|(word, _)| (*word, column.name)), typed),
        (Kind::Int, Unit::Task) => numbers(column, world.tasks(), typed),
        (Kind::Int, Unit::Cpu) => {
            let cpus: Vec<String> = world.cpus().iter().map(u32::to_string).collect();
            words(cpus.iter().map(|cpu| (cpu.as_str(), "online")), typed)
        }
        (Kind::Duration, _) => words(DURATIONS.iter().copied(), typed),
        _ => Vec::new(),
    }
}

/// Whether a column speaks of processes and not of threads.
fn of_processes(column: &Column) -> bool {
    matches!(column.name, "tgid" | "process")
}

/// The names that run, each once, with who bears it.
fn names(column: &Column, tasks: Vec<Task>) -> Vec<(Vec<u8>, String)> {
    let processes = of_processes(column);
    let mut found: BTreeMap<Vec<u8>, (u32, usize)> = BTreeMap::new();
    for task in tasks.into_iter().filter(|task| !processes || task.tid == task.tgid) {
        found.entry(task.comm).or_insert((task.tid, 0)).1 += 1;
    }
    let (one, many) = if processes { ("tgid", "processes") } else { ("tid", "threads") };
    let about = |(number, count): (u32, usize)| match count {
        1 => format!("{one} {number}"),
        count => format!("{count} {many}"),
    };
    found.into_iter().map(|(name, bearers)| (name, about(bearers))).collect()
}

/// The numbers that run, with their names; a name that is begun finds them too.
fn numbers(column: &Column, tasks: Vec<Task>, typed: &str) -> Vec<Candidate> {
    let processes = of_processes(column);
    let wanted = |task: &Task| {
        let begins = task.tid.to_string().starts_with(typed) || task.comm.starts_with(typed.as_bytes());
        begins && (!processes || task.tid == task.tgid)
    };
    let about = |task: &Task| {
        let own = name::escape(&task.comm);
        if task.tid == task.tgid { own } else { format!("{own}, of {} {}", task.tgid, name::escape(&task.process)) }
    };
    tasks.iter().filter(|task| wanted(task)).map(|task| candidate(&task.tid.to_string(), &about(task))).collect()
}

/// Files and folders. A folder's quote stays open, so that one can go on into it.
fn files(endings: &[&str], typed: &str, in_text: bool, world: &dyn World) -> Vec<Candidate> {
    let begun = if in_text { cursor::open_text(typed) } else { typed.as_bytes().to_vec() };
    let wanted = |path: &[u8]| {
        let ending = path.iter().rposition(|b| *b == b'.').map(|dot| path[dot + 1..].to_ascii_lowercase());
        ending.is_some_and(|ending| endings.iter().any(|known| known.as_bytes() == ending))
    };
    let mut found = Vec::new();
    for path in world.files(&begun) {
        let is_folder = path.ends_with(b"/");
        // An unfinished recording is a folder, and asked as a whole.
        let (path, whole) = match path.strip_suffix(b"/") {
            Some(folder) if wanted(folder) => (folder.to_vec(), true),
            _ => (path.clone(), !is_folder && wanted(&path)),
        };
        if !whole && !is_folder {
            continue;
        }
        let mut insert = format::text(&path);
        if !whole {
            insert.pop();
        }
        let about = if whole { "" } else { "folder" };
        found.push(Candidate { insert, shown: name::escape(&path), about: about.into() });
    }
    found
}
