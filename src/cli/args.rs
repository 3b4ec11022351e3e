//! The arguments, declared once: clap makes help and errors of them.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};

use crate::diagnostic::Exit;
use crate::output::file;
use crate::session::texts;

/// What status 0 says.
pub const FINE: &str = "fine";

/// What the status is when a command was run.
pub const OF_COMMAND: &str = "With a command schedq ends with its own status if that is not 0, else with the command's (127 when it was not found).";

/// Ask the Linux scheduler: one line, the right number, and how far it can be trusted.
#[derive(Debug, Parser)]
#[command(
    name = "schedq",
    version,
    override_usage = "schedq [OPTIONS] -e <STATEMENTS> [-- <COMMAND>...]\n       schedq [OPTIONS] <VERB> ...\n       schedq",
    subcommand_value_name = "VERB",
    subcommand_help_heading = "Verbs"
)]
pub struct Args {
    /// Run these statements; may be repeated
    #[arg(short = 'e', value_name = "STATEMENTS", value_hint = ValueHint::Other)]
    pub statements: Vec<OsString>,

    /// How results are written to standard output [default: table]
    #[arg(long, value_enum, global = true)]
    pub format: Option<Format>,

    /// Write results to a file instead
    #[arg(short = 'o', long = "output", value_name = "FILE", value_hint = ValueHint::FilePath, global = true)]
    pub output: Option<PathBuf>,

    /// Fail with status 5 when a result lacks something
    #[arg(long, global = true)]
    pub strict: bool,

    /// No progress, no notes, no line about losses (with loss it still stands)
    #[arg(long, global = true)]
    pub quiet: bool,

    /// When to use colour
    #[arg(long, value_name = "WHEN", default_value_t = ColorChoice::Auto, global = true)]
    pub color: ColorChoice,

    /// The most memory that one query may take: for its maps in the kernel, and for rows that wait here to be shown
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size, global = true)]
    pub map_memory: Size,

    /// Make room for so many groups in the kernel (default: by the keys)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4_194_304), global = true)]
    pub groups: Option<u64>,

    #[command(subcommand)]
    pub verb: Option<Verb>,

    /// A command to watch: probes are attached before it starts, its end ends the window
    #[arg(last = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Run a saved query: a path, one of your own, or a built-in one (see list queries)
    Run {
        /// The query's name or file
        #[arg(value_name = "NAME|FILE", value_hint = ValueHint::FilePath)]
        query: PathBuf,
        /// Values of its parameters
        #[arg(value_name = "name=value", value_parser = assignment)]
        values: Vec<(String, String)>,
        /// A command to watch
        #[arg(last = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
        command: Vec<OsString>,
    },
    /// Record raw events to a file, to be asked later: record -o FILE, with Ctrl-C or the command's end as its end
    Record {
        /// As in the statement: a set of events [default: sched], `where CONDITION`, `for DURATION`
        #[arg(value_name = "SET|CLAUSE")]
        words: Vec<OsString>,
        /// A command to watch
        #[arg(last = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
        command: Vec<OsString>,
    },
    /// Say whether statements are right, without running them
    Check {
        /// A file or the statements themselves; standard input without
        #[arg(value_name = "FILE|STATEMENTS", value_hint = ValueHint::FilePath)]
        text: Vec<OsString>,
    },
    /// Print statements in canonical form
    Fmt {
        /// A file or the statements themselves; standard input without
        #[arg(value_name = "FILE|STATEMENTS", value_hint = ValueHint::FilePath)]
        text: Vec<OsString>,
        /// Print nothing; status 1 when something is not in canonical form
        #[arg(long)]
        check: bool,
        /// Change the files
        #[arg(long, conflicts_with = "check")]
        write: bool,
    },
    /// Show how a query would run: programs, hooks, what the kernel decides, memory
    Explain {
        /// A file or the query itself; standard input without
        #[arg(value_name = "FILE|QUERY", value_hint = ValueHint::FilePath)]
        text: Vec<OsString>,
    },
    /// List what there is
    List {
        /// What to list
        #[arg(value_enum, default_value_t = Listed::All)]
        what: Listed,
    },
    /// Show the machine: what results can be told apart by, and which families can be asked here
    Env,
    /// Describe a family: its measures, columns, units and where they are read; or a recording: what it holds
    Describe {
        /// A family, or a recording's file
        #[arg(value_name = "FAMILY|FILE", value_hint = ValueHint::FilePath)]
        what: PathBuf,
    },
    /// Print the manual page, for man: schedq man > schedq.1
    Man,
    /// Print what makes a shell complete: source <(schedq completions bash)
    Completions {
        /// For which shell
        #[arg(value_enum, required_unless_present = "names")]
        shell: Option<Shell>,
        /// Print the names that this verb takes, each with what it is: the shells ask for them
        #[arg(long, value_name = "VERB", hide = true, conflicts_with = "shell")]
        names: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people: a table, or a histogram
    Table,
    /// One document at the end, with rows and all that is known about them
    Json,
    /// One object a line, as rows come
    Ndjson,
    /// Rows only, with a header
    Csv,
}

/// A shell that can be told how to complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Listed {
    All,
    Families,
    Queries,
}

impl Args {
    /// Reads the command line; what is wrong, or the help that was asked for, comes back as clap's own error.
    pub fn read(words: Vec<OsString>) -> Result<Args, clap::Error> {
        let mut command = Args::described();
        let args = Args::from_arg_matches(&command.clone().try_get_matches_from(words)?)?;
        if args.verb.is_some() && !(args.statements.is_empty() && args.command.is_empty()) {
            let text = "-e, and a command before it, do not go with a verb such as run or check";
            return Err(command.error(ErrorKind::ArgumentConflict, text));
        }
        Ok(args)
    }

    /// The declarations with what is known elsewhere: questions of every family, and the statuses.
    pub fn described() -> clap::Command {
        let examples: String = texts::examples().map(|query| format!("  schedq -e '{query}'\n")).collect();
        let statuses: String = Exit::ALL.iter().map(|exit| format!("  {:<3} {}\n", exit.code(), exit.doc())).collect();
        let endings: Vec<String> = file::Format::ENDINGS.iter().map(|(ending, _)| format!(".{ending}")).collect();
        let output = format!(
            "Write results to a file instead; its ending says how: {} (record: the recording, .parquet)",
            endings.join(" ")
        );
        Args::command().mut_arg("output", |arg| arg.help(output)).after_help(format!(
            "Examples:\n{examples}  schedq list\n\nExit status:\n  {:<3} {FINE}\n{statuses}{OF_COMMAND}",
            0
        ))
    }

    pub fn wants_csv(&self) -> bool {
        let ending = self.output.as_ref().and_then(|file| file.extension());
        match ending {
            Some(ending) => ending.eq_ignore_ascii_case("csv"),
            None => self.format == Some(Format::Csv),
        }
    }
}

/// Bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

fn size(text: &str) -> Result<Size, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().map_err(|_| "a number with KiB, MiB or GiB is needed".to_owned())?;
    let unit = match text[digits..].trim() {
        "" => return Err("it needs a unit: KiB, MiB or GiB".to_owned()),
        "KiB" | "K" => 1 << 10,
        "MiB" | "M" => 1 << 20,
        "GiB" | "G" => 1 << 30,
        other => return Err(format!("{other:?} is no unit of memory: KiB, MiB or GiB")),
    };
    number.checked_mul(unit).filter(|n| *n > 0).map(Size).ok_or_else(|| "that is no amount of memory".to_owned())
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("{text:?} is not name=value"))?;
    Ok((name.trim_start_matches('$').to_owned(), value.to_owned()))
}
