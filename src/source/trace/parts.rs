//! Where a recording lies while it is made: each row group is a whole file in the folder `NAME.partial`, which is replaced
//! by a longer one until the group is full. In the end their bytes are put behind each other into one file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use polars_parquet::parquet::metadata::ThriftFileMetadata;

use super::container::{self, Body, MAGIC};
use super::error::{Error, Task};
use super::meta::{Group, Meta};

const FOLDER_ENDING: &str = ".partial";

/// The folder beside a recording.
pub fn folder_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(FOLDER_ENDING);
    name.into()
}

/// The recording beside which that folder would lie.
pub fn file_of(folder: &Path) -> Option<PathBuf> {
    let name = folder.as_os_str().to_str()?.trim_end_matches('/');
    name.strip_suffix(FOLDER_ENDING).map(PathBuf::from)
}

pub fn part_name(number: usize) -> String {
    format!("{number:06}.parquet")
}

/// The numbers of the parts in a folder, ascending.
pub fn numbers(folder: &Path) -> io::Result<Vec<usize>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".parquet")?.parse().ok());
        found.extend(number.filter(|number| name.to_str() == Some(&part_name(*number))));
    }
    found.sort_unstable();
    Ok(found)
}

/// Tries a path as far as this can be known before a window, and leaves nothing behind. Gives the path with links followed,
/// so that a link stays one.
pub fn prepare(path: &Path) -> Result<PathBuf, Error> {
    let failed = |error| Error::Io { path: path.to_owned(), task: Task::Record, error };
    if path.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("parquet")) {
        return Err(Error::Ending { path: path.to_owned() });
    }
    let target = match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            return Err(Error::NoFile { path: path.to_owned(), what: "a folder", task: Task::Record });
        }
        Ok(found) if !found.is_file() => {
            return Err(Error::NoFile { path: path.to_owned(), what: "a device or a pipe", task: Task::Record });
        }
        Ok(_) => {
            // Renaming over it would get around the old file's own permission.
            OpenOptions::new().append(true).open(path).map_err(failed)?;
            fs::canonicalize(path).map_err(failed)?
        }
        Err(error) if error.kind() == ErrorKind::NotFound => follow(path).map_err(failed)?,
        Err(error) => return Err(failed(error)),
    };
    let folder = folder_of(&target);
    match fs::read_dir(&folder).map(|mut entries| entries.next().is_some()) {
        // Whoever records holds it: nobody must be told to remove that.
        Ok(_) if is_held(&folder) => return Err(Error::UnderWay { folder }),
        Ok(true) => return Err(Error::Left { folder }),
        Ok(false) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // Nobody else has it while it is held, so it is removed from under nobody.
            let _held = claim(&folder, path)?;
            fs::remove_dir(&folder).map_err(failed)?;
        }
        Err(error) => return Err(Error::Io { path: folder, task: Task::Record, error }),
    }
    Ok(target)
}

