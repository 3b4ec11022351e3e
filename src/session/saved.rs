//! Saved queries: a path, the user's own folder, or those built into the binary.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Exit, Source};
use crate::nearest::nearest;

mod built_in {
    include!(concat!(env!("OUT_DIR"), "/queries.rs"));
}

/// The ending of a file of statements.
pub const ENDING: &str = "sq";

/// Names of the built-in queries, in order.
pub fn built_in() -> impl Iterator<Item = (&'static str, &'static str)> {
    built_in::QUERIES.iter().copied()
}

/// What it shows: the first comment line of a saved query.
pub fn headline(text: &str) -> &str {
    text.lines().next().and_then(|l| l.strip_prefix('#')).map_or("", str::trim)
}

/// `$XDG_CONFIG_HOME/schedq/queries`, or `~/.config/schedq/queries`.
pub fn user_folder() -> Option<PathBuf> {
    let base = match std::env::var_os("XDG_CONFIG_HOME").filter(|v| !v.is_empty()) {
        Some(base) => PathBuf::from(base),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".config"),
    };
    Some(base.join("schedq/queries"))
}

/// The user's own queries: name and file.
pub fn of_user() -> Vec<(String, PathBuf)> {
    let Some(entries) = user_folder().and_then(|folder| fs::read_dir(folder).ok()) else { return Vec::new() };
    let mut found: Vec<(String, PathBuf)> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == ENDING))
        .filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), path)))
        .collect();
    found.sort();
    found
}

/// A script by its path, seen from a folder, or by its name; and the place by which it is known again.
pub fn load(asked: &Path, folder: Option<&Path>) -> Result<(Source, PathBuf), Diagnostic> {
    let path = folder.map_or_else(|| asked.to_owned(), |folder| folder.join(asked));
    let is_file = is_path(asked) || fs::metadata(&path).is_ok_and(|found| !found.is_dir());
    let found = if is_file { path } else { asked.to_owned() };
    let (name, bytes) = find(&found)?;
    let place = if is_file { fs::canonicalize(&found).unwrap_or(found) } else { PathBuf::from(&name) };
    let folder = is_file.then(|| place.parent()).flatten();
    Ok((source(name, &bytes)?.in_folder(folder), place.clone()))
}

fn is_path(asked: &Path) -> bool {
    asked.components().count() > 1 || asked.extension().is_some()
}

/// Finds `NAME` or a path, and gives its text as bytes with the name to show in messages.
pub fn find(asked: &Path) -> Result<(String, Vec<u8>), Diagnostic> {
    let shown = crate::name::escape(asked.as_os_str().as_encoded_bytes());
    let is_path = is_path(asked);
    let is_there = fs::metadata(asked).is_ok_and(|found| !found.is_dir());
    if is_path || is_there {
        return match fs::File::open(asked).and_then(read) {
            Ok(text) => Ok((shown, text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(unknown(&shown)),
            Err(error) => Err(Diagnostic::new("read-query", Exit::Failed, format!("{shown} cannot be read: {error}"))),
        };
    }
    if let Some((name, path)) = of_user().into_iter().find(|(name, _)| asked == Path::new(name)) {
        let text = fs::File::open(&path).and_then(read).map_err(|e| {
            Diagnostic::new("read-query", Exit::Failed, format!("{} cannot be read: {e}", path.display()))
        })?;
        return Ok((name, text));
    }
    match built_in().find(|(name, _)| asked == Path::new(name)) {
        Some((name, text)) => Ok((format!("{name}.{ENDING}"), text.as_bytes().to_vec())),
        None => Err(unknown(&shown)),
    }
}

/// All of a text, as far as one can be read: of what has no end, little more than a text may have.
pub fn read(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(crate::lang::error::MAX_BYTES as u64 + 4).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unknown(shown: &str) -> Diagnostic {
    let mut names: Vec<String> = built_in().map(|(name, _)| name.to_owned()).collect();
    names.extend(of_user().into_iter().map(|(name, _)| name));
    let mut made = Diagnostic::new("unknown-query", Exit::Wrong, format!("there is no saved query {shown:?}"));
    if let Some(name) = nearest(shown, names.iter().map(String::as_str)) {
        made = made.help(format!("did you mean {name}?"));
    }
    made.help(format!("there are {}; or give the path of a file", names.join(", ")))
}

/// The text of a file as a source, with a clear place for bytes that are not UTF-8.
pub fn source(name: String, bytes: &[u8]) -> Result<Source, Diagnostic> {
    // The end of what is too long may stand in the middle of a character.
    if bytes.len() > crate::lang::error::MAX_BYTES + 3 {
        return Ok(Source::new(name, String::from_utf8_lossy(bytes).into_owned()));
    }
    match crate::lang::decode(bytes) {
        Ok(text) => Ok(Source::new(name, text)),
        Err(error) => Err(error.diagnostic(&Source::new(name, String::from_utf8_lossy(bytes).into_owned()))),
    }
}
