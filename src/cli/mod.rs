//! The command line: who asks, where answers go, and with which status the program ends.

pub mod args;
mod closed;
mod complete;
mod look;
mod man;
mod progress;
mod prompted;
mod signals;
pub mod surroundings;
mod target;
mod terminal;
mod texts;

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;

use crate::diagnostic::{Diagnostic, Exit, Source};
use crate::output::file::Format;
use crate::repl;
use crate::session::{Session, Settings, Summary, command, events, saved};
use args::{Args, Verb};
use signals::Listener;
use terminal::Terminal;

/// Runs the program with the arguments of this process.
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if words.get(1).is_some_and(|w| w == command::HOLD) {
        let (code, why) = command::hold_then_run(&words[2..]);
        eprintln!("schedq: the command cannot be run: {why}");
        return ExitCode::from(code);
    }
    let mut args = match Args::read(words) {
        Ok(args) => args,
        Err(error) => {
            // Help and version are no error; anything else is a wrong call, which has the status of a wrong query.
            let lost =
                error.print().is_err_and(|e| e.kind() != io::ErrorKind::BrokenPipe) || closed::stdout_was_closed();
            if matches!(error.kind(), ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument) {
                eprintln!("A question is asked with -e: schedq -e 'QUERY'");
            }
            return ExitCode::from(match (error.use_stderr(), lost) {
                (true, _) => Exit::Wrong.code(),
                (false, true) => Exit::Failed.code(),
                (false, false) => 0,
            });
        }
    };
    // There it is the recording that goes to the file.
    let recording = matches!(args.verb, Some(Verb::Record { .. })).then(|| args.output.take()).flatten();
    let mut terminal = Terminal::new(&args);
    let ended = terminal.ready().map_err(Failure::from).and_then(|()| dispatch(&args, recording, &mut terminal));
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(Failure::Problem(problem)) => {
            terminal.tell(&problem);
            ExitCode::from(problem.exit.code())
        }
        // The reader of our output has what it wanted (`| head -1`).
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => {
            let problem =
                Diagnostic::new("output", Exit::Failed, format!("standard output cannot be written: {error}"));
            terminal.tell(&problem);
            ExitCode::from(problem.exit.code())
        }
    }
}

enum Failure {
    Problem(Box<Diagnostic>),
    Output(io::Error),
}