/// Whether the recording whose parts lie in a folder is still being made.
pub fn is_held(folder: &Path) -> bool {
    // Read-locked, which is let go at once, so that two who look do not see each other.
    File::open(folder).is_ok_and(|folder| matches!(folder.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Makes the folder if it is not there, and locks it for one recorder. `path`: as the recording was named.
fn claim(folder: &Path, path: &Path) -> Result<File, Error> {
    let failed = |error| Error::Io { path: path.to_owned(), task: Task::Record, error };
    loop {
        match fs::create_dir(folder) {
            // Left empty by a recording that had not begun.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => made.map_err(failed)?,
        }
        let held = match File::open(folder) {
            // Whoever only tried whether it can be made has removed it meanwhile.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            opened => opened.map_err(failed)?,
        };
        match held.try_lock() {
            // A file system without locks has none to offer anybody.
            Ok(()) | Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::UnderWay { folder: folder.to_owned() }),
        }
        let id = |of: &fs::Metadata| (of.dev(), of.ino());
        match (held.metadata(), fs::metadata(folder)) {
            (Ok(mine), Ok(there)) if id(&mine) == id(&there) => return Ok(held),
            _ => {}
        }
    }
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
    Err(io::Error::from_raw_os_error(nix::errno::Errno::ELOOP as i32))
}

/// The parts of one recording.
pub struct Parts {
    target: PathBuf,
    folder: PathBuf,
    /// The folder, locked as long as the recording is made. The kernel unlocks it however the recorder ends.
    _held: File,
    /// Of parts that are full: what their footers say, and where their bytes end.
    full: Vec<(ThriftFileMetadata, u64)>,
    groups: Vec<Group>,
}

impl Parts {
    /// Makes the folder. `target` is what [`prepare`] gave.
    pub fn create(target: PathBuf) -> Result<Parts, Error> {
        let folder = folder_of(&target);
        let held = claim(&folder, &folder)?;
        let failed = |error| Error::Io { path: folder.clone(), task: Task::Record, error };
        if fs::read_dir(&folder).map_err(failed)?.next().is_some() {
            return Err(Error::Left { folder });
        }
        Ok(Parts { target, folder, _held: held, full: Vec::new(), groups: Vec::new() })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Of the parts that are full.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Writes the group that is being recorded, over what was written of it before; with `full`, another one follows.
    pub fn put(&mut self, body: Body, group: Group, meta: &Meta, full: bool) -> Result<(), Error> {
        let number = self.full.len();
        let path = self.folder.join(part_name(number));
        let group = Group { digests: body.digests().collect(), ..group };
        let groups = if group.rows > 0 { vec![group.clone()] } else { Vec::new() };
        let end_ns = group.last_ns.max(meta.start_ns);
        let losses = Default::default();
        let meta = Meta { groups, end_ns, losses, complete: false, ended: None, ..meta.clone() };
        let ending = container::ending(&body.footer, &meta).map_err(|doing| doing.at(&path))?;
        let fresh = self.folder.join("next.tmp");
        let write = || {
            let mut file = File::create(&fresh)?;
            file.write_all(&body.bytes)?;
            file.write_all(&ending)?;
            drop(file);
            fs::rename(&fresh, &path)
        };
        let written: io::Result<()> = write();
        if let Err(error) = written {
            // The part that it would have replaced is still there.
            let _ = fs::remove_file(&fresh);
            return Err(Error::Io { path, task: Task::Record, error });
        }
        if full {
            self.full.push((body.footer, body.bytes.len() as u64));
            self.groups.push(group);
        }
        Ok(())
    }

    /// Puts all full parts together and removes the folder; gives the file's size.
    pub fn join(self, meta: &Meta) -> Result<u64, Error> {
        let joined = self.folder.join("joined.tmp");
        match self.write_joined(&joined, meta) {
            Ok(size) => {
                // The file is there: what is left of its parts is only untidy.
                let _ = fs::remove_dir_all(&self.folder);
                Ok(size)
            }
            Err(error) => {
                let _ = fs::remove_file(&joined);
                Err(error)
            }
        }
    }

    fn write_joined(&self, joined: &Path, meta: &Meta) -> Result<u64, Error> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            |error| Error::Io { path, task: Task::Record, error }
        };
        let target = &self.target;
        let mut out = File::create(joined).map_err(failed(joined))?;
        out.write_all(MAGIC).map_err(failed(target))?;
        let mut size = MAGIC.len() as u64;
        let mut footer = container::body(&[], 0).map_err(|doing| doing.at(target))?.footer;
        for (number, (more, end)) in self.full.iter().enumerate() {
            let part = self.folder.join(part_name(number));
            let mut file = File::open(&part).map_err(failed(&part))?;
            file.seek(SeekFrom::Start(MAGIC.len() as u64)).map_err(failed(&part))?;
            let length = end - MAGIC.len() as u64;
            // The kernel copies, where it can without moving a byte.
            let copied = io::copy(&mut file.take(length), &mut out).map_err(failed(target))?;
            if copied != length {
                return Err(failed(&part)(ErrorKind::UnexpectedEof.into()));
            }
            container::append(&mut footer, more, size - MAGIC.len() as u64);
            size += length;
        }
        let ending = container::ending(&footer, meta).map_err(|doing| doing.at(target))?;
        out.write_all(&ending).map_err(failed(target))?;
        size += ending.len() as u64;
        // Some file systems find out only now that there is no room.
        out.sync_all().map_err(failed(target))?;
        if let Ok(old) = fs::metadata(target) {
            // Only root may give files away; for others the new file is theirs, as with any editor.
            let _ = chown(joined, Some(old.uid()), Some(old.gid()));
            fs::set_permissions(joined, fs::Permissions::from_mode(old.mode() & 0o7777)).map_err(failed(target))?;
        }
        fs::rename(joined, target).map_err(failed(target))?;
        Ok(size)
    }

    /// Leaves nothing behind: nothing was recorded.
    pub fn discard(self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
