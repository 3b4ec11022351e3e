//! The parts of the pages that are written from the catalog.

use std::fmt::Write as _;

use schedq::catalog::{
    self, Column, FAMILIES, Family, Kind, LossKind, RECURSION, ROWS_MEMORY, SHARED_LOSSES, event, replay, task,
};
use schedq::cli::args::{self, Args};
use schedq::cli::surroundings::{ENVIRONMENT, FILES};
use schedq::diagnostic::Exit;
use schedq::lang::reference;
use schedq::source::trace::schema;

/// Cells of a row of a table.
fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn columns<'a>(columns: impl Iterator<Item = &'a Column>) -> String {
    let mut out = row(&["column", "holds", "is", "read from"]) + "|---|---|---|---|\n";
    for column in columns {
        let holds = match column.kind {
            Kind::Duration | Kind::Time => format!("{} (ns)", column.kind.noun()),
            Kind::Word(words) => words.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(" "),
            kind => kind.noun().to_owned(),
        };
        let missing = if column.nullable { "; can be missing" } else { "" };
        out += &row(&[&format!("`{}`", column.name), &holds, &format!("{}{missing}", column.doc), column.from]);
    }
    out
}

fn family(family: &Family) -> String {
    let mut out = format!("### {}\n\nOne row: {}.\n\n{}\n\n", family.name, family.doc, family.detail);
    let measures: Vec<String> = family.measures.iter().map(|name| format!("`{name}`")).collect();
    let _ = match measures.as_slice() {
        [] => writeln!(out, "No measure: it counts."),
        [only] => writeln!(out, "Measure: {only}."),
        [first, ..] => writeln!(out, "Measures: {}; {first} when none is named.", measures.join(", ")),
    };
    let shown: Vec<String> = family.short_list.iter().map(|name| format!("`{name}`")).collect();
    let _ = writeln!(out, "`events` shows {}.\n", shown.join(", "));
    let _ = write!(out, "```schedq\n{}\n```\n\n{}\n", family.example, columns(family.own.iter()));
    out
}

/// The families of the language page.
pub fn families() -> String {
    let mut out = format!(
        "### Columns of every family\n\nWhen and where a row ended, and of which task it speaks.\n\n{}\n",
        columns(task::COLUMNS.iter())
    );
    FAMILIES.iter().for_each(|f| out += &family(f));
    out.trim_end().to_owned() + "\n"
}

/// Every way to lose something, with the families that have it.
pub fn all_losses() -> Vec<(&'static LossKind, String)> {
    let mut all: Vec<(&LossKind, String)> =
        SHARED_LOSSES.iter().chain([&ROWS_MEMORY, &RECURSION]).map(|loss| (loss, "every".to_owned())).collect();
    for family in catalog::FAMILIES {
        for loss in family.losses {
            match all.iter_mut().find(|(known, _)| *known == loss) {
                Some((_, families)) => families.push_str(&format!(", {}", family.name)),
                None => all.push((loss, family.name.to_owned())),
            }
        }
    }
    all.extend(replay::LOSSES.iter().map(|loss| (loss, "of a recording".to_owned())));
    all
}

/// The losses of the page about trust.
pub fn losses() -> String {
    let mut out = row(&["cause", "key in `meta`", "family", "a loss", "what happened"]) + "|---|---|---|---|---|\n";
    for (loss, families) in all_losses() {
        let is_loss = if loss.is_loss { "yes" } else { "no" };
        out += &row(&[loss.label, &format!("`{}`", loss.name), &families, is_loss, loss.doc]);
    }
    out
}

/// The events of a recording.
pub fn recorded_events() -> String {
    let mut out = row(&["event", "is"]) + "|---|---|\n";
    for kind in event::Kind::ALL {
        out += &row(&[&format!("`{}`", kind.word()), kind.doc()]);
    }
    out
}

/// The columns of a recording.
pub fn recorded_columns() -> String {
    let mut out = row(&["column", "holds", "of", "is"]) + "|---|---|---|---|\n";
    for column in &schema::COLUMNS {
        out += &row(&[&format!("`{}`", column.name), column.kind.word(), &column.rows.words(), column.doc]);
    }
    out
}