impl From<Diagnostic> for Failure {
    fn from(problem: Diagnostic) -> Self {
        Failure::Problem(Box::new(problem))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

fn dispatch(args: &Args, recording: Option<PathBuf>, terminal: &mut Terminal) -> Result<u8, Failure> {
    match &args.verb {
        Some(Verb::Run { query, values, command }) => {
            let (source, _) = saved::load(query, None)?;
            let mut session = session(args)?;
            bind(&mut session, &source, values)?;
            once(args, &mut session, &[source], command, terminal)
        }
        Some(Verb::Record { words, command }) => {
            let file = recording.ok_or_else(|| {
                Diagnostic::new("no-file", Exit::Wrong, "a recording needs a file")
                    .help("schedq record -o trace.parquet")
            })?;
            let statement = crate::session::texts::record_statement(words, &file)?;
            let source = saved::source("record".into(), statement.as_bytes())?;
            once(args, &mut session(args)?, &[source], command, terminal)
        }
        Some(Verb::Check { text }) => texts::check(&reader(args), &texts::sources(text)?, terminal),
        Some(Verb::Fmt { text, check, write }) => texts::format(text, *check, *write, terminal),
        Some(Verb::Explain { text }) => texts::explain(args, text, &reader(args), terminal),
        Some(Verb::Env) => once(args, &mut session(args)?, &[Source::new("env", "env")], &[], terminal),
        Some(Verb::List { what }) => texts::list(*what, terminal),
        Some(Verb::Describe { what }) => texts::describe(args, what, terminal),
        Some(Verb::Man) => {
            terminal.print(&man::page()?)?;
            Ok(0)
        }
        Some(Verb::Completions { shell, names }) => {
            terminal.print(&match (shell, names) {
                (Some(shell), _) => complete::script(*shell),
                (None, verb) => complete::names(verb.as_deref().unwrap_or_default()),
            })?;
            Ok(0)
        }
        None if !args.statements.is_empty() => {
            let sources = args.statements.iter().map(statement).collect::<Result<Vec<_>, _>>()?;
            once(args, &mut session(args)?, &sources, &args.command, terminal)
        }
        None if !args.command.is_empty() => {
            Err(Diagnostic::new("no-query", Exit::Wrong, "a command was given, but no query")
                .help("put one before it: schedq -e QUERY -- COMMAND")
                .into())
        }
        None if io::stdin().is_terminal() => {
            let code = repl::run(&mut session_for(args, Listener::Prompt)?, terminal)?;
            terminal.finish()?;
            Ok(code)
        }
        None => {
            let source = saved::source("stdin".into(), &saved::read(io::stdin())?)?;
            terminal.takes(crate::session::texts::results(&source))?;
            let summary = session(args)?.run_each(&source, terminal)?;
            finish(args, summary, terminal)
        }
    }
}

fn session(args: &Args) -> Result<Session, Diagnostic> {
    session_for(args, Listener::Script)
}

fn session_for(args: &Args, who: Listener) -> Result<Session, Diagnostic> {
    let events = signals::listen(who)
        .map_err(|error| Diagnostic::new("signals", Exit::Failed, format!("signals cannot be taken: {error}")))?;
    Ok(Session::new(settings(args), events))
}

/// A session that only reads texts: signals do to it what they do to any program.
fn reader(args: &Args) -> Session {
    Session::new(settings(args), events().1)
}

fn settings(args: &Args) -> Settings {
    Settings {
        map_bytes: args.map_memory.0,
        groups: args.groups,
        csv: args.wants_csv(),
        one_result: args.output.as_deref().and_then(Format::from_path).is_some_and(|f| !f.holds_several()),
    }
}

fn statement(text: &OsString) -> Result<Source, Diagnostic> {
    saved::source("-e".into(), text.as_encoded_bytes())
}

/// `-e` may be repeated: every text is checked before the first one runs.
fn once(
    args: &Args,
    session: &mut Session,
    sources: &[Source],
    command: &[OsString],
    terminal: &mut Terminal,
) -> Result<u8, Failure> {
    let joined;
    let source = match sources {
        [one] => one,
        several => {
            // Blanks before the first word are no continuation of the `-e` before it.
            let texts: Vec<&str> = several.iter().map(|s| s.text.trim_start()).collect();
            joined = Source::new("-e", texts.join("\n"));
            &joined
        }
    };
    let command = (!command.is_empty()).then_some(command);
    terminal.takes(crate::session::texts::results(source))?;
    let summary = session.run(source, command, terminal)?;
    finish(args, summary, terminal)
}

/// Values from the command line, which must be of parameters that the script has.
fn bind(session: &mut Session, source: &Source, values: &[(String, String)]) -> Result<(), Diagnostic> {
    let known = crate::session::texts::parameters(source);
    for (name, value) in values {
        if !known.contains(name) {
            let has = if known.is_empty() { "it has none".to_owned() } else { format!("it has {}", known.join(", ")) };
            let title = format!("{} has no parameter {name:?}", source.name);
            return Err(Diagnostic::new("unknown-parameter", Exit::Wrong, title).help(has));
        }
        session.bind(name, value);
    }
    Ok(())
}

fn finish(args: &Args, summary: Summary, terminal: &mut Terminal) -> Result<u8, Failure> {
    terminal.finish()?;
    if let Some(exit) = summary.problem {
        return Ok(exit.code());
    }
    if args.strict && summary.lost {
        terminal.tell(&Diagnostic::new(
            "loss",
            Exit::Loss,
            "a result lacks something (see the losses), and --strict was given",
        ));
        return Ok(Exit::Loss.code());
    }
    if summary.interrupted_empty {
        return Ok(Exit::Interrupted.code());
    }
    Ok(summary.command.unwrap_or(0))
}
