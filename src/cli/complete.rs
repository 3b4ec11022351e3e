//! What makes a shell complete: clap's script, and what clap cannot know of a verb's own arguments: names that are found
//! when somebody presses Tab, by asking this program.

use std::fmt::Write as _;

use clap::builder::PossibleValue;
use clap::{Arg, Command};
use clap_complete::{Shell as Kind, generate};

use super::args::{Args, Shell};
use crate::session::texts;

/// Names, each with what it is.
type Names = fn() -> Vec<(String, String)>;

/// Where the names of a verb's first argument come from.
const NAMED: &[(&str, Names)] = &[("describe", texts::named_families), ("run", texts::named_queries)];

/// The names that a verb takes: a line for each, with what it is behind a tab. None for a verb that takes no names.
pub fn names(verb: &str) -> String {
    let known = NAMED.iter().find(|(known, _)| *known == verb);
    let names = known.map(|(_, names)| names()).unwrap_or_default();
    names.into_iter().map(|(name, doc)| format!("{name}\t{doc}\n")).collect()
}

/// The script of a shell.
pub fn script(shell: Shell) -> String {
    let kind = match shell {
        Shell::Bash => Kind::Bash,
        Shell::Zsh => Kind::Zsh,
        Shell::Fish => Kind::Fish,
    };
    // Without the command after `--`: zsh would take the verb for it.
    let whole = Args::described();
    let mut command = Command::new("schedq")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .args(whole.get_arguments().filter(|arg| !arg.is_positional()).cloned())
        .subcommands(whole.get_subcommands().cloned());
    let mut script = Vec::new();
    generate(kind, &mut command, "schedq", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    match shell {
        // What is hidden is not offered either.
        Shell::Bash => script.replace(" --names ", " ") + &bash(),
        Shell::Zsh => zsh(&script),
        Shell::Fish => script + &fish(&command),
    }
}

/// A second function that adds to what the first one found; where nothing is found, bash offers files. Names are compared here
/// and not by `compgen -W`, which would expand what a file's name holds.
fn bash() -> String {
    format!(
        r#"
_schedq_and_names() {{
    _schedq "$@"
    local current="${{COMP_WORDS[COMP_CWORD]}}" verb="${{COMP_WORDS[COMP_CWORD-1]}}" name file
    case "$verb" in
        {verbs}) [[ "$current" == -* ]] && return ;;
        *) return ;;
    esac
    COMPREPLY=()
    while IFS=$'\t' read -r name _; do
        [[ "$name" == "$current"* ]] && COMPREPLY+=("$name")
    done < <("${{COMP_WORDS[0]}}" completions --names "$verb" 2>/dev/null)
    while IFS= read -r file; do
        COMPREPLY+=("$file")
    done < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
}}
complete -F _schedq_and_names -o bashdefault -o default schedq
"#,
        verbs = NAMED.iter().map(|(verb, _)| *verb).collect::<Vec<_>>().join("|")
    )
}

/// clap's script names the kind of each argument after a colon; files are its guess for ours.
fn zsh(script: &str) -> String {
    let mut out = String::new();
    let mut verb = "";
    for line in script.lines() {
        if let Some(opened) = line.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            verb = NAMED.iter().map(|(verb, _)| *verb).find(|known| *known == opened).unwrap_or("");
        }
        match line.strip_suffix(":_files' \\") {
            Some(start) if !verb.is_empty() && start.starts_with("':") => {
                let _ = writeln!(out, "{start}:_schedq_names {verb}' \\");
            }
            _ => out.push_str(&format!("{line}\n")),
        }
    }
    // Before the last lines, which call it when the file is loaded by its name. Options for `compadd` stand before the verb.
    let names = r#"(( $+functions[_schedq_names] )) ||
_schedq_names() {
    local -a names
    names=(${(f)"$(_call_program names ${service:-schedq} completions --names $argv[-1] 2>/dev/null)"})
    names=(${names//:/\\:})
    names=(${names/$'\t'/:})
    local found=1
    _describe -t names name names && found=0
    _files && found=0
    return found
}

"#;
    match out.rfind("if [ \"$funcstack[1]\"") {
        Some(at) => format!("{}{names}{}", &out[..at], &out[at..]),
        None => out + names,
    }
}

/// clap's script for fish knows no arguments without a dash.
fn fish(command: &Command) -> String {
    let mut out = String::from("\n");
    let using = |verb: &str| format!("complete -c schedq -n \"__fish_schedq_using_subcommand {verb}\"");
    for (verb, _) in NAMED {
        let _ = writeln!(
            out,
            "complete -c schedq -n \"__fish_schedq_using_subcommand {verb}; and test (commandline -opc)[-1] = {verb}\" \
             -F -a '(set -l line (commandline -opc); $line[1] completions --names {verb} 2>/dev/null)'"
        );
    }
    // clap's own are for a line that is whole: one that ends at an option whose value is due is not.
    for option in command.get_opts() {
        if let Some(long) = option.get_long() {
            let short = option.get_short().map_or_else(String::new, |short| format!(" -s {short}"));
            for value in option.get_possible_values() {
                let _ = write!(out, "complete -c schedq{short} -l {long} -x -a {}", value.get_name());
                described(&mut out, &value);
            }
        }
    }
    for verb in command.get_subcommands() {
        let values = verb.get_positionals().flat_map(Arg::get_possible_values);
        for value in values.filter(|value| !value.is_hide_set()) {
            let _ = write!(out, "{} -f -a {}", using(verb.get_name()), value.get_name());
            described(&mut out, &value);
        }
    }
    out
}

/// The end of a line of fish: what a value means.
fn described(out: &mut String, value: &PossibleValue) {
    if let Some(help) = value.get_help() {
        let _ = write!(out, " -d '{}'", help.to_string().replace('\'', "\\'"));
    }
    out.push('\n');
}