/// The stats of the language page.
pub fn stats() -> String {
    let mut out = row(&["stat", "is", "column"]) + "|---|---|---|\n";
    for stat in reference::STATS {
        let column = if stat.column.is_empty() { String::new() } else { format!("`{}`", stat.column) };
        out += &row(&[&format!("`{}`", stat.usage), stat.doc, &column]);
    }
    out
}

fn help(help: Option<&clap::builder::StyledStr>) -> String {
    help.map(ToString::to_string).unwrap_or_default().replace('<', "\\<")
}

/// What is typed for an argument without a dash.
fn positional(arg: &clap::Arg) -> String {
    let names: Vec<&str> = arg.get_value_names().unwrap_or_default().iter().map(|name| name.as_str()).collect();
    let many = if arg.get_num_args().is_some_and(|range| range.max_values() > 1) { " …" } else { "" };
    let before = if arg.is_last_set() { "-- " } else { "" };
    let shown = format!("{before}{}{many}", names.join(" "));
    if arg.is_required_set() { shown } else { format!("[{shown}]") }
}

/// The verbs of the command line.
pub fn verbs() -> String {
    let mut out = row(&["command", "what it does"]) + "|---|---|\n";
    let mut command = Args::described();
    command.build();
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        let mut typed = format!("schedq {}", verb.get_name());
        let own = verb.get_arguments().filter(|arg| !arg.is_hide_set() && !arg.is_global_set());
        for arg in own.filter(|arg| !["help", "version"].contains(&arg.get_id().as_str())) {
            typed += &match arg.get_long() {
                Some(long) => format!(" [--{long}]"),
                None => format!(" {}", positional(arg)),
            };
        }
        out += &row(&[&format!("`{typed}`"), &help(verb.get_about())]);
    }
    out
}

/// The options of the command line.
pub fn options() -> String {
    let mut out = row(&["option", "what it does"]) + "|---|---|\n";
    for option in Args::described().get_opts() {
        let values: Vec<String> =
            option.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        let names = option.get_value_names().unwrap_or_default();
        let value = match (values.is_empty(), names) {
            (false, _) => format!(" {}", values.join("|")),
            (true, [name, ..]) => format!(" {name}"),
            (true, []) => String::new(),
        };
        let value = if option.get_action().takes_values() { value } else { String::new() };
        let short = option.get_short().map(|short| format!("`-{short}{value}`"));
        let long = option.get_long().map(|long| format!("`--{long}{value}`"));
        let default: Vec<_> = option.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        let default = match option.get_action().takes_values() && !default.is_empty() {
            true => format!(" [default: {}]", default.join(" ")),
            false => String::new(),
        };
        let names: Vec<String> = short.into_iter().chain(long).collect();
        out += &row(&[&names.join(", "), &format!("{}{default}", help(option.get_help()))]);
    }
    out
}

/// The statuses with which the program ends.
pub fn statuses() -> String {
    let mut out = row(&["status", "says"]) + "|---|---|\n" + &row(&["0", args::FINE]);
    for exit in Exit::ALL {
        out += &row(&[&exit.code().to_string(), exit.doc()]);
    }
    format!("{out}\n{}\n", args::OF_COMMAND)
}

/// The variables of the environment, and the files.
pub fn environment() -> String {
    let mut out = row(&["variable", "decides"]) + "|---|---|\n";
    ENVIRONMENT.iter().for_each(|(name, doc)| out += &row(&[&format!("`{name}`"), doc]));
    out += &format!("\n{}|---|---|\n", row(&["file", "is"]));
    FILES.iter().for_each(|(name, doc)| out += &row(&[&format!("`{name}`"), doc]));
    out
}

/// The keys of the prompt.
pub fn keys() -> String {
    let mut out = row(&["key", "does"]) + "|---|---|\n";
    for (key, does) in schedq::repl::keys::KEYS {
        let keys: Vec<String> = key.split(' ').map(|key| format!("`{key}`")).collect();
        out += &row(&[&keys.join(" "), does]);
    }
    out
}
