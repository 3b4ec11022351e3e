//! Saving to a file. The path is tried before the window starts, and the data is written beside it and renamed, so that
//! no reader and no full disk ever meets half a file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::ndjson::Label;
use super::{arrow, csv, json, ndjson, parquet, plot};
use crate::diagnostic::{Diagnostic, Exit};
use crate::frame::Frame;
use crate::name::escape;
use crate::plan::Plan;

/// A file format, chosen by the path's ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Parquet,
    Arrow,
    Csv,
    Json,
    Ndjson,
    /// A picture, of histograms only.
    Svg,
    /// The same picture in a page.
    Html,
}

impl Format {
    /// The endings of files, in the order in which they are told.
    pub const ENDINGS: [(&'static str, Format); 7] = [
        ("parquet", Format::Parquet),
        ("arrow", Format::Arrow),
        ("csv", Format::Csv),
        ("json", Format::Json),
        ("ndjson", Format::Ndjson),
        ("svg", Format::Svg),
        ("html", Format::Html),
    ];

    /// `None` for an ending that is not in the list.
    pub fn from_path(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, format)| *format)
    }

    /// Whether one file can hold several results.
    pub const fn holds_several(self) -> bool {
        matches!(self, Format::Json | Format::Ndjson)
    }

    fn write(self, out: &mut dyn Write, frames: &[(Label, &Frame)]) -> io::Result<()> {
        match (self, frames) {
            (Format::Json, _) => json::write(out, &frames.iter().map(|(_, frame)| *frame).collect::<Vec<_>>()),
            (Format::Ndjson, _) => frames.iter().try_for_each(|(label, frame)| ndjson::write(out, frame, *label)),
            (Format::Csv, [(_, frame)]) => csv::write(out, frame, true),
            (Format::Parquet, [(_, frame)]) => parquet::write(out, frame),
            (Format::Arrow, [(_, frame)]) => arrow::write(out, frame),
            (Format::Svg, [(_, frame)]) => plot::svg(out, frame),
            (Format::Html, [(_, frame)]) => plot::html(out, frame),
            (Format::Csv | Format::Parquet | Format::Arrow | Format::Svg | Format::Html, _) => {
                let cause = format!("holds one result, and there are {}", frames.len());
                Err(io::Error::new(ErrorKind::InvalidInput, cause))
            }
        }
    }
}

/// A path that can be written, as far as this can be known beforehand.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// As the user wrote it.
    shown: PathBuf,
    format: Format,
    target: Target,
}

#[derive(Debug, Clone)]
enum Target {
    /// Replaced as a whole; symbolic links are already followed, so that a link stays one.
    Replace { path: PathBuf, folder: PathBuf },
    /// A pipe, a terminal or a device: written as it is.
    Direct { path: PathBuf },
}

/// Tries a path: a known ending, a folder that takes files, and an old file that may be changed.
pub fn prepare(path: &Path) -> Result<Prepared, Diagnostic> {
    match Format::from_path(path) {
        Some(format) => prepare_as(path, format),
        None => Err(unknown_ending(path)),
    }
}

/// The same for a path whose ending does not matter, such as `/dev/stdout`.
pub fn prepare_as(path: &Path, format: Format) -> Result<Prepared, Diagnostic> {
    let problem = |error: io::Error| failure(path, &error, Exit::NotPossible);
    let target = target(path).map_err(problem)?;
    match &target {
        Target::Replace { path: target, folder } => {
            beside(target, folder).and_then(NamedTempFile::close).map_err(problem)?;
        }
        Target::Direct { path: target } => {
            // Opening a pipe would wait for its reader.
            if !fs::metadata(target).map_err(problem)?.file_type().is_fifo() {
                OpenOptions::new().write(true).open(target).map_err(problem)?;
            }
        }
    }
    Ok(Prepared { shown: path.to_owned(), format, target })
}

impl Prepared {
    /// Whether writing the other one would replace what this one has written.
    pub fn replaces(&self, other: &Prepared) -> bool {
        let place = |of: &Prepared| match &of.target {
            Target::Replace { path, folder } => Some((fs::canonicalize(folder).ok()?, path.file_name()?.to_owned())),
            Target::Direct { .. } => None,
        };
        place(self).is_some_and(|mine| place(other) == Some(mine))
    }

    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether the plan's result will fit the format: asked before the window starts.
    pub fn accepts(&self, plan: &Plan) -> Result<(), Diagnostic> {
        match self.format {
            Format::Csv => csv::accepts(plan),
            Format::Svg | Format::Html => plot::accepts(plan),
            Format::Parquet | Format::Arrow | Format::Json | Format::Ndjson => Ok(()),
        }
    }

