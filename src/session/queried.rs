//! SQL over results: parameters bound, asked, and what is wrong with it told at its place.

use crate::diagnostic::{Diagnostic, Exit, Source, Span};
use crate::frame::Frame;
use crate::frame::sql::{self, SqlError};
use crate::lang::ast::{self, Piece, Spanned, Value};
use crate::lang::format;
use crate::name;
use crate::nearest::nearest;
use crate::plan::Params;

use super::environment;

/// So many CPUs of a list stand in SQL one by one.
const MOST_CPUS: usize = 4096;

/// A statement whose parameters have values.
pub struct Sql {
    /// On one line.
    text: String,
    /// Where each piece begins in the text, and what it is; ascending.
    pieces: Vec<(usize, Spanned<Piece>)>,
    source: Source,
    span: Span,
}

impl Sql {
    pub fn bind(sql: &ast::Sql, source: &Source, params: &Params) -> Result<Sql, Box<Diagnostic>> {
        let mut text = String::new();
        let mut pieces = Vec::new();
        for piece in &sql.pieces {
            if piece.node.apart {
                text.push(' ');
            }
            pieces.push((text.len(), piece.clone()));
            if !piece.node.is_param {
                text.push_str(&piece.node.text);
                continue;
            }
            let refused = |code, title: String, help: &str| {
                Box::new(Diagnostic::new(code, Exit::Wrong, title).at(source, piece.span, "").help(help))
            };
            let name = &piece.node.text;
            let Some(value) = params.get(name) else {
                let known: Vec<&str> = params.keys().map(String::as_str).collect();
                let help = match nearest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean ${near}?"),
                    None => format!("declare it: param {name} = VALUE"),
                };
                return Err(refused("unknown-param", format!("there is no parameter ${name}"), &help));
            };
            match literal(value) {
                Some(literal) => text.push_str(&literal),
                None => {
                    let title = format!("${name} is `{}`, which is no value of SQL", format::value(value));
                    let help = "give it a number, a duration or a text";
                    return Err(refused("sql-parameter", title, help));
                }
            }
        }
        Ok(Sql { text, pieces, source: source.clone(), span: sql.span })
    }

    /// Whether the text holds that name, as a table may stand in it.
    pub fn names(&self, table: &str) -> bool {
        self.pieces.iter().any(|(_, piece)| !piece.node.is_param && unquoted(&piece.node.text) == table)
    }

    pub fn ask(&self, tables: &[(&str, &Frame)]) -> Result<Frame, SqlError> {
        let plain = |piece: &Piece| !piece.is_param;
        let aliases: Vec<&str> = self
            .pieces
            .windows(2)
            .filter(|pair| pair[0].1.node.text.eq_ignore_ascii_case("as") && plain(&pair[1].1.node))
            .map(|pair| unquoted(&pair[1].1.node.text))
            .collect();
        sql::run(&self.text, format!("sql {}", self.text), &aliases, tables)
    }

    /// What is wrong, at its place; `known` are the results that have a name.
    pub fn diagnostic<'k>(
        &self,
        error: &SqlError,
        known: impl Iterator<Item = &'k str>,
        tables: &[(&str, &Frame)],
        exit: Exit,
    ) -> Diagnostic {
        let made =
            |code, title: String, span, label: &str| Diagnostic::new(code, exit, title).at(&self.source, span, label);
        match error {
            SqlError::Syntax { message, place } => {
                let span = place.map_or(self.last(), |(_, column)| self.at(column));
                made("sql-syntax", format!("this is no SQL: {}", first_lower(message)), span, "here")
            }
            SqlError::UnknownTable { name } => {
                let known: Vec<&str> = known.collect();
                let near = nearest(name, known.iter().copied().chain(environment::NAMES.iter().copied()));
                let shown = name::escape(name.as_bytes());
                let made = made("unknown-frame", format!("there is no frame {shown}"), self.word(name), "");
                match (near, known.as_slice()) {
                    (Some(near), _) => made.help(format!("did you mean {near}?")),
                    (None, []) => made.help(format!("name a result first: {shown} = QUERY")),
                    (None, known) => made.help(format!("there are {}", known.join(", "))),
                }
            }
            SqlError::UnknownColumn { name, known } => {
                let bare = name.rsplit('.').next().unwrap_or(name);
                let of_tables = || tables.iter().flat_map(|(_, frame)| &frame.columns);
                let mut there: Vec<&str> = known.iter().map(String::as_str).collect();
                if there.is_empty() {
                    there = of_tables().map(|column| column.name.as_str()).collect();
                }
                let shown = name::escape(name.as_bytes());
                let made = made("unknown-column", format!("there is no column {shown}"), self.word(bare), "");
                // A stat's own word, as it heads a table.
                let meant = of_tables().find(|column| column.label.replace(' ', "_") == bare && column.name != bare);
                match meant.map(|column| column.name.as_str()).or_else(|| nearest(bare, there.iter().copied())) {
                    Some(near) => made.help(format!("did you mean {near}?")),
                    None => made.help(format!("there are {}", there.join(", "))),
                }
            }
            SqlError::NoColumn { name, data_type } => {
                let title = format!("the column {} of the answer would be {data_type}", name::escape(name.as_bytes()));
                made("sql-column", title, self.word(name), "").help("a result has numbers, texts, and yes or no")
            }
            SqlError::Other { message } => {
                // What it speaks of stands in quotes of one kind or another.
                let quoted = message.split(['\'', '`', '"']).skip(1).step_by(2);
                let spans = quoted.map(|word| self.word(word)).filter(|span| *span != self.span);
                let shown = name::escape(message.as_bytes());
                made("sql", format!("this SQL cannot be answered: {shown}"), spans.last().unwrap_or(self.span), "")
            }
        }
    }

    /// The piece in which the character of that number, from 1, stands.
    fn at(&self, column: usize) -> Span {
        let offset = self.text.char_indices().nth(column.saturating_sub(1)).map_or(self.text.len(), |(at, _)| at);
        let within = self.pieces.iter().rev().find(|(start, _)| *start <= offset);
        within.map_or(self.span, |(_, piece)| piece.span)
    }

    fn last(&self) -> Span {
        self.pieces.last().map_or(self.span, |(_, piece)| piece.span)
    }

    /// Where a name stands; all of the text if it does not.
    fn word(&self, name: &str) -> Span {
        let bare = name.rsplit('.').next().unwrap_or(name);
        let found = |exact: bool| {
            self.pieces.iter().find(|(_, piece)| {
                let text = unquoted(&piece.node.text);
                !piece.node.is_param && if exact { text == bare } else { text.eq_ignore_ascii_case(bare) }
            })
        };
        found(true).or_else(|| found(false)).map_or(self.span, |(_, piece)| piece.span)
    }
}

fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.or_else(|| text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'))).unwrap_or(text)
}

fn first_lower(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// A value as SQL has it: durations are nanoseconds, and text stands as in a frame.
fn literal(value: &Value) -> Option<String> {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    Some(match value {
        Value::Int(n) => n.to_string(),
        Value::Duration(ns) => ns.to_string(),
        Value::Decimal(text) | Value::Percent(text) => text.clone(),
        Value::Text(bytes) => quoted(&name::escape(bytes)),
        Value::Word(word) if word == "any" => return None,
        Value::Word(word) => quoted(word),
        Value::Ranges(ranges) => {
            let cpus: Vec<String> =
                ranges.iter().flat_map(|(low, high)| *low..=*high).take(MOST_CPUS + 1).map(|c| c.to_string()).collect();
            if cpus.len() > MOST_CPUS {
                return None;
            }
            format!("({})", cpus.join(", "))
        }
        Value::Param(_) => return None,
    })
}
