//! Why a recording could not be written or read, and the words for it.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::schema::MAJOR;
use crate::diagnostic::{Diagnostic, Exit};
use crate::name::escape;

#[derive(Debug)]
pub enum Error {
    /// The file system said no. What was written before is readable.
    Io { path: PathBuf, task: Task, error: io::Error },
    /// The path has another ending than `.parquet`.
    Ending { path: PathBuf },
    /// A device, a pipe or a folder: a recording is put together beside its file, and read from places all over it.
    NoFile { path: PathBuf, what: &'static str, task: Task },
    /// Parts of a recording that was not finished lie where this one's parts would.
    Left { folder: PathBuf },
    /// Another recorder writes there at this moment.
    UnderWay { folder: PathBuf },
    /// The folder of a recording that was finished meanwhile, or before: it lies in that file.
    Finished { folder: PathBuf, file: PathBuf },
    /// There is no such file, but the parts of a recording that has not become it.
    NotFinished { path: PathBuf, folder: PathBuf },
    /// Values could not be encoded: a fault of schedq.
    Encode { path: PathBuf, what: String },
    /// Nothing is in it.
    Empty { path: PathBuf },
    /// Something else than Parquet.
    NotParquet { path: PathBuf, looks: Looks },
    /// It begins as Parquet and does not end so.
    Cut { path: PathBuf },
    /// Parquet, and no recording.
    Foreign { path: PathBuf, looks: Parquet },
    /// A recording in which bytes are not those that were written.
    Damaged { path: PathBuf, place: Place },
    /// Written by a schedq whose format this one does not know.
    Newer { path: PathBuf, found: String },
    /// A folder without parts of a recording.
    Folder { path: PathBuf },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    Record,
    Read,
}

/// A problem for which the path is not at hand.
#[derive(Debug)]
pub enum Doing {
    Encode(String),
}

impl Doing {
    pub fn at(self, path: &Path) -> Error {
        match self {
            Doing::Encode(what) => Error::Encode { path: path.to_owned(), what },
        }
    }
}

/// What the first bytes of a file look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looks {
    Text,
    Json,
    PerfData,
    TraceDat,
    Gzip,
    Zstd,
    Arrow,
    Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parquet {
    /// A result that schedq saved.
    Result,
    /// A recording that another program has written anew.
    Rewritten,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Footer,
    /// What the file says of itself contradicts itself.
    Meta(String),
    Column {
        column: &'static str,
        group: usize,
    },
    /// A part in the middle of a folder.
    Part(PathBuf),
}

impl Error {
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            Error::Io { path, task, error } => io_diagnostic(path, *task, error),
            Error::Ending { path } => Diagnostic::new(
                "unknown-ending",
                Exit::Wrong,
                format!("cannot record to {}: a recording is a .parquet file", show(path)),
            )
            .help("name it so: to 'trace.parquet'"),
            Error::NoFile { path, what, task: Task::Read } => {
                unreadable(path, &format!("it is {what}")).help("name a file")
            }
            Error::NoFile { path, what, task: Task::Record } => Diagnostic::new(
                "cannot-record",
                Exit::NotPossible,
                format!("cannot record to {}: it is {what}", show(path)),
            )
            .help("name a file; its parts lie beside it while it is recorded"),
            Error::Left { folder } => {
                let name = show(folder);
                Diagnostic::new(
                    "left-over",
                    Exit::NotPossible,
                    format!("an earlier recording was not finished: its parts are in {name}"),
                )
                .help(format!("ask them: from {name} …"))
                .help(format!("or remove them: rm -r {name}"))
            }
            Error::UnderWay { folder } => {
                let name = show(folder);
                Diagnostic::new(
                    "under-way",
                    Exit::NotPossible,
                    format!("another recording to the same file is being made: its parts are in {name}"),
                )
                .help(format!("ask what is there already: from {name} …"))
                .help("or record to another file")
            }
            Error::Finished { folder, file } => {
                unreadable(folder, "its recording is finished").help(format!("ask the file: from {} …", show(file)))
            }
            Error::NotFinished { path, folder } => unreadable(path, "its recording is not finished")
                .help(format!("ask the parts that are there: from {} …", show(folder))),
            Error::Encode { path, what } => Diagnostic::new(
                "encode",
                Exit::Failed,
                format!("events could not be written to {}: {what}", show(path)),
            )
            .help("this is a fault of schedq: please report it"),
            Error::Empty { path } => unreadable(path, "it is empty"),
            Error::NotParquet { path, looks } => {
                let made = unreadable(
                    path,
                    match looks {
                        Looks::Text => "it is text",
                        Looks::Json => "it is JSON",
                        Looks::PerfData => "it is perf's data",
                        Looks::TraceDat => "it is a trace of trace-cmd",
                        Looks::Gzip => "it is packed with gzip",
                        Looks::Zstd => "it is packed with zstd",
                        Looks::Arrow => "it is an Arrow file",
                        Looks::Bytes => "it is no Parquet file",
                    },
                );
                match looks {
                    Looks::Gzip => made.help(format!("unpack it first: gunzip {}", show(path))),
                    Looks::Zstd => made.help(format!("unpack it first: zstd -d {}", show(path))),
                    _ => made.help(make_one()),
                }
            }
            Error::Cut { path } => unreadable(path, "its end is missing")
                .help("it was cut off while it was copied, perhaps: copy it again"),
            Error::Foreign { path, looks } => match looks {
                Parquet::Result => {
                    unreadable(path, "it is a result that was saved, and holds no events").help(make_one())
                }
                Parquet::Rewritten => {
                    unreadable(path, "another program has written it anew, and what is missing now cannot be known")
                        .help("ask the file that schedq wrote")
                }
                Parquet::Other => unreadable(path, "it is a Parquet file, but no recording").help(make_one()),
            },
            Error::Damaged { path, place } => {
                let what = match place {
                    Place::Footer => "its footer was changed or damaged".to_owned(),
                    Place::Meta(what) => format!("what it says of itself is wrong: {what}"),
                    Place::Column { column, group } => {
                        format!("the column {column} was changed or damaged (row group {group})")
                    }
                    Place::Part(part) => format!("a part in its middle cannot be read: {}", show(part)),
                };
                unreadable(path, &what)
                    .help("take another copy of it: every byte of a recording is checked before it is believed")
            }
            Error::Newer { path, found } => {
                unreadable(path, &format!("its format is version {found}, and this schedq knows up to {MAJOR}"))
                    .help("use a newer schedq")
            }
            Error::Folder { path } => unreadable(path, "it is a folder without parts of a recording")
                .help("a recording that is not finished lies in 'NAME.partial'"),
        }
    }
}

