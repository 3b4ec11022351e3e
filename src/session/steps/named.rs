//! Statements on results that have a name, and on scripts that make some.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::super::{Session, asserted, compared, queried, saved, texts};
use super::scope::Scope;
use super::{Step, parts};
use crate::diagnostic::{Diagnostic, Exit};
use crate::frame::Frame;
use crate::lang::ast::{self, Operand, Spanned, Value, Word};
use crate::name;
use crate::nearest::nearest;
use crate::plan::Params;

/// So deep may scripts run scripts.
const MOST_SCRIPTS: usize = 16;

impl Session {
    /// `sql …`: all that is wrong with it is found on frames without rows.
    pub(super) fn sql_step(&self, name: Option<&Word>, sql: &ast::Sql, scope: &mut Scope<'_>, steps: &mut Vec<Step>) {
        let mut made = None;
        match queried::Sql::bind(sql, scope.source, &scope.params) {
            Ok(bound) => {
                let tables: Vec<(String, Frame)> = scope
                    .frames
                    .keys()
                    .map(String::as_str)
                    .chain(super::super::environment::NAMES.iter().copied())
                    .filter(|name| bound.names(name))
                    .filter_map(|name| Some((name.to_owned(), scope.schema(name)?)))
                    .collect();
                let uses = tables.iter().map(|(name, _)| name.clone()).collect();
                let tables: Vec<(&str, &Frame)> = tables.iter().map(|(name, frame)| (name.as_str(), frame)).collect();
                let unknown = |name: &str| scope.frames.get(name).is_some_and(Option::is_none);
                match bound.ask(&tables) {
                    Ok(frame) => made = Some(frame.without_rows()),
                    // It is made by a statement that is wrong itself.
                    Err(problem) if problem.table().is_some_and(unknown) => {}
                    Err(problem) => {
                        let known = scope.frames.keys().map(String::as_str);
                        let problem = bound.diagnostic(&problem, known, &tables, Exit::Wrong);
                        scope.problems.push(problem);
                    }
                }
                steps.push(Step::Sql { name: name.map(|name| name.node.clone()), sql: Box::new(bound), tables: uses });
            }
            Err(problem) => scope.problems.push(*problem),
        }
        if let Some(name) = name {
            scope.brings(name, made);
        }
    }

    pub(super) fn assert_step(&self, assert: &ast::Assert, scope: &mut Scope<'_>, steps: &mut Vec<Step>) {
        let mut frames = Vec::new();
        let mut all_known = true;
        for word in asserted::frames(&assert.claim.node) {
            if !scope.knows(&word.node) {
                scope.unknown_frame(&word.node, word.span);
                all_known = false;
            } else if let Some(frame) = scope.schema(&word.node) {
                frames.push((word.node.clone(), frame));
            } else {
                all_known = false;
            }
        }
        let otherwise = match &assert.otherwise {
            None => None,
            Some(text) => match scope.text(text, "text") {
                Some(bytes) => Some(name::escape(&bytes)),
                None => return,
            },
        };
        let claimed = asserted::Claimed {
            claim: assert.claim.clone(),
            otherwise,
            params: scope.params.clone(),
            source: scope.source.clone(),
        };
        if all_known {
            let frames: Vec<(&str, &Frame)> = frames.iter().map(|(name, frame)| (name.as_str(), frame)).collect();
            if let Err(mut problems) = claimed.resolve(&frames) {
                scope.problems.append(&mut problems);
            }
        }
        steps.push(Step::Assert(Box::new(claimed)));
    }

    pub(super) fn compare_step(&self, comparison: &ast::Comparison, scope: &mut Scope<'_>, steps: &mut Vec<Step>) {
        let mut side = |operand: &Spanned<Operand>| match &operand.node {
            Operand::Frame(name) => {
                let word = Spanned::new(name.clone(), operand.span);
                self.known_frame(&word, scope);
                Some(compared::Side::Frame(name.clone()))
            }
            Operand::File(path) => {
                let path = scope.text(&Spanned::new(path.clone(), operand.span), "file name")?;
                let path = PathBuf::from(OsStr::from_bytes(&path));
                // A statement before may be the one that writes it.
                let looked = match scope.saved.is_empty() {
                    true => compared::readable(&path),
                    false => compared::has_known_ending(&path),
                };
                match looked {
                    Ok(()) => Some(compared::Side::File(path)),
                    Err(problem) => {
                        scope.problems.push(problem.at(scope.source, operand.span, ""));
                        None
                    }
                }
            }
        };
        let (before, after) = (side(&comparison.before), side(&comparison.after));
        let (Some(before), Some(after)) = (before, after) else { return };
        let span = comparison.before.span.to(comparison.after.span);
        let both = compared::Both { before, after, source: scope.source.clone(), span };
        if let (Some(a), Some(b)) = (both.before.schema(scope), both.after.schema(scope))
            && let Err(problem) = both.fit(&a, &b)
        {
            scope.problems.push(problem);
        }
        steps.push(Step::Compare(Box::new(both)));
    }

