//! Why the grammar stopped in what belongs to recordings: `from`, `record`, `around`, `worst`.

use super::{Place, is_operator, is_value, needs_column};
use crate::lang::error::{Error, Problem, Recorded};
use crate::lang::number;
use crate::lang::tokens::{Kind, Token};
use crate::lang::words::{CLAUSES, RECORD_CLAUSES, is_stat};

impl Place<'_> {
    /// The query in which the place is, by itself, when it is not what the statement begins with.
    pub(super) fn inner_query(self) -> Option<Self> {
        let (family, end) = match self.open_worst() {
            Some(open) => (open + 1, self.closing(open) - 1),
            None => (self.from()? + 2, self.tokens.len()),
        };
        (self.at >= family).then(|| Place { tokens: &self.tokens[family..end], at: self.at - family, nested: true })
    }

    /// Nothing that can be a family stands where an inner query begins.
    pub(super) fn family_wanted(self) -> Option<Error> {
        if let Some(open) = self.open_worst() {
            let empty = self.at == open + 1 && self.here().is_none_or(|here| here.is(")"));
            return empty.then(|| self.error_over(2, 0, Problem::Recorded(Recorded::WorstArgument)));
        }
        if self.before(1).is_some_and(|before| before.is_word("worst")) && !self.here().is_some_and(|here| here.is("("))
        {
            return Some(self.behind(Recorded::WorstArgument));
        }
        let from = self.from()?;
        match self.here() {
            Some(here) if self.at == from + 1 => {
                let (text, ahead) = self.written_together();
                let starts = !here.is_any_word(CLAUSES);
                starts.then(|| self.error_over(0, ahead, Problem::FileWanted { found: text }))
            }
            found if self.at == from + 2 => {
                let found = found.map(|here| here.text.to_string());
                Some(self.error(Problem::Recorded(Recorded::FamilyWanted { found })))
            }
            _ => None,
        }
    }

    /// Inside `record …`, and `from` and `around` where they stand wrongly.
    pub(super) fn recorded(self) -> Option<Error> {
        let start = self.start_of_query();
        if !self.nested && self.tokens.get(start).is_some_and(|token| token.is_word("record")) {
            return self.in_record(start);
        }
        let here = self.here();
        if here.is_some_and(|here| here.is_word("from")) && self.at > start && !self.argument_is_due() {
            return Some(self.error(Problem::Recorded(Recorded::FromBehind)));
        }
        self.in_around()
    }

    fn in_record(self, record: usize) -> Option<Error> {
        let here = self.here()?;
        if self.at == record {
            return None;
        }
        if self.at == record + 1 || self.before(1).is_some_and(|before| before.is(",")) && !self.in_predicate() {
            if here.is("=") {
                let problem = Problem::Reserved { word: "record".into(), role: "a frame" };
                return Some(Error::new(self.tokens[record].span(), problem));
            }
            return Some(self.error(Problem::Recorded(Recorded::SetWanted { found: here.text.into() })));
        }
        if self.argument_is_due() {
            return None;
        }
        let word = here.lower();
        if is_file(here) {
            return Some(self.error(Problem::Recorded(Recorded::ToWanted { file: here.text.into() })));
        }
        if matches!(word.as_str(), "save" | "into" | "output" | "write" | ">" | "-") {
            let option = here.is("-").then(|| self.after(1)).flatten();
            let found = option.map_or(word, |option| format!("-{}", option.text));
            let ahead = usize::from(option.is_some());
            return Some(self.error_over(0, ahead, Problem::Elsewhere { found, right: "to" }));
        }
        let clause = CLAUSES.contains(&word.as_str()) && !RECORD_CLAUSES.contains(&word.as_str());
        (clause || is_stat(&word)).then(|| self.error(Problem::Recorded(Recorded::NotOfRecord { word })))
    }

    /// Behind `around`: its time, then its duration.
    fn in_around(self) -> Option<Error> {
        let around = (0..self.at).rev().find(|index| self.tokens[*index].is_word("around"))?;
        let time = around + 1;
        let duration = match self.tokens.get(time) {
            Some(token) if token.is_word("worst") => self.closing(time + 1),
            _ => time + 1,
        };
        let here = self.here();
        if self.at == time {
            let here = here?;
            if here.is_any_word(CLAUSES) {
                return None;
            }
            let (found, ahead) = self.written_together();
            let quoted = is_clock(&found).then(|| match found.contains(':') {
                true => format!("'{found}'"),
                false => format!("'{found} 14:03:21'"),
            });
            return Some(self.error_over(0, ahead, Problem::Recorded(Recorded::TimeWanted { found, quoted })));
        }
        if self.at != duration {
            return None;
        }
        let Some(here) = here.filter(|here| !here.is_any_word(CLAUSES)) else {
            let wanted = "a duration behind its time, such as `10ms`";
            let problem = Problem::MissingArgument { word: "around".into(), wanted };
            return Some(Error::new(self.tokens[self.at - 1].span(), problem));
        };
        if here.is(":") && self.tokens[time].kind == Kind::Number {
            let (found, ahead) = Place { at: time, ..self }.written_together();
            let quoted = Some(format!("'{found}'"));
            let problem = Problem::Recorded(Recorded::TimeWanted { found, quoted });
            return Some(Place { at: time, ..self }.error_over(0, ahead, problem));
        }
        Some(number::duration_wanted(self, "around"))
    }

    /// Where the query (or `record`) of the statement begins: behind `explain` and `NAME =`.
    fn start_of_query(self) -> usize {
        // `record` is no name, so what follows it is no assignment.
        let named = self.tokens.get(1).is_some_and(|token| token.is("=")) && !self.tokens[0].is_word("record");
        if named { 2 } else { usize::from(self.tokens[0].is_word("explain")) }
    }

    /// Where the `from` of the query stands.
    fn from(self) -> Option<usize> {
        Some(self.start_of_query()).filter(|at| *at < self.at && self.tokens[*at].is_word("from"))
    }

    /// The bracket of the innermost `worst(` that is open at the place.
    fn open_worst(self) -> Option<usize> {
        let mut open: Vec<usize> = Vec::new();
        for (index, token) in self.tokens[..self.at].iter().enumerate() {
            if token.is("(") {
                open.push(index);
            } else if token.is(")") {
                open.pop();
            }
        }
        open.into_iter()
            .rev()
            .find(|index| index.checked_sub(1).is_some_and(|before| self.tokens[before].is_word("worst")))
    }

    /// The index behind the partner of the bracket at `open`.
    pub(super) fn closing(self, open: usize) -> usize {
        let mut depth = 0;
        for (index, token) in self.tokens.iter().enumerate().skip(open) {
            depth += i32::from(token.is("(")) - i32::from(token.is(")"));
            if depth == 0 {
                return index + 1;
            }
        }
        self.tokens.len() + 1
    }

    /// Whether what stands here is the operand or argument of the token before.
    fn argument_is_due(self) -> bool {
        const WORDS: &[&str] =
            &["to", "for", "in", "is", "under", "by", "sort", "save", "around", "every", "top", "first"];
        self.before(1).is_some_and(|before| {
            is_operator(before) || needs_column(before) || before.is_any_word(WORDS) || before.is("(") || before.is(",")
        })
    }

    /// The tokens from here on that no blank parts, and how many follow the first.
    fn written_together(self) -> (String, usize) {
        let rest = &self.tokens[self.at..];
        let ahead = rest.windows(2).take_while(|pair| pair[0].span().end == pair[1].start).count();
        (rest[..=ahead].iter().map(|token| token.text).collect(), ahead)
    }

    fn behind(self, problem: Recorded) -> Error {
        Error::new(self.before(1).map_or(self.span(), |token| token.span()), Problem::Recorded(problem))
    }
}

fn is_file(token: &Token) -> bool {
    is_value(token) && token.kind != Kind::Number || token.kind == Kind::Word && token.text.contains('.')
}

/// Whether it was meant as a date or a time of day.
fn is_clock(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && text.matches(['-', ':']).count() >= 2
}
