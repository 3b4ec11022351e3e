//! Earlier statements, in a file that all prompts of a user share: one statement a line, appended under a lock as it is
//! entered, so that none is lost when several write.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::name;

/// Statements that are kept when the file is cut, and how many more make it be cut.
const KEPT: usize = 10_000;
const SLACK: usize = 2_000;

/// A longer file was not made by us.
const MOST_BYTES: u64 = 64 << 20;

/// The history of one prompt.
pub struct History {
    /// `None` when it cannot be kept.
    file: Option<PathBuf>,
    entries: Vec<String>,
}

impl History {
    /// That of the user, `$XDG_STATE_HOME/schedq/history` or `~/.local/state/schedq/history`; it is made if it is not there.
    ///
    /// # Errors
    /// Why there can be none, in words.
    pub fn open() -> Result<History, String> {
        let path = path().ok_or("neither HOME nor XDG_STATE_HOME says where")?;
        History::at(path)
    }

    /// One that is forgotten at the end.
    pub fn in_memory() -> History {
        History { file: None, entries: Vec::new() }
    }

    fn at(path: PathBuf) -> Result<History, String> {
        let said = |error: io::Error| format!("{}: {error}", name::escape(path.as_os_str().as_encoded_bytes()));
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(said)?;
        }
        let mut entries = read_entries(&mut locked(&path).map_err(said)?).map_err(said)?;
        if entries.len() > KEPT + SLACK {
            // What others appended meanwhile is read again under the lock.
            entries = cut(&path).map_err(said)?;
        }
        Ok(History { file: Some(path), entries })
    }

    /// Statements of earlier prompts, the oldest first.
    pub fn entries(&self) -> &[String] {
        &self.entries
    }

    /// Whether a statement is another than the last one.
    pub fn is_new(&self, statement: &str) -> bool {
        self.entries.last().is_none_or(|last| last != statement)
    }

    /// Keeps a statement; why it cannot be kept any more, in words, is said once.
    pub fn add(&mut self, statement: &str) -> Option<String> {
        self.entries.push(statement.to_owned());
        let path = self.file.as_deref()?;
        let failed = append(path, statement).err()?;
        let said = format!("{}: {failed}", name::escape(path.as_os_str().as_encoded_bytes()));
        self.file = None;
        Some(said)
    }
}

fn path() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = of("XDG_STATE_HOME").or_else(|| Some(of("HOME")?.join(".local/state")))?;
    Some(base.join("schedq/history"))
}

/// The file, under its lock, which goes when it is closed. A file that somebody has put another one in place of is let go.
fn locked(path: &Path) -> io::Result<File> {
    loop {
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(io::Error::other("it is no file"));
        }
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
        // Where a file system has no locks, a short append is whole all the same.
        let _ = file.lock();
        let (own, there) = (file.metadata()?, fs::metadata(path));
        if there.is_ok_and(|there| (there.ino(), there.dev()) == (own.ino(), own.dev())) {
            if own.permissions().mode() & 0o077 != 0 {
                file.set_permissions(Permissions::from_mode(0o600))?;
            }
            return Ok(file);
        }
    }
}

fn append(path: &Path, statement: &str) -> io::Result<()> {
    let mut file = match locked(path) {
        // Somebody has removed the folder.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            DirBuilder::new().recursive(true).mode(0o700).create(path.parent().unwrap_or(Path::new("/")))?;
            locked(path)?
        }
        other => other?,
    };
    file.write_all(format!("{}\n", line_of(statement)).as_bytes())
}

fn read_entries(file: &mut File) -> io::Result<Vec<String>> {
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().filter(|line| !line.is_empty()).map(statement_of).collect())
}

/// Leaves the last ones, in a file that takes the place of the old one.
fn cut(path: &Path) -> io::Result<Vec<String>> {
    let mut old = locked(path)?;
    let mut entries = read_entries(&mut old)?;
    entries.drain(..entries.len().saturating_sub(KEPT));
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new().permissions(Permissions::from_mode(0o600)).tempfile_in(folder)?;
    for entry in &entries {
        writeln!(new, "{}", line_of(entry))?;
    }
    new.persist(path)?;
    Ok(entries)
}

/// A statement as one line.
fn line_of(statement: &str) -> String {
    statement.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r")
}

fn statement_of(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, false) => out.push(c),
            _ => match chars.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => {}
            },
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_lines_and_come_back() {
        for statement in ["a", "a\n  b \\ 'c\\n'\r\nd", "\\", ""] {
            assert_eq!(statement_of(&line_of(statement)), statement);
            assert!(!line_of(statement).contains('\n'));
        }
    }

    #[test]
    fn two_at_once_lose_nothing_and_only_the_owner_reads() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state/schedq/history");
        let write = |who: &'static str| {
            let path = path.clone();
            std::thread::spawn(move || {
                let mut history = History::at(path).expect("a history");
                for i in 0..100 {
                    assert_eq!(history.add(&format!("{who}\n{i}")), None);
                }
            })
        };
        let both = [write("a"), write("b")];
        both.into_iter().for_each(|thread| thread.join().expect("no panic"));
        let found = History::at(path.clone()).expect("a history");
        for who in ["a", "b"] {
            let own: Vec<&String> = found.entries().iter().filter(|e| e.starts_with(who)).collect();
            let expected: Vec<String> = (0..100).map(|i| format!("{who}\n{i}")).collect();
            assert_eq!(own, expected.iter().collect::<Vec<_>>(), "all, in order");
        }
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
        // One that others could read is closed to them.
        fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("ours");
        History::at(path.clone()).expect("a history");
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_long_one_is_cut_and_appended_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("history");
        let lines: String = (0..KEPT + SLACK + 1).map(|i| format!("{i}\n")).collect();
        fs::write(&path, lines).expect("written");
        let mut history = History::at(path.clone()).expect("a history");
        assert_eq!(history.entries().len(), KEPT);
        assert_eq!(history.entries()[0], (SLACK + 1).to_string());
        assert_eq!(history.add("last"), None);
        let again = History::at(path).expect("a history");
        assert_eq!(again.entries().last().map(String::as_str), Some("last"));
        assert_eq!(again.entries().len(), KEPT + 1);
    }

    #[test]
    fn what_cannot_be_a_history_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(History::at(folder.path().to_owned()).is_err(), "a folder");
        let file = folder.path().join("file");
        fs::write(&file, "").expect("written");
        let why = History::at(file.join("schedq/history")).err().expect("no folder can be there");
        assert!(why.contains("file/schedq/history"), "{why}");
    }
}
