//! A recording described: what it holds, from when to when, what is missing.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::{replay, texts};
use crate::catalog::event::Kind;
use crate::diagnostic::Diagnostic;
use crate::name;
use crate::source::trace::describe;

/// Whether a name is that of a file, and not of a family.
pub fn is_recording(name: &str) -> bool {
    name.contains(['/', '.', '@']) || Path::new(name).exists() && !texts::is_family(name)
}

/// For people.
pub fn text(file: &str) -> Result<String, Diagnostic> {
    let mut lines = describe::describe(&replay::open(file)?).map_err(|e| e.diagnostic())?;
    // As it was named: the one that comes with the program lies somewhere else.
    if let Some((_, value)) = lines.iter_mut().find(|(label, _)| *label == "recording") {
        *value = name::escape(file.as_bytes());
    }
    let width = lines.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (label, value) in lines {
        let _ = writeln!(text, "{label:width$}  {value}");
    }
    Ok(text)
}

/// One JSON object: what the file says of itself, with sums and gaps.
pub fn json(file: &str) -> Result<String, Diagnostic> {
    let recording = replay::open(file)?;
    let meta = recording.meta();
    let gaps = recording.gaps().map_err(|e| e.diagnostic())?;
    let counts: serde_json::Map<String, serde_json::Value> =
        Kind::ALL.into_iter().map(|kind| (kind.word().to_owned(), meta.count(kind).into())).collect();
    let gaps: Vec<_> = gaps
        .iter()
        .map(
            |gap| json!({"from_ns": gap.from, "to_ns": gap.to, "cpu": gap.cpu, "count": gap.count, "cause": gap.cause}),
        )
        .collect();
    let host: serde_json::Map<String, serde_json::Value> =
        meta.host.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    let document = json!({
        "statement": meta.statement,
        "sets": meta.sets,
        "filter": meta.filter,
        "schedq": meta.schedq,
        "clock": meta.clock,
        "start_ns": meta.start_ns,
        "end_ns": meta.end_ns,
        "wall_offset_ns": meta.wall_offset_ns,
        "complete": meta.complete,
        "ended": meta.ended,
        "events": meta.events(),
        "rows": meta.rows(),
        "tasks": meta.tasks(),
        "lost": meta.lost(),
        "loss": meta.losses,
        "counts": counts,
        "gaps": gaps,
        "host": host,
    });
    Ok(document.to_string())
}
