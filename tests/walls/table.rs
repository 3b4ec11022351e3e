//! Which room may use which, as the architecture page has it, in the form in which a test can read it.

/// One room: the module path it begins with, and what its code may name.
pub struct Room {
    /// Below `crate`; the crate's own root is the empty path.
    pub at: &'static str,
    /// Module paths below `crate`; each stands for all that is inside it. Its own room is always open.
    pub may_use: &'static [&'static str],
}

pub const ROOMS: &[Room] = &[
    Room { at: "", may_use: &[] },
    Room { at: "main", may_use: &["cli"] },
    Room {
        at: "session",
        may_use: &[
            "diagnostic",
            "name",
            "nearest",
            "lang",
            "catalog",
            "plan",
            "source",
            "source::live",
            "source::trace",
            "host",
            "frame",
            "output",
        ],
    },
    Room { at: "diagnostic", may_use: &[] },
    Room { at: "name", may_use: &[] },
    Room { at: "nearest", may_use: &[] },
    Room { at: "lang", may_use: &["diagnostic", "name", "nearest"] },
    Room { at: "catalog", may_use: &[] },
    // Messages and explanations show a part of the query in its canonical form.
    Room { at: "plan", may_use: &["lang::ast", "lang::format", "catalog", "diagnostic", "name", "nearest"] },
    Room { at: "source", may_use: &["plan", "catalog", "host", "name", "source::live", "source::trace"] },
    // What libbpf refused is told as a diagnostic.
    Room { at: "source::live", may_use: &["source", "plan", "catalog", "host", "diagnostic", "name"] },
    Room { at: "source::trace", may_use: &["source", "plan", "catalog", "diagnostic", "name"] },
    Room { at: "host", may_use: &["name"] },
    // A stat is the same thing from the text to the column's name.
    Room { at: "frame", may_use: &["lang::ast::Stat", "source", "plan", "catalog", "name"] },
    Room { at: "output", may_use: &["lang::ast::Stat", "frame", "source", "plan", "catalog", "diagnostic", "name"] },
    Room { at: "cli", may_use: &["session", "output", "repl", "diagnostic", "name"] },
    Room { at: "repl", may_use: &["session", "output", "diagnostic", "name"] },
];

/// Crates that only these rooms may name.
pub const KEPT_CRATES: &[(&str, &[&str])] = &[
    ("pest", &["lang"]),
    ("pest_derive", &["lang"]),
    ("polars", &["frame", "output", "source::trace"]),
    ("polars_io", &["frame", "output", "source::trace"]),
    ("polars_parquet", &["source::trace"]),
    ("polars_arrow", &["output", "source::trace"]),
    ("polars_buffer", &["source::trace"]),
    ("libbpf_rs", &["source::live"]),
    ("libbpf_sys", &["source::live"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("rustyline", &["repl"]),
    ("annotate_snippets", &["output"]),
    // Named in Cargo.toml only to hold its features.
    ("libc", &[]),
];

/// Macros that print, and the rooms that may.
pub const PRINTING: &[&str] = &["print", "println", "eprint", "eprintln"];
pub const MAY_PRINT: &[&str] = &["cli", "repl", "main"];

/// The room that holds a module: the one with the longest path.
pub fn room_of(module: &str) -> Option<&'static Room> {
    ROOMS.iter().filter(|room| holds(room.at, module)).max_by_key(|room| room.at.len())
}

/// Whether `module` is `path` or inside it. Only the root itself is in the root.
pub fn holds(path: &str, module: &str) -> bool {
    module.strip_prefix(path).is_some_and(|rest| rest.is_empty() || (!path.is_empty() && rest.starts_with("::")))
}
