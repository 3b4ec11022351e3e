//! Statements, checked: what is to be done, in order. All that can be known to be wrong is found here, before anything
//! runs.

mod meant;
mod named;
mod recordings;
mod scope;
mod verification;

pub(super) use named::no_frame;
pub(super) use recordings::explained_record;
pub(super) use scope::Scope;

use scope::prepared;

use super::{Session, asserted, compared, environment, queried, saved};
use crate::diagnostic::{Diagnostic, Exit, Source};
use crate::host::lists;
use crate::lang;
use crate::lang::ast::{Explained, Item, Query, Spanned, Statement, Value};
use crate::output::file::Prepared;
use crate::output::{STYLES, csv};
use crate::plan::layout::{Machine, layout};
use crate::plan::{Plan, Record, check, explain, messages};

/// One thing to be done.
pub enum Step {
    /// Queries of the running system, and recordings, that share one window.
    Run {
        queries: Vec<Planned>,
        records: Vec<Record>,
    },
    /// A question to a recording: its plan has a `from`.
    Replay(Box<Planned>),
    Explain(String),
    /// A query that is run and measured.
    Analyze(Planned),
    /// A query whose figures are set beside the kernel's.
    Verify(Planned),
    Param {
        name: String,
        value: Value,
    },
    Show {
        frame: String,
        style: Option<String>,
    },
    Save {
        frame: String,
        file: Prepared,
    },
    Sql {
        /// The frame that it names.
        name: Option<String>,
        sql: Box<queried::Sql>,
        tables: Vec<String>,
    },
    Assert(Box<asserted::Claimed>),
    Compare(Box<compared::Both>),
    Environment,
}

impl Step {
    /// The results that it works with.
    pub(super) fn uses(&self) -> Vec<&str> {
        match self {
            Step::Show { frame, .. } | Step::Save { frame, .. } => vec![frame],
            Step::Sql { tables, .. } => tables.iter().map(String::as_str).collect(),
            Step::Assert(claimed) => claimed.uses(),
            Step::Compare(both) => both.uses(),
            Step::Run { .. }
            | Step::Replay(_)
            | Step::Analyze(_)
            | Step::Verify(_)
            | Step::Explain(_)
            | Step::Param { .. }
            | Step::Environment => Vec::new(),
        }
    }
}

/// A query that is ready to run.
pub struct Planned {
    /// The frame that it names.
    pub name: Option<String>,
    pub plan: Plan,
    pub save: Option<Prepared>,
}

/// The statements of a source by themselves, in its order, wrong ones too.
pub fn parts(source: &Source) -> Vec<Result<Item, Vec<Diagnostic>>> {
    let parsed = lang::parse(source);
    let mut parts: Vec<(usize, Result<Item, Vec<Diagnostic>>)> = Vec::new();
    for item in parsed.script.statements {
        parts.push((item.statement.span.start, Ok(item)));
    }
    for error in parsed.errors {
        let problem = error.diagnostic(source);
        parts.push((problem.labels.first().map_or(0, |l| l.span.start), Err(vec![problem])));
    }
    parts.sort_by_key(|p| p.0);
    parts.into_iter().map(|p| p.1).collect()
}

/// A plan in words, as it would run on this machine.
pub(super) fn explained(plan: &Plan) -> String {
    let machine = Machine { cpus: lists::possible_cpus(), task_storage: true };
    explain::explain(plan, &layout(&plan.scan, machine), machine)
}

/// With a command, all queries start before it does: they become one window, and what is done with results
/// and recordings comes after.
pub fn together(steps: Vec<Step>) -> Vec<Step> {
    let (mut all_queries, mut all_records) = (Vec::new(), Vec::new());
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for step in steps {
        match step {
            Step::Run { mut queries, mut records } => {
                all_queries.append(&mut queries);
                all_records.append(&mut records);
            }
            Step::Param { .. } | Step::Explain(_) => before.push(step),
            // Each has the window of its own, in which the command runs.
            Step::Analyze(_) | Step::Verify(_) => after.push(step),
            // The recording may be the one that is made.
            Step::Replay(_)
            | Step::Show { .. }
            | Step::Save { .. }
            | Step::Sql { .. }
            | Step::Assert(_)
            | Step::Compare(_)
            | Step::Environment => after.push(step),
        }
    }
    let has_own_window = |step: &Step| matches!(step, Step::Analyze(_) | Step::Verify(_));
    if !all_queries.is_empty() || !all_records.is_empty() || !after.iter().any(has_own_window) {
        before.push(Step::Run { queries: all_queries, records: all_records });
    }
    before.append(&mut after);
    before
}

