//! The canonical form of statements on results.

use super::{Strength, in_list, value};
use crate::lang::ast::{Assert, Claim, Compare, Comparison, FrameColumn, Operand, Run, Side, Spanned, Sql};

/// The text of SQL on one line, its comments left out.
pub fn sql(sql: &Sql) -> String {
    let mut out = String::new();
    for piece in &sql.pieces {
        if piece.node.apart {
            out.push(' ');
        }
        if piece.node.is_param {
            out.push('$');
        }
        out.push_str(&piece.node.text);
    }
    out
}

pub(super) fn assert(assert: &Assert) -> String {
    let otherwise = assert.otherwise.as_ref().map_or_else(String::new, |text| format!(" else {}", value(&text.node)));
    format!("assert {}{otherwise}", claim(&assert.claim.node))
}

pub(super) fn compare(comparison: &Comparison) -> String {
    format!("compare {} {}", operand(&comparison.before.node), operand(&comparison.after.node))
}

fn operand(operand: &Operand) -> String {
    match operand {
        Operand::Frame(name) => name.clone(),
        Operand::File(path) => value(path),
    }
}

pub(super) fn run(run: &Run) -> String {
    let arguments = run.arguments.iter().map(|(name, given)| format!(" {}={}", name.node, value(&given.node)));
    format!("run {}{}", value(&run.script.node), arguments.collect::<String>())
}

/// What is claimed, as behind `assert`.
pub fn claim(claim: &Claim) -> String {
    let mut out = String::new();
    write_claim(&mut out, claim, Strength::Or);
    out
}

fn write_claim(out: &mut String, claim: &Claim, place: Strength) {
    let own = match claim {
        Claim::Or(_) => Strength::Or,
        Claim::And(_) => Strength::And,
        _ => Strength::Term,
    };
    let bracketed = own < place;
    if bracketed {
        out.push('(');
    }
    match claim {
        Claim::Or(parts) => joined(out, parts, " or ", || Strength::And),
        Claim::And(parts) => joined(out, parts, " and ", || Strength::Term),
        Claim::Not(inner) => {
            out.push_str("not ");
            write_claim(out, &inner.node, Strength::Term);
        }
        Claim::Compare { left, op, right } => {
            let right = match &right.node {
                Side::Value(given) => value(given),
                Side::Column(of) => column(of),
            };
            let space = if matches!(op.node, Compare::Equal | Compare::NotEqual) { "" } else { " " };
            out.push_str(&format!("{}{space}{}{space}{right}", column(&left.node), op.node.symbol()));
        }
        Claim::In { left, list } => out.push_str(&format!("{} in {}", column(&left.node), in_list(&list.node))),
        Claim::Flag(of) => out.push_str(&column(&of.node)),
    }
    if bracketed {
        out.push(')');
    }
}

fn joined(out: &mut String, parts: &[Spanned<Claim>], word: &str, place: fn() -> Strength) {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            out.push_str(word);
        }
        write_claim(out, &part.node, place());
    }
}

fn column(of: &FrameColumn) -> String {
    format!("{}.{}", of.frame.node, of.column.node)
}
