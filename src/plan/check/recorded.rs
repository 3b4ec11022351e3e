//! Questions to a recording: its file, and the time that is looked at.

use std::path::Path;

use super::{Error, Params, Scope, bound};
use crate::catalog;
use crate::diagnostic::Span;
use crate::lang::ast::{self, Query, Spanned, Stat, Time, Value};
use crate::lang::format;
use crate::plan::clock::WallTime;
use crate::plan::{Around, AroundTime};

/// The ending of a recording, and of the folder in which its parts lie while it is made.
const ENDING: &str = "parquet";
const PARTS: &str = "partial";
/// What begins the name of a recording that is no file.
const BUILT_IN: char = '@';
/// How deep `worst` may stand in `worst`: each is a question of its own, asked before the one around it.
const MOST_WORST: usize = 8;

impl Scope<'_> {
    /// The file of `from` or `to`.
    pub(super) fn recording(&mut self, word: &'static str, path: &Spanned<Value>) -> Option<String> {
        let name = self.file_name(word, path)?;
        let ending = Path::new(&name).extension().and_then(|ending| ending.to_str());
        let is = |wanted: &str| ending.is_some_and(|ending| ending.eq_ignore_ascii_case(wanted));
        // What a recorder that was killed has left, and what comes with the program, can be asked, and never be written.
        if is(ENDING) || word == "from" && (is(PARTS) || name.starts_with(BUILT_IN)) {
            return Some(name);
        }
        self.refuse(Error::NotARecording { word, path: name, span: path.span })
    }

    /// The answer does not replace what was asked.
    pub(super) fn not_over_the_recording(&mut self, query: &Query, from: Option<&str>, save: Option<&str>) {
        if let (Some(path), true) = (&query.save, from.is_some() && from == save) {
            self.errors.push(Error::SavedOverRecording { span: path.span });
        }
    }

    /// The query's `around`; a query in it is bound.
    pub(super) fn around(&mut self, query: &mut Query, params: &Params, depth: usize) -> Option<Around> {
        let around = query.around.as_mut()?;
        let Some(from) = &query.from else {
            return self.refuse(Error::AroundLive { span: around.span });
        };
        let each_side = self.each_side(&around.node.each_side);
        let time = self.time_of(&mut around.node.time, from, params, depth);
        Some(Around { time: time?, each_side_ns: each_side? })
    }

    fn time_of(
        &mut self,
        time: &mut Spanned<Time>,
        from: &Spanned<Value>,
        params: &Params,
        depth: usize,
    ) -> Option<AroundTime> {
        let span = time.span;
        match &mut time.node {
            Time::Column { frame, column } => {
                Some(AroundTime::Column { frame: frame.node.clone(), column: column.node.clone(), span })
            }
            Time::Worst(query) => self.worst(query, from, params, depth),
            // Without a value: reported when it was looked up.
            Time::Value(Value::Param(_)) => None,
            Time::Value(Value::Int(ns)) => match u64::try_from(*ns) {
                Ok(ns) => Some(AroundTime::Ns(ns)),
                Err(_) => self.refuse(Error::NotAPointInTime { value: Value::Int(*ns), span }),
            },
            Time::Value(Value::Text(text)) => self.clock(text, span),
            Time::Value(value) => self.refuse(Error::NotAPointInTime { value: value.clone(), span }),
        }
    }

    fn clock(&mut self, text: &[u8], span: Span) -> Option<AroundTime> {
        let read = std::str::from_utf8(text).ok().and_then(|text| Some((text.to_string(), WallTime::read(text)?)));
        match read {
            Some((text, time)) => Some(AroundTime::Clock { text, span, time }),
            None => self.refuse(Error::NotAPointInTime { value: Value::Text(text.to_vec()), span }),
        }
    }

    /// `worst(QUERY)`: only which rows it looks at is the query's own.
    fn worst(&mut self, query: &mut Query, from: &Spanned<Value>, params: &Params, depth: usize) -> Option<AroundTime> {
        let ast::Query { stats, by, having, sort, limit, every, duration, save, .. } = &*query;
        let clauses = [
            ("stats", stats.first().map(|stat| stat.span)),
            ("by", by.first().map(|key| key.span)),
            ("having", having.as_ref().map(|having| having.span)),
            ("sort", sort.first().map(|sort| sort.column.span)),
            ("top", limit.as_ref().map(|limit| limit.span)),
            ("every", every.as_ref().map(|every| every.span)),
            ("for", duration.as_ref().map(|duration| duration.span)),
            ("save", save.as_ref().map(|save| save.span)),
        ];
        let mut refused = false;
        if depth >= MOST_WORST {
            self.errors.push(Error::WorstTooDeep { most: MOST_WORST, span: query.span });
            refused = true;
        }
        for (clause, span) in clauses {
            if let Some(span) = span {
                self.errors.push(Error::WorstClause { clause, span });
                refused = true;
            }
        }
        if let Some(family) = catalog::family(&query.family.node).filter(|family| family.measures.is_empty()) {
            self.errors.push(Error::WorstOfNone { family, span: query.family.span });
            refused = true;
        }
        if refused {
            return None;
        }
        let own = query.from.is_some();
        let mut whole = query.clone();
        whole.from.get_or_insert_with(|| from.clone());
        whole.stats = [Stat::Max, Stat::MaxAt].map(|stat| Spanned::new(stat, query.span)).to_vec();
        match bound(&whole, params, self.options, depth + 1) {
            Ok((mut plan, mut asked)) => {
                asked.stats.clear();
                if !own {
                    asked.from = None;
                }
                // As it stands in the brackets, which is how it is spoken of.
                plan.text = format::query(&asked);
                *query = asked;
                Some(AroundTime::Worst(Box::new(plan)))
            }
            Err(errors) => {
                self.errors.extend(errors);
                None
            }
        }
    }
}
