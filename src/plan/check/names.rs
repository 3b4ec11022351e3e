//! Words to columns.

use super::{Error, Scope};
use crate::catalog::{Column, Kind, Unit};
use crate::diagnostic::Span;
use crate::lang::ast::Word;

/// Other names that people bring: `pid` is the process, as in ps and `perf -p`.
pub const ALIASES: &[(&str, &str)] = &[("pid", "tgid")];

/// The column that only has a meaning beside a command.
pub(in crate::plan) const CHILD: &str = "child";

/// The name under which the catalog knows it.
pub fn canonical(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, real)| real)
}

impl Scope<'_> {
    /// The column of that name.
    pub(super) fn column(&mut self, word: &Word) -> Option<&'static Column> {
        match self.family.column(canonical(&word.node)) {
            Some(column) => self.usable(column, word.span),
            None => self.refuse(Error::UnknownColumn { family: self.family, name: word.clone() }),
        }
    }

    fn usable(&mut self, column: &'static Column, span: Span) -> Option<&'static Column> {
        if column.name == CHILD && !self.options.has_command && !self.recorded {
            return self.refuse(Error::NeedsCommand { column, span });
        }
        Some(column)
    }

    /// The column with the name of the task whose number `column` is: `prev_comm` for `prev_tid`.
    pub(super) fn name_column(&self, column: &'static Column) -> Option<&'static str> {
        if column.unit != Unit::Task {
            return None;
        }
        let name = match column.name {
            "tgid" => "process".to_string(),
            other => format!("{}comm", other.strip_suffix("tid").or_else(|| other.strip_suffix("tgid"))?),
        };
        self.family.column(&name).filter(|c| c.kind == Kind::Name).map(|c| c.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    #[test]
    fn an_alias_leads_to_a_column_of_every_family_and_hides_none() {
        for (alias, real) in ALIASES {
            for family in catalog::FAMILIES {
                assert!(family.column(real).is_some(), "{real} in {}", family.name);
                assert!(family.column(alias).is_none(), "{alias} in {}", family.name);
            }
        }
    }
}