/// A command lives once: what is measured by itself has the only window.
pub fn windows_with_command(steps: &[Step]) -> Option<Diagnostic> {
    let own = steps.iter().filter(|step| matches!(step, Step::Analyze(_) | Step::Verify(_))).count();
    let shared = steps.iter().any(|step| matches!(step, Step::Run { .. }));
    (own > 1 || own == 1 && shared).then(|| {
        Diagnostic::new(
            "one-window",
            Exit::Wrong,
            "with a command, `verify` and `explain analyze` have the window for themselves",
        )
        .help("run them one after the other, each with its command")
    })
}

impl Session {
    /// All statements of a source, or all that is wrong with them.
    pub fn check(&self, source: &Source, has_command: bool) -> Result<Vec<Step>, Vec<Diagnostic>> {
        let mut scope = self.scope(source, has_command);
        let mut steps = Vec::new();
        for part in parts(source) {
            match part {
                Ok(item) => self.step_of(&item.statement, &mut scope, &mut steps),
                Err(mut problems) => scope.problems.append(&mut problems),
            }
        }
        scope.problems.extend(self.too_many(&steps));
        if scope.problems.is_empty() { Ok(steps) } else { Err(scope.problems) }
    }

    /// Known before the windows, not when the file is written.
    fn too_many(&self, steps: &[Step]) -> Option<Diagnostic> {
        let shown = |step: &Step| match step {
            Step::Run { queries, .. } => queries.iter().filter(|query| query.name.is_none()).count(),
            Step::Replay(query) => usize::from(query.name.is_none()),
            Step::Verify(_) => 1,
            Step::Show { style: None, .. } | Step::Sql { name: None, .. } | Step::Compare(_) => 1,
            Step::Environment => environment::NAMES.len(),
            _ => 0,
        };
        let results: usize = steps.iter().map(shown).sum();
        let title = format!("the file of -o holds one result, and there are {results}");
        (self.settings.one_result && results > 1).then(|| {
            Diagnostic::new("one-result", Exit::Wrong, title)
                .help("use .json or .ndjson, or end each query with `save 'FILE'`")
        })
    }

    /// One statement.
    pub(super) fn check_item(&self, source: &Source, item: &Item) -> Result<Vec<Step>, Vec<Diagnostic>> {
        let mut scope = self.scope(source, false);
        let mut steps = Vec::new();
        self.step_of(&item.statement, &mut scope, &mut steps);
        if scope.problems.is_empty() { Ok(steps) } else { Err(scope.problems) }
    }

    fn step_of(&self, statement: &Spanned<Statement>, scope: &mut Scope<'_>, steps: &mut Vec<Step>) {
        match &statement.node {
            Statement::Query(query) => {
                if let Some(planned) = self.planned(None, query, None, scope) {
                    steps.push(step_of_query(planned));
                }
            }
            Statement::Assign { name, query } => {
                let planned = self.planned(Some(name.node.clone()), query, None, scope);
                scope.brings(name, planned.as_ref().and_then(|planned| scope::schema(&planned.plan)));
                if let Some(planned) = planned {
                    steps.push(step_of_query(planned));
                }
            }
            Statement::Block { duration, statements, .. } => self.block(duration, statements, scope, steps),
            Statement::Record(record) => {
                if let Some(record) = self.record_of(record, None, scope) {
                    steps.push(Step::Run { queries: Vec::new(), records: vec![record] });
                }
            }
            Statement::Explain(Explained::Query(query)) => {
                if let Some(plan) = self.plan(query, None, scope) {
                    steps.push(Step::Explain(explained(&plan)));
                }
            }
            Statement::Analyze(query) => {
                if let Some(planned) = self.planned(None, query, None, scope) {
                    steps.push(Step::Analyze(planned));
                }
            }
            Statement::Verify(query) => steps.extend(self.verification(query, scope).map(Step::Verify)),
            Statement::Explain(Explained::Record(record)) => {
                if let Some(record) = self.checked_record(record, None, scope) {
                    steps.push(Step::Explain(explained_record(&record)));
                }
            }
            Statement::Param { name, default } => {
                if let Some(value) = default
                    && !scope.params.contains_key(&name.node)
                {
                    scope.params.insert(name.node.clone(), value.node.clone());
                    steps.push(Step::Param { name: name.node.clone(), value: value.node.clone() });
                }
            }
            Statement::Show { frame, style } => {
                self.known_frame(frame, scope);
                if let Some(style) = style
                    && !STYLES.contains(&style.node.as_str())
                {
                    let problem =
                        Diagnostic::new("unknown-style", Exit::Wrong, format!("there is no style {:?}", style.node))
                            .at(scope.source, style.span, "unknown style")
                            .help(format!("one of {}", STYLES.join(", ")));
                    scope.problems.push(problem);
                }
                steps.push(Step::Show { frame: frame.node.clone(), style: style.as_ref().map(|s| s.node.clone()) });
            }
            Statement::Sql { name, sql } => self.sql_step(name.as_ref(), sql, scope, steps),
            Statement::Assert(assert) => self.assert_step(assert, scope, steps),
            Statement::Compare(comparison) => self.compare_step(comparison, scope, steps),
            Statement::Run(run) => self.run_step(run, scope, steps),
            Statement::Env => steps.push(Step::Environment),
            Statement::Save { frame, path } => {
                self.known_frame(frame, scope);
                if let Some(file) = prepared(path, scope) {
                    steps.push(Step::Save { frame: frame.node.clone(), file });
                }
            }
        }
    }

