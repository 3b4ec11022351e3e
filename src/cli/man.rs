//! The manual page: the command line from clap's declarations, the language from those of the language and the catalog.

use std::io;

use clap::{Arg, ArgAction, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use super::args::{self, Args};
use super::surroundings::{ENVIRONMENT, FILES};
use crate::diagnostic::Exit;
use crate::session::manual::{self, Part};

/// When the words of the page were last gone through; raised with a release. Readers complain of a page without a date.
const GONE_THROUGH: &str = "2026-12-01";

/// The page in roff, in ASCII.
pub fn page() -> io::Result<String> {
    let mut command = Args::described().disable_help_subcommand(true).mut_args(with_values);
    command.build();
    let man = Man::new(command.clone()).title("SCHEDQ").date(GONE_THROUGH).manual("User Commands");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    let mut roff = Roff::new();
    verbs(&mut roff, &command);
    for chapter in manual::chapters() {
        roff.control("SH", [chapter.title]);
        let mut headed = true;
        for part in &chapter.parts {
            set(&mut roff, part, headed);
            headed = matches!(part, Part::Heading(_));
        }
    }
    roff.control("SH", ["EXIT STATUS"]);
    term(&mut roff, [bold("0")], args::FINE);
    Exit::ALL.iter().for_each(|exit| term(&mut roff, [bold(exit.code().to_string())], exit.doc()));
    roff.control("PP", []);
    roff.text([roman(args::OF_COMMAND)]);
    for (title, entries) in [("ENVIRONMENT", ENVIRONMENT), ("FILES", FILES)] {
        roff.control("SH", [title]);
        entries.iter().for_each(|(name, doc)| term(&mut roff, [bold(*name)], doc));
    }
    page.extend(roff.to_roff().into_bytes());
    man.render_version_section(&mut page)?;
    Ok(ascii(&String::from_utf8_lossy(&page)))
}

/// Each verb with its own arguments; those that go with every verb stand under the options.
fn verbs(roff: &mut Roff, command: &Command) {
    roff.control("SH", ["VERBS"]);
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let own: Vec<&Arg> = verb.get_arguments().filter(|arg| is_own(arg)).collect();
        let mut line = vec![bold(format!("{} {}", command.get_name(), verb.get_name()))];
        for arg in &own {
            line.push(roman(" "));
            line.extend(usage(arg));
        }
        term(roff, line, &verb.get_about().map(ToString::to_string).unwrap_or_default());
        if !own.is_empty() {
            roff.control("RS", []);
            own.iter().for_each(|arg| term(roff, name(arg), &help(arg)));
            roff.control("RE", []);
        }
    }
}

fn help(arg: &Arg) -> String {
    let values: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    if values.is_empty() { help } else { format!("{help}: {}", values.join(", ")) }
}

/// The words that an option takes stand in its text: in the list that is made of them otherwise, readers find breaks too many.
fn with_values(arg: Arg) -> Arg {
    let values = arg.get_possible_values();
    if values.is_empty() || matches!(arg.get_action(), ArgAction::SetTrue) {
        return arg;
    }
    let words = values.iter().map(|value| match value.get_help() {
        Some(help) => format!("{} ({help})", value.get_name()),
        None => value.get_name().to_owned(),
    });
    let text = format!(
        "{}: {}",
        arg.get_help().map(ToString::to_string).unwrap_or_default(),
        words.collect::<Vec<_>>().join(", ")
    );
    arg.help(text).hide_possible_values(true)
}

fn is_own(arg: &Arg) -> bool {
    !arg.is_hide_set() && !arg.is_global_set() && arg.get_id() != "help"
}

/// The argument as it stands in the line that is typed.
fn usage(arg: &Arg) -> Vec<Inline> {
    let many = if arg.get_num_args().is_some_and(|range| range.max_values() > 1) { " ..." } else { "" };
    let before = if arg.is_last_set() { "-- " } else { "" };
    let (open, close) = if arg.is_required_set() { ("", "") } else { ("[", "]") };
    let mut inlines = vec![roman(format!("{open}{before}"))];
    inlines.extend(name(arg));
    inlines.push(roman(format!("{many}{close}")));
    inlines
}

fn name(arg: &Arg) -> Vec<Inline> {
    match arg.get_long() {
        Some(long) => vec![bold(format!("--{long}"))],
        None => {
            let names = arg.get_value_names().unwrap_or_default();
            vec![italic(names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" "))]
        }
    }
}

/// A part of a chapter; right below a heading no space is needed before it.
fn set(roff: &mut Roff, part: &Part, headed: bool) {
    if !headed && matches!(part, Part::Text(_) | Part::Code(_)) {
        roff.control("PP", []);
    }
    match part {
        Part::Heading(title) => {
            roff.control("SS", [title.as_str()]);
        }
        Part::Text(text) => {
            roff.text([roman(text)]);
        }
        Part::Code(code) => {
            // Lines that are typed are neither filled nor broken.
            roff.control("nf", []);
            roff.control("RS", ["4"]);
            code.lines().for_each(|line| {
                roff.text([roman(line)]);
            });
            roff.control("RE", []);
            roff.control("fi", []);
        }
        Part::Terms(terms) => terms.iter().for_each(|(word, doc)| term(roff, [bold(word)], doc)),
    }
}

fn term(roff: &mut Roff, head: impl Into<Vec<Inline>>, body: &str) {
    roff.control("TP", []);
    roff.text(head);
    roff.text([roman(body)]);
}

/// Readers know what they can show only of what is in ASCII, and print some marks of it as others that cannot be typed back
/// (groff_char(7)).
fn ascii(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    for c in page.chars() {
        match c {
            '…' => out.push_str("..."),
            'µ' => out.push('u'),
            '–' | '—' => out.push_str("\\-"),
            '~' => out.push_str("\\(ti"),
            '^' => out.push_str("\\(ha"),
            '`' => out.push_str("\\(ga"),
            c if c.is_ascii() => out.push(c),
            c => out.push_str(&format!("\\[u{:04X}]", u32::from(c))),
        }
    }
    // `\\` is a backslash only while it is not read once more (in a macro's argument).
    out.replace("\\\\", "\\e")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_stays_what_it_is() {
        let mut roff = Roff::new();
        term(&mut roff, [bold("x ~ '\\xff'")], "… ^ 10µs é");
        let text = ascii(&roff.render());
        let lines: Vec<&str> = text.lines().collect();
        // What stands before it is the crate's own.
        assert_eq!(lines[lines.len() - 3..], [".TP", "\\fBx \\(ti \\*(Aq\\exff\\*(Aq\\fR", "... \\(ha 10us \\[u00E9]"]);
    }

    #[test]
    fn the_page_has_every_verb_option_and_chapter() {
        let page = page().expect("a page");
        assert!(page.is_ascii());
        let command = Args::described();
        for verb in command.get_subcommands() {
            assert!(page.contains(&format!("\\fBschedq {}", verb.get_name())), "{}", verb.get_name());
        }
        for option in command.get_arguments().filter_map(Arg::get_long) {
            assert!(page.contains(&option.replace('-', "\\-")), "{option}");
        }
        for chapter in manual::chapters() {
            assert!(page.contains(chapter.title), "{}", chapter.title);
        }
    }
}