fn make_one() -> &'static str {
    "a recording is made with: schedq -e \"record sched for 10s to 'trace.parquet'\""
}

fn unreadable(path: &Path, what: &str) -> Diagnostic {
    Diagnostic::new("no-recording", Exit::Failed, format!("cannot ask {}: {what}", show(path)))
}

fn io_diagnostic(path: &Path, task: Task, error: &io::Error) -> Diagnostic {
    let name = show(path);
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = show(parent);
    let kept = "what was recorded before can be asked";
    let another = "name another path".to_owned();
    let (cause, help) = match (error.kind(), task) {
        // A name: nothing was tried with it yet.
        (ErrorKind::InvalidFilename, _) => ("the name is too long".to_owned(), another),
        (ErrorKind::InvalidInput, _) => ("no file's name holds a NUL byte".to_owned(), another),
        _ if is_loop(error) => ("its symbolic links lead in a circle".to_owned(), format!("see: ls -l {name}")),
        (ErrorKind::NotFound, Task::Read) if is_built_in(path) => {
            ("no recording of that name comes with schedq".to_owned(), "there is '@sample'".to_owned())
        }
        (ErrorKind::NotFound, Task::Read) => ("there is no such file".to_owned(), format!("see: ls {folder}")),
        // Such as /proc, or a folder that was removed while we stand in it.
        (ErrorKind::NotFound, Task::Record) if parent.is_dir() => {
            ("no file can be made in its folder".to_owned(), another)
        }
        (ErrorKind::NotFound, Task::Record) => {
            ("its folder does not exist".to_owned(), format!("make it first: mkdir -p {folder}"))
        }
        (ErrorKind::PermissionDenied, _) => ("permission denied".to_owned(), format!("see: ls -ld {folder} {name}")),
        (ErrorKind::NotADirectory, _) => ("a part of the path is no folder".to_owned(), another),
        (ErrorKind::ReadOnlyFilesystem, Task::Record) => {
            ("the file system is read-only".to_owned(), "choose a path on another one".to_owned())
        }
        (ErrorKind::StorageFull | ErrorKind::QuotaExceeded, Task::Record) => {
            ("no space left".to_owned(), format!("free some (df -h {folder}); {kept}"))
        }
        (_, Task::Record) => (error.to_string(), kept.to_owned()),
        (_, Task::Read) => (error.to_string(), "see: dmesg, if the disk is failing".to_owned()),
    };
    let (code, what) = match task {
        Task::Record => ("cannot-record", "record to"),
        Task::Read => ("no-recording", "ask"),
    };
    // What can be known before the window is said as for any other file that cannot be.
    let exit = match (error.kind(), task) {
        (
            ErrorKind::NotFound
            | ErrorKind::PermissionDenied
            | ErrorKind::NotADirectory
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::InvalidFilename
            | ErrorKind::InvalidInput,
            Task::Record,
        ) => Exit::NotPossible,
        (_, Task::Record) if is_loop(error) => Exit::NotPossible,
        _ => Exit::Failed,
    };
    Diagnostic::new(code, exit, format!("cannot {what} {name}: {cause}")).help(help)
}

/// ErrorKind::FilesystemLoop has no stable name yet.
fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(nix::errno::Errno::ELOOP as i32)
}

/// The names of recordings that are no files begin so.
fn is_built_in(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().starts_with(b"@")
}

/// In quotes that the language and a shell take.
fn show(path: &Path) -> String {
    let name = escape(path.as_os_str().as_encoded_bytes());
    if name.contains('\'') { format!("\"{name}\"") } else { format!("'{name}'") }
}