    /// Writes one result. The old file stays as it was when this fails.
    pub fn write(&self, frame: &Frame) -> Result<(), Diagnostic> {
        self.write_all(&[(Label::Number(1), frame)])
    }

    /// Writes several results, which only `.json` and `.ndjson` can hold.
    pub fn write_all(&self, frames: &[(Label, &Frame)]) -> Result<(), Diagnostic> {
        self.save(&mut |out| self.format.write(out, frames)).map_err(|error| failure(&self.shown, &error, Exit::Failed))
    }

    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        match &self.target {
            Target::Direct { path } => {
                let mut out = BufWriter::new(OpenOptions::new().write(true).open(path)?);
                write(&mut out)?;
                out.flush()
            }
            Target::Replace { path, folder } => {
                let mut beside = beside(path, folder)?;
                let mut out = BufWriter::new(beside.as_file_mut());
                write(&mut out)?;
                out.flush()?;
                drop(out);
                // Some file systems find out only now that there is no room.
                beside.as_file().sync_all()?;
                beside.persist(path).map(|_: File| ()).map_err(|failed| failed.error)
            }
        }
    }
}

fn target(path: &Path) -> io::Result<Target> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => Ok(Target::Direct { path: path.to_owned() }),
        Ok(_) => {
            // Renaming over it would get around the old file's own permission.
            OpenOptions::new().append(true).open(path)?;
            Ok(replace(fs::canonicalize(path)?))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(replace(follow(path)?)),
        Err(error) => Err(error),
    }
}

fn replace(path: PathBuf) -> Target {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    Target::Replace { path, folder }
}

/// Where a link that points to nothing yet points to.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // As many as the kernel follows.
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// A new file in the same folder, with the old file's permissions and owner, or as any new file of this user.
fn beside(path: &Path, folder: &Path) -> io::Result<NamedTempFile> {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let prefix = format!(".{}.", name.chars().take(60).collect::<String>());
    let file = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(".partial")
        // Narrowed by the umask.
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)?;
    if let Ok(old) = fs::metadata(path) {
        // Only root may give files away; for others the new file is theirs, as with any editor.
        let _ = chown(file.path(), Some(old.uid()), Some(old.gid()));
        file.as_file().set_permissions(fs::Permissions::from_mode(old.mode() & 0o7777))?;
    }
    Ok(file)
}

fn unknown_ending(path: &Path) -> Diagnostic {
    let name = escape(path.as_os_str().as_encoded_bytes());
    let title = match path.extension() {
        Some(ending) => {
            format!("cannot save to '{name}': the ending '.{}' is not known", escape(ending.as_encoded_bytes()))
        }
        None => format!("cannot save to '{name}': the path has no ending, and the ending chooses the format"),
    };
    Diagnostic::new("unknown-ending", Exit::Wrong, title)
        .help("use one of .parquet .arrow .csv .json .ndjson .svg .html")
}

fn failure(path: &Path, error: &io::Error, exit: Exit) -> Diagnostic {
    let name = escape(path.as_os_str().as_encoded_bytes());
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = escape(parent.as_os_str().as_encoded_bytes());
    let (cause, help) = match error.kind() {
        // Such as /proc, or a folder that was removed while we stand in it.
        ErrorKind::NotFound if parent.is_dir() => {
            ("no file can be made there".to_owned(), "name another path".to_owned())
        }
        ErrorKind::NotFound => ("its folder does not exist".to_owned(), format!("make it first: mkdir -p '{folder}'")),
        ErrorKind::NotADirectory => ("a part of the path is no folder".to_owned(), "name another path".to_owned()),
        ErrorKind::IsADirectory => ("it is a folder".to_owned(), "name a file in it".to_owned()),
        ErrorKind::PermissionDenied => (
            "permission denied".to_owned(),
            format!("choose a path that you may write; see: ls -ld '{folder}' '{name}'"),
        ),
        ErrorKind::ReadOnlyFilesystem => {
            ("the file system is read-only".to_owned(), "choose a path on another one".to_owned())
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => (
            "no space left".to_owned(),
            format!("free some or choose a path elsewhere (df -h '{folder}'); an older file there is unchanged"),
        ),
        ErrorKind::InvalidInput => {
            (error.to_string(), "save each result to a file of its own, or use .json or .ndjson".to_owned())
        }
        _ => (error.to_string(), "an older file there is unchanged".to_owned()),
    };
    Diagnostic::new("cannot-save", exit, format!("cannot save to '{name}': {cause}")).help(help)
}