    /// The statements of another script, in place of the `run`: its results are ours, its parameters are its own.
    pub(super) fn run_step(&self, run: &ast::Run, scope: &mut Scope<'_>, steps: &mut Vec<Step>) {
        let Some(asked) = scope.text(&run.script, "script") else { return };
        let asked = Path::new(OsStr::from_bytes(&asked));
        let (source, place) = match saved::load(asked, scope.source.folder.as_deref()) {
            Ok(found) => found,
            Err(problem) => return scope.problems.push(problem.at(scope.source, run.script.span, "")),
        };
        if scope.running.contains(&place) || scope.running.len() >= MOST_SCRIPTS {
            let chain: Vec<String> = scope.running.iter().chain([&place]).map(|p| shown(p)).collect();
            let title = match scope.running.contains(&place) {
                true => "a script cannot run itself".to_owned(),
                false => format!("scripts run scripts more than {MOST_SCRIPTS} deep"),
            };
            return scope.refuse("run-recursion", run.script.span, title, &chain.join(" runs "));
        }
        let Some(params) = arguments(run, &texts::parameters(&source), &source.name, scope) else { return };
        let mut running = std::mem::take(&mut scope.running);
        running.push(place);
        let mut inner = Scope {
            source: &source,
            params,
            frames: std::mem::take(&mut scope.frames),
            has_command: scope.has_command,
            saved: std::mem::take(&mut scope.saved),
            recorded: std::mem::take(&mut scope.recorded),
            running,
            problems: Vec::new(),
        };
        let mut brought = Vec::new();
        for part in parts(&source) {
            match part {
                Ok(item) => self.step_of(&item.statement, &mut inner, &mut brought),
                Err(mut problems) => inner.problems.append(&mut problems),
            }
        }
        let Scope { frames, saved, recorded, mut running, mut problems, .. } = inner;
        running.pop();
        (scope.frames, scope.saved, scope.recorded, scope.running) = (frames, saved, recorded, running);
        let (line, _) = scope.source.position(run.script.span.start);
        let from = format!("{} is run by line {line} of {}", source.name, scope.source.name);
        problems.iter_mut().for_each(|problem| problem.help.push(from.clone()));
        scope.problems.append(&mut problems);
        // Its parameters are bound already, and are no concern of what follows.
        steps.extend(brought.into_iter().filter(|step| !matches!(step, Step::Param { .. })));
    }
}

/// The values that are given to a script, which must be of parameters that it has.
fn arguments(run: &ast::Run, known: &[String], script: &str, scope: &mut Scope<'_>) -> Option<Params> {
    let mut params = Params::new();
    let before = scope.problems.len();
    for (name, value) in &run.arguments {
        if !known.contains(&name.node) {
            let has = match nearest(&name.node, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean {near}?"),
                None if known.is_empty() => "it has none".to_owned(),
                None => format!("it has {}", known.join(", ")),
            };
            scope.refuse("unknown-parameter", name.span, format!("{script} has no parameter {:?}", name.node), &has);
            continue;
        }
        let value = match &value.node {
            Value::Param(outer) => match scope.params.get(outer) {
                Some(value) => value.clone(),
                None => {
                    scope.refuse(
                        "unknown-param",
                        value.span,
                        format!("there is no parameter ${outer}"),
                        "declare it: param NAME = VALUE",
                    );
                    continue;
                }
            },
            value => value.clone(),
        };
        params.insert(name.node.clone(), value);
    }
    (scope.problems.len() == before).then_some(params)
}

fn shown(path: &Path) -> String {
    name::escape(path.as_os_str().as_encoded_bytes())
}

/// What is asked of a frame that a statement has named but that is not there.
pub(in crate::session) fn no_frame(name: &str) -> Diagnostic {
    Diagnostic::new("no-frame", Exit::Failed, format!("there is no frame {name}: its query gave none"))
}
