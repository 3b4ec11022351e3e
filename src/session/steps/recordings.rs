//! Recordings that are to be made, and what questions to one need of other statements.

use super::super::Session;
use super::Scope;
use crate::host::lists;
use crate::lang::ast::{self, Query, Time};
use crate::plan::layout::{Machine, layout};
use crate::plan::{CheckOptions, Record, check_record, explain, messages};

/// A recording in words, as it would run on this machine.
pub(in crate::session) fn explained_record(record: &Record) -> String {
    let machine = Machine { cpus: lists::possible_cpus(), task_storage: true };
    explain::explain_record(record, &layout(&record.scan, machine), machine)
}

impl Session {
    /// A recording that is to be made.
    pub(super) fn record_of(
        &self,
        record: &ast::Record,
        block_ns: Option<u64>,
        scope: &mut Scope<'_>,
    ) -> Option<Record> {
        let checked = self.checked_record(record, block_ns, scope)?;
        if scope.recorded.contains(&checked.to) {
            let help = "give each recording a file of its own: the second would replace the first";
            scope.refuse("recorded-twice", record.to.span, "this file is recorded to twice".into(), help);
            return None;
        }
        scope.recorded.push(checked.to.clone());
        Some(checked)
    }

    pub(super) fn checked_record(
        &self,
        record: &ast::Record,
        block_ns: Option<u64>,
        scope: &mut Scope<'_>,
    ) -> Option<Record> {
        let options = self.check_options(block_ns, scope.has_command, &[]);
        match check_record(record, &scope.params, &options) {
            Ok(record) => Some(record),
            Err(errors) => {
                scope.problems.append(&mut messages::diagnostics(&errors, scope.source));
                None
            }
        }
    }

    /// The results from which `around` takes its time, also in a query in `worst(…)`.
    pub(super) fn known_times(&self, query: &Query, scope: &mut Scope<'_>) {
        match query.around.as_ref().map(|around| &around.node.time.node) {
            Some(Time::Column { frame, .. }) => self.known_frame(frame, scope),
            Some(Time::Worst(query)) => self.known_times(query, scope),
            Some(Time::Value(_)) | None => {}
        }
    }

    pub(super) fn check_options<'a>(
        &self,
        block_ns: Option<u64>,
        has_command: bool,
        saved: &'a [&'a str],
    ) -> CheckOptions<'a> {
        CheckOptions { map_bytes: self.settings.map_bytes, groups: self.settings.groups, has_command, block_ns, saved }
    }
}
