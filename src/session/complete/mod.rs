//! How a text can go on at a cursor: a pure function of the text, the catalog and a [`World`] of what is live.

mod condition;
mod offers;
mod position;
mod query;
mod world;

pub use world::{Here, Known, Quiet, World};

use crate::lang::cursor;
use crate::lang::tokens::Kind;

/// One way to go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What is put in place of what was typed.
    pub insert: String,
    /// How it stands in a list.
    pub shown: String,
    /// What it is, in a few words.
    pub about: String,
}

/// What can stand at the cursor, from byte `start` of the text on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completion {
    pub start: usize,
    pub candidates: Vec<Candidate>,
}

/// More than these nobody reads; the rest comes when more letters are typed.
const MOST: usize = 1000;

/// Everything that can stand where `text` ends and begins as it does.
pub fn complete(text: &str, world: &dyn World) -> Completion {
    let Some(before) = cursor::before_end(text) else { return Completion { start: text.len(), ..Default::default() } };
    let start = before.partial.map_or(text.len(), |partial| partial.start);
    let typed = before.partial.map_or("", |partial| partial.text);
    let in_text = before.partial.is_some_and(|partial| partial.kind == Kind::UnclosedText);
    let wants = position::wants(&before);
    let mut candidates: Vec<Candidate> = Vec::new();
    for want in &wants {
        for offer in offers::of(want, typed, in_text, world) {
            if candidates.len() < MOST && !candidates.iter().any(|known| known.insert == offer.insert) {
                candidates.push(offer);
            }
        }
    }
    // What is there already needs no offer.
    if matches!(candidates.as_slice(), [only] if only.insert == typed) {
        candidates.clear();
    }
    Completion { start, candidates }
}

#[cfg(test)]
mod tests;