    /// `for D { … }`: its queries start together and end together.
    fn block(&self, duration: &Spanned<Value>, statements: &[Item], scope: &mut Scope<'_>, steps: &mut Vec<Step>) {
        let length = match &duration.node {
            Value::Duration(ns) if *ns > 0 => *ns,
            Value::Param(name) => match scope.params.get(name) {
                Some(Value::Duration(ns)) if *ns > 0 => *ns,
                _ => {
                    return scope.refuse(
                        "block-length",
                        duration.span,
                        format!("${name} is no length of time"),
                        "for example 10s",
                    );
                }
            },
            _ => {
                return scope.refuse(
                    "block-length",
                    duration.span,
                    "a block needs a length of time".into(),
                    "for example 10s",
                );
            }
        };
        let (mut queries, mut records) = (Vec::new(), Vec::new());
        for item in statements {
            let (name, query) = match &item.statement.node {
                Statement::Record(record) => {
                    records.extend(self.record_of(record, Some(length), scope));
                    continue;
                }
                Statement::Query(query) => (None, query),
                Statement::Assign { name, query } => (Some(name), query),
                _ => {
                    let help = "put it before or after the block";
                    scope.refuse(
                        "not-in-block",
                        item.statement.span,
                        "only queries and recordings stand in a block".into(),
                        help,
                    );
                    continue;
                }
            };
            let planned = self.planned(name.map(|name| name.node.clone()), query, Some(length), scope);
            if let Some(name) = name {
                scope.brings(name, planned.as_ref().and_then(|planned| scope::schema(&planned.plan)));
            }
            queries.extend(planned);
        }
        steps.push(Step::Run { queries, records });
    }

    fn planned(
        &self,
        name: Option<String>,
        query: &Query,
        block_ns: Option<u64>,
        scope: &mut Scope<'_>,
    ) -> Option<Planned> {
        let plan = self.plan(query, block_ns, scope)?;
        if self.settings.csv
            && name.is_none()
            && let Err(problem) = csv::accepts(&plan)
        {
            scope.problems.push(problem);
            return None;
        }
        let save = match &query.save {
            Some(path) => Some(prepared(path, scope)?),
            None => None,
        };
        if let Some(file) = &save
            && let Err(problem) = file.accepts(&plan)
        {
            scope.problems.push(problem);
            return None;
        }
        Some(Planned { name, plan, save })
    }

    fn plan(&self, query: &Query, block_ns: Option<u64>, scope: &mut Scope<'_>) -> Option<Plan> {
        let names: Vec<&str> = saved::built_in().map(|q| q.0).collect();
        let options = self.check_options(block_ns, scope.has_command, &names);
        match check(query, &scope.params, &options) {
            Ok(plan) => {
                self.known_times(query, scope);
                Some(plan)
            }
            Err(errors) => {
                let mut problems = messages::diagnostics(&errors, scope.source);
                for problem in &mut problems {
                    self.meant_statement(problem, &query.family.node);
                    meant::meant_clause(problem, query);
                }
                scope.problems.append(&mut problems);
                None
            }
        }
    }
}

fn step_of_query(planned: Planned) -> Step {
    match planned.plan.from {
        Some(_) => Step::Replay(Box::new(planned)),
        None => Step::Run { queries: vec![planned], records: Vec::new() },
    }
}
